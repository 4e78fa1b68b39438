"""A task for agents: drive a rover over soil to a goal. NumPy only; floe.gym makes an environment of it.

The rover is rigid bodies with motors at its axles; its wheels dig into the soil, which carries and slows it.
"""

import math
from typing import Any, Dict, List

import numpy as np

from .graph import Graph
from .tasks import Look, Task, observed

SPEED = 360.0  #: of a wheel [degrees/s], at most
LEFT, RIGHT = ("front_left", "rear_left"), ("front_right", "rear_right")
_BED = 0.12  # thickness of the soil [m]
_AXLES = {"front_left": (0.17, -0.18), "front_right": (0.17, 0.18),
          "rear_left": (-0.17, -0.18), "rear_right": (-0.17, 0.18)}


def rover_on_soil() -> Graph:
    """A rover of five bodies on a bed of soil. Its wheels' speeds can be driven: front_left_axle.speed, ..."""
    scene = Graph()
    scene.add("floe.shape.box", "bed_shape", size=[2.0, _BED, 1.6], center=[0, _BED / 2, 0], voxelSize=0.03)
    scene.add("floe.material", "soil").preset("soil").set(youngModulus=2e5)  # longer steps
    scene.add("floe.emitter", "bed", particlesPerCell=4)
    scene.add("floe.domain", "box", center=[0, 0.5, 0], size=[2.0, 1.0, 1.6], yMax="open", friction=0.5)
    scene.add("floe.force.gravity", "gravity")
    scene.add("floe.pbd.solver", "rover", particleSize=0.04, bodyParticles=True)
    scene.add("floe.mpm.solver", "solver", cellSize=0.06)
    scene.add("floe.shape.box", "chassis_shape", size=[0.4, 0.1, 0.2], voxelSize=0.02)
    scene.add("floe.pbd.body", "chassis", voxel=0.04, density=500, position=[0, 0.27, 0],
              color=[0.75, 0.35, 0.08])
    scene.add("floe.shape.union", "wheel_shape", voxelSize=0.02)
    scene.add("floe.shape.cylinder", "tyre", radius=0.1, height=0.1, rotation=[90, 0, 0], voxelSize=0.02)
    scene.link("tyre.shape", "wheel_shape.shapes")
    for number in range(4):
        blade = f"grousers_{number + 1}"
        scene.add("floe.shape.box", blade, size=[0.26, 0.04, 0.1], rotation=[0, 0, 45 * number],
                  voxelSize=0.02)
        scene.link(f"{blade}.shape", "wheel_shape.shapes")
    scene.link("chassis_shape.mesh", "chassis.mesh")
    scene.link("chassis.body", "rover.bodies")
    for name, (x, z) in _AXLES.items():
        scene.add("floe.pbd.body", name, voxel=0.04, density=500, position=[x, 0.26, z], friction=0.7,
                  slidingFriction=0.6)
        scene.add("floe.pbd.joint", f"{name}_axle", kind="hinge", anchor=[x, 0.26, z], axis=[0, 0, -1],
                  motor=True, speed=0, torque=30)
        for source, target in (("wheel_shape.mesh", f"{name}.mesh"), (f"{name}.body", "rover.bodies"),
                               (f"{name}.body", f"{name}_axle.a"), ("chassis.body", f"{name}_axle.b"),
                               (f"{name}_axle.joint", "rover.joints")):
            scene.link(source, target)
    for source, target in (("bed_shape.shape", "bed.shape"), ("soil.material", "bed.material"),
                           ("bed.emitter", "solver.emitters"), ("gravity.force", "solver.forces"),
                           ("gravity.force", "rover.forces"), ("box.domain", "solver.domain"),
                           ("box.domain", "rover.domain"), ("rover.coupling", "solver.colliders")):
        scene.link(source, target)
    DriveRover.add_camera(scene)
    return scene


class DriveRover(Task):
    """One episode: the goal lies 0.45 to 0.6 m away in any direction.

    The action: the speed of the wheels on the left and on the right, each from -1 to 1 of the largest.

    Observation (float32): the rover's x and z [m], sine and cosine of its heading (0: along x; it turns toward z); the
    goal's x and z [m], and how far it is ahead and to the right [m]; the rover's speed ahead and to the right [m/s]; how fast
    it turns [rad/s]; the height of its middle [m], and of its upward axis.

    Reward: how much the distance to the goal has fallen [m], times 10; 5 more within 0.12 m, which ends the episode.
    """

    SETTLE = 6
    FRAMES = 4
    STEPS = 40
    ACTIONS = 2
    GOAL = 0.12
    FIELD_OF_VIEW = 46.0

    def __init__(self) -> None:
        super().__init__()
        self.distance = 0.0  #: from the goal [m]
        self._seen = np.zeros(13)

    @classmethod
    def scene(cls) -> Graph:
        return rover_on_soil()

    @classmethod
    def size(cls) -> int:
        return 13

    @property
    def done(self) -> bool:
        return self.distance < self.GOAL

    def _begin(self, random: np.random.Generator) -> Dict[str, Any]:
        way = float(random.uniform(-math.pi, math.pi))
        self.goal = random.uniform(0.45, 0.6) * np.array([math.cos(way), math.sin(way)])
        return self._driven([0.0, 0.0])

    def act(self, actions: np.ndarray) -> Dict[str, Any]:
        return self._driven(list(np.clip(np.asarray(actions, float).reshape(2), -1.0, 1.0)))

    def _measure(self, value: Look) -> float:
        state = value("rover.states").fetch("x", "v", "orientation", "spin")
        place, velocity, spin = (state[name][0].astype(float) for name in ("x", "v", "spin"))
        qx, qy, qz, qw = state["orientation"][0].astype(float)
        ahead = np.array([1 - 2 * (qy * qy + qz * qz), 2 * (qx * qz - qw * qy)])
        ahead /= max(1e-6, float(np.linalg.norm(ahead)))
        right = np.array([-ahead[1], ahead[0]])
        to_goal = self.goal - place[[0, 2]]
        flat = velocity[[0, 2]]
        self.distance = float(np.linalg.norm(to_goal))
        self._seen = np.array([place[0], place[2], ahead[1], ahead[0], *self.goal, to_goal @ ahead,
                               to_goal @ right, flat @ ahead, flat @ right, -spin[1], place[1],
                               1 - 2 * (qx * qx + qz * qz)])
        return -self.distance

    def observation(self) -> np.ndarray:
        return observed(self._seen)

    def info(self) -> Dict[str, Any]:
        return {"distance": self.distance, "is_success": self.done}

    def _driven(self, speeds: List[float]) -> Dict[str, Any]:
        return {f"{name}_axle.speed": SPEED * float(speed)
                for side, speed in zip((LEFT, RIGHT), speeds) for name in side}

    def _ring_height(self) -> float:
        return _BED + 0.01


def scripted(observation: np.ndarray) -> np.ndarray:
    """A policy: turn until the goal is ahead or behind, whichever is nearer, and drive there."""
    ahead, right = float(observation[6]), float(observation[7])
    way = 1.0 if ahead >= 0 else -1.0
    off = math.atan2(way * right, abs(ahead))  # to turn to the right by
    drive = way * max(0.0, 1.0 - 1.5 * abs(off))
    return np.clip(np.array([drive + 2 * off, drive - 2 * off]), -1, 1).astype(np.float32)
