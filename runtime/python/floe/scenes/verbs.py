"""Seven verbs: who takes part, and the constraints that make a scene show them, with *from* and *to*.

Roles: the subject does it (or has it done), the object has it done to it, "from" and "to" are where it begins and
where it leads. Objects without a role are noise: they stand aside, and the text does not name them.
"""

import dataclasses
import math
import random
from typing import Callable, Dict, List, Sequence, Tuple

import numpy as np

from .constraints import ConflictError, Constraint, Operand, constant, feature, repair_all
from .grammar import MATERIALS, SIZES, Object, Scene, give_material, separation

GRAVITY = 9.81  # [m/s^2]
_GAP = 0.03  # between what touches and what stands on something [m]
_SMOOTH = 0.08  # friction of a ground that things slide on
_NOISE_ROOM = 0.5  # between noise and what happens [m]
_MAX_SIZE = SIZES["very large"][1]
_MIN_SIZE = SIZES["small"][0]
_UP = [0.0, 1.0, 0.0]
_AXES = ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0])
_BEHIND = _AXES[3]


@dataclasses.dataclass
class Verb:
    """A dynamic model.

    Args:
        name: "jump" and so on.
        transitive: it needs an object.
        shape_kept: the subject must be a solid.
        constraints: what must hold, in the order of repair.
        rigid_from: "from" is possible with rigid bodies only: in the material point method, bodies that
            touch share the grid's velocity, and do not glide over each other.
    """

    name: str
    transitive: bool
    shape_kept: bool
    constraints: Callable[["_Cast"], List[Constraint]]
    rigid_from: bool = False


class _Cast:
    """Who plays which role, and where it goes."""

    def __init__(self, scene: Scene, source: random.Random) -> None:
        self.scene = scene
        self.source = source
        #: The way it goes on the ground; more often across the front view, where more is seen of it.
        self.along = list(source.choice(_AXES + _AXES[:2]))
        self.across = [self.along[2], 0.0, -self.along[0]]
        self.slack = source.uniform(0.0, 0.1)

    @property
    def subject(self) -> Object:
        return self._of("subject")

    def has(self, role: str) -> bool:
        return self.scene.of_role(role) is not None

    def _of(self, role: str) -> Object:
        found = self.scene.of_role(role)
        assert found is not None
        return found

    def of(self, role: str) -> Object:
        return self._of(role)

    # Constraints that several verbs share

    def speed(self, thing: Object, low: float, high: float) -> List[Constraint]:
        operand = feature(thing, "speed", (low, high))
        return [Constraint("larger_eq", operand, constant(low)),
                Constraint("less_eq", operand, constant(high))]

    def at_rest(self, role: str) -> List[Constraint]:
        """It stands still on the ground."""
        thing = self.of(role)
        return [Constraint("eq", feature(thing, "speed"), constant(0.0)), self.grounded(thing)]

    def grounded(self, thing: Object) -> Constraint:
        return self.height(thing, lambda: thing.size / 2 + 0.01)

    def height(self, thing: Object, wanted: Callable[[], float]) -> Constraint:
        """Height of its middle."""
        def put(value: float) -> None:
            thing.position = [thing.position[0], value, thing.position[2]]

        return Constraint("eq", Operand(f"{thing.name}.height", lambda: thing.position[1], put),
                          Operand("wanted height", wanted))

    def place(self, thing: Object, wanted: Callable[[], Sequence[float]], text: str) -> Constraint:
        """Its position, as a function of the others'."""
        return Constraint("eq", feature(thing, "position"),
                          Operand(text, lambda: [float(c) for c in wanted()]))

    def beside(self, thing: Object, other: Object, way: Sequence[float], gap: float = _GAP
               ) -> Callable[[], List[float]]:
        """Where it touches the other on the side that `way` points to, at the other's height."""
        return lambda: [other.position[i] + way[i] * ((thing.size + other.size) / 2 + gap)
                        for i in range(3)]

    def at_the_top(self, thing: Object, other: Object) -> Callable[[], List[float]]:
        """Beside the other, upper sides level."""
        def wanted() -> List[float]:
            place = self.beside(thing, other, self.along)()
            place[1] = other.position[1] + other.size / 2 - thing.size / 2
            return place

        return wanted

    def landing(self, thing: Object, other: Object) -> Callable[[], List[float]]:
        """Where the other stands if a free flight of the thing ends on it."""
        def wanted() -> List[float]:
            fall = max(0.0, thing.position[1] - (other.size + thing.size) / 2)
            v = thing.velocity
            seconds = (v[1] + math.sqrt(max(0.0, v[1] * v[1] + 2 * GRAVITY * fall))) / GRAVITY
            return [thing.position[0] + v[0] * seconds, other.size / 2 + 0.01,
                    thing.position[2] + v[2] * seconds]

        return wanted

    def glides(self) -> List[Constraint]:
        """The ground and what moves on it are smooth, and nothing blows."""
        scene = self.scene
        movers = [thing for thing in scene.objects if thing.role in ("subject", "object")]
        return [*(Constraint("less_eq", feature(thing, "friction", (0.0, _SMOOTH)), constant(_SMOOTH))
                  for thing in movers),
                Constraint("less_eq", feature(scene, "friction", (0.0, _SMOOTH)), constant(_SMOOTH)),
                Constraint("eq", feature(scene, "contact"), constant_text("slippery")),
                Constraint("eq", feature(scene, "wind"), constant(0.0))]

    def way(self, thing: Object, vector: Callable[[], Sequence[float]], angle: float) -> Constraint:
        return Constraint("similar_dir", feature(thing, "direction"), Operand("way", vector), angle)

    def mixed(self, along: float, up: float) -> Callable[[], List[float]]:
        vector = np.asarray(self.along) * along + np.asarray(_UP) * up
        unit = [float(c) for c in vector / np.linalg.norm(vector)]
        return lambda: unit


