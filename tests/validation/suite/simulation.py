"""Runs graphs with the real program and reads what they write."""

import hashlib
import json
import pathlib
import re
import subprocess

import numpy as np

GRAPHS = pathlib.Path(__file__).resolve().parents[3] / "graphs"

_TYPES = {"float": "<f4", "double": "<f8", "uchar": "u1", "uint": "<u4", "int": "<i4"}


def read_values(path):
    """Columns of a binary PLY of vertices by name."""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    header = data[:end].decode()
    count = int(re.search(r"element vertex (\d+)", header)[1])
    columns = re.findall(r"property (\w+) (\w+)", header)
    table = np.frombuffer(data, [(name, _TYPES[kind]) for kind, name in columns], count, end)
    return {name: table[name] for name in table.dtype.names}


def read_ply(path):
    """Of particles; x and v as (n, 3), F as (n, 3, 3) arrays."""
    table = read_values(path)
    names = set(table)
    frame = dict(table)
    stack = lambda parts: np.stack([table[p].astype(float) for p in parts], axis=1)
    frame["v"] = stack(["vx", "vy", "vz"])
    frame["x"] = stack(["x", "y", "z"])
    if "F_0" in names:
        frame["F"] = stack([f"F_{i}" for i in range(9)]).reshape(-1, 3, 3)
    return frame


class Run:
    """A finished run: frames by number, and run.json."""

    def __init__(self, folder):
        self.folder = folder
        self.report = json.loads((folder / "run.json").read_text())

    def file(self, number):
        return self.folder / "particles" / f"{number:04d}.ply"

    def numbers(self):
        return sorted(int(path.stem) for path in (self.folder / "particles").glob("*.ply"))

    def frame(self, number):
        """Particles sorted by id, so that rows of two frames are the same particle."""
        frame = read_ply(self.file(number))
        order = np.argsort(frame["id"], kind="stable")
        return {name: column[order] for name, column in frame.items()}

    def last(self):
        return self.frame(self.numbers()[-1])

    def fps(self):
        return self.report["range"]["fps"]

    def time(self, number):
        return (number - self.report["range"]["start"]) / self.fps()

    def statistics(self, number, node="solver"):
        for frame in self.report["frames"]:
            if frame["frame"] == number:
                return frame["nodes"][node]
        raise KeyError(number)


class Simulator:
    """Runs each combination of graph and settings once."""

    def __init__(self, floe, folder, threads=1, device="cpu"):
        """@param threads  of each run; scenes of some thousand particles gain little from more
        @param device  what computes, as `floe run` takes it"""
        self.floe = str(floe)
        self.device = device
        self.threads = threads
        self.folder = pathlib.Path(folder)
        self.done = {}

    def devices(self):
        """The devices that the runs say they ran on, for people."""
        count = {}
        for run in self.done.values():
            device = run.report["device"]
            name = f"{device['name']} ({device['id']})"
            count[name] = count.get(name, 0) + 1
        return ", ".join(f"{name}: {runs} runs" for name, runs in sorted(count.items()))

    def options(self, settings):
        options = []
        for name, value in settings.items():
            text = value if isinstance(value, str) else json.dumps(value)
            options += ["--set", f"{name}={text}"]
        return options

    def at_rate(self, graph, fps):
        """The graph's file with another frame rate over the same span of time."""
        document = json.loads((GRAPHS / "validation" / f"{graph}.floe.json").read_text())
        span = document["range"]
        span["end"] = span["start"] + round((span["end"] - span["start"]) * fps / span["fps"])
        span["fps"] = fps
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{graph}-{fps}fps.floe.json"
        path.write_text(json.dumps(document))
        return path

    def run(self, graph, settings=None, options=(), fresh=True, folder=None, fps=None):
        """@param settings {"node.parameter": value}  @param options further ones of `floe run`"""
        settings = settings or {}
        key = json.dumps([graph, settings, list(options), folder, fps])
        if key in self.done:
            return self.done[key]
        name = folder or f"{graph}-{hashlib.sha1(key.encode()).hexdigest()[:8]}"
        target = self.folder / name
        if fresh and target.exists():
            for path in (target / "particles").glob("*.ply"):
                path.unlink()
        path = self.at_rate(graph, fps) if fps else GRAPHS / "validation" / f"{graph}.floe.json"
        command = [self.floe, "run", str(path), "--output", str(target), "--device",
                   self.device, "--progress", "quiet"]
        if "--checkpoint-every" not in options:
            command += ["--checkpoint-every", "0"]
        if "--threads" not in options:
            command += ["--threads", str(self.threads)]
        command += self.options(settings) + list(options)
        finished = subprocess.run(command, capture_output=True, text=True)
        if finished.returncode:
            raise RuntimeError(f"{' '.join(command)}\nended with {finished.returncode}:\n"
                               f"{finished.stdout}{finished.stderr}")
        self.done[key] = Run(target)
        return self.done[key]
