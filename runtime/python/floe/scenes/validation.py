"""Whether the simulation shows what the text says: the verb, held against measured motion.

Objects are followed by their particles: middle, lower side, distances between them, rotation. Each verb is a
list of named conditions on these; an instance with a condition that does not hold is rejected, and the condition
is counted.
"""

import dataclasses
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from .grammar import Object, Scene
from .sentences import way_of
from .simulation import spacing

_POINTS = 300  # of an object, for distances
_WAYS = {"right": (1, 0, 0), "left": (-1, 0, 0), "away from the viewer": (0, 0, -1),
         "toward the viewer": (0, 0, 1)}


@dataclasses.dataclass
class Check:
    """A condition, whether it holds, and what was measured."""

    name: str
    holds: bool
    measured: float

    def as_json(self) -> Dict[str, Any]:
        return {"name": self.name, "holds": bool(self.holds), "measured": round(float(self.measured), 4)}


class Motion:
    """What moved where: built frame by frame.

    Args:
        scene: whose objects are followed.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._ids: Optional[np.ndarray] = None
        self.owner: np.ndarray = np.empty(0, np.int16)  #: object of each particle, by its place in `order`
        self.positions: List[np.ndarray] = []  #: of each frame, (particles, 3) in the first frame's order
        self.velocities: List[np.ndarray] = []

    def add(self, x: np.ndarray, v: np.ndarray, identities: np.ndarray) -> None:
        """A frame. Particles that are gone by then keep their last place.

        Raises:
            ValueError: particles cannot be told apart, or belong to no object.
        """
        if self._ids is None:
            order = np.argsort(identities, kind="stable")
            self._ids = identities[order]
            if len(np.unique(self._ids)) != len(self._ids) or len(self._ids) == 0:
                raise ValueError("particles have no identities of their own")
            self.positions.append(np.array(x[order], np.float32))
            self.velocities.append(np.array(v[order], np.float32))
            gaps = np.stack([np.abs(self.positions[0] - np.asarray(thing.position, np.float32)).max(axis=1) -
                             thing.size / 2 for thing in self.scene.objects])
            self.owner = gaps.argmin(axis=0).astype(np.int16)
            for index, thing in enumerate(self.scene.objects):
                if not (self.owner == index).any():
                    raise ValueError(f"{thing.name} has no particles")
            return
        position, velocity = self.positions[-1].copy(), np.zeros_like(self.velocities[-1])
        place = np.searchsorted(self._ids, identities)
        known = (place < len(self._ids))
        known[known] = self._ids[place[known]] == identities[known]
        position[place[known]], velocity[place[known]] = x[known], v[known]
        self.positions.append(position)
        self.velocities.append(velocity)

    def of(self, thing: Object) -> np.ndarray:
        """Its particles over time: (frames, particles, 3)."""
        mask = self.owner == self.scene.objects.index(thing)
        return np.stack([positions[mask] for positions in self.positions])

    def middle(self, thing: Object) -> np.ndarray:
        """Over time: (frames, 3)."""
        return np.asarray(self.of(thing).mean(axis=1))

    def velocity(self, thing: Object) -> np.ndarray:
        """Its mean over time: (frames, 3)."""
        mask = self.owner == self.scene.objects.index(thing)
        return np.stack([velocities[mask].mean(axis=0) for velocities in self.velocities])

    def low(self, thing: Object) -> np.ndarray:
        """Height of the lower side over time, without stray particles: (frames,)."""
        return np.asarray(np.quantile(self.of(thing)[:, :, 1], 0.03, axis=1))

    def distance(self, a: Object, b: Object) -> np.ndarray:
        """Between the nearest particles of two objects, over time: (frames,)."""
        one, other = (self._outside(thing) for thing in (a, b))
        found = []
        for p, q in zip(one, other):
            squares = (p * p).sum(1)[:, None] + (q * q).sum(1)[None] - 2 * p @ q.T
            found.append(float(np.sqrt(max(0.0, float(squares.min())))))
        return np.array(found)

    def _outside(self, thing: Object) -> np.ndarray:
        """Particles at its outside, few enough to compare with each other's."""
        points = self.of(thing)
        away = np.linalg.norm(points[0] - points[0].mean(axis=0), axis=1)
        chosen = np.argsort(-away, kind="stable")[:len(away) * 3 // 4]
        return points[:, chosen[::max(1, len(chosen) // _POINTS)]]

    def turned(self, thing: Object, frame: int) -> float:
        """By how much it has turned since the first frame [degrees] (Kabsch 1976)."""
        points = self.of(thing)
        before, after = points[0] - points[0].mean(axis=0), points[frame] - points[frame].mean(axis=0)
        u, _, vt = np.linalg.svd(before.T.astype(float) @ after)
        sign = np.sign(np.linalg.det(u @ vt))
        rotation = u @ np.diag([1, 1, sign]) @ vt
        return float(np.degrees(np.arccos(np.clip((np.trace(rotation) - 1) / 2, -1, 1))))


def _flat(a: np.ndarray) -> np.ndarray:
    """Length on the ground."""
    return np.asarray(np.hypot(a[..., 0], a[..., 2]))


class _Judge:
    """Measurements that the verbs' conditions share."""

    def __init__(self, scene: Scene, motion: Motion) -> None:
        self.scene, self.motion = scene, motion
        self.touch = 1.8 * spacing(scene)
        self.checks: List[Check] = []
        subject = scene.of_role("subject")
        assert subject is not None
        self.subject = subject
        self.path = motion.middle(subject)
        self.moved = self.path - self.path[0]
        self.low = motion.low(subject)

    def at_least(self, name: str, measured: float, limit: float) -> None:
        self.checks.append(Check(name, measured >= limit, measured))

    def at_most(self, name: str, measured: float, limit: float) -> None:
        self.checks.append(Check(name, measured <= limit, measured))

    def role(self, name: str) -> Optional[Object]:
        return self.scene.of_role(name)

    def nears(self, mover: Object, goal: Object, within: float = 0.0) -> None:
        """It reaches the goal, comes within some distance of it, or more than halfway there."""
        gap = self.motion.distance(mover, goal)
        limit = max(self.touch, within, 0.5 * float(gap[0]))
        self.at_most("comes to where it leads", float(gap.min()), limit)

    def leaves(self, mover: Object, base: Object, along_it: bool = False) -> None:
        gap = self.motion.distance(mover, base)
        self.at_most("begins at where it comes from", float(gap[0]), self.touch + 0.12)
        if not along_it:
            self.at_least("leaves where it comes from", float(gap.max() - gap[0]), 0.12)

    def way(self, mover: Object) -> None:
        """It goes the way that the text may name."""
        moved = self.motion.middle(mover) - self.motion.middle(mover)[0]
        far = moved[int(np.argmax(_flat(moved)))]
        length = float(_flat(far))
        along = float(np.dot(far, _WAYS[way_of(self.scene)]))
        self.at_least("goes the way it is said to", along / max(length, 1e-6), 0.82)

    def flight(self) -> Tuple[float, int]:
        """Distance on the ground from its start to where it first comes down, and frames in the air."""
        high = self.low >= max(0.06, 1.2 * spacing(self.scene))
        begin = int(np.argmax(high))
        if not high[begin]:
            return 0.0, 0
        down = np.flatnonzero(~high[begin:])
        until = begin + int(down[0]) if len(down) else len(high) - 1
        return float(_flat(self.moved[until])), until - begin


def judge(scene: Scene, motion: Motion) -> List[Check]:
    """All conditions of the scene's verb, of its relations, and of the noise."""
    court = _Judge(scene, motion)
    finite = all(np.isfinite(x).all() for x in motion.positions)
    court.checks.append(Check("positions are numbers", finite, float(finite)))
    if not finite:
        return court.checks
    subject = court.subject
    measured = float(np.linalg.norm(motion.velocity(subject)[0] - subject.velocity))
    court.at_most("begins at its speed", measured, 0.1 * subject.speed + 0.05)
    {"jump": _jump, "drop": _drop, "throw": _throw, "push": _push, "strike": _strike, "fly": _fly,
     "slide": _slide}[scene.verb](court)
    base = court.role("from")
    if base is not None:
        court.leaves(subject, base, scene.verb == "drop")
    for thing in scene.objects:
        if thing.role == "noise":
            moved = motion.middle(thing)
            court.at_most("noise stays where it is", float(_flat(moved - moved[0]).max()),
                          0.3 * thing.size + 0.05)
            court.at_least("noise is not touched",
                           float(motion.distance(subject, thing).min()), court.touch)
    return court.checks


def _jump(court: _Judge) -> None:
    court.at_least("rises", float(court.moved[:, 1].max()), max(0.15, 0.4 * court.subject.size))
    court.at_most("begins at rest on something", float(court.low[0]),
                  0.1 if court.role("from") is None else 2.0)
    base = court.role("from")
    if base is not None:
        apart = _flat(court.path - court.motion.middle(base))
        court.at_least("ends beside it", float(apart[-1]), 0.6 * (base.size + court.subject.size) / 2)
    goal = court.role("to")
    if goal is not None:
        court.nears(court.subject, goal)


def _drop(court: _Judge) -> None:
    court.at_least("falls", float(-court.moved[:, 1].min()), 0.18)
    court.at_least("begins in the air", float(court.low[0]), 0.12)
    court.at_most("goes no way but down", float(_flat(court.moved[:8]).max()), 0.3)
    goal = court.role("to")
    if goal is not None:
        gap = court.motion.distance(court.subject, goal)
        above = court.path[:, 1] > court.motion.middle(goal)[:, 1]
        court.at_most("meets what it drops onto from above",
                      float(gap[above].min()) if above.any() else 9.0, court.touch)


def _throw(court: _Judge) -> None:
    distance, until = court.flight()
    court.at_least("is in the air for a while", until, 5)
    court.at_least("goes far", distance, 0.6)
    court.way(court.subject)
    goal = court.role("to")
    if goal is not None:
        court.nears(court.subject, goal, 0.3)


def _fly(court: _Judge) -> None:
    distance, until = court.flight()
    court.at_least("is in the air for a while", until, 5)
    court.at_least("goes far", distance, 0.8)
    court.at_most("goes level at first", abs(float(court.motion.velocity(court.subject)[0][1])),
                  0.3 * court.subject.speed)
    court.way(court.subject)
    goal = court.role("to")
    if goal is not None:
        court.nears(court.subject, goal, 0.3)


def _push(court: _Judge) -> None:
    thing = court.role("object")
    assert thing is not None
    gap = court.motion.distance(court.subject, thing)
    moved = court.motion.middle(thing)
    moved = moved - moved[0]
    court.at_most("touches it from the start", float(gap[:5].min()), court.touch)
    # What bounces off after a moment was struck.
    touching = gap < court.touch
    court.at_least("touches it for a while", int(touching.sum()), 4)
    court.at_least("moves it while they touch", float(_flat(np.diff(moved, axis=0))[touching[1:]].sum()),
                   max(0.15, 0.3 * thing.size))
    court.at_least("the object moves", float(_flat(moved).max()), max(0.2, 0.5 * thing.size))
    court.at_least("follows it", float(_flat(court.moved).max()), 0.15)
    court.at_most("both stay on the ground", float(max(court.low.max(),
                                                       court.motion.low(thing).max())), 0.15)
    court.way(thing)
    goal = court.role("to")
    if goal is not None:
        court.nears(thing, goal)


def _strike(court: _Judge) -> None:
    thing = court.role("object")
    assert thing is not None
    motion = court.motion
    gap = motion.distance(court.subject, thing)
    court.at_least("they begin apart", float(gap[0]), 0.3)
    hits = np.flatnonzero(gap < court.touch)
    court.at_most("they meet", float(gap.min()), court.touch)
    if not len(hits):
        return
    hit = int(hits[0])
    before, after = max(0, hit - 2), min(len(gap) - 1, hit + 3)
    along = np.asarray(court.subject.direction)
    speeds = {name: motion.velocity(one) @ along
              for name, one in (("subject", court.subject), ("object", thing))}
    court.at_least("they meet fast", float(speeds["subject"][before] - speeds["object"][before]), 1.5)
    court.at_least("the object's speed changes",
                   float(abs(speeds["object"][after] - speeds["object"][before])), 0.5)
    goal = court.role("to")
    if goal is not None:
        near = min(float(_flat(motion.middle(one)[hit] - motion.middle(goal)[hit]))
                   for one in (court.subject, thing))
        court.at_most("they meet next to it", near, (goal.size + court.subject.size) / 2 + 0.55)


def _slide(court: _Judge) -> None:
    travelled = _flat(court.moved)
    far = travelled >= min(0.6, float(travelled.max()))
    frame = int(np.argmax(far))
    if court.role("from") is None:
        court.at_most("begins on the ground", float(court.low[0]), 0.1)
    court.at_least("goes far", float(travelled.max()), 0.6)
    court.at_most("does not roll", court.motion.turned(court.subject, frame), 45.0)
    court.at_most("stays on what it slides on", float((court.low[:frame + 1] - court.low[0]).max()), 0.1)
    court.way(court.subject)
    goal = court.role("to")
    if goal is not None:
        court.nears(court.subject, goal)
