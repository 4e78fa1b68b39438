"""Runs the scenes with each strategy in place of their own."""

import json
import os
import pathlib
import shutil
import subprocess

from strategies import REFERENCE, SCENES, SOLVER, STRATEGIES, UNTUNED

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NUMBERS = SCENES | UNTUNED
NODE = "activity"  # the activation node of every scene


def node_types():
    """The activation node types of the manifest, by name."""
    manifest = json.loads((ROOT / "plugins" / "activation" / "plugin.json").read_text())
    return {node["type"]: node for node in manifest["nodes"]}


def available():
    return [name for name, (kind, _) in STRATEGIES.items() if kind in node_types()]


def scene(name, strategy, scale, frames, settle):
    """The scene's document with a strategy, without pictures and spray, cut to some frames."""
    folder = ROOT / "graphs" / "activation" if name in SCENES else HERE / "scenes"
    document = json.loads((folder / f"{name}.floe.json").read_text())
    kind, own = STRATEGIES[strategy]
    node_type = node_types()[kind]
    known = {p["name"] for p in node_type["parameters"]}
    given = dict(document["nodes"][NODE].get("parameters", {}))
    for a, b in (("speed", "threshold"), ("threshold", "speed")):
        if a in given and a not in known and b in known:
            given[b] = given.pop(a)
    if settle:
        given.pop("startsPassive", None)
    if "sensitivity" in known:
        own = {"sensitivity": NUMBERS[name]["slider"], "threshold": NUMBERS[name]["delta"],
               **own}
    given["delay"] = NUMBERS[name]["delay"]
    parameters = {n: v for n, v in {**given, **own}.items() if n in known}
    document["nodes"][NODE] = {"type": kind, "version": node_type["version"], "parameters": parameters,
                               "layout": {"x": 0, "y": 0}}
    solver = document["nodes"]["solver"].setdefault("parameters", {})
    solver["cellSize"] = scale
    solver.update(SOLVER.get(strategy, {}))

    unwanted = {n for n, node in document["nodes"].items()
                if node["type"] in ("floe.output.render", "floe.secondary", "floe.camera",
                                    "floe.light")
                or (node["type"] == "floe.output.particles" and n != "export")}
    document["nodes"] = {n: node for n, node in document["nodes"].items() if n not in unwanted}
    document["links"] = [link for link in document["links"]
                         if not {link["from"].split(".")[0], link["to"].split(".")[0]} & unwanted]
    span = document["range"]
    if frames:
        span["end"] = min(span["end"], span["start"] + frames - 1)
    if settle:
        span["start"] -= settle
        for node in document["nodes"].values():
            if node["type"] == "floe.emitter":
                node.setdefault("parameters", {})["startFrame"] = span["start"]
    return document


def masses(document):
    """Density of each material number, which solvers count in the order of the emitters' links."""
    source = {link["to"]: link["from"].split(".")[0] for link in document["links"]}
    seen = []
    for link in document["links"]:
        if link["to"] == "solver.emitters":
            material = source[link["from"].split(".")[0] + ".material"]
            if material not in seen:
                seen.append(material)
    return [document["nodes"][m]["parameters"]["density"] for m in seen]


class Runner:
    def __init__(self, floe, folder, device="cpu", threads=0):
        self.floe, self.folder = str(floe), pathlib.Path(folder).resolve()
        self.options = ["--device", device, "--progress", "quiet"]
        if threads:
            self.options += ["--threads", str(threads)]

    def _run(self, document, target, options, every):
        """@param every  frames between exported ones; 0: none are"""
        target.mkdir(parents=True, exist_ok=True)
        if every:
            document["nodes"]["export"]["parameters"] = {"path": "particles/%04d.ply",
                                                         "every": every}
        else:
            # A sink that is never due: the solver has to be asked for by somebody.
            document["nodes"]["export"]["parameters"] = {"path": "particles/%04d.ply",
                                                         "every": 10**6}
        path = target / "scene.floe.json"
        path.write_text(json.dumps(document, indent=1))
        command = [self.floe, "run", str(path), "--output", str(target / "out"), *self.options,
                   *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}\nended with {done.returncode}:\n"
                               f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return target / "out"

    def settled(self, name, scale, settle):
        """Checkpoint after everything has sunk to rest; one for all strategies."""
        if not settle:
            return None
        target = self.folder / name / "settled"
        file = target / "out" / "checkpoints" / "frame.0001.checkpoint"
        if not file.exists():
            document = scene(name, REFERENCE, scale, 1, settle)
            self._run(document, target, ["--checkpoint-every", str(settle)], 0)
        return file

    def run(self, name, strategy, scale, frames, settle, every, label):
        """One run; its report, and where its files are."""
        checkpoint = self.settled(name, scale, settle)
        target = self.folder / name / f"{strategy}-{label}"
        shutil.rmtree(target, ignore_errors=True)
        options = ["--checkpoint-every", "0"]
        if checkpoint:
            copy = target / "out" / "checkpoints" / checkpoint.name
            copy.parent.mkdir(parents=True)
            os.link(checkpoint, copy)
            options += ["--resume-from", "1"]
        document = scene(name, strategy, scale, frames, settle)
        out = self._run(document, target, options, every)
        report = json.loads((out / "run.json").read_text())
        first = document["range"]["start"] + settle
        report["frames"] = [frame for frame in report["frames"] if frame["frame"] > first]
        return report, out, document
