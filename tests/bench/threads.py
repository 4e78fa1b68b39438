#!/usr/bin/env python3
"""How much faster a run is on more threads.

    tests/bench/threads.py --floe build/bin/floe --work DIR [--scene glacier_collapse]
        [--threads 1,2] [--scale 1|FACTOR] [--frames 40] [--rounds 6]

runs a scene of graphs/activation, without pictures and with everything active, on each number of
threads in turns, and prints the solver's seconds by the clock on the wall, best and in the middle,
as Markdown.
"""

import argparse
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "activation"))
from runs import NUMBERS, Runner  # noqa: E402
from strategies import REFERENCE  # noqa: E402


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--floe", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--scene", default="glacier_collapse", choices=sorted(NUMBERS))
    options.add_argument("--threads", default="1,2")
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--frames", type=int, default=40)
    options.add_argument("--rounds", type=int, default=6)
    args = options.parse_args()
    cell = NUMBERS[args.scene]["scale"] * args.scale
    settle = NUMBERS[args.scene]["settle"]
    counts = [int(count) for count in args.threads.split(",")]
    taken = {threads: [] for threads in counts}
    for _ in range(args.rounds):
        for threads in counts:
            report, _, _ = Runner(args.floe, args.work, threads=threads).run(
                args.scene, REFERENCE, cell, args.frames, settle, 0, f"threads{threads}")
            # In the first frame shapes and particles are made.
            taken[threads].append(sum(frame["nodes"]["solver"]["seconds"]
                                      for frame in report["frames"][1:]))
    first = taken[counts[0]]
    print("| threads | best, s | in the middle, s | times as fast: best, in the middle |\n"
          "|---|---|---|---|")
    for threads, times in taken.items():
        print(f"| {threads} | {min(times):.2f} | {statistics.median(times):.2f} | "
              f"{min(first) / min(times):.2f}, "
              f"{statistics.median(first) / statistics.median(times):.2f} |")


if __name__ == "__main__":
    main()
