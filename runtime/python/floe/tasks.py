"""What the tasks for agents have in common: a scene, what is driven in it, and what an agent sees and earns.

floe.gym makes environments of any of them. NumPy only.
"""

import math
from typing import Any, Callable, Dict, Tuple

import numpy as np

from .graph import Graph
from .session import Particles

#: The particles at an output, "node.socket", of the newest frame: Frame.value, or Worlds.value of one world.
Look = Callable[[str], Particles]


class Task:
    """One episode of a task.

    begin() and act() give the values to drive; look() takes what was simulated. The reward is how much what is measured has
    risen, times 10, and 5 more for what is done, which ends the episode.
    """

    SETTLE = 8  #: frames until the scene has come to rest
    FRAMES = 2  #: of an action
    STEPS = 60  #: actions, after which an episode is cut off
    ACTIONS = 3  #: numbers of an action, each from -1 to 1
    GOAL = 0.0  #: radius of the goal [m] that is drawn on the ground; 0: none
    EYE: Tuple[float, float, float] = (0.0, 1.9, 1.7)
    TARGET: Tuple[float, float, float] = (0.0, 0.0, 0.1)
    FIELD_OF_VIEW = 42.0

    def __init__(self) -> None:
        self.goal = np.zeros(2)  #: x, z [m]
        self.steps = 0
        self.reward = 0.0  #: of the last step
        self.measure = 0.0  #: what the agent has to raise

    @classmethod
    def scene(cls) -> Graph:
        """The graph that is driven."""
        raise NotImplementedError

    @classmethod
    def size(cls) -> int:
        """Numbers in an observation."""
        raise NotImplementedError

    @property
    def done(self) -> bool:
        """What the task asks for is reached."""
        raise NotImplementedError

    def begin(self, random: np.random.Generator) -> Dict[str, Any]:
        """Draws an episode. Returns the values to reset to."""
        self.steps = 0
        self.reward = 0.0
        return self._begin(random)

    def act(self, actions: np.ndarray) -> Dict[str, Any]:
        """What numbers from -1 to 1 drive for the next FRAMES."""
        raise NotImplementedError

    def look(self, value: Look, first: bool = False) -> None:
        """Takes what was simulated.

        Args:
            first: after begin() rather than after act().
        """
        before, self.measure = self.measure, self._measure(value)
        if not first:
            self.steps += 1
            self.reward = 10.0 * (self.measure - before) + (5.0 if self.done else 0.0)

    def observation(self) -> np.ndarray:
        """What the agent sees: size() numbers, float32, from -10 to 10."""
        raise NotImplementedError

    def info(self) -> Dict[str, Any]:
        """Numbers beside the reward."""
        return {"is_success": self.done}

    def picture(self, frame: Any) -> np.ndarray:
        """A frame of the scene as its camera sees it, with the goal: rows of red, green, blue."""
        drawn = frame.draw(480, 360, camera="camera", show={"legend": False})
        return self.with_ring(drawn.pixels[:, :, :3].copy())

    def with_ring(self, pixels: np.ndarray) -> np.ndarray:
        """The goal drawn into a picture of the scene's camera: a ring on the ground."""
        if self.GOAL <= 0:
            return pixels
        eye, target, up = np.array(self.EYE), np.array(self.TARGET), np.array([0.0, 1.0, 0.0])
        forward = (target - eye) / np.linalg.norm(target - eye)
        right = np.cross(forward, up)
        right /= np.linalg.norm(right)
        above = np.cross(right, forward)
        height, width = pixels.shape[:2]
        scale = height / 2 / math.tan(math.radians(self.FIELD_OF_VIEW) / 2)
        around = np.linspace(0, 2 * math.pi, 400)
        ring = np.stack([self.goal[0] + self.GOAL * np.cos(around), np.full(400, self._ring_height()),
                         self.goal[1] + self.GOAL * np.sin(around)], 1) - eye
        depth = ring @ forward
        x = np.round(width / 2 + scale * (ring @ right) / depth).astype(int)
        y = np.round(height / 2 - scale * (ring @ above) / depth).astype(int)
        inside = (x > 0) & (x < width - 1) & (y > 0) & (y < height - 1)
        for dx in (0, 1):
            for dy in (0, 1):
                pixels[y[inside] + dy, x[inside] + dx] = (40, 200, 60)
        return pixels

    @classmethod
    def add_camera(cls, scene: Graph) -> None:
        """The one that picture() sees through."""
        scene.add("floe.camera", "camera", eye=list(cls.EYE), target=list(cls.TARGET),
                  fieldOfView=cls.FIELD_OF_VIEW)

    def _begin(self, random: np.random.Generator) -> Dict[str, Any]:
        raise NotImplementedError

    def _measure(self, value: Look) -> float:
        raise NotImplementedError

    def _ring_height(self) -> float:
        return 0.003


def observed(*parts: Any) -> np.ndarray:
    """An observation of numbers and arrays."""
    seen = np.concatenate([np.ravel(part) for part in parts])
    return np.asarray(np.clip(seen, -10, 10), np.float32)


def actions_of(given: Any, shape: Any) -> np.ndarray:
    """Finite numbers of this shape.

    Raises:
        ValueError: they are not.
    """
    actions = np.asarray(given, float).reshape(shape)
    if not np.all(np.isfinite(actions)):
        raise ValueError(f"the action is {given}; give finite numbers")
    return actions
