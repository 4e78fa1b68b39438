#!/usr/bin/env python3
"""Activation strategies against always-on: time, error, drift, late wake-ups, on the six scenes.

    tests/bench/activation/table.py --floe build/bin/floe --work DIR [--scenes ship_breach,...]
        [--strategies always,threshold,...] [--scale 1|FACTOR] [--frames N] [--repeats N]
        [--untuned]

writes Markdown and PNG into tests/bench/results (or --results). Every scene runs once with each
strategy. Speed is compared by the time that a processor spent on the solver, on one thread, which
other work on the machine does not lengthen as it does the time on the wall; both are shown. With
--repeats, timed rounds follow that write nothing, in turns, always, threshold, ..., threshold,
always, the oracle left out; then each frame counts as in the round in which it was fastest.
"""

import argparse
import datetime
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from measures import errors  # noqa: E402
from runs import NUMBERS, ROOT, Runner, available, masses  # noqa: E402
from strategies import LABELS, REFERENCE, SCENES, STRATEGIES, UNTUNED  # noqa: E402

COLOURS = {"always": "#444444", "threshold": "#d1781f", "impact": "#8a5cc2", "network": "#2a7fb8",
           "guard": "#1b8a4b", "oracle": "#b8252f", "control": "#999999"}


def solver_seconds(report):
    """Of a processor, frame by frame. Runs have one thread, and the solver's does nothing else."""
    return [frame["nodes"]["solver"]["processorSeconds"] for frame in report["frames"]]


def wall_seconds(report):
    return [frame["nodes"]["solver"]["seconds"] for frame in report["frames"]]


def machine():
    model = platform.processor() or platform.machine()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} threads, load {os.getloadavg()[0]:.1f} at the start"


def commit():
    done = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"],
                          capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def measure(runner, name, strategies, scale, frames, settle, repeats, every, keep):
    """{strategy: {"seconds": a frame, "share": [...], "series": {...}, ...}} of one scene."""
    results, reference, densities = {}, None, None
    for strategy in strategies:
        report, out, document = runner.run(name, strategy, scale, frames, settle, every, "files")
        count = len(report["frames"])
        statistics = [frame["nodes"]["solver"] for frame in report["frames"]]
        result = {"count": count, "particles": statistics[-1]["particles"],
                  "share": [s["activeShare"] for s in statistics],
                  "frames": [frame["frame"] for frame in report["frames"]],
                  "substeps": sum(s["substeps"] for s in statistics) / count,
                  "rounds": [solver_seconds(report)],
                  "wall": sum(wall_seconds(report)) / count}
        if strategy == REFERENCE:
            reference, densities = out, masses(document)
        result["series"], result["wake"] = errors(reference, out, document, densities, scale,
                                                  NUMBERS[name]["delta"])
        results[strategy] = result
        print(f"  {LABELS[strategy]}: {sum(solver_seconds(report)) / count:.3f} s of processor a "
              f"frame, mean share {sum(result['share']) / count:.2f}, rms "
              f"{result['series']['rms'][-1]:.3f} cells", flush=True)
        if strategy != REFERENCE and not keep:
            shutil.rmtree(out / "particles", ignore_errors=True)
    for turn in range(repeats):
        # Turned round every time, so that a machine that grows busier favours none.
        for strategy in strategies if turn % 2 else reversed(strategies):
            if strategy == "oracle":
                continue
            report, _, _ = runner.run(name, strategy, scale, frames, settle, 0, "time")
            result = results[strategy]
            result["rounds"].append(solver_seconds(report))
            result["wall"] = min(result["wall"], sum(wall_seconds(report)) / result["count"])
    for result in results.values():
        # What else the machine does slows caches and cores that threads share, and only adds.
        result["profile"] = [min(seconds) for seconds in zip(*result["rounds"])]
        result["seconds"] = sum(result["profile"]) / result["count"]
    if not keep:
        shutil.rmtree(reference / "particles", ignore_errors=True)
    return results


