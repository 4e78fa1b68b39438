#!/usr/bin/env python3
"""Makes data for training the activation network, by simulating random scenes.

    dataset.py --out data --scenes 50 --frames 100 --size 64 --jobs 4

Goes on where it stopped: scenes that are there, or have failed before, are not run again; those that a stopped
run left unfinished are. See README.md for what is written. Exit codes are those of `floe`: 0 done, 1 no scene
succeeded, 2 the command line is wrong, 3 a value is unusable, 5 a file could not be written, 130 stopped."""

import argparse
import dataclasses
import fcntl
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from scenes import SceneSettings, activation_scene

SUCCESS, OTHER, UNUSABLE, FILES, CANCELLED = 0, 1, 3, 5, 130
SHAPE_FILES = (".vdb", ".nvdb", ".obj", ".ply", ".stl")

stopped = False


class Fault(Exception):
    """One sentence for the user, and the exit code."""

    def __init__(self, code, place, cause, cure):
        super().__init__(f"{place}: {cause}; {cure}")
        self.code = code


def split_of(scene):
    """Seventy scenes of a hundred train, fifteen choose the model, fifteen are seen by neither."""
    if scene % 20 in (3, 9, 16):
        return "validation"
    return "test" if scene % 20 in (6, 13, 19) else "train"


def name_of(scene):
    return f"scene_{scene:05d}"


