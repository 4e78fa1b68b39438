"""Environments of Gymnasium over Floe's simulations: `pip install gymnasium` (1.1 or later).

    import gymnasium
    import floe.gym

    env = gymnasium.make("floe/PushSand-v0")
    observation, info = env.reset(seed=1)

Each environment has an engine of its own, in a process of its own. A reset goes back to a checkpoint. The same seed and
actions give the same observations, bit for bit, on one machine.
"""

import math
from typing import Any, Dict, Optional, Tuple

import numpy as np

from .driven import Driven
from .errors import FloeError
from .graph import Graph

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as missing:
    raise FloeError(f"floe.gym needs Gymnasium: {missing}", cure="pip install 'gymnasium>=1.1'"
                    ) from missing

_SETTLE = 8  # frames until the heap has come to rest
_FRAMES = 2  # of an action: 1/12 s
_SPEED = 0.5  # of the blade [m/s], at most
_TURN = 90.0  # [degrees/s], at most
_REACH = 0.9  # half the edge of the field [m]
_CELLS = 12  # of the observed height map, along an edge
_GOAL = 0.2  # its radius [m]
_SHARE = 0.5  # of the sand that has to be there
_SECONDS = _FRAMES / 24


def sand_and_blade() -> Graph:
    """A heap of sand on the ground, and a blade with two wings that can be driven."""
    scene = Graph()
    scene.add("floe.shape.box", "heap_shape", size=[0.26, 0.1, 0.26], center=[0, 0.05, 0],
              voxelSize=0.02)
    scene.add("floe.material", "sand").preset("sand")
    scene.add("floe.emitter", "heap")
    scene.add("floe.force.gravity", "gravity")
    scene.add("floe.shape.plane", "ground_shape", size=6, thickness=0.3)
    scene.add("floe.collider", "ground", friction=0.3)
    scene.add("floe.mpm.solver", "solver", cellSize=0.04)
    scene.add("floe.shape.union", "blade_shape", voxelSize=0.02)
    for name, size, center, turn in (("plate", [0.06, 0.2, 0.36], [0, 0, 0], 0),
                                     ("left_wing", [0.16, 0.2, 0.06], [0.07, 0, 0.2], 20),
                                     ("right_wing", [0.16, 0.2, 0.06], [0.07, 0, -0.2], -20)):
        scene.add("floe.shape.box", name, size=size, center=center, rotation=[0, -turn, 0],
                  voxelSize=0.02)
        scene.link(f"{name}.shape", "blade_shape.shapes")
    scene.add("floe.collider", "blade", position=[-5, 0.11, 0], friction=0.2,
              color=[0.75, 0.35, 0.08])
    scene.add("floe.camera", "camera", eye=[0.0, 1.9, 1.7], target=[0, 0, 0.1], fieldOfView=42)
    for source, target in (("heap_shape.shape", "heap.shape"), ("sand.material", "heap.material"),
                           ("heap.emitter", "solver.emitters"), ("gravity.force", "solver.forces"),
                           ("ground_shape.shape", "ground.shape"),
                           ("ground.collider", "solver.colliders"),
                           ("blade_shape.shape", "blade.shape"), ("blade_shape.mesh", "blade.mesh"),
                           ("blade.collider", "solver.colliders")):
        scene.link(source, target)
    return scene


