"""A task for agents: push a heap of sand to a goal with a blade. NumPy only; floe.gym and floe.zoo make environments of it."""

import math
from typing import Any, Dict, Tuple

import numpy as np

from .graph import Graph

SETTLE = 8  #: frames until the heap has come to rest
FRAMES = 2  #: of an action: 1/12 s
SPEED = 0.5  #: of a blade [m/s], at most
TURN = 90.0  #: [degrees/s], at most
REACH = 0.9  #: half the edge of the field [m]
CELLS = 12  #: of the observed height map, along an edge
GOAL = 0.2  #: its radius [m]
SHARE = 0.5  #: of the sand that has to be there
_SECONDS = FRAMES / 24
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
    scene.add("floe.camera", "camera", eye=[0.0, 1.9, 1.7], target=[0, 0, 0.1], fieldOfView=42)
    return scene


class Episode:
    """One episode: where goal and blades are, and what an agent sees and earns.

    begin() and act() give the values to drive; look() takes the sand's positions after they were simulated.

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

    def __init__(self, blades: int = 1, distance: Tuple[float, float] = (0.35, 0.5)) -> None:
        self.goal = np.zeros(2)
        self.blades = np.zeros((blades, 3))  #: x, z, angle [degrees] of each
        self.steps = 0
        self.reward = 0.0  #: of the last step
        self.share = 0.0  #: of the sand in the goal
        self.distance = 0.0  #: of the sand from the goal [m], in the mean
        self._range = distance
        self._sand = np.zeros((0, 3))

    @staticmethod
    def size(blades: int = 1) -> int:
        """Numbers in an observation."""
        return 11 + CELLS * CELLS + 4 * (blades - 1)

    @property
    def done(self) -> bool:
        """The goal is reached."""
        return self.share >= SHARE

    def begin(self, random: np.random.Generator) -> Dict[str, Any]:
        """Draws a goal, and places the blades behind the heap, side by side."""
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
        self.steps = 0
        self.reward = 0.0
        return self._driven()

    def act(self, actions: np.ndarray) -> Dict[str, Any]:
        """Moves the blades by (blades, 3) numbers from -1 to 1, for 1/12 s."""
        for blade, wanted in zip(self.blades, np.clip(np.asarray(actions, float), -1.0, 1.0)):
            velocity = wanted[:2] / max(1.0, float(np.linalg.norm(wanted[:2])))
            blade[:2] = np.clip(blade[:2] + velocity * SPEED * _SECONDS, -REACH, REACH)
            blade[2] += wanted[2] * TURN * _SECONDS
        return self._driven()

    def look(self, sand: np.ndarray, first: bool = False) -> None:
        """Takes the sand's positions (particles, 3) [m].

        Args:
            first: after begin() rather than after act().
        """
        self._sand = sand
        distances = np.hypot(*(sand[:, (0, 2)] - self.goal).T)
        before, self.distance = self.distance, float(distances.mean())
        self.share = float((distances < GOAL).mean())
        if not first:
            self.steps += 1
            self.reward = 10.0 * (before - self.distance) + (5.0 if self.done else 0.0)

    def observation(self, blade: int = 0) -> np.ndarray:
        """What the agent of a blade sees."""
        flat = self._sand[:, (0, 2)]
        cells = np.clip(((flat + REACH) * (CELLS / (2 * REACH))).astype(int), 0, CELLS - 1)
        heights = np.zeros((CELLS, CELLS), np.float32)
        np.maximum.at(heights, (cells[:, 1], cells[:, 0]), np.maximum(self._sand[:, 1], 0))
        poses = [np.array([x, z, math.sin(math.radians(angle)), math.cos(math.radians(angle))])
                 for x, z, angle in self.blades]
        seen = np.concatenate([poses[blade], self.goal, flat.mean(axis=0), flat.std(axis=0),
                               [self.share], heights.ravel(), *poses[:blade], *poses[blade + 1:]])
        return np.asarray(np.clip(seen, -10, 10), np.float32)

    def info(self) -> Dict[str, Any]:
        """Numbers beside the reward."""
        return {"share": self.share, "distance": self.distance, "is_success": self.done}

    def picture(self, frame: Any) -> np.ndarray:
        """A frame of the scene as its camera sees it, with the goal: rows of red, green, blue."""
        drawn = frame.draw(480, 360, camera="camera", show={"legend": False})
        return self.with_ring(drawn.pixels[:, :, :3].copy())

    def with_ring(self, pixels: np.ndarray) -> np.ndarray:
        """The goal drawn into a picture of the scene's camera: a ring on the ground."""
        eye, target, up = np.array([0.0, 1.9, 1.7]), np.array([0, 0, 0.1]), np.array([0.0, 1.0, 0.0])
        forward = (target - eye) / np.linalg.norm(target - eye)
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        above = np.cross(right, forward)
        height, width = pixels.shape[:2]
        scale = height / 2 / math.tan(math.radians(42) / 2)
        around = np.linspace(0, 2 * math.pi, 400)
        ring = np.stack([self.goal[0] + GOAL * np.cos(around), np.full(400, 0.003),
                         self.goal[1] + GOAL * np.sin(around)], 1) - eye
        depth = ring @ forward
        x = np.round(width / 2 + scale * (ring @ right) / depth).astype(int)
        y = np.round(height / 2 - scale * (ring @ above) / depth).astype(int)
        inside = (x > 0) & (x < width - 1) & (y > 0) & (y < height - 1)
        for dx in (0, 1):
            for dy in (0, 1):
                pixels[y[inside] + dy, x[inside] + dx] = (40, 200, 60)
        return pixels

    def _driven(self) -> Dict[str, Any]:
        values: Dict[str, Any] = {}
        for number, (x, z, angle) in enumerate(self.blades, 1):
            values[f"blade_{number}.position"] = [float(x), _HEIGHT, float(z)]
            values[f"blade_{number}.rotation"] = [0.0, float(angle), 0.0]
        return values


def actions_of(given: Any, count: int) -> np.ndarray:
    """(count, 3) finite numbers.

    Raises:
        ValueError: they are not.
    """
    actions = np.asarray(given, float).reshape(count, 3)
    if not np.all(np.isfinite(actions)):
        raise ValueError(f"the action is {given}; give finite numbers")
    return actions
