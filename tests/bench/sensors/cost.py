#!/usr/bin/env python3
"""cost.py FLOE [--frames N] [--rounds N]

Processor time of sensors for each 640 x 480 picture: a graph runs with and without them, and the difference of the
shortest runs is divided by the frames. Processor time (user and system, of all threads and children), since the
machine may be shared; it includes what draws, where a processor does that.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

WIDTH, HEIGHT = 640, 480


def graph(frames, *more):
    """A ball of snow before a wall that slides, filling the picture; and what is to be measured."""
    nodes = {
        "ball": {"type": "floe.shape.sphere", "parameters": {"radius": 0.4, "voxelSize": 0.04}},
        "snow": {"type": "floe.material"},
        "body": {"type": "floe.emitter"},
        "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.08, "gravity": [0, 0, 0]}},
        "wall_shape": {"type": "floe.shape.box", "parameters": {"size": [8, 8, 0.2], "center": [0, 0, -2]}},
        "wall": {"type": "floe.collider"},
        "camera": {"type": "floe.camera", "parameters": {"eye": [0, 0, 3], "target": [0, 0, 0]}},
    }
    links = [["ball.shape", "body.shape"], ["snow.material", "body.material"], ["body.emitter", "solver.emitters"],
             ["wall_shape.shape", "wall.shape"], ["wall_shape.mesh", "wall.mesh"]]
    if more:
        nodes["eye"] = {"type": "floe.sensor.camera", "parameters": {"width": WIDTH, "height": HEIGHT}}
        nodes["read"] = {"type": "floe.output.particles", "parameters": {"path": "boxes.%04d.json"}}
        links += [["solver.particles", "eye.particles"], ["wall.collider", "eye.colliders"],
                  ["camera.camera", "eye.camera"], ["eye.boxes", "read.particles"]]
    for name in more[1:]:
        kind = "coco" if name == "coco" else "particles"
        path = "labels.%04d.json" if name == "coco" else f"pixels.%04d.{name}"
        nodes[name] = {"type": f"floe.output.{kind}", "parameters": {"path": path}}
        links.append(["eye.pixels", f"{name}.{'pixels' if kind == 'coco' else 'particles'}"])
    return {"floe": 1, "range": {"start": 1, "end": frames, "fps": 24}, "nodes": nodes,
            "links": [{"from": source, "to": target} for source, target in links]}


def processor_seconds(floe, document, folder):
    (folder / "graph.floe.json").write_text(json.dumps(document))
    run = subprocess.Popen([floe, "run", folder / "graph.floe.json", "-o", folder / "out", "--device", "cpu",
                            "--checkpoint-every", "0", "--progress", "quiet"])
    _, status, usage = os.wait4(run.pid, 0)
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0, status
    sizes = {}
    for file in (folder / "out").glob("*.0002.*"):
        sizes[file.suffix + (" COCO" if file.name.startswith("labels") else "")] = file.stat().st_size
    return usage.ru_utime + usage.ru_stime, sizes


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("floe", type=pathlib.Path)
parser.add_argument("--frames", type=int, default=12)
parser.add_argument("--rounds", type=int, default=2)
arguments = parser.parse_args()

variants = {"nothing": (), "sensor": ("eye",), "npz": ("eye", "npz"), "exr": ("eye", "exr"), "coco": ("eye", "coco")}
shortest, sizes = {}, {}
for _ in range(arguments.rounds):
    for name, more in variants.items():
        per_frame = []
        for frames in (2, 2 + arguments.frames):  # what starting takes, drops out
            with tempfile.TemporaryDirectory() as folder:
                seconds, sizes[name] = processor_seconds(arguments.floe, graph(frames, *more), pathlib.Path(folder))
                per_frame.append(seconds)
        key = (per_frame[1] - per_frame[0]) / arguments.frames
        shortest[name] = min(key, shortest.get(name, key))
for name in list(variants)[1:]:
    base = shortest["nothing" if name == "sensor" else "sensor"]
    print(f"{name}: {1000 * (shortest[name] - base):.1f} ms a picture, files {sizes[name]}")
