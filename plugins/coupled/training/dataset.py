#!/usr/bin/env python3
"""Makes data for networks that know the pressure, by simulating random scenes.

    dataset.py --out data --scenes 5 --steps 585 --size 32 --jobs 2

Three families of as many scenes (scenes.py); the defaults are the paper's 15 x 585 steps at 32^3, some 5 GB. Goes on
where it stopped: a scene that is whole is kept, one that is not goes on from its last checkpoint. Needs the package
`floe`, which is found beside this file, and the program, which FLOE_PROGRAM names. Exit codes are those of `floe`:
0 done, 1 a scene failed, 2 the command line is wrong, 3 the folder holds other data, 130 stopped."""

import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import shutil
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "runtime" / "python"))

import floe  # noqa: E402
from floe import program  # noqa: E402

from scenes import FAMILIES, scene  # noqa: E402

FRAMES_AT_A_TIME = 6
MAXIMUM_FRAMES = 4800

stopped = threading.Event()


def steps_in(folder):
    return len(list((folder / "pressures").glob("step.*.npz")))


def simulate(out, family, number, options):
    """Runs a scene until its steps are recorded. Returns what went wrong, or nothing."""
    name = f"{family}_{number:02d}"
    folder, part = out / name, out / f".{name}.part"
    if folder.exists():
        return None
    part.mkdir(exist_ok=True)
    graph = part / "scene.floe.json"
    if not graph.exists():
        scene(family, number, options.seed, options.size, options.steps, options.tolerance).save(graph)
    begun = (part / "run.json").exists()
    end = FRAMES_AT_A_TIME
    while steps_in(part) < options.steps:
        if stopped.is_set():
            return None
        if end > MAXIMUM_FRAMES:
            return f"{name}: {MAXIMUM_FRAMES} frames have fewer than {options.steps} steps"
        try:
            program.command(["run", str(graph), "--output", str(part), "--end", str(end), "--progress", "quiet",
                             "--device", "cpu", "--threads", "1", "--checkpoint-every", str(FRAMES_AT_A_TIME), "--keep-checkpoints", "2",
                             *(["--resume"] if begun else [])])
        except floe.FloeError as error:
            if stopped.is_set():
                return None
            return f"{name}: {error}"
        begun = True
        end += FRAMES_AT_A_TIME
    shutil.rmtree(part / "checkpoints", ignore_errors=True)
    part.rename(folder)
    return None


def plan_of(options):
    return {"format": "floe.coupled.dataset/1", "seed": options.seed, "steps": options.steps, "size": options.size,
            "tolerance": options.tolerance}


def number(kind, low, high):
    """For an option whose value is a number from `low` to `high`."""

    def parse(text):
        value = kind(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low} and {high}")
        return value

    parse.__name__ = kind.__name__
    return parse


def main():
    parser = argparse.ArgumentParser(description="Random scenes, and the pressures of each of their steps.")
    add = parser.add_argument
    add("--out", type=pathlib.Path, required=True, help="folder to write into")
    add("--scenes", type=number(int, 1, 99), default=5, help="of each of the three families (%(default)s)")
    add("--steps", type=number(int, 1, 100000), default=585, help="of each scene (%(default)s)")
    add("--size", type=number(int, 8, 256), default=32, help="cells along each edge of the tank (%(default)s)")
    add("--tolerance", type=number(float, 1e-10, 0.1), default=1e-5, help="of the pressures (%(default)s)")
    add("--seed", type=number(int, 0, 2 ** 63), default=1, help="of all scenes (%(default)s)")
    add("--jobs", type=number(int, 1, 1024), default=1, help="scenes simulated at a time (%(default)s)")
    options = parser.parse_args()
    plan, file = plan_of(options), options.out / "dataset.json"
    try:
        options.out.mkdir(parents=True, exist_ok=True)
        lock = os.open(options.out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)  # held until the end
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"error: {options.out}: another run is writing into it; wait for that, or give another folder",
                  file=sys.stderr)
            return 3
        if file.exists() and json.loads(file.read_text()) != plan:
            print(f"error: {file}: is of a data set with other settings; give the same, or another folder",
                  file=sys.stderr)
            return 3
        part = options.out / ".dataset.json.part"
        part.write_text(json.dumps(plan, indent=1) + "\n")
        part.replace(file)
    except (OSError, ValueError) as error:
        print(f"error: {file}: {error}; choose another folder", file=sys.stderr)
        return 3
    wanted = [(family, n) for n in range(options.scenes) for family in FAMILIES]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(simulate, options.out, *which, options) for which in wanted]
        try:
            for done, run in enumerate(concurrent.futures.as_completed(runs), 1):
                if fault := run.result():
                    failed += 1
                    print(f"error: {fault}", file=sys.stderr)
                print(f"{done} of {len(wanted)} scenes", flush=True)
        except KeyboardInterrupt:
            stopped.set()
            for run in runs:
                run.cancel()
            print("Stopped; the same command goes on.")
            return 130
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
