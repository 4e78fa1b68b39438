#!/usr/bin/env python3
"""What an inside does for captured jelly: a cube of Gaussians stands on the ground, hollow or filled.

    tests/bench/gaussian_filling/filling.py build/bin/floe [--frames 36] [--cell 0.04]

Prints, as Markdown, for some stiffnesses and Poisson's ratios how high the cube is after a while, over its
height at first, and its mean volume (the product of the ellipsoids' axes) over that at first. Xie et al. 2024
(PhysGaussian) show both as pictures."""

import argparse
import array
import json
import math
import pathlib
import subprocess
import tempfile

HEIGHT = 0.5  # of the cube [m]


def graph(filled, young, poisson, frames, cell):
    nodes = {
        "cube": {"type": "floe.shape.box", "parameters": {
            "size": [HEIGHT] * 3, "center": [0, HEIGHT / 2 + 0.005, 0], "voxelSize": 0.02}},
        "set": {"type": "floe.gaussians.mesh", "parameters": {"count": 12000, "degree": 0}},
        "jelly": {"type": "floe.material", "parameters": {
            "law": "fixedCorotated", "density": 1000, "youngModulus": young, "poissonRatio": poisson}},
        "source": {"type": "floe.gaussians.emitter"},
        "floor": {"type": "floe.shape.plane", "parameters": {"size": 4, "thickness": 0.2}},
        "ground": {"type": "floe.collider", "parameters": {"contact": "separate", "friction": 0.5}},
        "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": cell, "outputDeformation": True}},
        "deform": {"type": "floe.gaussians.deform", "parameters": {"maxStretch": 1e6}},
        "write": {"type": "floe.gaussians.write", "parameters": {
            "path": "set.%04d.ply", "every": frames - 1, "up": "y"}},
    }
    links = [("cube.mesh", "set.mesh"), ("jelly.material", "source.material"),
             ("source.emitter", "solver.emitters"), ("floor.shape", "ground.shape"),
             ("ground.collider", "solver.colliders"), ("solver.particles", "deform.particles"),
             ("deform.gaussians", "write.gaussians")]
    seen = "set"
    if filled:
        seen = "fill"
        nodes["fill"] = {"type": "floe.gaussians.fill", "parameters": {"cell": cell / 2}}
        links.append(("set.gaussians", "fill.gaussians"))
    links += [(f"{seen}.gaussians", "source.gaussians"), (f"{seen}.gaussians", "deform.gaussians")]
    return {"floe": 1, "range": {"start": 1, "end": frames, "fps": 24}, "nodes": nodes,
            "links": [{"from": a, "to": b} for a, b in links]}


def rows(path):
    """@return names of a binary PLY file's columns, and its numbers, all of them floats"""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    names = [line.split()[-1].decode() for line in data[:end].splitlines()
             if line.startswith(b"property float ")]
    numbers = array.array("f")
    numbers.frombytes(data[end:])
    return names, numbers


def column(table, name):
    names, numbers = table
    return numbers[names.index(name)::len(names)]


def height(table):
    """@return between the lowest and the highest hundredth"""
    y = sorted(column(table, "y"))
    return y[len(y) * 99 // 100] - y[len(y) // 100]


def volume(table):
    return [math.exp(sum(logs)) for logs in zip(*(column(table, f"scale_{k}") for k in range(3)))]


def study(floe, filled, young, poisson, frames, cell):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "graph.floe.json").write_text(json.dumps(graph(filled, young, poisson, frames, cell)))
        subprocess.run([floe, "run", folder / "graph.floe.json", "--output", folder, "--progress", "quiet",
                        "--device", "cpu"], check=True)
        first, last = rows(folder / "set.0001.ply"), rows(folder / f"set.{frames:04d}.ply")
        grown = [now / then for then, now in zip(volume(first), volume(last))]
        return height(last) / height(first), sum(grown) / len(grown)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("floe")
    options.add_argument("--frames", type=int, default=36)
    options.add_argument("--cell", type=float, default=0.04)
    args = options.parse_args()
    print("| Young's modulus | Poisson's ratio | hollow: height, volume | filled: height, volume |\n"
          "|---|---|---|---|")
    for young in (5e3, 2e4, 1e5):
        for poisson in (0.2, 0.45):
            hollow, filled = (study(args.floe, inside, young, poisson, args.frames, args.cell)
                              for inside in (False, True))
            print(f"| {young / 1e3:g} kPa | {poisson} | {hollow[0]:.2f}, {hollow[1]:.2f} | "
                  f"{filled[0]:.2f}, {filled[1]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
