#!/usr/bin/env python3
"""Runs random scenes through the real program and looks for what must never happen.

    scenes_fuzz.py --floe build/bin/floe [--seed 1] [--scenes 20 | --minutes 60] [--keep DIR]

Random materials, sizes, velocities, colliders that move, forces, walls, drains, sources, options
and step limits. Seven scenes of ten are such as people build, in steps that suit them, so that most
run to their end; the others go to the very ends of what the nodes accept. Of every scene must be
true:

* it ends by itself, with code 0, or with 7 and one sentence that names a material and a cure;
* no file holds a number that is not finite;
* every particle is accounted for: emitted = alive + left by open faces + deleted by colliders,
  in run.json for every frame, and as many are in the frame's file.

A scene is a function of its seed alone. What fails is kept, with its graph, for a closer look.
"""

import argparse
import json
import math
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SECONDS = 300  # of one scene; they take a few on an idle machine
SIZES = {"float": 4, "double": 8, "uchar": 1, "uint": 4, "int": 4}


def manifest(plugin, node):
    nodes = json.loads((ROOT / "plugins" / plugin / "plugin.json").read_text())["nodes"]
    return next(n for n in nodes if n["type"] == node)


class Scene:
    """A random graph."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.wild = self.chance(0.3)
        self.nodes, self.links = {}, []
        self.cell = 10 ** self.uniform(-3, 1.5)
        self.far = [self.choice([0, 0, 0, min(1e3 * self.cell, 9e4), -min(1e5 * self.cell, 9e4)])
                    for _ in range(3)]
        self.fps = self.choice([12, 24, 24, 60, 1000])
        self.frames = self.random.randint(2, 5)
        self.domain()
        for i in range(self.random.randint(1, 3)):
            self.body(i)
        for i in range(self.choice([0, 1, 1, 2])):
            self.collider(i)
        for i in range(self.choice([0, 0, 1, 2])):
            self.force(i)
        if self.chance(0.3):
            self.activation()
        # Calm: ten cells in a frame, at most, after a frame's fall.
        gravity = self.choice([9.81, 9.81, 0, 1000, 1e5]) if self.wild else \
            min(self.choice([9.81, 9.81, 0]), 10 * self.cell * self.fps ** 2)
        self.add("solver", "floe.mpm.solver", {
            "cellSize": self.cell, "gravity": [self.uniform(-0.1, 0.1) * gravity, -gravity, 0],
            "materialLimit": self.choice([0.5, 0.5, 0.1, 1]),
            "advectionLimit": self.choice([0.5, 0.5, 0.1, 1]),
            "minimumSubsteps": self.choice([1, 1, 20]),
            "maximumSubsteps": self.choice([10, 100, 1000, 1000]) if self.wild else 20000,
            "timeScale": self.choice([1, 1, 1, 0.01, 1e-4]),
            "outputDeformation": self.chance(0.5), "outputStress": self.chance(0.3),
            "outputPlastic": self.chance(0.3)})
        options = self.nodes["solver"]["parameters"]
        if self.chance(0.2):
            options["kernel"] = "cubic"
        if self.chance(0.2):
            options.update(transfer="picFlip", flip=self.choice([0, 0.95, 1]))
        if "activation" not in self.nodes and self.chance(0.2):
            options.update(integrator="semiImplicit", implicitReach=self.choice([1, 10, 50, 1e4]),
                           solveTolerance=self.choice([1e-3, 0.01, 0.3]))
        self.add("export", "floe.output.particles", {"path": "particles/%04d.ply"},
                 "solver.particles", "export.particles")

    def uniform(self, a, b):
        return self.random.uniform(a, b)

    def choice(self, values):
        return self.random.choice(values)

    def chance(self, share):
        return self.random.random() < share

    def add(self, name, kind, parameters, output=None, target=None):
        self.nodes[name] = {"type": kind, "version": 2 if kind.startswith("floe.activation.") else 1,
                            "parameters": parameters}
        if output:
            self.links.append({"from": output, "to": target})

    def place(self, reach):
        return [f + self.cell * self.uniform(-reach, reach) for f in self.far]

    def between(self, parameter):
        """A value of a parameter: near its default, or anywhere, ends included."""
        low, high, default = parameter["min"], parameter["max"], parameter["default"]
        how = self.random.random() if self.wild else 0
        if how < 0.6:
            value = default * 10 ** self.uniform(-1, 1)
        elif how < 0.7:
            value = self.choice([low, high])
        else:
            least = max(low, 1e-6 * high)
            value = 10 ** self.uniform(math.log10(least), math.log10(high)) if high > 0 else default
        return min(max(value, low), high)

    def material(self, i):
        node = manifest("materials", "floe.material")
        parameters = {"name": f"Stuff {i}"}
        for parameter in node["parameters"]:
            if parameter["name"] == "law":
                parameters["law"] = self.choice([c["value"] for c in parameter["choices"]])
            elif parameter["type"] == "float":
                parameters[parameter["name"]] = self.between(parameter)
        if not self.wild:
            # Waves (and, like them, viscous spreading) of at most 500 cells a frame at rest.
            speed = 500 * self.cell * self.fps
            most = parameters["density"] * speed ** 2
            for name, limit in (("youngModulus", most / 2),
                                ("bulkModulus", most / parameters["exponent"]),
                                ("viscosity", parameters["density"] * self.cell * speed / 4)):
                parameters[name] = max(min(parameters[name], limit), 1e-3 if
                                       name == "viscosity" else 1)
            parameters["poissonRatio"] = min(parameters["poissonRatio"], 0.4)
            parameters["damping"] = 0
        self.add(f"material{i}", "floe.material", parameters)

    def shape(self, name, size):
        c, s = self.place(4), self.cell * size
        kind = self.choice(["sphere", "box", "torus", "capsule"])
        parameters = {"center": c, "voxelSize": self.cell * self.choice([0.5, 1, 2])}
        if kind == "sphere":
            parameters["radius"] = s / 2
        elif kind == "box":
            parameters["size"] = [s, s * self.uniform(0.2, 1), s]
            parameters["rotation"] = [self.uniform(0, 90) for _ in range(3)]
        elif kind == "torus":
            parameters.update(radius=s / 3, tubeRadius=s / 7)
        else:
            parameters.update(radius=s / 4, height=s / 2)
        self.add(name, f"floe.shape.{kind}", parameters)

    def speed(self):
        """Up to hundreds of cells a frame, now and then."""
        reach = self.cell * self.fps * self.choice([0, 0.3, 3, 30, 300 if self.wild else 10])
        return [min(max(self.uniform(-reach, reach), -1e4), 1e4) for _ in range(3)]

    def body(self, i):
        self.material(i)
        self.shape(f"body{i}", self.uniform(1.5, 7))
        parameters = {"velocity": self.speed(), "particlesPerCell": self.choice([1, 3, 8, 8, 27]),
                      "seed": i, "jitter": self.choice([0, 1])}
        if self.chance(0.3):
            parameters.update(mode="continuous", rate=self.choice([0, self.fps]))
        if self.chance(0.2):
            parameters.update(stiffnessVariation=self.uniform(0, 0.95),
                              densityVariation=self.uniform(0, 0.95))
        if self.chance(0.3):
            parameters["settled"] = True
        if self.chance(0.2):
            parameters["avoidOverlap"] = True
        if self.chance(0.2):
            # Calm: a turn in six frames.
            most = 3e4 if self.wild else self.fps
            parameters["spin"] = [self.uniform(-1, 1) * most for _ in range(3)]
        self.add(f"emitter{i}", "floe.emitter", parameters, f"emitter{i}.emitter",
                 "solver.emitters")
        self.links += [{"from": f"body{i}.shape", "to": f"emitter{i}.shape"},
                       {"from": f"material{i}.material", "to": f"emitter{i}.material"}]

    def collider(self, i):
        self.shape(f"obstacle{i}", self.uniform(2, 12))
        parameters = {"contact": self.choice(["stick", "slip", "separate"]),
                      "friction": self.choice([0, 0.5, 100]),
                      "particles": self.choice(["none", "none", "bounce", "delete"])}
        if self.chance(0.4):
            way = self.cell * self.choice([0.2, 2, 20 if self.wild else 1])
            parameters["position"] = [{"expr": f"{self.uniform(-way, way):.6g} * (frame - 1)"},
                                      {"expr": f"{self.uniform(-way, way):.6g} * (frame - 1)"}, 0]
            parameters["rotation"] = [0, {"expr": f"{self.uniform(-90, 90):.6g} * frame"}, 0]
        self.add(f"collider{i}", "floe.collider", parameters, f"collider{i}.collider",
                 "solver.colliders")
        self.links.append({"from": f"obstacle{i}.shape", "to": f"collider{i}.shape"})

    def activation(self):
        kind = self.choice(["threshold", "impact", "network"])
        parameters = {"evaluate": self.choice(["frame", "several", "step", "automatic"]),
                      "startsPassive": self.chance(0.5),
                      "stiffFrom": self.choice([0, 0, 1]),
                      "neverSleeps": self.choice(["", "", "Stuff 0"])}
        if kind == "threshold":
            parameters.update(speed=10 ** self.uniform(-3, 2) if self.chance(0.5) else 0.05,
                              delay=self.choice([0, 0.05, 1]))
        elif kind == "impact":
            parameters.update(threshold=self.choice([0, 0.01, 100]), delay=self.choice([0, 0.25]))
        else:
            parameters.update(threshold=self.choice([0, 0.01, 100]), guard=self.chance(0.7),
                              sensitivity=self.choice([0.01, 0.5, 0.999]))
        self.add("activation", f"floe.activation.{kind}", parameters, "activation.activation",
                 "solver.activation")

    def force(self, i):
        kind = self.choice(["drag", "wind", "attractor"])
        pull = 10 * self.cell * self.fps ** 2 # calm: ten cells in a frame
        parameters = {
            "drag": {"strength": self.choice([0.1, 10, 1e4])},
            "wind": {"velocity": self.speed(), "strength": self.choice([1, 1e3]),
                     "turbulence": self.choice([0, 5])},
            "attractor": {"center": self.place(3), "strength": self.choice([-1e3, 10, 1e6]) if self.wild
                          else min(self.choice([-10, 10, 1e3]), pull),
                          "radius": self.cell,
                          "falloff": self.choice([0, 2, 10] if self.wild else [0, 1, 2])}}[kind]
        self.add(f"force{i}", f"floe.force.{kind}", parameters, f"force{i}.force", "solver.forces")

    def domain(self):
        if self.chance(0.4):
            return
        faces = {face: self.choice(["open", "slip", "stick", "separate"])
                 for face in ("xMin", "xMax", "yMin", "yMax", "zMin", "zMax")}
        size = [self.cell * self.uniform(4, 20) for _ in range(3)]
        self.add("domain", "floe.domain",
                 {"center": self.far, "size": size, "friction": self.choice([0, 0.5, 100]),
                  "rotation": self.choice([[0, 0, 0], [10, 20, 30]]), **faces}, "domain.domain",
                 "solver.domain")

    def document(self):
        return {"floe": 1, "range": {"start": 1, "end": self.frames, "fps": self.fps},
                "nodes": self.nodes, "links": self.links}


def finite_particles(path):
    """@return the number of particles in a PLY file; ValueError when a number is not finite"""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    header = data[:end].decode()
    count = int(re.search(r"element vertex (\d+)", header)[1])
    kinds = re.findall(r"property (\w+) (\w+)", header)
    size = sum(SIZES[kind] for kind, _ in kinds)
    if len(data) - end != count * size:
        raise ValueError(f"{path.name} is cut off")
    code = "<" + "".join({"float": "f", "double": "d", "uchar": "B", "uint": "I", "int": "i"}[kind]
                         for kind, _ in kinds)
    for row in struct.iter_unpack(code, data[end:]):
        if not all(map(math.isfinite, row)):
            raise ValueError(f"{path.name} holds {row}")
    return count


def fault(floe, folder, graph):
    """@return what is wrong with the scene, or None; and its exit code"""
    path = folder / "scene.floe.json"
    path.write_text(json.dumps(graph, indent=1))
    out = folder / "out"
    try:
        run = subprocess.run([floe, "run", str(path), "--output", str(out), "--progress", "quiet",
                              "--device", "cpu", "--checkpoint-every", "2"], capture_output=True,
                             text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"did not end in {SECONDS} s", None
    said = run.stdout + run.stderr
    (folder / "said.txt").write_text(said)
    if run.returncode == 7:
        if not re.search(r"material '[^']+'", said) or not re.search(
                r"lower|raise|larger|smaller", said):
            return f"diverged without naming a material and a cure: {said}", 7
    elif run.returncode != 0:
        return f"ended with {run.returncode}: {said}", run.returncode
    report = json.loads((out / "run.json").read_text())
    for frame in report["frames"]:
        solver = frame["nodes"].get("solver")
        if not solver:
            continue
        if solver["emitted"] != solver["particles"] + solver["leftDomain"] + \
                solver["deletedByCollider"]:
            return f"frame {frame['frame']}: particles do not add up: {solver}", run.returncode
        file = out / "particles" / f"{frame['frame']:04d}.ply"
        try:
            if file.exists() and finite_particles(file) != solver["particles"]:
                return f"{file.name} does not hold {solver['particles']} particles", run.returncode
        except ValueError as error:
            return str(error), run.returncode
    return None, run.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--floe", required=True)
    parser.add_argument("--seed", type=int, default=1, help="of the first scene; they count up")
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--minutes", type=float, help="go on this long, whatever --scenes says")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for scenes that fail")
    arguments = parser.parse_args()
    begin, faults, codes, seed = time.monotonic(), 0, {}, arguments.seed
    while (time.monotonic() - begin < 60 * arguments.minutes if arguments.minutes else
           seed < arguments.seed + arguments.scenes):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="scene"))
        found, code = fault(arguments.floe, folder, Scene(seed).document())
        codes[code] = codes.get(code, 0) + 1
        if found:
            faults += 1
            print(f"scene {seed}: {found}", flush=True)
            if arguments.keep:
                arguments.keep.mkdir(parents=True, exist_ok=True)
                shutil.move(folder, arguments.keep / str(seed))
        shutil.rmtree(folder, ignore_errors=True)
        seed += 1
    print(f"{seed - arguments.seed} scenes in {time.monotonic() - begin:.0f} s, ended with "
          f"{ {str(code): count for code, count in codes.items()} }, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