def picture(path, name, results):
    figure, ((share, time), (error, energy)) = plt.subplots(2, 2, figsize=(11, 6.4))
    for strategy, result in results.items():
        style = {"color": COLOURS[strategy], "label": LABELS[strategy], "linewidth": 1.4}
        if strategy == "control":
            style["linestyle"] = ":"
        else:
            share.plot(result["frames"], result["share"], **style)
            if "profile" in result:
                total, steps = 0, []
                for seconds in result["profile"]:
                    total += seconds
                    steps.append(total)
                time.plot(result["frames"], steps, **style)
        if strategy != REFERENCE:
            error.plot(result["series"]["frame"], result["series"]["rms"], **style)
            energy.plot(result["series"]["frame"],
                        [100 * e for e in result["series"]["energy"]], **style)
    share.set(ylabel="active share", ylim=(-0.02, 1.04))
    time.set(ylabel="solver, processor seconds so far", ylim=(0, None))
    error.set(ylabel="position error, rms [cells]", xlabel="frame", ylim=(0, None))
    energy.set(ylabel="energy against always on [%]", xlabel="frame")
    for axes in (share, time, error, energy):
        axes.grid(alpha=0.25)
    share.legend(fontsize=8, frameon=False)
    error.legend(fontsize=8, frameon=False)
    figure.suptitle(name.replace("_", " "))
    figure.tight_layout()
    figure.savefig(path, dpi=90)
    plt.close(figure)


def rows(results):
    always = results[REFERENCE].get("seconds")
    for strategy, r in results.items():
        s, w = r["series"], r["wake"]
        seconds = r.get("seconds")
        yield [LABELS[strategy],
               f"{seconds:.3f}" if seconds else "",
               f"{always / seconds:.2f}" if seconds and always else "",
               f"{r['wall']:.3f}",
               f"{100 * sum(r['share']) / r['count']:.0f} %",
               *([""] * 8 if strategy == REFERENCE else
                 [f"{s['rms'][-1]:.3f}", f"{max(s['rms']):.3f}", f"{s['p99'][-1]:.2f}",
                  f"{100 * s['far'][-1]:.2f} %, {s['near'][-1]:.3f}",
                  f"{100 * s['energy'][-1]:+.2f} %", f"{100 * max(s['momentum']):.2f} %",
                  f"{100 * w['late']:.1f} %", f"{w['lag']:.1f} / {w['lag99']:.0f}"])]


HEAD = ["strategy", "s a frame", "speed-up", "s on the wall", "active", "rms, end", "rms, most",
        "p99, end", "over a cell, rms of the rest", "energy", "momentum", "late", "lag, mean / p99"]


