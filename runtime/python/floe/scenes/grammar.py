"""The attributed grammar of scenes: what there is in one, and which values its labels stand for.

    Scene       -> TargetObjects Environment Render
    TargetObjects -> Object+                  (1 to 3 of them act; the others are noise)
    Environment -> boundary, force, duration, Obstacle*
    Object      -> appearance, shape, motion, physics
    Render      -> background, view

Every leaf carries features: a label of a table, and a value drawn from the label's range. Labels of features that
depend on others (the stiffness of a material) are drawn after them. After a repair (floe.scenes.constraints)
values are labelled anew, so that label and value agree.
"""

import dataclasses
import math
import random
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ..errors import FloeError

Vector = List[float]

#: Label: lower and upper end of its values, in ascending order without gaps.
SIZES = {"small": (0.22, 0.28), "medium": (0.28, 0.36), "large": (0.36, 0.46), "very large": (0.46, 0.56)}
SPEEDS = {"still": (0.0, 0.3), "slow": (0.3, 1.5), "medium": (1.5, 3.0), "fast": (3.0, 6.0)}
DENSITIES = {"light": (200.0, 500.0), "medium": (500.0, 1200.0), "heavy": (1200.0, 2500.0)}
#: Young's modulus [Pa]; too technical for the text, which does not mention it.
STIFFNESSES = {"soft": (3e4, 1e5), "moderate": (1e5, 4e5), "hard": (4e5, 1.5e6)}
FRICTIONS = {"smooth": (0.0, 0.1), "even": (0.1, 0.35), "rough": (0.35, 0.7),
             "extremely rough": (0.7, 1.0)}
#: Frames at 24 per second.
DURATIONS = {"short": (24, 30), "medium": (30, 40), "long": (40, 52)}
WINDS = {"none": (0.0, 0.5), "light": (0.5, 3.0), "strong": (3.0, 6.0)}
#: Height of the lower side above the ground [m].
STARTS = {"on the ground": (0.0, 0.05), "just above the ground": (0.05, 0.4), "in the air": (0.4, 2.0)}

SHAPES = ("cube", "sphere", "cylinder")
COLOURS: Dict[str, Tuple[float, float, float]] = {
    "red": (0.75, 0.06, 0.06), "green": (0.08, 0.5, 0.12), "blue": (0.06, 0.16, 0.75),
    "yellow": (0.85, 0.7, 0.05), "orange": (0.9, 0.32, 0.03), "purple": (0.38, 0.08, 0.6),
    "white": (0.9, 0.9, 0.9), "black": (0.03, 0.03, 0.03), "pink": (0.9, 0.35, 0.55)}
#: Name in the text: constitutive law and what is fixed about it. Rigid bodies and gravel are the PBD
#: solver's; the material point method has all others, and a stiff solid for "rigid" beside them.
MATERIALS: Dict[str, Mapping[str, Any]] = {
    "rubber": {"law": "fixedCorotated", "poissonRatio": 0.4, "keepsShape": True},
    "jelly": {"law": "neoHookean", "poissonRatio": 0.45, "keepsShape": True},
    "wood": {"law": "fixedCorotated", "poissonRatio": 0.3, "keepsShape": True, "rigid": True},
    "stone": {"law": "fixedCorotated", "poissonRatio": 0.25, "keepsShape": True, "rigid": True},
    "snow": {"preset": "snow", "density": 400.0, "keepsShape": False},
    "sand": {"preset": "sand", "density": 1600.0, "keepsShape": False},
    "mud": {"preset": "mud", "density": 1500.0, "keepsShape": False},
    "water": {"preset": "water", "density": 1000.0, "keepsShape": False}}
#: Unit vectors as the front camera sees them.
DIRECTIONS: Dict[str, Tuple[float, float, float]] = {
    "up": (0, 1, 0), "down": (0, -1, 0), "right": (1, 0, 0), "left": (-1, 0, 0),
    "away from the viewer": (0, 0, -1), "toward the viewer": (0, 0, 1)}