def constant_text(text: str) -> Operand:
    """A criterion that is a label."""
    return Operand(text, lambda: text)


def _jump(cast: _Cast) -> List[Constraint]:
    subject = cast.subject
    found = cast.speed(subject, 2.6, 3.6)
    found.append(Constraint("eq", feature(cast.scene, "contact"), constant_text("slippery")))
    if cast.has("from"):  # it stands on it, and jumps off
        base = cast.of("from")
        found += [*cast.at_rest("from"),
                  Constraint("larger", feature(base, "size", (_MIN_SIZE, _MAX_SIZE)),
                             feature(subject, "size", (_MIN_SIZE, _MAX_SIZE))),
                  cast.place(subject, cast.beside(subject, base, _UP), "on top"),
                  cast.way(subject, cast.mixed(0.55, 1.0), 4.0)]
    else:
        found += [cast.grounded(subject),
                  cast.way(subject, cast.mixed(0.5 if cast.has("to") else 0.0, 1.0), 6.0)]
    if cast.has("to"):
        goal = cast.of("to")
        found += [Constraint("eq", feature(goal, "speed"), constant(0.0)),
                  cast.place(goal, lambda: _further(cast, subject, goal, 1.0), "where it leads")]
    return found


def _further(cast: _Cast, subject: Object, goal: Object, factor: float) -> List[float]:
    """At the end of its flight or a bit beyond, never nearer than both are large."""
    place = np.asarray(cast.landing(subject, goal)())
    start = np.asarray(subject.position)
    flight = place - start
    flight[1] = 0
    distance = max(float(np.linalg.norm(flight)) * factor, subject.size + goal.size + 0.15)
    place = start + flight / max(1e-9, float(np.linalg.norm(flight))) * distance
    return [float(place[0]), goal.size / 2 + 0.01, float(place[2])]


def _drop(cast: _Cast) -> List[Constraint]:
    subject = cast.subject
    found = [Constraint("eq", feature(subject, "speed"), constant(0.0)),
             Constraint("similar_dir", feature(subject, "direction"), constant([0.0, -1.0, 0.0]), 5.0)]
    if cast.has("from"):
        base = cast.of("from")
        if cast.along == _BEHIND:  # where it would not be seen
            cast.along = list(cast.source.choice(_AXES[:3]))
        found += [Constraint("larger_eq", feature(base, "size", (0.5, _MAX_SIZE)), constant(0.5)),
                  Constraint("less_eq", feature(subject, "size", (_MIN_SIZE, 0.26)), constant(0.26)),
                  *cast.at_rest("from"),
                  cast.place(subject, cast.at_the_top(subject, base), "beside its top")]
        return found
    rise = cast.source.uniform(0.6, 1.2)
    if cast.has("to"):
        goal = cast.of("to")
        found += [*cast.at_rest("to"),
                  cast.place(subject, lambda: [goal.position[0],
                                               goal.size + rise + subject.size / 2,
                                               goal.position[2]], "above it")]
    else:
        found.append(cast.height(subject, lambda: rise + subject.size / 2))
    return found


def _throw(cast: _Cast) -> List[Constraint]:
    subject = cast.subject
    upward = cast.has("from") or cast.source.random() < 0.75
    rise = cast.source.uniform(0.2, 0.6) if upward else cast.source.uniform(0.8, 1.2)
    found = cast.speed(subject, 3.1, 4.2)
    found.append(cast.way(subject, cast.mixed(1.0, 1.0) if upward else cast.mixed(1.0, -0.35), 6.0))
    if cast.has("from"):
        base = cast.of("from")
        found += [*cast.at_rest("from"),
                  Constraint("larger", feature(base, "size", (_MIN_SIZE, _MAX_SIZE)),
                             feature(subject, "size", (_MIN_SIZE, _MAX_SIZE))),
                  cast.place(subject, cast.at_the_top(subject, base), "beside its top")]
    else:
        found.append(cast.height(subject, lambda: rise + subject.size / 2))
    return found + _goal(cast)


