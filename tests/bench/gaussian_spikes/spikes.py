#!/usr/bin/env python3
"""What bounding spikes does for a captured thing that is bent and twisted.

    tests/bench/gaussian_spikes/spikes.py build/bin/floe [--keep FOLDER] [--length 0.08]

A column with striped sides is a set of needles along it, as training makes them where colours are even along
an edge: at rest they lie in the surface. A lattice moves them as they are, split or clamped by *Bound spikes*
before the motion, and split after it. The truth is the same surface in Gaussians ten times as many and as wide as
long. Prints mean PSNR [dB] of eight views as Markdown, at rest too, and how many Gaussians each has."""

import argparse
import array
import json
import math
import pathlib
import random
import struct
import subprocess
import tempfile
import zlib

HALF = 0.15  # of the column's edge [m]; it is 1 m high
WIDTH = 0.012  # standard deviation across a needle [m]
VIEWS, SIDE = 8, 200
MOTIONS = {"at rest": {}, "bent by 90 degrees": {"bend": 90}, "twisted by 150 degrees": {"twist": 150}}
KINDS = {"needles, as they are": None, "split before": {"mode": "split"}, "clamped before": {"mode": "clamp"},
         "split after": {"mode": "split"}}


def column(path, count, length, needle):
    """Writes upright Gaussians of a length on the four sides, as 3DGS tools write them. Shorter ones than a needle
    are spread along where needles would be, so that both fade out alike at the column's ends."""
    random.seed(7)
    names = ["x", "y", "z", "f_dc_0", "f_dc_1", "f_dc_2", "opacity", "scale_0", "scale_1", "scale_2",
             "rot_0", "rot_1", "rot_2", "rot_3"]
    rows = array.array("f")
    for i in range(count):
        side, across = i % 4, random.uniform(-HALF, HALF)
        up = random.uniform(needle, 1 - needle) + random.gauss(0, math.sqrt(needle ** 2 - length ** 2))
        x, z = [(across, HALF), (HALF, -across), (-across, -HALF), (-HALF, across)][side]
        stripe = math.floor(across / 0.05) % 2
        light = (0.95, 0.75, 0.6, 0.8)[side]
        colour = [light * c for c in ((0.8, 0.25, 0.1) if stripe else (0.95, 0.85, 0.6))]
        turn = side * math.pi / 4
        rows.extend([x, up, z] + [(c - 0.5) / 0.28209479177387814 for c in colour] +
                    [math.log(0.9 / 0.1), math.log(WIDTH), math.log(length), math.log(0.1 * WIDTH),
                     math.cos(turn), 0, math.sin(turn), 0])
    header = f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\n"
    header += "".join(f"property float {name}\n" for name in names) + "end_header\n"
    path.write_bytes(header.encode() + rows.tobytes())