def write(path, title, everything, notes):
    text = [f"# {title}", "", *notes, ""]
    columns = [s for s in STRATEGIES if s not in (REFERENCE, "control")
               and any(s in results for _, results in everything)]
    thesis = [name for name, _ in everything if name in SCENES]
    text += ["| scene | " + ("thesis | " if thesis else "") +
             " | ".join(LABELS[s] for s in columns) + " |"]
    text.append("|" + "---|" * (text[-1].count("|") - 1))
    for name, results in everything:
        cells = [f"{results[REFERENCE]['seconds'] / results[s]['seconds']:.2f}"
                 if results.get(s, {}).get("seconds") else "" for s in columns]
        if thesis:
            cells.insert(0, f"{SCENES[name]['speedup']:.2f}")
        text.append(f"| {name} | " + " | ".join(cells) + " |")
    for name, results in everything:
        r = results[REFERENCE]
        text += ["", f"## {name}", "",
                 f"{r['particles']:,.0f} particles, {r['count']} frames, {r['substeps']:.0f} substeps "
                 "a frame.", "", "| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
        text += ["| " + " | ".join(row) + " |" for row in rows(results)]
        text += ["", f"![{name}](activation_{name}.png)"]
    path.write_text("\n".join(text) + "\n")


def of_scenes(text):
    """'2' or 'ship_breach=2,train_push=1.8': {scene: text}, for those given."""
    if "=" not in text:
        return dict.fromkeys(NUMBERS, text)
    given = dict(part.split("=", 1) for part in text.split(","))
    for name in given:
        if name not in NUMBERS:
            raise argparse.ArgumentTypeError(f"no such scene: {name}; known: {', '.join(NUMBERS)}")
    return given


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floe", default=ROOT / "build" / "bin" / "floe", type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path, help="folder for the runs")
    parser.add_argument("--results", default=ROOT / "tests" / "bench" / "results",
                        type=pathlib.Path, help="folder for the page")
    parser.add_argument("--scenes", default="")
    parser.add_argument("--untuned", action="store_true",
                        help="the four scenes of the folder beside this file in place of the six")
    parser.add_argument("--strategies", default=",".join(available()))
    parser.add_argument("--without", default="", type=of_scenes,
                        help="strategies that single scenes go without, as SCENE=STRATEGY+...,...")
    parser.add_argument("--scale", default="1", type=of_scenes,
                        help="factor on the cell size (1: 0.2 million particles), or 'thesis'; for "
                        "single scenes as SCENE=FACTOR,...")
    parser.add_argument("--frames", default="0", type=of_scenes,
                        help="of each scene; 0: all; for single scenes as SCENE=FRAMES,...")
    parser.add_argument("--every", default=0, type=int,
                        help="frames between those whose particles are compared; 0: about 60 in all")
    parser.add_argument("--repeats", default="0", type=of_scenes,
                        help="further, timed rounds; for single scenes as SCENE=ROUNDS,...")
    parser.add_argument("--settle", default=-1, type=int,
                        help="frames of rest before the first; -1: what each scene needs; 0 keeps "
                        "the scenes' own start, passive")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--keep", action="store_true", help="keeps the particle files")
    arguments = parser.parse_args()
    numbers = UNTUNED if arguments.untuned else SCENES
    scenes = [s for s in arguments.scenes.split(",") if s] or list(numbers)
    strategies = [s for s in arguments.strategies.split(",") if s]
    for given, known, what in ((scenes, numbers, "scene"), (strategies, STRATEGIES, "strategy")):
        for name in given:
            if name not in known:
                parser.error(f"no such {what}: {name}; known: {', '.join(known)}")
    for name in strategies:
        if name not in available():
            parser.error(f"no plugin has {STRATEGIES[name][0]}")
    if arguments.untuned and "thesis" in arguments.scale.values():
        parser.error("the thesis has no such scenes: give --scale a number")
    strategies = [REFERENCE] + [s for s in strategies if s != REFERENCE]

    runner = Runner(arguments.floe, arguments.work, arguments.device, 1)
    arguments.results.mkdir(parents=True, exist_ok=True)
    began, description = datetime.date.today().isoformat(), machine()
    page = arguments.results / ("activation_untuned.md" if arguments.untuned else "activation.md")
    title = "Activation: time and error on " + (
        "four scenes on which nothing was tuned" if arguments.untuned else "the six scenes")
    everything = []
    notes = [
        f"`tests/bench/activation/table.py`, {began}, commit {commit()}, {description}, "
        f"{arguments.device}. Made by " + "`" + " ".join(sys.argv[1:]) + "`.",
        "",
        "Seconds are the solver's on one thread: those a processor spent on it, by which the speed-up "
        "goes, and those on the wall, in which other work of the machine shows. Errors "
        "are distances in cells of every particle to itself in the always-on run; beside them, the "
        "share of the particles that are more than a cell off at the end, and the rms of all others. "
        "Energy and "
        "momentum are differences to it, as shares of the most it had. Late: of the times that a "
        "resting particle began to move in the always-on run, how often it slept; lag: how many "
        "frames later it woke. The control is always-on with shorter steps: what two honest runs of "
        "the scene differ by. The oracle's time includes its look-ahead. Before frame 1, "
        "everything has sunk to rest where the scene rests. What asking the network costs, scatter "
        "included, is measured by itself: [activation_network.md](activation_network.md).",
    ]
    for name in scenes:
        scale = arguments.scale.get(name, "1")
        factor = SCENES[name]["thesis"] / SCENES[name]["scale"] if scale == "thesis" \
            else float(scale)
        scale = numbers[name]["scale"] * factor
        settle = numbers[name]["settle"] if arguments.settle < 0 else arguments.settle
        print(f"{name}, cells of {scale:.4g} m", flush=True)
        frames = int(arguments.frames.get(name, "0"))
        every = arguments.every or max(1, (frames or 300) // 60)
        without = arguments.without.get(name, "").split("+")
        results = measure(runner, name, [s for s in strategies if s not in without], scale,
                          frames, settle, int(arguments.repeats.get(name, "0")), every,
                          arguments.keep)
        everything.append((name, results))
        picture(arguments.results / f"activation_{name}.png", name, results)
        write(page, title, everything, notes)
    print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