def _fly(cast: _Cast) -> List[Constraint]:
    subject = cast.subject
    rise = cast.source.uniform(0.8, 1.3)
    found = [*cast.speed(subject, 4.0, 5.4), cast.way(subject, cast.mixed(1.0, 0.0), 6.0)]
    if cast.has("from"):
        base = cast.of("from")
        found += [*cast.at_rest("from"),
                  Constraint("larger_eq", feature(base, "size", (0.5, _MAX_SIZE)), constant(0.5)),
                  Constraint("less_eq", feature(subject, "size", (_MIN_SIZE, 0.3)), constant(0.3)),
                  cast.place(subject, cast.at_the_top(subject, base), "beside its top")]
    else:
        found.append(cast.height(subject, lambda: rise + subject.size / 2))
    return found + _goal(cast)


def _goal(cast: _Cast) -> List[Constraint]:
    if not cast.has("to"):
        return []
    subject, goal = cast.subject, cast.of("to")
    return [Constraint("eq", feature(goal, "speed"), constant(0.0)),
            cast.place(goal, lambda: _further(cast, subject, goal, 1.0), "where it lands")]


def _push(cast: _Cast) -> List[Constraint]:
    subject, thing = cast.subject, cast.of("object")
    found = [*cast.glides(), *cast.at_rest("object"), *cast.speed(subject, 2.0, 3.2),
             Constraint("same_dir", feature(subject, "direction"), constant(cast.along)),
             Constraint("larger_eq", feature(subject, "size", (_MIN_SIZE, _MAX_SIZE)),
                        feature(thing, "size", (_MIN_SIZE, _MAX_SIZE))),
             Constraint("larger_eq", feature(subject, "density", (600.0, 2500.0)),
                        feature(thing, "density", (200.0, 2000.0))),
             cast.place(subject, _grounded_beside(cast, subject, thing, -1.0, cast.slack), "behind it")]
    if cast.has("from"):
        base = cast.of("from")
        found += [*cast.at_rest("from"),
                  cast.place(base, _grounded_beside(cast, base, subject, -1.0, 0.08), "behind both")]
    if cast.has("to"):
        goal, distance = cast.of("to"), cast.source.uniform(0.5, 0.8)
        found += [*cast.at_rest("to"),
                  cast.place(goal, _grounded_beside(cast, goal, thing, 1.0, distance), "ahead")]
    return found


def _grounded_beside(cast: _Cast, thing: Object, other: Object, side: float, gap: float
                     ) -> Callable[[], List[float]]:
    way = [side * c for c in cast.along]

    def wanted() -> List[float]:
        place = cast.beside(thing, other, way, gap + _GAP)()
        return [place[0], thing.size / 2 + 0.01, place[2]]

    return wanted


def _strike(cast: _Cast) -> List[Constraint]:
    subject, thing = cast.subject, cast.of("object")
    apart = cast.source.uniform(0.7, 1.1)
    found = [*cast.glides(), cast.grounded(thing), *cast.speed(subject, 2.4, 3.6),
             *cast.speed(thing, 1.2, 2.0),
             Constraint("same_dir", feature(subject, "direction"), constant(cast.along)),
             Constraint("oppo_dir", feature(thing, "direction"),
                        feature(subject, "direction", criterion=True)),
             cast.place(subject, _grounded_beside(cast, subject, thing, -1.0, apart), "opposite")]
    if cast.has("from"):
        base = cast.of("from")
        found += [*cast.at_rest("from"),
                  cast.place(base, _grounded_beside(cast, base, subject, -1.0, 0.08), "behind it")]
    if cast.has("to"):  # beside the place where they meet
        goal = cast.of("to")

        def meeting() -> List[float]:
            share = subject.speed / max(1e-9, subject.speed + thing.speed)
            front = np.asarray(subject.position) + np.asarray(cast.along) * (
                subject.size / 2 + share * (apart + _GAP))
            aside = (goal.size + max(subject.size, thing.size)) / 2 + 0.2
            place = front + np.asarray(cast.across) * aside
            return [float(place[0]), goal.size / 2 + 0.01, float(place[2])]

        found += [*cast.at_rest("to"), cast.place(goal, meeting, "beside the meeting")]
    return found


