#!/usr/bin/env python3
"""Strategies that take as long as each other, told apart by thousandths.

    tests/bench/activation/together.py --floe build/bin/floe --work DIR
        [--scene glacier_collapse] [--strategies always,always,guard] [--core 0]
        [--scale 1|FACTOR] [--frames 60] [--skip 5] [--rounds 8]

runs the scene with all strategies at once on one core, which the kernel deals out among them in
milliseconds: whatever else goes on in the machine slows all of them alike. Runs in turns differ by
a tenth and more where the machine is shared. Naming a strategy twice shows what the method itself
can tell apart. Prints the first one's processor time over each other's, as Markdown. --skip: frames
at the beginning that do not count.
"""

import argparse
import concurrent.futures
import os
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from runs import NUMBERS, Runner  # noqa: E402
from strategies import LABELS  # noqa: E402


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--floe", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--scene", default="glacier_collapse", choices=sorted(NUMBERS))
    options.add_argument("--strategies", default="always,always,guard")
    options.add_argument("--core", type=int, default=0)
    options.add_argument("--scale", type=float, default=1.0)
    options.add_argument("--frames", type=int, default=60)
    options.add_argument("--skip", type=int, default=5)
    options.add_argument("--rounds", type=int, default=8)
    args = options.parse_args()
    strategies = args.strategies.split(",")
    cell = NUMBERS[args.scene]["scale"] * args.scale
    settle = NUMBERS[args.scene]["settle"]
    os.sched_setaffinity(0, {args.core})
    runner = Runner(args.floe, args.work, threads=1)
    runner.settled(args.scene, cell, settle)

    def seconds(place):
        report, _, _ = runner.run(args.scene, strategies[place], cell, args.frames, settle, 0,
                                  f"together{place}")
        return sum(frame["nodes"]["solver"]["processorSeconds"]
                   for frame in report["frames"][args.skip:])

    rounds = []
    order = list(range(len(strategies)))
    for _ in range(args.rounds):
        with concurrent.futures.ThreadPoolExecutor(len(order)) as pool:
            done = dict(zip(order, pool.map(seconds, order)))
        rounds.append([done[place] for place in range(len(order))])
        order = order[1:] + order[:1]  # the first to start is no other's advantage
        print(", ".join(f"{s:.3f}" for s in rounds[-1]), file=sys.stderr, flush=True)
    print("| strategy | s | first / this, median | least, most |\n|---|---|---|---|")
    for place, strategy in enumerate(strategies):
        ratios = [r[0] / r[place] for r in rounds]
        print(f"| {LABELS[strategy]} | {statistics.median(r[place] for r in rounds):.3f} | "
              f"{statistics.median(ratios):.4f} | {min(ratios):.4f}, {max(ratios):.4f} |")


if __name__ == "__main__":
    main()
