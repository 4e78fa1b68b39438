"""A task for agents: push a heap of sand to a goal with a blade. NumPy only; floe.gym and floe.zoo make environments of it."""

import math
from typing import Any, Dict, Tuple

import numpy as np

from .graph import Graph
from .tasks import Look, Task, observed

SPEED = 0.5  #: of a blade [m/s], at most
TURN = 90.0  #: [degrees/s], at most
REACH = 0.9  #: half the edge of the field [m]
CELLS = 12  #: of the observed height map, along an edge
GOAL = 0.2  #: its radius [m]
SHARE = 0.5  #: of the sand that has to be there
_SECONDS = 2 / 24  # of an action
_HEIGHT = 0.11  # of a blade's middle [m]


def sand_and_blades(blades: int = 1) -> Graph:
    """A heap of sand on the ground, and blades with two wings that can be driven: blade_1, blade_2, ..."""
    scene = Graph()
    scene.add("floe.shape.box", "heap_shape", size=[0.26, 0.1, 0.26], center=[0, 0.05, 0],
              voxelSize=0.02)
    scene.add("floe.material", "sand").preset("sand").set(youngModulus=2e5)  # longer steps
    scene.add("floe.emitter", "heap")
    scene.add("floe.force.gravity", "gravity")
    scene.add("floe.shape.plane", "ground_shape", size=6, thickness=0.3, voxelSize=0.1)
    scene.add("floe.collider", "ground", friction=0.3)
    scene.add("floe.mpm.solver", "solver", cellSize=0.04)
    scene.add("floe.shape.union", "blade_shape", voxelSize=0.02)
    for name, size, center, turn in (("plate", [0.06, 0.2, 0.36], [0, 0, 0], 0),
                                     ("left_wing", [0.16, 0.2, 0.06], [0.07, 0, 0.2], 20),
                                     ("right_wing", [0.16, 0.2, 0.06], [0.07, 0, -0.2], -20)):
        scene.add("floe.shape.box", name, size=size, center=center, rotation=[0, -turn, 0],
                  voxelSize=0.02)
        scene.link(f"{name}.shape", "blade_shape.shapes")
    for source, target in (("heap_shape.shape", "heap.shape"), ("sand.material", "heap.material"),
                           ("heap.emitter", "solver.emitters"), ("gravity.force", "solver.forces"),
                           ("ground_shape.shape", "ground.shape"),
                           ("ground.collider", "solver.colliders")):
        scene.link(source, target)
    for number in range(1, blades + 1):
        blade = f"blade_{number}"
        scene.add("floe.collider", blade, position=[-4 - number, _HEIGHT, 0], friction=0.2,
                  color=[[0.75, 0.35, 0.08], [0.1, 0.35, 0.7]][(number - 1) % 2])
        scene.link("blade_shape.shape", f"{blade}.shape")
        scene.link("blade_shape.mesh", f"{blade}.mesh")
        scene.link(f"{blade}.collider", "solver.colliders")
    Episode.add_camera(scene)
    return scene


class Episode(Task):
    """One episode: where goal and blades are, and what an agent sees and earns.

    The action of a blade: its velocity along x and z and its turning, each from -1 to 1 of the largest. It stays within
    a square of 1.8 m.

    Observation (float32): the blade's x and z [m], sine and cosine of its angle; the goal's x and z [m]; mean and
    deviation of the sand's x and z [m]; the share of the sand in the goal; heights [m] of the sand on a grid of 12 x 12
    cells over the square, x fastest; then x, z, sine and cosine of each other blade.

    Reward: how much the sand's mean distance to the goal has fallen [m], times 10; 5 more when half of the sand is
    within 0.2 m of the goal, which ends the episode.

    Args:
        blades: how many.
        distance: of the goal from the heap [m], from and to.
    """

    GOAL = GOAL

    def __init__(self, blades: int = 1, distance: Tuple[float, float] = (0.35, 0.5)) -> None:
        super().__init__()
        self.blades = np.zeros((blades, 3))  #: x, z, angle [degrees] of each
        self.share = 0.0  #: of the sand in the goal
        self.distance = 0.0  #: of the sand from the goal [m], in the mean
        self._range = distance
        self._sand = np.zeros((0, 3))

    @classmethod
    def scene(cls) -> Graph:
        return sand_and_blades()

    @classmethod
    def size(cls, blades: int = 1) -> int:
        """Numbers in an observation."""
        return 11 + CELLS * CELLS + 4 * (blades - 1)

    @property
    def done(self) -> bool:
        return self.share >= SHARE

    def _begin(self, random: np.random.Generator) -> Dict[str, Any]:
        # A goal, and the blades behind the heap, side by side.
        way = float(random.uniform(-math.pi, math.pi))
        self.goal = random.uniform(self._range[0], self._range[1]) * np.array([math.cos(way), math.sin(way)])
        count = len(self.blades)
        for number in range(count):
            apart = (number - (count - 1) / 2) * 1.1  # [rad]: 0.4 m at the distance of 0.4 m
            behind = way + math.pi + apart + float(random.uniform(-0.4, 0.4)) / count
            # Turned about y by an angle a, a blade faces (cos a, -sin a) in x and z.
            angle = math.degrees(-(behind + math.pi)) + float(random.uniform(-20, 20))
            self.blades[number] = (0.4 * math.cos(behind), 0.4 * math.sin(behind),
                                   (angle + 180.0) % 360.0 - 180.0)
        return self._driven()

    def act(self, actions: np.ndarray) -> Dict[str, Any]:
        """Moves the blades by 3 numbers each from -1 to 1, for 1/12 s."""
        numbers = np.clip(np.asarray(actions, float).reshape(-1, 3), -1.0, 1.0)
        for blade, wanted in zip(self.blades, numbers):
            velocity = wanted[:2] / max(1.0, float(np.linalg.norm(wanted[:2])))
            blade[:2] = np.clip(blade[:2] + velocity * SPEED * _SECONDS, -REACH, REACH)
            blade[2] += wanted[2] * TURN * _SECONDS
        return self._driven()

    def _measure(self, value: Look) -> float:
        self._sand = value("solver.particles")["x"]
        distances = np.hypot(*(self._sand[:, (0, 2)] - self.goal).T)
        self.distance = float(distances.mean())
        self.share = float((distances < GOAL).mean())
        return -self.distance

    def observation(self, blade: int = 0) -> np.ndarray:
        """What the agent of a blade sees."""
        flat = self._sand[:, (0, 2)]
        cells = np.clip(((flat + REACH) * (CELLS / (2 * REACH))).astype(int), 0, CELLS - 1)
        heights = np.zeros((CELLS, CELLS), np.float32)
        np.maximum.at(heights, (cells[:, 1], cells[:, 0]), np.maximum(self._sand[:, 1], 0))
        poses = [np.array([x, z, math.sin(math.radians(angle)), math.cos(math.radians(angle))])
                 for x, z, angle in self.blades]
        return observed(poses[blade], self.goal, flat.mean(axis=0), flat.std(axis=0), [self.share],
                        heights, *poses[:blade], *poses[blade + 1:])

    def info(self) -> Dict[str, Any]:
        return {"share": self.share, "distance": self.distance, "is_success": self.done}

    def _driven(self) -> Dict[str, Any]:
        values: Dict[str, Any] = {}
        for number, (x, z, angle) in enumerate(self.blades, 1):
            values[f"blade_{number}.position"] = [float(x), _HEIGHT, float(z)]
            values[f"blade_{number}.rotation"] = [0.0, float(angle), 0.0]
        return values
