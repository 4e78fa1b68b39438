"""A task for agents: pour the water of a jug into a cup. NumPy only; floe.gym makes an environment of it."""

import math
from typing import Any, Dict

import numpy as np

from .graph import Graph
from .tasks import Look, Task, observed

SPEED = 0.5  #: of the jug [m/s], at most
TURN = 90.0  #: [degrees/s], at most
TILT = 150.0  #: [degrees], at most
SHARE = 0.8  #: of the water that has to be in the cup
_HEIGHT = 0.6  # of the jug's middle [m]
_CUP = (0.2, 0.3)  # radius inside and height [m]
_JUG = (0.13, 0.36)
_WALL = 0.05
_FLOOR = 0.06
_RIM = 0.02  # how far beside and above a vessel its water may stand [m]
_SECONDS = 2 / 24


def jug_and_cup() -> Graph:
    """A jug with water that can be driven (jug.position, jug.rotation), and a cup on the ground (cup.position)."""
    scene = Graph()
    scene.add("floe.shape.cylinder", "water_shape", radius=0.12, height=0.2, center=[0, -0.02, 0],
              voxelSize=0.02)
    scene.add("floe.transform", "filled_at", position=[0, _HEIGHT, 0])
    scene.add("floe.pbd.liquid", "water")
    scene.add("floe.emitter", "fill")
    scene.add("floe.force.gravity", "gravity")
    scene.add("floe.shape.plane", "ground_shape", size=6, thickness=0.3, voxelSize=0.1)
    scene.add("floe.collider", "ground", friction=0.3)
    scene.add("floe.pbd.solver", "solver", particleSize=0.02)
    for name, (radius, height), place, color in (
            ("jug", _JUG, [0, _HEIGHT, 0], [0.75, 0.35, 0.08]),
            ("cup", _CUP, [0.55, _CUP[1] / 2, 0], [0.1, 0.35, 0.7])):
        scene.add("floe.shape.cylinder", f"{name}_outside", radius=radius + _WALL, height=height,
                  voxelSize=0.02)
        scene.add("floe.shape.cylinder", f"{name}_inside", radius=radius, height=height,
                  center=[0, _FLOOR, 0], voxelSize=0.02)
        scene.add("floe.shape.difference", f"{name}_shape", voxelSize=0.02)
        scene.add("floe.collider", name, position=place, friction=0, color=color)
        for source, target in ((f"{name}_outside.shape", f"{name}_shape.shape"),
                               (f"{name}_inside.shape", f"{name}_shape.cut"),
                               (f"{name}_shape.shape", f"{name}.shape"),
                               (f"{name}_shape.mesh", f"{name}.mesh"),
                               (f"{name}.collider", "solver.colliders")):
            scene.link(source, target)
    for source, target in (("water_shape.shape", "fill.shape"), ("water.material", "fill.material"),
                           ("filled_at.transform", "fill.transform"), ("fill.emitter", "solver.emitters"),
                           ("gravity.force", "solver.forces"), ("ground_shape.shape", "ground.shape"),
                           ("ground.collider", "solver.colliders")):
        scene.link(source, target)
    PourWater.add_camera(scene)
    return scene


class PourWater(Task):
    """One episode: the cup stands 0.45 to 0.65 m in front of the jug, up to 0.15 m to a side.

    The action: the jug's velocity along x and z and its tilting forward, each from -1 to 1 of the largest. It tilts by 0 to
    150 degrees.

    Observation (float32): the jug's x and z [m], sine and cosine of its tilt; the cup's x and z [m]; mean of the water's
    place [m]; the shares of the water in the jug, in the cup, and on the ground.

    Reward: how much the share in the cup has risen less the share on the ground, times 10; 5 more when four fifths are in
    the cup, which ends the episode.
    """

    SETTLE = 8
    FRAMES = 2
    STEPS = 40
    ACTIONS = 3
    EYE = (0.3, 1.2, 2.2)
    TARGET = (0.3, 0.35, 0.0)
    FIELD_OF_VIEW = 40.0

    def __init__(self) -> None:
        super().__init__()
        self.jug = np.zeros(3)  #: x, z [m], tilt [degrees]
        self.share = 0.0  #: of the water in the cup
        self.left = 1.0  #: in the jug
        self.spilled = 0.0  #: on the ground
        self._middle = np.zeros(3)

    @classmethod
    def scene(cls) -> Graph:
        return jug_and_cup()

    @classmethod
    def size(cls) -> int:
        return 12

    @property
    def done(self) -> bool:
        return self.share >= SHARE

    def _begin(self, random: np.random.Generator) -> Dict[str, Any]:
        self.goal = np.array([random.uniform(0.45, 0.65), random.uniform(-0.15, 0.15)])
        self.jug[:] = 0
        return {**self._driven(), "cup.position": [float(self.goal[0]), _CUP[1] / 2, float(self.goal[1])]}

    def act(self, actions: np.ndarray) -> Dict[str, Any]:
        wanted = np.clip(np.asarray(actions, float).reshape(3), -1.0, 1.0)
        velocity = wanted[:2] / max(1.0, float(np.linalg.norm(wanted[:2])))
        self.jug[:2] = np.clip(self.jug[:2] + velocity * SPEED * _SECONDS, [-0.2, -0.4], [0.8, 0.4])
        self.jug[2] = np.clip(self.jug[2] + wanted[2] * TURN * _SECONDS, 0.0, TILT)
        return self._driven()

    def _measure(self, value: Look) -> float:
        water = value("solver.particles")["x"].astype(float)
        self._middle = water.mean(axis=0)
        in_cup = (np.hypot(*(water[:, (0, 2)] - self.goal).T) < _CUP[0] + _RIM) & \
            (water[:, 1] < _CUP[1] + _RIM)
        angle = math.radians(self.jug[2])
        off = water - np.array([self.jug[0], _HEIGHT, self.jug[1]])
        # Turned about z by minus the tilt: its x is (cos, -sin), its y (sin, cos).
        across = off[:, 0] * math.cos(angle) - off[:, 1] * math.sin(angle)
        along = off[:, 0] * math.sin(angle) + off[:, 1] * math.cos(angle)
        in_jug = (np.hypot(across, off[:, 2]) < _JUG[0] + _RIM) & (np.abs(along) < _JUG[1] / 2)
        on_ground = ~in_cup & ~in_jug & (water[:, 1] < 0.05)
        self.share, self.left, self.spilled = (float(which.mean())
                                               for which in (in_cup, in_jug, on_ground))
        return self.share - self.spilled

    def observation(self) -> np.ndarray:
        angle = math.radians(self.jug[2])
        return observed(self.jug[:2], [math.sin(angle), math.cos(angle)], self.goal, self._middle,
                        [self.left, self.share, self.spilled])

    def info(self) -> Dict[str, Any]:
        return {"share": self.share, "spilled": self.spilled, "is_success": self.done}

    def _driven(self) -> Dict[str, Any]:
        return {"jug.position": [float(self.jug[0]), _HEIGHT, float(self.jug[1])],
                "jug.rotation": [0.0, 0.0, -float(self.jug[2])]}


def scripted(observation: np.ndarray) -> np.ndarray:
    """A policy: the jug goes beside the cup, then it is tilted."""
    # The lip of a jug that lies is 0.18 m before its middle; the stream falls some centimetres farther.
    off = observation[4:6] - np.array([0.28, 0.0]) - observation[:2]
    way = np.clip(off / (SPEED * _SECONDS), -1, 1)
    return np.array([*way, 1.0 if np.abs(off).max() < 0.02 else 0.0], np.float32)
