#!/usr/bin/env python3
"""Real time: the scenes of Qiu (2024, table 5.1), frame by frame.

Usage: live_bench.py [--floe PATH] [--device cpu|cuda] [--threads N] [--fps 60] [--end 121] [--json FILE]

Sand cylinders, blocks of soil and a block of liquid of as many particles as there fall onto a ground, two seconds of it; sand with
its passive particles. A frame takes as many steps as its material needs. The thesis gives milliseconds of a "pass" on a GPU (an RTX 3080), not how many of them
make a frame; beside them stand those of a step. Written is the middle and the longest frame after the first. Pictures are
not drawn."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
LAWS = {
    "sand": {"law": "druckerPrager", "density": 1600, "youngModulus": 1e6, "poissonRatio": 0.3, "frictionAngle": 35},
    "soil": {"law": "camClay", "density": 1600, "youngModulus": 2e6, "poissonRatio": 0.3, "frictionAngle": 40,
             "tensionShare": 0.3, "crushHardening": 0.5, "initialState": -0.006},
    "liquid": {"law": "liquid", "density": 1000, "bulkModulus": 2e5, "exponent": 7, "viscosity": 0.001},
}
# Name, law, bodies, particles of each, passive for each particle, milliseconds of a pass on an RTX 3080.
SCENES = [("sand, one cylinder", "sand", 1, 9635, 8, 0.43), ("sand, six cylinders", "sand", 6, 9635, 8, 1.30),
          ("soil, one block", "soil", 1, 46656, 0, 1.25), ("soil, four blocks", "soil", 4, 46656, 0, 3.63),
          ("fluid, one block", "liquid", 1, 110592, 0, 5.31)]


def scene(law, bodies, particles, passive, fps, end):
    """Cells of 5 cm with 8 particles each; bodies fall from a tenth of a metre, beside each other."""
    h = 0.05
    nodes = {"solver": {"type": "floe.mpm.solver", "version": 1, "parameters": {"cellSize": h}},
             "down": {"type": "floe.force.gravity", "version": 1},
             "matter": {"type": "floe.material", "version": 1, "parameters": LAWS[law]},
             "ground_shape": {"type": "floe.shape.plane", "version": 2, "parameters": {"size": 20, "thickness": 0.4}},
             "ground": {"type": "floe.collider", "version": 1, "parameters": {"friction": 0.6}}}
    links = [("down.force", "solver.forces"), ("ground_shape.shape", "ground.shape"), ("ground.collider", "solver.colliders")]
    volume = particles * h ** 3 / 8
    edge = volume ** (1 / 3)
    radius = (volume / (2 * 3.14159265)) ** (1 / 3)  # of a cylinder as high as it is wide
    for i in range(bodies):
        x, z = (i % 3 - 1) * 2.5 * edge, i // 3 * 2.5 * edge
        height = 2 * radius if law == "sand" else edge
        center = [x, 0.1 + height / 2, z]
        nodes[f"shape{i}"] = ({"type": "floe.shape.cylinder", "version": 2,
                               "parameters": {"radius": radius, "height": height, "center": center}} if law == "sand" else
                              {"type": "floe.shape.box", "version": 2, "parameters": {"size": [edge] * 3, "center": center}})
        nodes[f"body{i}"] = {"type": "floe.emitter", "version": 1}
        links += [(f"shape{i}.shape", f"body{i}.shape"), ("matter.material", f"body{i}.material"),
                  (f"body{i}.emitter", "solver.emitters")]
    if law == "liquid":  # 32 cells wide, as there
        nodes["tank"] = {"type": "floe.domain", "version": 1, "parameters": {"size": [32 * h, 64 * h, 32 * h], "center": [-2.5 * edge, 32 * h, 0]}}
        links.append(("tank.domain", "solver.domain"))
    if passive:
        nodes["fill"] = {"type": "floe.passive", "version": 1, "parameters": {"count": passive}}
        links.append(("solver.particles", "fill.particles"))
    return {"floe": 1, "range": {"start": 1, "end": end, "fps": fps}, "nodes": nodes,
            "links": [{"from": a, "to": b} for a, b in links]}


def measure(arguments, graph, folder):
    path = pathlib.Path(folder) / "live.floe.json"
    path.write_text(json.dumps(graph))
    command = [arguments.floe, "run", str(path), "-o", folder, "--device", arguments.device, "--progress", "quiet",
               "--checkpoint-every", "0"]
    if arguments.threads:
        command += ["--threads", str(arguments.threads)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads((pathlib.Path(folder) / "run.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floe", default=str(SOURCE / "build/bin/floe"))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--fps", type=float, default=60)
    parser.add_argument("--end", type=int, default=121)
    parser.add_argument("--json", default="", help="write the table there, too")
    arguments = parser.parse_args()
    print("| scene | particles | passive | steps a frame | a step ms | theirs, a pass ms | a frame ms | longest ms | of it passive ms | frames a second |")
    print("|---|" + "---:|" * 9)
    rows = []
    for name, law, bodies, particles, passive, theirs in SCENES:
        with tempfile.TemporaryDirectory() as folder:
            frames = measure(arguments, scene(law, bodies, particles, passive, arguments.fps, arguments.end), folder)["frames"][1:]
        solver = [frame["nodes"]["solver"] for frame in frames]
        passive_of = [frame["nodes"]["fill"] for frame in frames] if passive else []
        took = [1e3 * frame["seconds"] for frame in frames]
        filled = [1e3 * node["seconds"] for node in passive_of]
        steps = sum(node["substeps"] for node in solver)
        row = {"scene": name, "particles": int(solver[-1]["particles"]),
               "passive": int(passive_of[-1]["passive"]) if passive else 0, "steps": steps / len(frames),
               "step": 1e3 * sum(node["seconds"] for node in solver) / steps, "pass": theirs,
               "frame": statistics.median(took), "longest": max(took),
               "filling": statistics.median(filled) if filled else 0.0}
        rows.append(row)
        print(f"| {name} | {row['particles']} | {row['passive']} | {row['steps']:.1f} | {row['step']:.2f} | {theirs} | {row['frame']:.1f} | "
              f"{row['longest']:.1f} | {row['filling']:.1f} | {1e3 / row['frame']:.0f} |", flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