def _slide(cast: _Cast) -> List[Constraint]:
    subject = cast.subject
    found = [*cast.glides(), *cast.speed(subject, 1.8, 2.8),
             Constraint("same_dir", feature(subject, "direction"), constant(cast.along))]
    if cast.has("from"):
        base = cast.of("from")
        found += [*cast.at_rest("from"),
                  Constraint("larger_eq", feature(base, "size", (0.42, _MAX_SIZE)), constant(0.42)),
                  Constraint("less_eq", feature(subject, "size", (_MIN_SIZE, 0.36)), constant(0.36)),
                  Constraint("less_eq", feature(base, "friction", (0.0, _SMOOTH)), constant(_SMOOTH)),
                  cast.place(subject, cast.beside(subject, base, _UP, 0.005), "on top")]
    else:
        found.append(cast.grounded(subject))
    if cast.has("to"):
        goal, distance = cast.of("to"), cast.source.uniform(0.5, 1.0)
        found += [*cast.at_rest("to"),
                  cast.place(goal, _grounded_beside(cast, goal, subject, 1.0, distance), "ahead")]
    return found


VERBS: Dict[str, Verb] = {verb.name: verb for verb in (
    Verb("jump", False, True, _jump), Verb("drop", False, False, _drop),
    Verb("throw", False, False, _throw), Verb("push", True, True, _push),
    Verb("strike", True, True, _strike), Verb("fly", False, False, _fly),
    Verb("slide", False, True, _slide, rigid_from=True))}


def act(scene: Scene, source: random.Random, verb: str = "") -> Tuple[int, List[str]]:
    """Chooses a verb and roles, makes the scene show it, and puts noise aside.

    Args:
        verb: one of VERBS; empty: any that has objects enough.

    Returns:
        Number of repairs, and the violated kinds of the verb before them.

    Raises:
        ConflictError: the constraints contradict each other, or there is no room.
    """
    count = len(scene.objects)
    possible = [name for name in sorted(VERBS) if VERBS[name].transitive < count]
    chosen = VERBS[verb or source.choice(possible)]
    roles = ["subject"] + (["object"] if chosen.transitive else [])
    rigid = bool(MATERIALS[scene.objects[0].material].get("rigid"))
    extra = [role for role in ("from", "to")
             if source.random() < 0.45 and (role == "to" or rigid or not chosen.rigid_from)]
    if chosen.name == "drop" and len(extra) == 2:
        extra = [source.choice(extra)]
    roles += extra[:count - len(roles)]
    if len(roles) > count:
        raise ConflictError(f"'{chosen.name}' needs {len(roles)} objects, and there are {count}")
    order = source.sample(scene.objects, count)
    for index, thing in enumerate(order):
        thing.role = roles[index] if index < len(roles) else "noise"
        thing.position = [0.0, thing.size / 2 + 0.01, 0.0]
        solid = chosen.shape_kept if thing.role == "subject" else True
        if chosen.name == "drop" and thing.role == "to":
            solid = thing.material == "water"  # of which nothing stays where it is
        if solid and not thing.keeps_shape:
            give_material(source, thing, [name for name, about in MATERIALS.items()
                                          if about["keepsShape"] and
                                          bool(about.get("rigid")) == rigid])
    scene.verb = chosen.name
    scene.relations = [role for role in ("from", "to") if scene.of_role(role)]
    constraints = chosen.constraints(_Cast(scene, source))
    violated = [str(constraint) for constraint in constraints if not constraint.holds()]
    repairs = repair_all(constraints, source)
    _put_aside(scene, source)
    cast = [thing for thing in scene.objects if thing.role != "noise"]
    for index, one in enumerate(cast):
        for other in cast[:index]:
            if separation(one, other) < -0.005:
                raise ConflictError(f"{one.name} and {other.name} overlap")
    return repairs, violated


def _put_aside(scene: Scene, source: random.Random) -> None:
    """Noise stands still on the ground, away from where the others are and go."""
    cast = [thing for thing in scene.objects if thing.role != "noise"]
    path = [np.asarray(thing.position) + np.asarray(thing.velocity) * seconds
            for thing in cast for seconds in (0.0, 0.3, 0.6, 0.9, 1.3)]
    placed = list(cast)
    for thing in scene.objects:
        if thing.role != "noise":
            continue
        thing.speed = 0.0
        for _ in range(200):
            thing.position = [source.uniform(-2.2, 2.2), thing.size / 2 + 0.01,
                              source.uniform(-2.2, 1.2)]
            near = min(math.hypot(place[0] - thing.position[0], place[2] - thing.position[2])
                       for place in path)
            if near > _NOISE_ROOM + thing.size and all(
                    separation(thing, other) > 0.15 for other in placed):
                break
        else:
            raise ConflictError(f"there is no room for {thing.name}")
        placed.append(thing)