BACKGROUNDS: Dict[str, Tuple[Tuple[float, float, float], Tuple[float, float, float]]] = {
    "grey": ((0.66, 0.72, 0.78), (0.24, 0.33, 0.45)), "dark": ((0.1, 0.11, 0.14), (0.02, 0.02, 0.03)),
    "warm": ((0.85, 0.7, 0.55), (0.5, 0.3, 0.25))}
BOUNDARIES = ("floor", "box")
CONTACTS = {"slippery": "separate", "sticky": "stick"}
VIEWS: Dict[str, Tuple[float, float, float]] = {  # directions from the middle of what happens
    "front": (0.0, 0.35, 1.0), "side": (1.0, 0.35, 0.15), "above": (0.25, 1.0, 0.45)}


def label_of(value: float, table: Mapping[str, Tuple[float, float]]) -> str:
    """The label whose range has the value; the nearest where none has.

    >>> from floe.scenes.grammar import SPEEDS, label_of
    >>> label_of(2.0, SPEEDS)
    'medium'
    """
    for name, (low, high) in table.items():
        if low <= value < high:
            return name
    return min(table, key=lambda name: min(abs(value - end) for end in table[name]))


def draw(source: random.Random, table: Mapping[str, Tuple[float, float]], label: str) -> float:
    """A value of a label."""
    return source.uniform(*table[label])


def nearest_direction(vector: Sequence[float]) -> str:
    """The direction's label that is nearest to a vector; "" for none."""
    length = math.sqrt(sum(c * c for c in vector))
    if length < 1e-9:
        return ""
    return max(DIRECTIONS, key=lambda name: sum(a * b for a, b in zip(DIRECTIONS[name], vector)))


@dataclasses.dataclass
class Object:
    """An object of a scene. Sizes are edges or diameters, positions those of its middle."""

    name: str  #: "object1" and so on
    noun: str  #: what the text calls it: cube, sphere, cylinder, or a mesh's name
    mesh: str  #: file of a mesh; empty for cube, sphere and cylinder
    colour: str
    material: str
    size: float  #: [m]
    density: float  #: [kg/m^3]
    stiffness: float  #: Young's modulus [Pa]
    friction: float
    position: Vector = dataclasses.field(default_factory=lambda: [0.0, 0.0, 0.0])  #: [m]
    speed: float = 0.0  #: [m/s], at the first frame
    direction: Vector = dataclasses.field(default_factory=lambda: [1.0, 0.0, 0.0])  #: unit vector
    role: str = "noise"  #: "subject", "object", "from", "to" or "noise"

    @property
    def velocity(self) -> Vector:
        """At the first frame [m/s]."""
        return [self.speed * c for c in self.direction]

    @property
    def keeps_shape(self) -> bool:
        """Solids; not heaps and liquids."""
        return bool(MATERIALS[self.material]["keepsShape"])

    def labels(self) -> Dict[str, str]:
        """Of its values as they are now."""
        return {"noun": self.noun, "colour": self.colour, "material": self.material,
                "size": label_of(self.size, SIZES), "speed": label_of(self.speed, SPEEDS),
                "direction": nearest_direction(self.velocity),
                "density": label_of(self.density, DENSITIES),
                "stiffness": label_of(self.stiffness, STIFFNESSES),
                "friction": label_of(self.friction, FRICTIONS),
                "start": label_of(self.position[1] - self.size / 2, STARTS), "role": self.role}


@dataclasses.dataclass
class Scene:
    """All values of an instance."""

    objects: List[Object]
    boundary: str  #: "floor" or "box": four walls around it
    contact: str  #: "slippery" or "sticky"
    friction: float  #: of the ground
    wind: float  #: [m/s], along `wind_direction`
    wind_direction: str
    frames: int
    background: str
    views: List[str]
    verb: str = ""
    relations: List[str] = dataclasses.field(default_factory=list)  #: of "from" and "to"

    def of_role(self, role: str) -> Optional[Object]:
        """The first object with this role."""
        return next((thing for thing in self.objects if thing.role == role), None)

    def labels(self) -> Dict[str, Any]:
        """Every feature's label, as the values are now."""
        return {"verb": self.verb, "relations": list(self.relations),
                "environment": {
                    "boundary": self.boundary, "contact": self.contact,
                    "friction": label_of(self.friction, FRICTIONS),
                    "wind": label_of(self.wind, WINDS), "windDirection": self.wind_direction,
                    "duration": label_of(self.frames, DURATIONS)},
                "render": {"background": self.background, "views": list(self.views)},
                "objects": {thing.name: thing.labels() for thing in self.objects}}

    def values(self) -> Dict[str, Any]:
        """Every feature's value, as JSON."""
        return dataclasses.asdict(self)