class PushSand(gymnasium.Env):  # type: ignore[misc]
    """Push a heap of sand to a goal with a blade.

    The blade is driven: its velocity on the ground and its turning are the action, each from -1 to 1 of the largest
    (0.5 m/s, 90 degrees/s), for 1/12 s. It stays within a square of 1.8 m.

    Observation (float32): the blade's x and z [m], sine and cosine of its angle; the goal's x and z [m]; mean and
    deviation of the sand's x and z [m]; the share of the sand in the goal; heights [m] of the sand on a grid of
    12 x 12 cells over the square, x fastest.

    Reward: how much the sand's mean distance to the goal has fallen [m], times 10; 5 more when half of the sand is
    within 0.2 m of the goal, which ends the episode. It is cut off after 60 actions.

    Args:
        render_mode: None or "rgb_array".
        program: as of floe.Session.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 24 / _FRAMES}

    def __init__(self, render_mode: Optional[str] = None, max_steps: int = 60,
                 program: Optional[str] = None) -> None:
        if render_mode not in (None, "rgb_array"):
            raise FloeError(f"there is no render mode '{render_mode}'", cure="take rgb_array or None")
        self.render_mode = render_mode
        self.action_space = spaces.Box(-1.0, 1.0, (3,), np.float32)
        size = 11 + _CELLS * _CELLS
        self.observation_space = spaces.Box(-10.0, 10.0, (size,), np.float32)
        self._max_steps = max_steps
        self._program = program
        self._world: Optional[Driven] = None
        self._steps = 0
        self._blade = np.zeros(3)  # x, z, angle [degrees]
        self._goal = np.zeros(2)
        self._distance = 0.0

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
              ) -> Tuple[np.ndarray, Dict[str, Any]]:
        super().reset(seed=seed)
        if self._world is None:
            self._world = Driven(sand_and_blade(), _SETTLE, self._max_steps * _FRAMES,
                                 program=self._program)
        random = self.np_random
        way = float(random.uniform(-math.pi, math.pi))
        self._goal = random.uniform(0.35, 0.5) * np.array([math.cos(way), math.sin(way)])
        behind = way + math.pi + float(random.uniform(-0.4, 0.4))
        # Turned about y by an angle a, the blade faces (cos a, -sin a) in x and z.
        self._blade = np.array([0.4 * math.cos(behind), 0.4 * math.sin(behind),
                                math.degrees(-(behind + math.pi)) + float(random.uniform(-20, 20))])
        self._blade[2] = (self._blade[2] + 180.0) % 360.0 - 180.0
        self._steps = 0
        self._world.reset(self._driven())
        observation = self._observe()
        self._distance = self._mean_distance()
        return observation, self._info()

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, Dict[str, Any]]:
        if self._world is None:
            raise FloeError("the environment was not reset", cure="reset() first")
        wanted = np.clip(np.asarray(action, float).reshape(3), -1.0, 1.0)
        if not np.all(np.isfinite(wanted)):
            raise FloeError(f"the action is {action}", cure="give three finite numbers")
        velocity = wanted[:2]
        velocity = velocity / max(1.0, float(np.linalg.norm(velocity)))
        self._blade[:2] = np.clip(self._blade[:2] + velocity * _SPEED * _SECONDS, -_REACH, _REACH)
        self._blade[2] += wanted[2] * _TURN * _SECONDS
        self._world.step(self._driven(), _FRAMES)
        self._steps += 1
        observation = self._observe()
        distance = self._mean_distance()
        reward = 10.0 * (self._distance - distance)
        self._distance = distance
        done = self._share() >= _SHARE
        return (observation, float(reward + (5.0 if done else 0.0)), bool(done),
                self._steps >= self._max_steps, self._info())

    def render(self) -> Optional[np.ndarray]:
        if self.render_mode is None or self._world is None:
            return None
        goal = self._goal
        picture = self._world.frame.draw(480, 360, camera="camera", show={"legend": False})
        pixels = picture.pixels[:, :, :3].copy()
        return _with_ring(pixels, goal)

    def close(self) -> None:
        if self._world is not None:
            self._world.close()
            self._world = None

    def _driven(self) -> Dict[str, Any]:
        return {"blade.position": [self._blade[0], 0.11, self._blade[1]],
                "blade.rotation": [0.0, self._blade[2], 0.0]}

    def _sand(self) -> np.ndarray:
        assert self._world is not None
        return np.asarray(self._world.frame.particles["x"])

    def _mean_distance(self) -> float:
        return float(np.hypot(*(self._sand()[:, (0, 2)] - self._goal).T).mean())

    def _share(self) -> float:
        return float((np.hypot(*(self._sand()[:, (0, 2)] - self._goal).T) < _GOAL).mean())

    def _observe(self) -> np.ndarray:
        sand = self._sand()
        flat = sand[:, (0, 2)]
        cells = np.clip(((flat + _REACH) * (_CELLS / (2 * _REACH))).astype(int), 0, _CELLS - 1)
        heights = np.zeros((_CELLS, _CELLS), np.float32)
        np.maximum.at(heights, (cells[:, 1], cells[:, 0]), np.maximum(sand[:, 1], 0))
        angle = math.radians(self._blade[2])
        state = np.concatenate([self._blade[:2], [math.sin(angle), math.cos(angle)], self._goal,
                                flat.mean(axis=0), flat.std(axis=0), [self._share()]])
        return np.clip(np.concatenate([state, heights.ravel()]), -10, 10).astype(np.float32)

    def _info(self) -> Dict[str, Any]:
        return {"share": self._share(), "distance": self._mean_distance(),
                "is_success": self._share() >= _SHARE}


def _with_ring(pixels: np.ndarray, goal: np.ndarray) -> np.ndarray:
    """The goal drawn into a picture of the camera of sand_and_blade(): a ring on the ground."""
    eye, target, up = np.array([0.0, 1.9, 1.7]), np.array([0, 0, 0.1]), np.array([0.0, 1.0, 0.0])
    forward = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    above = np.cross(right, forward)
    height, width = pixels.shape[:2]
    scale = height / 2 / math.tan(math.radians(42) / 2)
    around = np.linspace(0, 2 * math.pi, 400)
    ring = np.stack([goal[0] + _GOAL * np.cos(around), np.full(400, 0.003),
                     goal[1] + _GOAL * np.sin(around)], 1) - eye
    depth = ring @ forward
    x = np.round(width / 2 + scale * (ring @ right) / depth).astype(int)
    y = np.round(height / 2 - scale * (ring @ above) / depth).astype(int)
    inside = (x > 0) & (x < width - 1) & (y > 0) & (y < height - 1)
    for dx in (0, 1):
        for dy in (0, 1):
            pixels[y[inside] + dy, x[inside] + dx] = (40, 200, 60)
    return pixels


gymnasium.register(id="floe/PushSand-v0", entry_point="floe.gym:PushSand")
