#!/usr/bin/env python3
"""Builds, tests, checks and measures Floe on this machine's NVIDIA card; see packaging/gpu.sh."""

import argparse
import json
import pathlib
import sys
import time
import traceback

import checks
import machine as machines
import measures
import packages
import summary
from commands import Check, Place, give_up, say

STEPS = ["build", "tests", "sanitizer", "bench", "profile"]


def options():
    words = sys.argv[1:]
    cmake = words[words.index("--") + 1:] if "--" in words else []
    parser = argparse.ArgumentParser(prog="gpu.sh", usage="gpu.sh [option ...] [-- cmake option ...]",
                                     description=__doc__)
    parser.add_argument("--steps", default=",".join(STEPS), help="some of " + ",".join(STEPS))
    parser.add_argument("--minutes", type=float, default=60, help="of all steps together (60)")
    parser.add_argument("--packages", type=pathlib.Path, help="a folder of .deb files to unpack and use")
    parser.add_argument("--fetch", type=pathlib.Path, help="downloads such a folder of .deb files, and ends")
    parser.add_argument("--emulator", action="store_true", help="instead of a card, with small sizes")
    parser.add_argument("--only", default="", help="of the tests those that CTest's -R finds")
    parser.add_argument("--build", type=pathlib.Path, help="build folder (build-gpu, or build-emulator)")
    parser.add_argument("--output", type=pathlib.Path, help="where the folder of results is made (gpu-results)")
    parser.add_argument("--commit", help="what to call these sources where they are neither checkout nor bundle")
    chosen = parser.parse_args(words[:words.index("--")] if "--" in words else words)
    steps = chosen.steps.split(",")
    if unknown := [step for step in steps if step not in STEPS]:
        parser.error(f"no such step: {', '.join(unknown)}; there are {', '.join(STEPS)}")
    if chosen.minutes <= 0:
        parser.error("--minutes must be above zero")
    return chosen, [step for step in STEPS if step in steps], cmake


def run_step(step, place, machine, chosen, cmake):
    """@return checks, and what was measured"""
    try:
        if step == "build":
            return checks.build(place, machine, cmake)
        if step == "tests":
            return checks.tests(place, machine, chosen.only)
        return {"sanitizer": checks.sanitizer, "bench": measures.bench,
                "profile": measures.profile}[step](place, machine)
    except Exception as error:  # a fault of this script must not cost the other steps
        traceback.print_exc()
        return [Check(step, "failed", 0, f"{type(error).__name__}: {error}"[:200])], {}


def main():
    chosen, steps, cmake = options()
    root = pathlib.Path(__file__).resolve().parents[2]
    if chosen.fetch:
        return packages.fetch(root, chosen.fetch.resolve())
    machine = machines.describe(root, chosen.emulator)
    if chosen.commit:
        machine["commit"] = chosen.commit
    if not chosen.emulator:
        if not machine["card"]:
            give_up("nvidia-smi finds no card (--emulator runs without one)")
        if not machine["nvcc"]:
            give_up("nvcc is missing: install the CUDA Toolkit or put nvcc on PATH")
    build = (chosen.build or root / ("build-emulator" if chosen.emulator else "build-gpu")).resolve()
    results = (chosen.output or root / "gpu-results").resolve() / machines.folder_name(machine)
    results.mkdir(parents=True, exist_ok=True)
    place = Place(root, build, results, time.monotonic() + 60 * chosen.minutes, chosen.emulator)
    if chosen.packages:
        prefix = build / "packages"
        if why := packages.unpack(chosen.packages.resolve(), prefix):
            give_up(why)
        packages.use(place.environment, prefix)
    (results / "machine.json").write_text(json.dumps(machine, indent=1) + "\n")
    good, passed = True, 0
    for step in steps:
        say(f"== {step}")
        done, data = run_step(step, place, machine, chosen, cmake)
        good = good and all(check.status != "failed" for check in done)
        passed += sum(check.status == "passed" for check in done)
        record = {"step": step, "checks": [vars(check) for check in done], **data}
        (results / f"{step}.json").write_text(json.dumps(record, indent=1) + "\n")
        summary.write(results, STEPS)  # after every step: the whole may be cut off
    say(f"{results / 'summary.md'}")
    return 0 if good and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