@dataclasses.dataclass
class Shape:
    """A mesh that scenes may have: file and noun."""

    path: str
    noun: str


def sample(source: random.Random, physics: str = "any", meshes: Sequence[Shape] = (),
           views: Sequence[str] = ("front",)) -> Scene:
    """Draws a scene from the grammar, before any verb has changed it.

    Args:
        source: the same state, the same scene.
        physics: "mpm", "pbd" (rigid bodies only) or "any".
        meshes: further shapes beside cube, sphere and cylinder.
    """
    if physics not in ("any", "mpm", "pbd"):
        raise FloeError(f"there is no physics '{physics}'", cure="take any, mpm or pbd")
    rigid = physics == "pbd" or (physics == "any" and source.random() < 0.35)
    count = source.choice((2, 3, 3, 4))
    colours = source.sample(sorted(COLOURS), count)  # no two alike: the text must tell them apart
    objects = [_object(source, f"object{number + 1}", colours[number], rigid, meshes)
               for number in range(count)]
    contact = source.choice(sorted(CONTACTS)) if not rigid else "slippery"
    wind = source.choice(("none", "none", "none", "light"))
    return Scene(
        objects=objects, boundary=source.choice(BOUNDARIES), contact=contact,
        friction=draw(source, FRICTIONS, source.choice(sorted(FRICTIONS))),
        wind=draw(source, WINDS, wind) if wind != "none" and not rigid else 0.0,
        wind_direction=source.choice(("left", "right")),
        frames=round(draw(source, DURATIONS, source.choice(sorted(DURATIONS)))),
        background=source.choice(sorted(BACKGROUNDS)), views=list(views))


def _object(source: random.Random, name: str, colour: str, rigid: bool,
            meshes: Sequence[Shape]) -> Object:
    chosen: Optional[Shape] = source.choice(list(meshes)) if meshes and source.random() < 0.5 else None
    made = Object(name=name, noun=chosen.noun if chosen else source.choice(SHAPES),
                  mesh=chosen.path if chosen else "", colour=colour, material="",
                  size=draw(source, SIZES, source.choice(sorted(SIZES))), density=0, stiffness=0,
                  friction=draw(source, FRICTIONS, source.choice(sorted(FRICTIONS))),
                  speed=draw(source, SPEEDS, source.choice(sorted(SPEEDS))),
                  direction=[float(c) for c in DIRECTIONS[source.choice(sorted(DIRECTIONS))]])
    give_material(source, made, [name for name in sorted(MATERIALS)
                                 if bool(MATERIALS[name].get("rigid")) == rigid])
    return made


def give_material(source: random.Random, thing: Object, names: Sequence[str]) -> None:
    """Draws one of these materials, and the features that depend on it."""
    thing.material = source.choice(sorted(names))
    fixed = MATERIALS[thing.material].get("density")
    thing.stiffness = draw(source, STIFFNESSES,
                           source.choice(("soft", "moderate")) if thing.material == "jelly" else
                           source.choice(("moderate", "hard")))
    label = {"stone": "heavy", "wood": "medium"}.get(thing.material) or source.choice(
        ("medium", "heavy"))
    thing.density = fixed if fixed is not None else draw(source, DENSITIES, label)


def separation(a: Object, b: Object) -> float:
    """How far apart two objects are, as boxes [m]; below 0: they overlap."""
    gap = np.abs(np.subtract(a.position, b.position)) - (a.size + b.size) / 2
    return float(gap.max())
