#!/usr/bin/env python3
"""pressure_starts.py --work FOLDER [--coarser 2] [--frames 12] [--repeats 1] [--network FILE ...] [--page FILE]

What the starts and solvers of pressure solves cost and save, over the six scenes of the paper's table as graphs/coupled has them:
multigrid from nothing, the last step, the last two continued, and a network's guess on top of the last, and Gauss-Seidel, to 1e-3
and 1e-5, on one thread. Times are those of the processor, so that other work on the machine counts only as far as it empties
caches; of the times of a configuration the least counts. FLOE_PROGRAM names the program. Prints a table, and writes it into a page
between its marks."""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "runtime/python")]

import floe  # noqa: E402
from floe import program  # noqa: E402

SCENES = ("bath", "solids", "solids_dam", "emitter", "cylinders_dam", "boat")
MARKS = "<!-- table -->", "<!-- end of table -->"
WARM = ("last", "extrapolated")  # starts without a network that know the last steps
SUMS = ("substeps", "solveIterations", "guesses", "droppedGuesses", "processorSeconds", "pressureProcessorSeconds",
        "setupProcessorSeconds", "guessProcessorSeconds")


def configurations(tolerance, networks):
    """Name, solver, start, and network or None."""
    yield from ((name, "multigrid", name, None) for name in ("zero", *WARM))
    for label, file in networks:
        yield f"{label} over last", "multigrid", "last", file
    if tolerance > 1e-4:  # to less it takes thousands of sweeps
        yield "Gauss-Seidel, last", "gaussSeidel", "last", None


def run(scene, solver, start, network, tolerance, options):
    graph = floe.Graph.open(ROOT / f"graphs/coupled/{scene}.floe.json")
    for name in ("render", "camera", "export"):
        if name in graph:
            graph.remove(name)
    graph["solver"].set(solver=solver, start=start, tolerance=tolerance, cellSize=options.coarser * graph["solver"]["cellSize"])
    if network is not None:
        graph.add("floe.coupled.predictor", "predictor", network=network)
        graph.link("predictor.pressure", "solver.pressure")
    graph.add("floe.output.particles", "file", every=1000000)
    graph.link("solver.particles", "file.particles")
    for node in graph.document["nodes"].values():  # paths are relative to the graph
        if "path" in node.get("parameters", {}) and node["type"] == "floe.shape.mesh":
            node["parameters"]["path"] = str((ROOT / "graphs/coupled" / node["parameters"]["path"]).resolve())
    path = options.work / "scene.floe.json"
    graph.save(path)
    subprocess.run([program.find(), "run", str(path), "--output", str(options.work), "--end", str(options.frames), "--progress",
                    "quiet", "--device", "cpu", "--threads", "1", "--checkpoint-every", "0"], check=True,
                   stdout=subprocess.DEVNULL)
    frames = [f["nodes"]["solver"] for f in json.loads((options.work / "run.json").read_text())["frames"]]
    total = {key: sum(f.get(key, 0) for f in frames) for key in SUMS}
    total["pressures"] = max(f["fluidPressures"] + f["solidPressures"] + f["wallPressures"] for f in frames)
    return total


def table(results, options):
    lines = ["| scene | to | start | iterations a step | pressure stage [ms a step] | of it setup | of it the guess | an iteration "
             "[ms] | whole step [ms] | pressure stage against the best warm start |", "|---|---|---|---:|---:|---:|---:|---:|---:|---:|"]

    def least(runs, key):
        return 1e3 * min(r[key] for r in runs) / runs[0]["substeps"]

    for (scene, tolerance, name), runs in results.items():
        steps, stage = runs[0]["substeps"], least(runs, "pressureProcessorSeconds")
        iterations = runs[0]["solveIterations"] / steps
        setup, guess = least(runs, "setupProcessorSeconds"), least(runs, "guessProcessorSeconds")
        best = min(least(results[scene, tolerance, warm], "pressureProcessorSeconds") for warm in WARM)
        an_iteration = f"{(stage - setup - guess) / iterations:.2f}" if iterations >= 1 else ""
        lines.append(f"| {scene} | {tolerance:.0e} | {name} | {iterations:.2f} | {stage:.2f} | {setup:.2f} | {guess:.2f} | "
                     f"{an_iteration} | {least(runs, 'processorSeconds'):.1f} | {best / stage:.2f} |")
    pressures = ", ".join(f"{scene} {max(runs[0]['pressures'] for key, runs in results.items() if key[0] == scene):.0f}"
                          for scene in dict.fromkeys(key[0] for key in results))
    lines += ["", f"Cells {options.coarser:g} times as large as the scenes have, {options.frames} frames, one thread; processor time, "
              f"the least of {options.repeats} runs. Unknowns at most: {pressures}. The last column: more than 1 is quicker than the "
              "best of *last* and *extrapolated*."]
    return "\n".join(lines)


def write(text, options):
    if options.page:
        page = options.page.read_text()
        begin, end = page.index(MARKS[0]) + len(MARKS[0]), page.index(MARKS[1])
        options.page.write_text(page[:begin] + "\n\n" + text + "\n\n" + page[end:])


def main():
    parser = argparse.ArgumentParser(description="What the starts and solvers of pressure solves cost and save.")
    add = parser.add_argument
    add("--work", type=pathlib.Path, required=True)
    add("--coarser", type=float, default=2)
    add("--frames", type=int, default=12)
    add("--repeats", type=int, default=1)
    add("--scenes", nargs="+", default=list(SCENES))
    add("--network", nargs="*", default=["network="], metavar="LABEL=FILE", help="an empty file: the one shipped")
    add("--page", type=pathlib.Path, help="page to write the table into")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    networks = [tuple(item.split("=", 1)) for item in options.network]
    results = {}
    for repeat in range(options.repeats):
        for scene in options.scenes:
            for tolerance in (1e-3, 1e-5):
                for name, *how in configurations(tolerance, networks):
                    results.setdefault((scene, tolerance, name), []).append(run(scene, *how, tolerance, options))
            print(f"round {repeat + 1} of {options.repeats}: {scene}", file=sys.stderr, flush=True)
            write(table(results, options), options)
    print(table(results, options))


if __name__ == "__main__":
    main()