def graph(folder, motion, limit):
    nodes, links = {}, []
    eye = [{"keys": []}, {"keys": []}, {"keys": []}]
    for i in range(VIEWS):
        angle = 2 * math.pi * (i + 0.5) / VIEWS
        for axis, place in enumerate((2.6 * math.cos(angle), 0.9 if i % 2 else 1.6, 2.6 * math.sin(angle))):
            eye[axis]["keys"].append([i + 1, place, "step"])
    nodes["camera"] = {"type": "floe.camera", "parameters": {"eye": eye, "target": [0.1, 0.45, 0], "fieldOfView": 32}}

    def moved(name, source, before=None, after=None):
        nodes[name] = {"type": "floe.gaussians.file", "parameters": {"path": str(source), "up": "y"}}
        socket = f"{name}.gaussians"
        if before:
            nodes[f"{name}_before"] = {"type": "floe.gaussians.spikes", "parameters": {"length": limit, **before}}
            links.append((socket, f"{name}_before.gaussians"))
            socket = f"{name}_before.gaussians"
        nodes[f"{name}_lattice"] = {"type": "floe.gaussians.lattice", "parameters": {"sections": 9, **motion}}
        nodes[f"{name}_moved"] = {"type": "floe.gaussians.deform"}
        links.extend([(socket, f"{name}_lattice.points"), (socket, f"{name}_moved.gaussians"),
                      (f"{name}_lattice.particles", f"{name}_moved.particles")])
        socket = f"{name}_moved.gaussians"
        if after:
            nodes[f"{name}_after"] = {"type": "floe.gaussians.spikes", "parameters": {"length": limit, **after}}
            links.append((socket, f"{name}_after.gaussians"))
            socket = f"{name}_after.gaussians"
        nodes[f"{name}_render"] = {"type": "floe.output.render", "parameters": {
            "path": f"{name}.%04d.png", "movie": False, "width": SIDE, "height": SIDE, "samples": "1", "ground": False}}
        links.extend([(socket, f"{name}_render.particles"), ("camera.camera", f"{name}_render.camera")])

    moved("truth", folder / "short.ply")
    for number, (kind, bound) in enumerate(KINDS.items()):
        late = kind.endswith("after")
        moved(f"kind{number}", folder / "needles.ply", None if late else bound, bound if late else None)
    return {"floe": 1, "range": {"start": 1, "end": VIEWS, "fps": 24}, "nodes": nodes,
            "links": [{"from": a, "to": b} for a, b in links]}


def samples(path):
    """@return the bytes of an 8-bit PNG file's rows, one after the other"""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    step = {0: 1, 2: 3, 6: 4}[colour]
    raw, row, pixels = zlib.decompress(packed), bytearray(width * step), bytearray()
    for y in range(height):
        filter_, line = raw[y * (width * step + 1)], bytearray(raw[y * (width * step + 1) + 1:(y + 1) * (width * step + 1)])
        for i in range(len(line)):
            left, up, corner = (line[i - step] if i >= step else 0), row[i], (row[i - step] if i >= step else 0)
            if filter_ == 1:
                guess = left
            elif filter_ == 2:
                guess = up
            elif filter_ == 3:
                guess = (left + up) // 2
            elif filter_ == 4:
                guess = min((left, up, corner), key=lambda one: abs(left + up - corner - one))
            else:
                break
            line[i] = (line[i] + guess) & 255
        row = line
        pixels += line
    return pixels


def psnr(one, other):
    error = sum((a - b) ** 2 for a, b in zip(one, other)) / len(one)
    return 10 * math.log10(255 ** 2 / max(error, 1e-6))


def study(floe, folder, motion, limit):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "graph.floe.json").write_text(json.dumps(graph(folder.parent, motion, limit)))
    subprocess.run([floe, "run", folder / "graph.floe.json", "--output", folder, "--progress", "quiet",
                    "--device", "cpu"], check=True)
    truth = [samples(folder / f"truth.{view + 1:04d}.png") for view in range(VIEWS)]
    return [sum(psnr(samples(folder / f"kind{number}.{view + 1:04d}.png"), truth[view]) for view in range(VIEWS)) /
            VIEWS for number in range(len(KINDS))]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("floe")
    options.add_argument("--length", type=float, default=0.08, help="standard deviation along a needle [m]")
    options.add_argument("--limit", type=float, default=2, help="length over width of Bound spikes")
    options.add_argument("--keep", help="a folder for graphs and pictures")
    args = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(args.keep or temporary).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        column(folder / "needles.ply", 2500, args.length, args.length)
        column(folder / "short.ply", 25000, WIDTH, args.length)
        results = [study(args.floe, folder / name.replace(" ", "_"), motion, args.limit)
                   for name, motion in MOTIONS.items()]
    print("| | " + " | ".join(MOTIONS) + " |\n|---|" + "---|" * len(MOTIONS))
    for number, kind in enumerate(KINDS):
        print(f"| {kind} | " + " | ".join(f"{result[number]:.2f}" for result in results) + " |")


if __name__ == "__main__":
    main()
