#!/usr/bin/env python3
"""How a scene scales to many ranks, without a cluster: a page.

Usage: scaling.py [--floe PATH] [--graph FILE] [--ranks 1,2,4,8,16] [--end 4] [--out PAGE.md]
                  [--set node.parameter=value ...]

Every number of ranks runs on this machine, however few cores it has: each rank's own processor time
(without waiting), its messages, bytes and reductions are counted, none of which depends on what else
the cores do. A step on a cluster then takes

    max over ranks of processor time + latency x (reductions x log2(ranks) + messages) + bytes / bandwidth

with the rank that sends most. That is pessimistic: messages of an exchange travel together, and while
blocks inside a part are computed. Two ranks and two threads are measured by the clock as well."""

import math
import os
import pathlib
import platform
import tempfile

from ranks_bench import measure, parser_of, solver_of, stepping

NETWORKS = (("10 Gb Ethernet", 30e-6, 1.1e9), ("100 Gb InfiniBand", 2e-6, 11e9), ("NVLink, one machine", 1e-6, 100e9))


def run(arguments, ranks, threads=1):
    with tempfile.TemporaryDirectory() as folder:
        return [solver_of(frame) for frame in measure(arguments, ranks, folder, threads)]


def total(nodes, name, rank):
    return sum(node[f"rank{rank}.{name}"] for node in nodes)


def counted(nodes, ranks):
    """@return what a step takes of each rank: processor seconds, and at most bytes, messages, reductions"""
    steps = sum(node["substeps"] for node in nodes)
    if ranks == 1:
        return [sum(node["processorSeconds"] for node in nodes) / steps], 0, 0, 0
    busy = [total(nodes, "processorSeconds", rank) / steps for rank in range(ranks)]
    most = [max(total(nodes, name, rank) for rank in range(ranks)) / steps
            for name in ("bytesSent", "messages", "reductions")]
    return busy, *most


def main():
    parser = parser_of(__doc__, "1,2,4,8,16", 4)
    parser.add_argument("--out", default="ranks_scaling.md")
    arguments = parser.parse_args()
    # One rank is what all are compared with; its steps are theirs.
    numbers = sorted({1, *(int(n) for n in arguments.ranks.split(","))})

    scene = pathlib.Path(arguments.graph).name.removesuffix(".floe.json")
    settings = " ".join(f"--set {change}" for change in arguments.set)
    results, one, particles = [], None, 0
    for ranks in numbers:
        nodes = run(arguments, ranks)
        busy, bytes_sent, messages, reductions = counted(nodes, ranks)
        one = one or busy[0]
        particles = nodes[-1]["particles"]
        blocks = nodes[-1]["activeBlocks"]
        steps = [node["substeps"] for node in nodes]
        modelled = [max(busy) + latency * (reductions * math.ceil(math.log2(ranks)) + messages) + bytes_sent / bandwidth
                    for _, latency, bandwidth in NETWORKS]
        moved = sum(node.get("movedBlocks", 0) for node in nodes)
        results.append((ranks, busy, bytes_sent, messages, reductions, moved, modelled))
        print(f"{ranks} ranks: {sum(steps)} steps, busiest {1e3 * max(busy):.3f} ms a step")
    clock = {}
    for name, ranks, threads in (("one rank, one thread", 1, 1), ("one rank, two threads", 1, 2),
                                 ("two ranks, one thread each", 2, 1)):
        nodes = run(arguments, ranks, threads)
        clock[name] = stepping(nodes)

    lines = [f"# {scene} on many ranks", "",
             f"`tests/bench/ranks/scaling.py --ranks {','.join(map(str, numbers))} --end {arguments.end} {settings}`".rstrip(),
             "", f"{particles:.0f} particles, {blocks:.0f} active blocks, frames 2 to {arguments.end}, {sum(steps)} steps; partition"
             f" `{arguments.partition}`; {processor()}, {os.cpu_count()} cores.", "",
             "Counted on this machine, of a step: processor time of the busiest rank and of the mean, its imbalance, and what the rank",
             "that sends most sends. *All* is the processor time of all ranks over that of one rank: the price of borders.", "",
             "| ranks | busiest ms | mean ms | imbalance | all | KB | messages | reductions | blocks moved |",
             "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for ranks, busy, sent, messages, reductions, moved, _ in results:
        mean = sum(busy) / ranks
        lines.append(f"| {ranks} | {1e3 * max(busy):.3f} | {1e3 * mean:.3f} | {max(busy) / mean:.2f} | {sum(busy) / one:.2f} "
                     f"| {sent / 1e3:.0f} | {messages:.1f} | {reductions:.1f} | {moved:.0f} |")
    lines += ["", "Speed relative to one rank, as the model of the program's header says:", "",
              "| ranks | " + " | ".join(f"{name} ({1e6 * latency:.0f} us, {bandwidth / 1e9:g} GB/s)"
                                        for name, latency, bandwidth in NETWORKS) + " |",
              "|---:|" + "---:|" * len(NETWORKS)]
    for ranks, *_, modelled in results:
        lines.append(f"| {ranks} | " + " | ".join(f"{one / seconds:.2f}" for seconds in modelled) + " |")
    lines += ["", "By the clock, on this machine, of a step:", "", "| | ms | speed |", "|---|---:|---:|"]
    base = clock["one rank, one thread"]
    for name, seconds in clock.items():
        lines.append(f"| {name} | {1e3 * seconds:.3f} | {base / seconds:.2f} |")
    pathlib.Path(arguments.out).write_text("\n".join(lines) + "\n")
    print(f"written: {arguments.out}")


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        return next(line.split(":")[1].strip() for line in text.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


if __name__ == "__main__":
    main()
