#!/usr/bin/env python3
"""Memory and time of many worlds in one engine (floe.Worlds), and of one world in an engine of its own.

    tests/bench/agents/worlds.py --floe build/bin/floe [--worlds 1,16,148] [--particles 10000] [--steps 3] [--threads 0]

Each world is a heap of sand that a driven blade is near to. A step is one frame of 1/24 s. Prints a table as Markdown.
"""

import argparse
import os
import pathlib
import resource
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "runtime/python"))

import numpy as np  # noqa: E402

import floe  # noqa: E402
from floe.push_sand import sand_and_blades  # noqa: E402


def scene(particles):
    """A heap of about so many particles: 8 in a cell of 0.04 m."""
    made = sand_and_blades()
    edge = 0.04 * (particles / 8 / 3) ** 0.5  # three cells high
    made["heap_shape"].set(size=[edge, 0.12, edge], center=[0, 0.06, 0])
    made["sand"].youngModulus = 2e5
    return made


def status(pid):
    """Resident memory [MB] of a process and its children, and their processor seconds."""
    memory = seconds = 0.0
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = pathlib.Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()
            if int(entry) != pid and int(fields[1]) != pid:
                continue
            memory += int(pathlib.Path("/proc", entry, "statm").read_text().split()[1]) * resource.getpagesize() / 1e6
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:
            continue
    return memory, seconds


def measure(count, particles, steps, threads):
    start = {"blade_1.position": [-0.9, 0.11, 0], "blade_1.rotation": [0, 0, 0]}
    with floe.Worlds(scene(particles), count, 1, threads=threads) as worlds:
        begun = time.monotonic()
        worlds.reset(start)
        first = time.monotonic() - begun
        each = len(worlds.particles(0)["x"])
        pid = worlds.session.connection.process.pid
        worlds.step([start] * count)
        _, before = status(pid)
        times = []
        for step in range(steps):
            begun = time.monotonic()
            worlds.step([{"blade_1.position": [-0.9 + 0.02 * (step + 1), 0.11, 0]}] * count)
            times.append(time.monotonic() - begun)
        memory, after = status(pid)
        resets = []
        for world in range(min(count, 20)):
            mask = np.arange(count) == world
            begun = time.monotonic()
            worlds.reset(start, mask)
            worlds.particles(world)["x"]
            resets.append(time.monotonic() - begun)
        return each, first, statistics.median(times), (after - before) / steps, memory, statistics.median(resets)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--floe", required=True)
    options.add_argument("--worlds", default="1,16,148")
    options.add_argument("--particles", type=int, default=10000)
    options.add_argument("--steps", type=int, default=3)
    options.add_argument("--threads", type=int, default=0)
    args = options.parse_args()
    os.environ["FLOE_PROGRAM"] = os.path.abspath(args.floe)
    print("| worlds | particles | to the first observation, s | a step of all, s | processor time of it, s | "
          "memory, MB | MB a world | a reset of one, ms |\n|---|---|---|---|---|---|---|---|")
    for count in (int(word) for word in args.worlds.split(",")):
        each, first, step, processor, memory, reset = measure(count, args.particles, args.steps, args.threads)
        print(f"| {count} | {count * each:,} | {first:.1f} | {step:.2f} | {processor:.2f} | {memory:.0f} | "
              f"{memory / count:.1f} | {1000 * reset:.1f} |", flush=True)


if __name__ == "__main__":
    main()
