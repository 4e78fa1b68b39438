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
  guided       changed inputs of one kind after the other, led by the code that they reach
               (tests/fuzz/guided), where `packaging/build.sh guided guided_fuzz` was run: that needs Clang

Runs are of one scene of each solver, the first of MPM, then by chance; some by two processes (--ranks).

Of every run must be true: it ends by itself, in time, with one of the documented exit codes and,
unless that is 0, a sentence; 0 means that every file is there and is the one of an undisturbed run,
byte for byte; no file is torn, whatever the exit code; and --resume leads to the undisturbed run's
files. What fails is kept for a closer look. Attempts follow from the seed, though where a kill hits
depends on the machine. A page that is there has the totals of earlier runs, to which this one's are
added. The exit code is 0 when nothing failed.
"""

import argparse
import pathlib
import resource
import shutil
import signal
import sys
import tempfile
import time

from trial import Failed, ROOT, Trial
from faults import address, call, cancel, checkpoint, disk, graph, kill, power, weights
from programs import Guided, Program, Script
from hostile import hostile
from page import Total, write_page
from scenes import SCENES, scenes

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
    "protocol": (Script("protocol/protocol_fuzz.py", 300, "--requests", "200", "--strangers", "100",
                        "--patience", "600"),  # others may have the processors
                 "changed requests to floe serve, strangers at its door"),
    "inputs": (Program("fuzz_io", rounds=30), "damaged OBJ, PLY, STL, VDB, NVDB, BGEO, caches"),
    "captures": (Program("fuzz_gaussians"), "damaged sets of Gaussians"),
    "documents": (Program("fuzz_graph"), "hostile graphs, manifests, expressions"),
    "values": (Program("fuzz_data"), "hostile values and grids"),
    "guided": (Guided(), "led by the code that they reach"),
    "scenes": (Script("scenes/scenes_fuzz.py", 4, "--scenes", "4"),
               "random scenes at the ends of what nodes accept"),
}
ON_RANKS = ("kill", "cancel", "checkpoint")  # also as several processes


def processor_seconds():
    """Of the children that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


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
    # A shell's job in the background ignores Ctrl-C, and so would what is started here.
    signal.signal(signal.SIGINT, signal.default_int_handler)
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
                trial.use(SCENES[0] if number == 0 else trial.random.choice(
                    scenes() if kind in ON_RANKS else SCENES))
                attempt, text = KINDS[kind]
                row, text = attempt.next() if kind == "guided" else (kind, text)
                begun, made, failure = processor_seconds(), 1, None
                try:
                    made = attempt(trial, output)
                    made = 1 if made is None else made
                except Failed as failed:
                    failure = failed
                    failures.setdefault(row, []).append(f"seed '{seed}': {failure}")
                    print(f"FAILED {row}, seed '{seed}': {failure}", flush=True)
                    if asked.keep and output.exists():
                        asked.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copytree(output, asked.keep / output.name, dirs_exist_ok=True)
                if made:
                    counts.setdefault(row, Total()).add(
                        Total(made, int(failure is not None),
                              (processor_seconds() - begun) / 3600, text=text))
                shutil.rmtree(output, ignore_errors=True)
                for suffix in (".elsewhere", ".disk", ".left"):
                    shutil.rmtree(output.with_name(output.name + suffix), ignore_errors=True)
            number += 1
    if asked.page:
        write_page(asked.page, counts, failures, time.monotonic() - begin, asked.seed)
    failed = sum(each.failed for each in counts.values())
    print(f"{sum(each.attempts for each in counts.values())} attempts, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
