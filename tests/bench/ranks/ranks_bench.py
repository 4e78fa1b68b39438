#!/usr/bin/env python3
"""Measures a scene on one and on several ranks: processor time, waiting time, bytes and messages of
each, in the frames after the first.

Usage: ranks_bench.py [--floe PATH] [--graph FILE] [--ranks 1,2,3] [--partition bisection] [--end 8]
                      [--set node.parameter=value ...]

All runs are made one after the other on this machine, each rank with one thread; where there are
fewer cores than ranks, compare processor time, not seconds. Results are printed as a table."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
NUMBERS = ("processorSeconds", "waitingSeconds", "bytesSent", "messages", "reductions")


def measure(arguments, ranks, folder, threads=1):
    """Runs the scene, each rank with so many threads. @return frames of run.json, the first left out"""
    command = [arguments.floe, "run", arguments.graph, "-o", folder, "--device", "cpu", "--threads", str(threads),
               "--progress", "quiet", "--end", str(arguments.end), "--checkpoint-every", "0"]
    for change in arguments.set:
        command += ["--set", change]
    if ranks > 1:
        command += ["--ranks", str(ranks), "--partition", arguments.partition]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    report = json.loads((pathlib.Path(folder) / "run.json").read_text())
    return report["frames"][1:]


def solver_of(frame):
    return next(node for node in frame["nodes"].values() if "substeps" in node)


def stepping(nodes):
    """@return what a step takes by the clock [s], without handing frames over"""
    return (sum(node["transferSeconds"] + node["gridSeconds"] + node["rebinSeconds"] for node in nodes)
            / sum(node["substeps"] for node in nodes))


def parser_of(description, ranks, end):
    """@return the options of a measurement, with defaults for --ranks and --end"""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floe", default=str(SOURCE / "build/bin/floe"))
    parser.add_argument("--graph", default=str(SOURCE / "graphs/dam_break.floe.json"))
    parser.add_argument("--ranks", default=ranks)
    parser.add_argument("--partition", default="bisection")
    parser.add_argument("--end", type=int, default=end)
    parser.add_argument("--set", action="append", default=[])
    return parser


def main():
    arguments = parser_of(__doc__, "1,2,3", 8).parse_args()

    one = None
    print("ranks  particles  steps  solver s  busiest s  mean s  imbalance  waiting s  KB/step/rank  messages/step/rank")
    for ranks in [int(n) for n in arguments.ranks.split(",")]:
        with tempfile.TemporaryDirectory() as folder:
            nodes = [solver_of(frame) for frame in measure(arguments, ranks, folder)]
        steps = sum(node["substeps"] for node in nodes)
        seconds = sum(node["seconds"] for node in nodes)
        if ranks == 1:
            busy = [sum(node["processorSeconds"] for node in nodes)]
            waiting = sent = messages = 0
            one = busy[0]
        else:
            of = {name: [sum(node[f"rank{rank}.{name}"] for node in nodes) for rank in range(ranks)]
                  for name in NUMBERS}
            busy = of["processorSeconds"]
            waiting = max(of["waitingSeconds"])
            sent = sum(of["bytesSent"]) / ranks / steps / 1e3
            messages = sum(of["messages"]) / ranks / steps
        mean = sum(busy) / ranks
        print(f"{ranks:5d}  {nodes[-1]['particles']:9.0f}  {steps:5.0f}  {seconds:8.3f}  {max(busy):9.3f}  {mean:6.3f}"
              f"  {max(busy) / mean:9.3f}  {waiting:9.3f}  {sent:12.1f}  {messages:18.2f}")
        if one is not None and ranks > 1:
            print(f"       processor time of all ranks over that of one: {sum(busy) / one:.3f}")


if __name__ == "__main__":
    main()
