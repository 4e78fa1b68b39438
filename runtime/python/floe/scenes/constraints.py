"""Eight kinds of constraints on the values of a scene, and their repair.

A constraint compares operands: constants, or features of objects (size, position, direction, speed, start
height) and of the environment. Some operands are *criteria*, which stay as they are; the one that is not
is drawn anew where the constraint is violated. A constraint between criteria alone cannot be repaired, and
rejects the scene.
"""

import dataclasses
import math
import random
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

KINDS = ("less_eq", "less", "larger_eq", "larger", "eq", "same_dir", "oppo_dir", "similar_dir")

_PASSES = 6
_TIGHT = 1e-6  # relative: values and components that count as equal


class ConflictError(Exception):
    """The constraints of a verb contradict each other, or the ranges of features."""


@dataclasses.dataclass
class Operand:
    """A side of a constraint.

    Args:
        name: for messages, such as "subject.speed".
        get: its value as the scene is now: a number or three.
        put: sets it; None: a criterion, which stays.
        span: the values it may have, for numbers that are drawn anew.
    """

    name: str
    get: Callable[[], Any]
    put: Optional[Callable[[Any], None]] = None
    span: Tuple[float, float] = (-math.inf, math.inf)


def constant(value: Any) -> Operand:
    """A criterion with this value."""
    return Operand(f"{value}", lambda: value)


def feature(thing: Any, name: str, span: Tuple[float, float] = (-math.inf, math.inf),
            criterion: bool = False) -> Operand:
    """A feature of an object or a scene."""
    return Operand(f"{getattr(thing, 'name', 'scene')}.{name}", lambda: getattr(thing, name),
                   None if criterion else lambda value: setattr(thing, name, value), span)


@dataclasses.dataclass
class Constraint:
    """`first KIND second`; where it is violated, the first operand that is no criterion is drawn anew.

    Args:
        angle: of similar_dir: at most this many degrees between the two.
    """

    kind: str
    first: Operand
    second: Operand
    angle: float = 0.0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"there is no constraint '{self.kind}'")

    def holds(self) -> bool:
        """Whether the scene satisfies it now."""
        a, b = self.first.get(), self.second.get()
        if self.kind.endswith("_dir"):
            return _angle(a, b) <= {"same_dir": 0.01, "similar_dir": self.angle + 0.01}.get(
                self.kind, math.inf) and (self.kind != "oppo_dir" or _angle(a, b) >= 179.99)
        if self.kind == "eq":
            if isinstance(a, str):
                return bool(a == b)
            return bool(np.allclose(a, b, rtol=_TIGHT, atol=_TIGHT))
        return {"less_eq": a <= b + _TIGHT, "less": a < b, "larger_eq": a >= b - _TIGHT,
                "larger": a > b}[self.kind]

    def repair(self, source: random.Random) -> None:
        """Draws an operand anew.

        Raises:
            ConflictError: all are criteria, or no value in its range would do.
        """
        free, fixed, first = (self.first, self.second, True) if self.first.put else \
            (self.second, self.first, False)
        if free.put is None:
            raise ConflictError(f"{self} is violated, and neither may change")
        target = fixed.get()
        if self.kind == "eq":
            value = target if not isinstance(target, (list, tuple)) else list(target)
            if isinstance(value, float) and not free.span[0] - _TIGHT <= value <= free.span[1] + _TIGHT:
                raise ConflictError(f"{self}: {value:g} is out of range")
            free.put(value)
        elif self.kind.endswith("_dir"):
            angle = {"same_dir": 0.0, "oppo_dir": 180.0}.get(self.kind)
            free.put(_turned(target, source.uniform(0, self.angle) if angle is None else angle, source))
        else:
            below = self.kind.startswith("less") == first
            low, high = (free.span[0], min(free.span[1], target)) if below else \
                (max(free.span[0], target), free.span[1])
            if low > high:
                raise ConflictError(f"{self}: nothing from {free.span[0]:g} to {free.span[1]:g} does")
            free.put(source.uniform(low, high))

    def __str__(self) -> str:
        return f"{self.first.name} {self.kind} {self.second.name}"


def repair_all(constraints: Sequence[Constraint], source: random.Random) -> int:
    """Repairs until all hold; later ones may depend on what earlier ones set.

    Returns:
        How many repairs were made.

    Raises:
        ConflictError: they contradict each other.
    """
    repairs = 0
    for _ in range(_PASSES):
        violated: List[Constraint] = []
        for constraint in constraints:
            if not constraint.holds():
                constraint.repair(source)
                violated.append(constraint)
        repairs += len(violated)
        if not violated:
            return repairs
    raise ConflictError("; ".join(str(constraint) for constraint in violated) +
                        " cannot hold together")


def _angle(a: Sequence[float], b: Sequence[float]) -> float:
    """Between two vectors [degrees]."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    if lengths < 1e-12:
        return 180.0
    return math.degrees(math.acos(max(-1.0, min(1.0, float(np.dot(a, b)) / lengths))))


def _turned(vector: Sequence[float], degrees: float, source: random.Random) -> List[float]:
    """The unit vector, turned by so many degrees about a random axis across it."""
    unit = np.asarray(vector, float) / np.linalg.norm(vector)
    if degrees == 0.0:
        return [float(c) for c in unit]
    if degrees == 180.0:
        return [float(-c) for c in unit]
    across = np.cross(unit, [0.0, 0.0, 1.0] if abs(unit[2]) < 0.9 else [1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    other = np.cross(unit, across)
    around = source.uniform(0, 2 * math.pi)
    axis = math.cos(around) * across + math.sin(around) * other
    angle = math.radians(degrees)
    return [float(c) for c in math.cos(angle) * unit + math.sin(angle) * axis]
