#!/usr/bin/env python3
"""Floe's pictures beside those of Blender's EEVEE, of the same frames in equal processor time.

    tests/bench/pictures/eevee.py FLOE [--blender blender] [--output DIR]

For each scene: simulates it, draws a frame with Floe (smooth surfaces made of the particles, and drawn),
writes the same surface as a mesh, and has Blender draw that with a like camera, sun, sky and matter, with as many
samples as fit in the same processor time, one at least. Prints a table; pictures and meshes are left in DIR.
Wants Blender 3.4 or later, and xvfb-run where there is no display.
"""
import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SCENES = {"water": ("graphs/dam_break.floe.json", 14), "jelly": ("graphs/materials/jello.floe.json", 14)}
SIZE = (1280, 720)


def processor_seconds(command, **options):
    """Runs a program to its end. Its output and the processor time of it and its children [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def with_surface(graph, name):
    """The scene with its surface exported, and one picture of SIZE."""
    nodes, links = graph["nodes"], graph["links"]
    nodes["bench_surface"] = {"type": "floe.surface.levelset", "version": 2}
    nodes["bench_skin"] = {"type": "floe.surface.mesh", "version": 1}
    nodes["bench_mesh"] = {"type": "floe.output.mesh", "version": 1, "parameters": {"path": f"{name}.%04d.ply"}}
    links += [{"from": "solver.particles", "to": "bench_surface.particles"},
              {"from": "bench_surface.shape", "to": "bench_skin.shape"},
              {"from": "bench_skin.mesh", "to": "bench_mesh.mesh"}]
    nodes["render"]["parameters"] |= {"path": f"{name}_floe.%04d.png", "width": SIZE[0], "height": SIZE[1],
                                      "movie": False}
    return graph


def of_type(graph, kind):
    return [node.get("parameters", {}) for node in graph["nodes"].values() if node["type"] == kind]


def draw(floe, blender, name, folder):
    path, frame = SCENES[name]
    graph = with_surface(json.loads((ROOT / path).read_text()), name)
    scene = folder / f"{name}.floe.json"
    scene.write_text(json.dumps(graph))
    processor_seconds([floe, "run", scene, "--output", folder, "--cache", "--checkpoint-every", "0", "--end", frame + 1,
                       "--set", "render.every=1000", "--set", "bench_mesh.every=1000", "--progress", "quiet"])

    def rendered(end, node):
        return processor_seconds([floe, "render", scene, "--output", folder, "--start", frame, "--end", end,
                                  "--node", node, "--progress", "quiet"])[1]

    rendered(frame, "bench_mesh")
    # What the second picture takes: not the program's start.
    ours = rendered(frame + 1, "render") - rendered(frame, "render")

    material = of_type(graph, "floe.material")[0]
    wanted = {"mesh": str(folder / f"{name}.{frame:04d}.ply"), "size": SIZE, "seconds": ours,
              "picture": str(folder / f"{name}_eevee.png"), "camera": of_type(graph, "floe.camera")[0],
              "colour": material["color"], "clear": material.get("opacity", 1) < 1,
              "depth": material.get("colorDepth", 0.5)}
    task = folder / f"{name}_eevee.json"
    task.write_text(json.dumps(wanted))
    command = [blender, "--background", "--factory-startup", "--python-exit-code", "1", "--python",
               Path(__file__).with_name("eevee_scene.py"), "--", task]
    if "DISPLAY" not in os.environ:
        command = ["xvfb-run", "-a", *command]
    output, _ = processor_seconds(command)
    samples, theirs = re.search(r"EEVEE: (\d+) samples, ([0-9.]+) s", output).groups()
    return ours, float(theirs), int(samples)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("floe", type=Path)
    arguments.add_argument("--blender", default=shutil.which("blender"))
    arguments.add_argument("--output", type=Path, default=Path("eevee"))
    chosen = arguments.parse_args()
    if not chosen.blender:
        sys.exit("there is no Blender: install it, or name it with --blender")
    folder = chosen.output.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    print("| scene | Floe [processor s] | EEVEE [processor s] | EEVEE's samples |\n|---|---|---|---|")
    for name in SCENES:
        ours, theirs, samples = draw(str(chosen.floe.resolve()), chosen.blender, name, folder)
        print(f"| {name} | {ours:.1f} | {theirs:.1f} | {samples} |", flush=True)


if __name__ == "__main__":
    main()
