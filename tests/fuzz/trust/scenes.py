"""The scenes of trust.py's runs: one of each solver, as small as can be, with every kind of file between
them."""

import json
import shutil

from trial import ROOT


class Scene:
    def __init__(self, name, source, parameters=None, files=(), options=()):
        """@param files  nodes that write what an output gives: (type, input, output, path)"""
        self.name, self.source, self.parameters = name, source, parameters or {}
        self.files, self.options = files, options

    def write(self, folder):
        """@return the graph's path"""
        graph = json.loads((ROOT / "graphs" / self.source).read_text())
        for node in graph["nodes"].values():
            parameters = node.setdefault("parameters", {})
            if node["type"] == "floe.output.render":
                parameters.update(width=64, height=36)
            if node["type"] == "floe.gaussians.mesh":
                parameters.update(count=800)
        for name, more in self.parameters.items():
            graph["nodes"].setdefault(name, {}).setdefault("parameters", {}).update(more)
        for i, (kind, socket, output, path) in enumerate(self.files):
            graph["nodes"][f"files{i}"] = {"type": kind, "parameters": {"path": path}}
            graph["links"].append({"from": output, "to": f"files{i}.{socket}"})
        path = folder / f"{self.name}.floe.json"
        path.write_text(json.dumps(graph))
        return path


def particles(output, extension):
    return ("floe.output.particles", "particles", output, f"{extension}/p.%04d.{extension}")


def mesh(output, extension):
    return ("floe.output.mesh", "mesh", output, f"{extension}/m.%04d.{extension}")


def gaussians(output, extension):
    return ("floe.gaussians.write", "gaussians", output,
            f"gaussians/{extension}/g.%04d.{extension}")


SCENES = [
    Scene("snow", "first_snow.floe.json", {"solver": {"cellSize": 0.1}},
          [particles("solver.particles", "bgeo")]),
    Scene("cloth", "particles/flag.floe.json", {"flag": {"spacing": 0.1}},
          [mesh("solver.mesh", extension) for extension in ("ply", "obj", "stl")]),
    Scene("bodies", "gaussians/tumbling_bodies.floe.json", {},
          [gaussians("ring_follows.gaussians", extension) for extension in ("ply", "splat", "glb")]
          + [particles("solver.particles", "json")]),
    Scene("water", "coupled/solids.floe.json",
          {"solver": {"cellSize": 0.08}, "pool": {"voxelSize": 0.04}, "ball": {"voxelSize": 0.04},
           "cube": {"voxelSize": 0.04}, "ring": {"voxelSize": 0.04}},
          [particles("solver.particles", "vdb"),
           ("floe.output.volume", "volume", "ball.shape", "volume/v.%04d.nvdb"),
           ("floe.output.volume", "volume", "cube.shape", "volume/v.%04d.vdb")]),
]
RANKS = Scene("ranks", "dam_break.floe.json", {"solver": {"cellSize": 0.1}}, [],
              ("--ranks", "2"))


def scenes():
    return SCENES + ([RANKS] if shutil.which("mpirun") else [])
