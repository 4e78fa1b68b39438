#!/usr/bin/env python3
"""Tries to make Floe lose work, hang, crash or blame the wrong thing, and writes a page of it.

    trust.py --build build [--hours H | --attempts N] [--seed S] [--only KIND,...] [--page FILE]

Kinds of attempts, in turn until the time is over, or N of each:

  kill         SIGKILL at a random time, then --resume
  cancel       Ctrl-C at a random time, then --resume
  power        the power fails at a random time: only what was synchronised is left; then --resume
  call         a call of the system fails: open, write, fsync, rename, mkdir; once or from then on
  disk         the disk fills up, or the output folder is removed or moved, in mid-run
  address      the address space is limited (ulimit -v): the run ends well, or names that
  checkpoint   checkpoints are damaged, cut, emptied, misnamed, swapped, then --resume
  weights      a damaged network file
  graph        a damaged graph
  hostile      a plugin ends the process, hangs, gives NaN or nothing, writes past its arrays
  protocol     changed requests to floe serve, and strangers at its door
  inputs, captures, documents, values, plugins, scenes
               the programs of tests/fuzz and tests/abi, each with its own hostile files
  guided       changed inputs of twelve kinds, led by the code that they reach (tests/fuzz/guided), where
               `packaging/build.sh guided guided_fuzz` was run: that needs Clang

Of every run must be true: it ends by itself, in time, with one of the documented exit codes and,
unless that is 0, a sentence; 0 means that every file is there and is the one of an undisturbed run,
byte for byte; no file is torn, whatever the exit code; and --resume leads to the undisturbed run's
files. What fails is kept for a closer look. Attempts follow from the seed, though where a kill hits
depends on the machine. The exit code is 0 when nothing failed.
"""

import argparse
import datetime
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

from trial import Failed, ROOT, Trial
from faults import address, call, cancel, checkpoint, disk, graph, kill, power, weights
from programs import Guided, Program, Script
from hostile import hostile

KINDS = {
    "kill": (kill, "killed (SIGKILL) at a random time, resumed"),
    "cancel": (cancel, "Ctrl-C or SIGTERM at a random time, resumed"),
    "power": (power, "power cut at a random time: only what was synchronised is left; resumed"),
    "call": (call, "calls of the system fail, once or for good, then resumed"),
    "disk": (disk, "disk full, file size limited, output removed or moved in mid-run"),
    "address": (address, "the address space limited to 200 to 1100 MiB"),
    "checkpoint": (checkpoint, "checkpoints damaged, cut, emptied, misnamed, swapped"),
    "weights": (weights, "damaged network weights"),
    "graph": (graph, "damaged graphs"),
    "hostile": (hostile, "plugins that crash, exit, hang, lie or overrun arrays in mid-run"),
    "plugins": (Program("abi_scan"), "plugins that crash, hang, lie or flood when they are looked at"),
    "protocol": (Script("protocol/protocol_fuzz.py", 300, "--requests", "200", "--strangers", "100"),
                 "changed requests to floe serve, strangers at its door"),
    "inputs": (Program("fuzz_io", rounds=30), "damaged OBJ, PLY, STL, VDB, NVDB, BGEO, caches"),
    "captures": (Program("fuzz_gaussians"), "damaged sets of Gaussians"),
    "documents": (Program("fuzz_graph"), "hostile graphs, manifests, expressions"),
    "values": (Program("fuzz_data"), "hostile values and grids"),
    "guided": (Guided(), "inputs of twelve kinds, guided by the code that they reach"),
    "scenes": (Script("scenes/scenes_fuzz.py", 4, "--scenes", "4"),
               "random scenes at the ends of what nodes accept"),
}


def machine():
    name = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    release = platform.release().split("-")[0]
    return f"{name}, {os.cpu_count()} processors, {memory:.0f} GiB, {platform.system()} {release}"


def commit():
    told = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return told.stdout.strip() or "unknown"


def write_page(path, counts, failures, seconds, seed):
    lines = ["# Attempts to break Floe", "",
             f"{datetime.date.today().isoformat()}, commit {commit()}, {machine()}; "
             f"{seconds / 3600:.2f} hours, seed {seed}. Made by `packaging/trust.sh`.", "",
             "| attempts | of which failed | what was tried |", "|---:|---:|---|"]
    for kind, (_, text) in KINDS.items():
        if counts.get(kind):
            lines.append(f"| {counts[kind]} | {len(failures.get(kind, []))} | {text} |")
    total = sum(len(each) for each in failures.values())
    lines += [f"| **{sum(counts.values())}** | **{total}** | |", "",
              "An attempt fails when a run does not end, ends by a signal or without a word, leaves a "
              "torn file, says that it has finished and something is missing or not that of an "
              "undisturbed run, or cannot be resumed to the same files, byte for byte.", ""]
    for kind, each in failures.items():
        lines += [f"## {kind}", ""]
        lines += ["* " + " ".join(text.split())[:600] for text in each[:50]] + [""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--hours", type=float)
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="where what failed is kept")
    asked = parser.parse_args()
    kinds = asked.only.split(",") if asked.only else list(KINDS)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        parser.error(f"no kind '{unknown[0]}'; there are {', '.join(KINDS)}")
    begin = time.monotonic()
    counts, failures = {}, {}
    with tempfile.TemporaryDirectory(prefix="floe-trust-") as scratch:
        trial = Trial(asked.build.resolve(), pathlib.Path(scratch))
        number = 0
        while (time.monotonic() - begin < asked.hours * 3600) if asked.hours else (
                number < asked.attempts):
            for kind in kinds:
                seed = f"{asked.seed} {kind} {number}"
                trial.random.seed(seed)
                output = pathlib.Path(scratch) / f"{kind}-{number}"
                try:
                    made = KINDS[kind][0](trial, output)
                    counts[kind] = counts.get(kind, 0) + (1 if made is None else made)
                except Failed as failure:
                    counts[kind] = counts.get(kind, 0) + 1
                    failures.setdefault(kind, []).append(f"seed '{seed}': {failure}")
                    print(f"FAILED {kind}, seed '{seed}': {failure}", flush=True)
                    if asked.keep and output.exists():
                        asked.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copytree(output, asked.keep / output.name, dirs_exist_ok=True)
                shutil.rmtree(output, ignore_errors=True)
                for suffix in (".elsewhere", ".disk", ".left"):
                    shutil.rmtree(output.with_name(output.name + suffix), ignore_errors=True)
            number += 1
    if asked.page:
        write_page(asked.page, counts, failures, time.monotonic() - begin, asked.seed)
    failed = sum(len(each) for each in failures.values())
    print(f"{sum(counts.values())} attempts, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
