#!/usr/bin/env python3
"""Kills processes of a run of several ranks at random times, again and again, goes on with --resume
on another number of ranks each time, and compares all files with those of one rank, byte for byte.

Usage: kills.py [--floe PATH] [--mpirun PATH] [--graph FILE] [--kills 100] [--ranks 3] [--end 24]
                [--seed 1] [--set node.parameter=value ...]

A run that comes to its end before the last kill is compared and begun anew. Exit code 1: a file
differs, a run fails for another reason than its kill, or does not end within a minute after it."""

import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[3]
PATIENCE = 60  # from a kill to the end of all [s]
# A rank was lost, or does not answer (runtime/app/README.md); the launcher's own code where the process
# that it knows was killed.
LOST = (10, 11, 137)


def parsed():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floe", default=str(SOURCE / "build/bin/floe"))
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--graph", default=str(SOURCE / "graphs/scale/sand_injection.floe.json"))
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--ranks", type=int, default=3, help="at most")
    parser.add_argument("--end", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=["solver.cellSize=0.06", "render.width=64", "render.height=36"])
    return parser.parse_args()


def run_command(arguments, output, resume=False):
    command = [arguments.floe, "run", arguments.graph, "-o", str(output), "--device", "cpu", "--threads", "1", "--cache",
               "--checkpoint-every", "1", "--progress", "quiet", "--end", str(arguments.end)]
    for change in arguments.set:
        command += ["--set", change]
    return command + (["--resume"] if resume else [])


def launcher(arguments, ranks):
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return [arguments.mpirun, "--oversubscribe", "--bind-to", "none", "--mca", "odls_base_sigkill_timeout", "2",
            "--mca", "orte_execute_quiet", "1"] + root + ["-n", str(ranks)]


def processes_of(output):
    """@return the processes of a run, those that compute and those that watch over them"""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # not a process, or no longer one
        if words[0].endswith(b"floe") and str(output).encode() in words:
            found.append(int(entry.name))
    return sorted(found)


def files_of(folder):
    """Without run.json, which has times, signs of life, and checkpoints, which are those of the ranks that wrote them."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "run.json" and not path.name.startswith(".")
            and path.parent.name != "checkpoints"}


def compare(expected, output):
    found = files_of(output)
    names = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
    if names:
        sys.exit(f"{len(names)} files are not those of one rank: {', '.join(names[:5])}")
    left = [part.name for part in (output / "checkpoints").glob("*.part")
            if not (output / "checkpoints" / (part.name.split(".rank")[0] + ".checkpoint")).exists()]
    if left:
        sys.exit(f"parts without a checkpoint are left: {', '.join(left[:5])}")


def killed(command, output, chance):
    """Runs a command and kills a process of it. @return what was killed, 0: the run had ended; exit code, text"""
    run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + chance.uniform(0.2, 4)
    while time.monotonic() < until and run.poll() is None:
        time.sleep(0.01)
    victims = processes_of(output)
    victim = chance.choice(victims) if victims and run.poll() is None else 0
    if victim:
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            victim = 0
    try:
        text = run.communicate(timeout=PATIENCE if victim else None)[0]
    except subprocess.TimeoutExpired:
        run.terminate()
        sys.exit(f"the run did not end within {PATIENCE} s after a kill")
    return victim, run.returncode, text


def main():
    arguments = parsed()
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        one, output = pathlib.Path(folder) / "one", pathlib.Path(folder) / "several"
        subprocess.run(run_command(arguments, one), check=True)
        expected = files_of(one)
        kills = ends = 0
        while kills < arguments.kills:
            ranks = chance.randint(2, arguments.ranks)
            victim, code, text = killed(launcher(arguments, ranks) + run_command(arguments, output, True), output, chance)
            if code == 0:
                compare(expected, output)
                shutil.rmtree(output)
                ends += 1
            elif not victim or code not in LOST:
                sys.exit(f"a run of {ranks} ranks ended with {code}, {'after a kill' if victim else 'by itself'}:\n{text}")
            kills += victim != 0
        last = subprocess.run(launcher(arguments, 2) + run_command(arguments, output, True), capture_output=True, text=True)
        if last.returncode != 0:
            sys.exit(f"the last run ended with {last.returncode}:\n{last.stdout}{last.stderr}")
        compare(expected, output)
        print(f"{kills} kills, {ends + 1} runs to the end, {len(expected)} files each: all as on one rank")


if __name__ == "__main__":
    main()
