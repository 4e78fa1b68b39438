#!/usr/bin/env python3
"""pressure_starts.py --work FOLDER [--size 32] [--frames 24] [--repeats 3] [--network FILE ...] [--page FILE]

What the starts of pressure solves cost and save: scenes that no network has seen (plugins/coupled/training/scenes.py, another
seed), solved by multigrid from nothing, the last step, the last two continued, and from a network's guess on top of the last,
to 1e-3 and 1e-5. FLOE_PROGRAM names the program. Runs take turns; of the times of a configuration the least counts, since
whatever else the machine does only adds. Prints a table, and writes it into a page between its marks."""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "plugins/coupled/training"), str(ROOT / "runtime/python")]

from floe import program  # noqa: E402

from scenes import FAMILIES, scene  # noqa: E402

SEED = 4711  # no data set's
MARKS = "<!-- table -->", "<!-- end of table -->"


def configurations(networks):
    """Name, start, and network or None."""
    yield from ((name, name, None) for name in ("zero", "last", "extrapolated"))
    for label, file in networks:
        for start in ("last", "extrapolated"):
            yield f"{label} over {start}", start, file


def run(family, start, network, tolerance, options, folder):
    graph = scene(family, 0, SEED, options.size, 1, tolerance)
    graph.remove("recorder")
    graph["solver"].set(start=start, tolerance=tolerance)
    if network is not None:
        graph.add("floe.coupled.predictor", "predictor", network=network)
        graph.link("predictor.pressure", "solver.pressure")
    graph.add("floe.output.particles", "file", every=1000000)
    graph.link("solver.particles", "file.particles")
    path = folder / "scene.floe.json"
    graph.save(path)
    subprocess.run([program.find(), "run", str(path), "--output", str(folder), "--end", str(options.frames), "--progress",
                    "quiet", "--device", "cpu", "--threads", "1", "--checkpoint-every", "0"], check=True,
                   stdout=subprocess.DEVNULL)
    frames = [f["nodes"]["solver"] for f in json.loads((folder / "run.json").read_text())["frames"]]
    total = {key: sum(f.get(key, 0) for f in frames) for key in (
        "substeps", "solveIterations", "pressureSeconds", "guessSeconds", "guesses", "droppedGuesses", "transferSeconds",
        "elasticSeconds", "assemblySeconds", "correctionSeconds")}
    for key in ("startResidual", "guessResidual"):
        total[key] = sum(f[key] * f["guesses"] for f in frames) / max(1, total["guesses"])
    total["pressures"] = max(f["fluidPressures"] + f["solidPressures"] + f["wallPressures"] for f in frames)
    return total


def table(results, options):
    lines = ["| scene | to | start | iterations a step | pressure stage [ms a step] | of it the guess | whole step [ms] | "
             "residual of the start | with the guess | dropped |", "|---|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for (family, tolerance, name), runs in results.items():
        steps = runs[0]["substeps"]
        least = {key: 1e3 * min(r[key] for r in runs) / steps for key in runs[0] if key.endswith("Seconds")}
        whole = 1e3 * min(sum(r[k] for k in r if k.endswith("Seconds") and k != "guessSeconds") for r in runs) / steps
        r = runs[0]
        guessed = r["guesses"] > 0
        lines.append(f"| {family} | {tolerance:.0e} | {name} | {r['solveIterations'] / steps:.2f} | "
                     f"{least['pressureSeconds']:.1f} | {least['guessSeconds'] if guessed else 0:.1f} | {whole:.1f} | "
                     + (f"{r['startResidual']:.3g} | {r['guessResidual']:.3g} | {r['droppedGuesses'] / r['guesses']:.0%} |"
                        if guessed else "| | |"))
    pressures = ", ".join(f"{family} {max(runs[0]['pressures'] for key, runs in results.items() if key[0] == family):.0f}"
                          for family in dict.fromkeys(key[0] for key in results))
    lines += ["", f"{options.size}^3 cells, {options.frames} frames, one thread; the least of {options.repeats} runs. "
              f"Unknowns at most: {pressures}."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description="What the starts of pressure solves cost and save.")
    add = parser.add_argument
    add("--work", type=pathlib.Path, required=True)
    add("--size", type=int, default=32)
    add("--frames", type=int, default=24)
    add("--repeats", type=int, default=3)
    add("--families", nargs="+", default=list(FAMILIES))
    add("--network", nargs="*", default=["network="], metavar="LABEL=FILE", help="an empty file: the one shipped")
    add("--page", type=pathlib.Path, help="page to write the table into")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    networks = [tuple(item.split("=", 1)) for item in options.network]
    results = {}
    for repeat in range(options.repeats):
        for family in options.families:
            for tolerance in (1e-3, 1e-5):
                for name, start, network in configurations(networks):
                    results.setdefault((family, tolerance, name), []).append(
                        run(family, start, network, tolerance, options, options.work))
        print(f"round {repeat + 1} of {options.repeats}", file=sys.stderr, flush=True)
    text = table(results, options)
    print(text)
    if options.page:
        page = options.page.read_text()
        begin, end = page.index(MARKS[0]) + len(MARKS[0]), page.index(MARKS[1])
        options.page.write_text(page[:begin] + "\n\n" + text + "\n\n" + page[end:])


if __name__ == "__main__":
    main()