def write_whole(path, text):
    """All of the file, or nothing."""
    part = path.with_name(f".{path.name}.part.{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


@dataclasses.dataclass
class Child:
    """A scene that is being simulated."""
    scene: int
    process: subprocess.Popen
    folder: pathlib.Path  # where it writes until it is done
    begin: float
    late: bool = False


class Dataset:
    def __init__(self, options):
        self.options, self.out = options, options.out
        self.lock = locked(self.out)
        self.plan = {"format": "floe.activation.dataset/1", "seed": options.seed, "frames": options.frames,
                     "size": options.size, "stiffness": options.stiffness, "lookAhead": options.look_ahead}
        self.check_plan()
        self.shapes = shapes_in(options.shapes)
        self.waiting, self.children = [], []
        self.done = self.failed = 0
        self.drawn, self.last_drawn, self.tty = -1, 0.0, sys.stdout.isatty()

    def check_plan(self):
        file = self.out / "dataset.json"
        if not file.exists():
            return
        try:
            there = json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise Fault(FILES, file, f"is not JSON ({error})", "choose another folder") from None
        for key, value in self.plan.items():
            if key not in there or there[key] != value:
                raise Fault(UNUSABLE, file, f"is of a data set with another {key}",
                            f"give the same {key}, or another folder")

    def run(self):
        for scene in range(self.options.scenes):
            if (self.out / name_of(scene)).exists():
                self.done += 1
            elif (self.out / "failed" / name_of(scene)).exists():
                self.failed += 1
            else:
                self.waiting.append(scene)
        self.first, self.begin = self.done + self.failed, time.monotonic()
        if self.first:
            print(f"{self.first} scenes are there already.")
        self.write_plan()
        try:
            while not stopped and (self.waiting or self.children):
                while self.waiting and len(self.children) < self.options.jobs:
                    self.start(self.waiting.pop(0))
                self.collect()
                self.draw()
                time.sleep(0.05)
        finally:
            self.end_children()
        if self.tty:
            print("\r\033[K", end="")
        self.write_plan()
        print(f"{'Stopped' if stopped else 'Finished'}: {self.done} scenes, {self.failed} failed, in {self.out}")
        if stopped:
            return CANCELLED
        return SUCCESS if self.done or not self.options.scenes else OTHER

    def start(self, scene):
        name = name_of(scene)
        folder = self.out / f".{name}.part.{os.getpid()}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        settings = SceneSettings(
            seed=self.options.seed * 1000003 + scene, size=self.options.size, frames=self.options.frames,
            stiffness=self.options.stiffness, split=split_of(scene), look_ahead=self.options.look_ahead,
            shapes=self.shapes)
        graph = folder / "scene.floe.json"
        write_whole(graph, json.dumps(activation_scene(settings, name), indent=1) + "\n")
        threads = max(1, len(os.sched_getaffinity(0)) // self.options.jobs)
        with open(folder / "log.txt", "wb") as log:
            try:
                process = subprocess.Popen(
                    [self.options.floe, "run", graph, "--output", folder, "--progress", "quiet", "--device", "cpu",
                     "--checkpoint-every", "0", "--threads", str(threads)],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
            except OSError as error:
                shutil.rmtree(folder, ignore_errors=True)
                raise Fault(FILES, self.options.floe, f"cannot be started: {error.strerror}",
                            "name the program with --floe") from None
        self.children.append(Child(scene, process, folder, time.monotonic()))

    def collect(self):
        for child in list(self.children):
            code = child.process.poll()
            if code is None:
                if not child.late and time.monotonic() - child.begin > self.options.limit:
                    child.late = True
                    child.process.kill()
                continue
            self.children.remove(child)
            if stopped:
                shutil.rmtree(child.folder, ignore_errors=True)
            else:
                self.finish(child, code == SUCCESS)

    def finish(self, child, good):
        samples = child.folder / "samples"
        # All matter may have been inside obstacles: then there is nothing to learn.
        if good and samples.is_dir() and any(samples.iterdir()):
            child.folder.rename(self.out / name_of(child.scene))
            self.done += 1
            return
        shutil.rmtree(samples, ignore_errors=True)
        if child.late:
            write_whole(child.folder / "log.txt", "It took too long: see --limit.\n")
        (self.out / "failed").mkdir(exist_ok=True)
        child.folder.rename(self.out / "failed" / name_of(child.scene))
        self.failed += 1

    def end_children(self):
        for child in self.children:
            child.process.terminate()
        for child in self.children:
            child.process.wait()
            shutil.rmtree(child.folder, ignore_errors=True)

    def write_plan(self):
        write_whole(self.out / "dataset.json",
                    json.dumps({**self.plan, "scenes": self.done, "failed": self.failed}, indent=2) + "\n")

    def draw(self):
        ended, now = self.done + self.failed, time.monotonic()
        if ended == self.drawn and (not self.tty or now - self.last_drawn < 1):
            return
        self.drawn, self.last_drawn = ended, now
        text = f"scene {ended}/{self.options.scenes}  {self.failed} failed"
        if ended > self.first:
            left = (now - self.begin) / (ended - self.first) * (self.options.scenes - ended)
            text += f"  {math.ceil(left / 60)} min left"
        if self.tty:
            room = 32
            filled = room * ended // self.options.scenes
            text = f"\r[{'#' * filled}{' ' * (room - filled)}]  {text}\033[K"
        print(text, end="" if self.tty else "\n", flush=True)


def locked(folder):
    """Makes the folder; nobody else writes into it while the descriptor is open."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise Fault(FILES, folder, f"cannot be made: {error.strerror}",
                    "choose a folder that you may write to") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Fault(FILES, folder, "another run is writing into this folder",
                    "wait until it is done, or choose another folder") from None
    except OSError:
        pass  # a file system without locks
    return descriptor


def shapes_in(folder):
    """Level sets and meshes by name: scenes must not depend on the folder's order."""
    if folder is None:
        return ()
    if not folder.is_dir():
        raise Fault(UNUSABLE, folder, "is not a folder", "give a folder of .vdb, .nvdb, .obj, .ply or .stl files")
    return tuple(sorted(str(file.absolute()) for file in folder.iterdir() if file.suffix in SHAPE_FILES))


def within(kind, low, high):
    """For an option whose value is a number from `low` to `high`."""

    def parse(text):
        value = kind(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low} and {high}")
        return value

    parse.__name__ = kind.__name__
    return parse


def options_of(arguments):
    parser = argparse.ArgumentParser(
        description="Random scenes, and which of their blocks will move; goes on where it stopped.")
    add = parser.add_argument
    add("--out", type=pathlib.Path, required=True, help="folder to write into")
    add("--scenes", type=within(int, 1, 99999), default=50, help="scenes in all (%(default)s)")
    add("--frames", type=within(int, 1, 10000), default=100, help="of each scene; one sample a frame (%(default)s)")
    add("--size", type=within(int, 32, 128), default=64, help="cells along each edge of the domain (%(default)s)")
    add("--stiffness", type=within(float, 1e-4, 10), default=1.0,
        help="of materials, as a share of the full one; less is faster (%(default)s)")
    add("--jobs", type=within(int, 1, 1024), default=1, help="scenes simulated at a time (%(default)s)")
    add("--seed", type=within(int, 0, 2**64 - 1), default=1, help="of all scenes (%(default)s)")
    add("--shapes", type=pathlib.Path, metavar="FOLDER", default=None,
        help="level sets and meshes to use beside the built-in shapes")
    add("--look-ahead", choices=("frame", "step"), default="frame",
        help="what labels foretell: the next frame or step (%(default)s)")
    add("--limit", type=within(int, 1, 1000000), default=3600, help="longest time for a scene [s] (%(default)s)")
    add("--floe", default=os.environ.get("FLOE", "floe"), help="the program (%(default)s); FLOE in the environment names it too")
    options = parser.parse_args(arguments)
    if options.look_ahead == "frame":
        options.look_ahead = "evaluation"
    return options


def on_signal(*_):
    global stopped
    if stopped:
        os._exit(CANCELLED)
    stopped = True


def main():
    options = options_of(sys.argv[1:])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    try:
        return Dataset(options).run()
    except Fault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return fault.code
    except OSError as error:
        print(f"error: {error.filename or options.out}: {error.strerror}", file=sys.stderr)
        return FILES


if __name__ == "__main__":
    sys.exit(main())
