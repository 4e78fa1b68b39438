"""Avatars: poses of a head, hands and fingers that a device tells move bodies of a scene.

The message is that of the protocol's `pose.set`: by node, a position [m] and an orientation as a unit quaternion x, y, z, w.
Session.pose() sends it to a running simulation; pose_values() makes of it what Driven.step() takes, which replays exactly.
"""

import math
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from .errors import FloeError
from .graph import Graph

_MAX_POSES = 64
#: Of a hand, from the thumb on; with left_ or right_ before them.
FINGERS = ("thumb", "index", "middle", "ring", "little")
#: Names that scenes and bridges agree on; a scene has those that it needs.
PARTS = ("head", *(f"{side}_{part}" for side in ("left", "right") for part in ("hand", *FINGERS)))


def pose_values(poses: Mapping[str, Mapping[str, Sequence[float]]],
                before: Optional[Mapping[str, Any]] = None,
                scene: Optional[Graph] = None) -> Dict[str, List[float]]:
    """Positions and rotations to drive: {"right_thumb.position": ..., "right_thumb.rotation": ...}.

    >>> from floe.avatar import pose_values
    >>> half = 0.5 ** 0.5
    >>> made = pose_values({"right_thumb": {"position": [0, 1, 0], "orientation": [0, half, 0, half]}})
    >>> [round(angle, 6) + 0.0 for angle in made["right_thumb.rotation"]]
    [0.0, 90.0, 0.0]

    Args:
        before: what they were: of the angles that are the same orientation, the nearest are taken, so that a part turns the
            short way.
        scene: parts that it does not have are left out.

    Raises:
        FloeError: it is no such message.
    """
    if not 1 <= len(poses) <= _MAX_POSES:
        raise FloeError(f"there are {len(poses)} poses", cure=f"give 1 to {_MAX_POSES}")
    values: Dict[str, List[float]] = {}
    for name, pose in poses.items():
        if set(pose) - {"position", "orientation"} or "position" not in pose:
            raise FloeError(f"the pose of '{name}' has {', '.join(pose)}", cure="give position and orientation")
        position = np.asarray(pose["position"], float)
        orientation = np.asarray(pose.get("orientation", (0, 0, 0, 1)), float)
        if position.shape != (3,) or not np.all(np.isfinite(position)):
            raise FloeError(f"the position of '{name}' is {pose['position']}", cure="give three finite numbers")
        if orientation.shape != (4,) or not 0.5 < float(np.linalg.norm(orientation)) < 2:
            raise FloeError(f"the orientation of '{name}' is {pose.get('orientation')}",
                            cure="give a unit quaternion x, y, z, w")
        if scene is not None and name not in scene:
            continue
        values[f"{name}.position"] = [float(x) for x in position]
        old = (before or {}).get(f"{name}.rotation", (0.0, 0.0, 0.0))
        values[f"{name}.rotation"] = _angles(orientation / np.linalg.norm(orientation), old)
    return values


def _angles(orientation: np.ndarray, before: Sequence[float]) -> List[float]:
    """About x, then y, then z [degrees]."""
    x, y, z, w = (float(q) for q in orientation)
    m00, m10 = 1 - 2 * (y * y + z * z), 2 * (x * y + z * w)
    m20 = min(1.0, max(-1.0, 2 * (x * z - y * w)))
    pitch = math.degrees(math.asin(-m20))
    if math.hypot(m00, m10) > 1e-6:
        first = math.degrees(math.atan2(2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
        last = math.degrees(math.atan2(m10, m00))
    else:  # only a sum or difference matters, and the last stays
        turn = math.degrees(math.atan2(2 * (x * y - z * w), 1 - 2 * (x * x + z * z)))
        last = float(before[2])
        first = turn + last if m20 < 0 else -turn - last
    found = [_near((first, pitch, last), before), _near((first + 180, 180 - pitch, last + 180), before)]
    return min(found, key=lambda angles: sum((a - b) ** 2 for a, b in zip(angles, before)))


def _near(angles: Sequence[float], before: Sequence[float]) -> List[float]:
    return [angle + 360 * round((old - angle) / 360) for angle, old in zip(angles, before)]
