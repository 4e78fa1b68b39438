"""The hostile plugin of hostile_nodes.cpp in a folder of its own, and `floe` beside it."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

NODES = {"number": ("value", None, "number"), "counter": ("solver", None, "number"), "sink": ("sink", "number", None),
         "emitter": ("value", "material", "emitter"), "material": ("value", None, "material"),
         "activation": ("value", None, "activation"), "force": ("value", None, "force"),
         "collider": ("value", None, "collider")}


def node(name, way, backends, more):
    role, input_kind, output_kind = NODES[name]
    socket = {"label": "Socket", "help": "A test."}
    return {"type": f"test.hostile.{name}", "version": 1, "label": name, "category": "Test",
            "help": "A test.", "role": role, "backends": backends,
            "timeDependent": name == "number",
            "parameters": [{"name": "way", "type": "string", "default": way, "label": "Way",
                            "help": "How it breaks the rules."},
                           {"name": "at", "type": "float", "default": 0, "label": "At",
                            "help": "From this frame on."}, *more],
            "inputs": [socket | {"name": input_kind, "kind": input_kind, "required": True}] if input_kind else [],
            "outputs": [socket | {"name": output_kind, "kind": output_kind}] if output_kind else []}


class WithHostilePlugin(unittest.TestCase):
    FLOE = LIBRARY = None  # of the build
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="floe-hostile-")
        self.addCleanup(temporary.cleanup)
        self.work = pathlib.Path(temporary.name)
        self.output = self.work / "out"
        self.environment = dict(os.environ, HOME=str(self.work), XDG_CACHE_HOME=str(self.work / "cache"),
                                XDG_DATA_HOME=str(self.work / "data"),
                                FLOE_PLUGIN_PATH=f"{self.work / 'plugins'}:{self.FLOE.parent.parent / 'lib/floe/plugins'}")

    def plugin(self, ways=None, backends=None, more=()):
        """The plugin's folder; nodes go wrong in these ways where a graph says nothing else."""
        folder = self.work / "plugins/hostile"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.LIBRARY, folder / "libhostile.so")
        nodes = [node(name, (ways or {}).get(name, ""), backends or {"cpu": True, "cuda": "none"}, more)
                 for name in NODES]
        (folder / "plugin.json").write_text(json.dumps({
            "format": 1, "id": "test.hostile", "version": "1.0.0", "label": "Hostile", "vendor": "Floe developers",
            "license": "Apache-2.0", "abi": {"major": 1, "minor": 0}, "library": "hostile", "nodes": nodes}))
        return folder

    def graph(self, nodes, links=(), end=4):
        self.plugin()
        path = self.work / "graph.floe.json"
        path.write_text(json.dumps({
            "floe": 1, "range": {"start": 1, "end": end, "fps": 24},
            "nodes": {name: {"type": kind, "parameters": parameters}
                      for name, (kind, parameters) in nodes.items()},
            "links": [{"from": a, "to": b} for a, b in links]}))
        return path

    def number(self, way, at=2):
        """A number that goes wrong, into a sink."""
        return self.graph({"bad": ("test.hostile.number", {"way": way, "at": at}),
                           "end": ("test.hostile.sink", {})}, [("bad.number", "end.number")])

    def block(self, emitter="", material="", activation="", at=0, more=None, links=(), end=4):
        """A solver with eight particles of the plugin's making."""
        nodes = {"stuff": ("test.hostile.material", {"way": material}),
                 "source": ("test.hostile.emitter", {"way": emitter, "at": at}),
                 "solver": ("floe.mpm.solver", {"cellSize": 0.1}), **(more or {})}
        wires = [("stuff.material", "source.material"), ("source.emitter", "solver.emitters"), *links]
        if activation:
            nodes["sleep"] = ("test.hostile.activation", {"way": activation})
            wires.append(("sleep.activation", "solver.activation"))
        return self.graph(nodes, wires, end)

    def command(self, *arguments):
        return [str(self.FLOE), *map(str, arguments)]

    def floe(self, *arguments, timeout=150):
        return subprocess.run(self.command(*arguments), env=self.environment, cwd=self.work,
                              capture_output=True, text=True, timeout=timeout)

    def run_graph(self, graph, *arguments, timeout=150):
        return self.floe("run", graph, "--output", self.output, "--device", "cpu", *arguments, timeout=timeout)

    def report(self):
        return json.loads((self.output / "run.json").read_text())
