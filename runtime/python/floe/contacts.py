"""Where things touch, and how hard: footprints on the ground and contact heat maps on a body, summed over frames.

footprint() and contact_map() read what a PBD solver gives with *Output body particles* on: the particles that bodies are made
of, and their states. force_map() reads the *Contacts* of any solver.
"""

import math
import os
from typing import Dict, Iterable, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import FloeError
from .picture import Picture
from .session import Frame

_MAX_CELLS = 4_000_000
_TOUCH = 0.3  # of a radius that may lie between things that touch: solvers leave some of it
_NOTHING = 0.01  # of the greatest value: less is no contact
#: A heat map's colours from nothing to the most (inferno, at equal distances).
_COLOURS = np.array([[0, 0, 4], [40, 11, 84], [101, 21, 110], [159, 42, 99], [212, 72, 66], [245, 125, 21],
                     [250, 193, 39], [252, 255, 164]], float)


class HeatMap:
    """Amounts over a rectangle: rows from low to high along its second axis, columns along its first.

    >>> import floe, numpy as np
    >>> made = floe.HeatMap((0, 0), (1, 0.5), 0.1)
    >>> made.add([[0.3, 0.2]], [12.0], 0.2)
    >>> round(made.total, 9), round(made.area, 9), made.centre.round(9).tolist()
    (12.0, 0.04, [0.3, 0.2])

    Args:
        low, high: corners [m].
        cell: edge of a cell [m].
        unit: of the amounts.
    """

    def __init__(self, low: Sequence[float], high: Sequence[float], cell: float, unit: str = "N") -> None:
        self.low = np.asarray(low, float)
        span = np.asarray(high, float) - self.low
        if self.low.shape != (2,) or not (math.isfinite(cell) and cell > 0) or \
                not np.all(np.isfinite(span)) or not np.all(span > 0):
            raise FloeError(f"a map from {low} to {high} in cells of {cell} m is none",
                            cure="give two corners, the lower first, and a positive cell")
        shape = np.maximum(1, np.ceil(span / cell - 1e-9))
        if shape.prod() > _MAX_CELLS:
            raise FloeError(f"the map would have {int(shape.prod())} cells", cure="give larger ones")
        self.cell = float(cell)
        self.unit = unit
        self.values = np.zeros((int(shape[1]), int(shape[0])))

    def add(self, points: Union[np.ndarray, Sequence[Sequence[float]]],
            amounts: Union[np.ndarray, Sequence[float]],
            edges: Union[float, np.ndarray] = 0.0) -> None:
        """Spreads each amount evenly over a square around its point; what lies outside the map is lost.

        Args:
            points: (n, 2) [m].
            edges: of the squares [m], at least a cell is taken.
        """
        points = np.asarray(points, float).reshape(-1, 2)
        halves = np.broadcast_to(np.maximum(np.asarray(edges, float), self.cell) / 2, len(points))
        rows, columns = self.values.shape
        for point, amount, half in zip(points, np.asarray(amounts, float), halves):
            across = self._shares(point[0] - half - self.low[0], point[0] + half - self.low[0], columns)
            along = self._shares(point[1] - half - self.low[1], point[1] + half - self.low[1], rows)
            if across is not None and along is not None:
                self.values[along[0], across[0]] += amount * np.outer(along[1], across[1])

    def _shares(self, low: float, high: float, count: int) -> Optional[Tuple[slice, np.ndarray]]:
        first = max(0, math.floor(low / self.cell))
        last = min(count, math.ceil(high / self.cell))
        if first >= last:
            return None
        edges = np.clip(np.arange(first, last + 1) * self.cell, low, high)
        return slice(first, last), np.diff(edges) / (high - low)

    @property
    def total(self) -> float:
        """All amounts."""
        return float(self.values.sum())

    @property
    def area(self) -> float:
        """Of the cells that have more than a hundredth of the greatest amount [m^2]."""
        peak = self.values.max()
        return float((self.values > _NOTHING * peak).sum() * self.cell ** 2) if peak > 0 else 0.0

    @property
    def centre(self) -> np.ndarray:
        """The amounts' mean place [m]: of forces, the centre of pressure. NaN where there is nothing."""
        if self.total == 0:
            return np.full(2, np.nan)
        rows, columns = (self.low[axis] + (np.arange(self.values.shape[1 - axis]) + 0.5) * self.cell
                         for axis in (1, 0))
        return np.array([self.values.sum(axis=0) @ columns, self.values.sum(axis=1) @ rows]) / self.total

    @property
    def density(self) -> np.ndarray:
        """Amounts by area: of forces, the pressure [Pa]."""
        return self.values / self.cell ** 2

    @staticmethod
    def mean(maps: "Sequence[HeatMap]") -> "HeatMap":
        """Of several runs, people or frames."""
        if not maps or any(one.values.shape != maps[0].values.shape or one.cell != maps[0].cell or
                           np.any(one.low != maps[0].low) or one.unit != maps[0].unit for one in maps):
            raise FloeError("maps of different rectangles have no mean", cure="give the same corners and cells")
        made = HeatMap(maps[0].low, maps[0].low + np.array(maps[0].values.shape[::-1]) * maps[0].cell,
                       maps[0].cell, maps[0].unit)
        made.values = np.mean([one.values for one in maps], axis=0)
        return made

    def picture(self, width: int = 480, most: Optional[float] = None) -> Picture:
        """The map in colours from black (nothing) to light yellow; the first axis goes to the right, the second down.

        Args:
            width: of the picture [pixels], 1 to 8192.
            most: the amount of the lightest; without it, the greatest.
        """
        rows, columns = self.values.shape
        height = max(1, round(width * rows / columns))
        if not 1 <= width <= 8192 or height > 8192:
            raise FloeError(f"a picture of {width} x {height} pixels is not made", cure="take 1 to 8192")
        peak = float(self.values.max()) if most is None else float(most)
        level = np.clip(self.values / peak, 0, 1) if peak > 0 else np.zeros_like(self.values)
        row = (np.arange(height) * rows) // height
        column = (np.arange(width) * columns) // width
        level = level[row][:, column]
        steps = np.linspace(0, 1, len(_COLOURS))
        colours = np.stack([np.interp(level, steps, _COLOURS[:, k]) for k in range(3)], 2)
        return Picture(np.round(colours).astype(np.uint8))

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes picture() as a PNG."""
        self.picture().save(path)

    def __repr__(self) -> str:
        rows, columns = self.values.shape
        return f"<heat map of {columns} x {rows} cells, {self.total:.6g} {self.unit} on {self.area:.6g} m²>"


def pressed(points: np.ndarray, areas: np.ndarray, force: float, moment: Sequence[float]) -> np.ndarray:
    """How a force spreads over places in a plane: the pressure that is linear over them and has this force and moment.

    Places where it would pull carry nothing. It is exact for a stiff body on an elastic bed (Winkler).

    Args:
        points: (n, 2) from the point that the moment is about [m].
        areas: (n,) [m^2].
        force: along the plane's normal [N].
        moment: sums of the forces times each coordinate [N m].

    Returns:
        forces (n,) [N], at least 0.
    """
    forces = np.zeros(len(points))
    kept = np.arange(len(points))
    while len(kept) and force > 0:
        terms = np.column_stack([np.ones(len(kept)), points[kept]])
        weighted = terms * areas[kept, None]
        pressure = terms @ (np.linalg.pinv(terms.T @ weighted) @ np.array([force, *moment]))
        if np.all(pressure >= 0):
            forces[kept] = pressure * areas[kept]
            break
        kept = kept[pressure > 0]
    total = forces.sum()
    return forces * (force / total) if total > 0 else forces


def footprint(frames: Iterable[Frame], cell: float, low: Sequence[float], high: Sequence[float], *,
              solver: str = "solver", body: int = 0, ground: float = 0.0) -> HeatMap:
    """The force [N] of a rigid body on level ground, in the mean over frames, over x and z.

    The body's particles say where it touches, its state how hard: the force and torque on it in each frame. In between, the
    pressure is taken to be linear (pressed()). The body must touch nothing but the ground.

    Args:
        frames: such as session.run(graph).
        cell: edge of the map's cells [m].
        low, high: the map's corners: x, z [m].
        solver: name of the PBD solver, with bodyParticles.
        body: its number.
        ground: height [m].
    """
    made = HeatMap(low, high, cell)
    count = 0
    for frame in frames:
        count += 1
        place, radius, _ = _body(frame, solver, body)
        state = _state(frame, solver, body)
        below = place[:, 1] - radius - ground < _TOUCH * radius
        if not below.any():
            continue
        arm = ground - state["x"][1]
        force, torque = state["force"], state["torque"]
        # Torque about the centre of mass: (y Fz - z Fy, ..., x Fy - y Fx) summed over the places at y = arm.
        moment = (torque[2] + arm * force[0], arm * force[2] - torque[0])
        centre = state["x"][[0, 2]]
        touching, edges = place[below][:, (0, 2)], 2 * radius[below]
        made.add(touching, pressed(touching - centre, edges ** 2, float(force[1]), moment), edges)
    if count:
        made.values /= count
    return made


def contact_map(frames: Iterable[Frame], cell: float, low: Sequence[float], high: Sequence[float], *,
                solver: str = "solver", body: int = 0, by: Optional[Sequence[int]] = None,
                axis: str = "y") -> HeatMap:
    """The share of frames in which other bodies touch a body, times the area touched [m^2], seen along one of its own axes.

    As a grasp's contact heat map: HeatMap.mean() of several runs averages over people.

    Args:
        frames, cell, solver: as of footprint().
        low, high: corners in the body's own axes, from its centre of mass [m]: the two that `axis` is not, in the
            order x, y, z.
        body: number of the body that is touched.
        by: numbers of those that touch it; all others without it.
        axis: "x", "y" or "z": along which it is seen.
    """
    shown = _others(axis)
    made = HeatMap(low, high, cell, "m²")
    count = 0
    for frame in frames:
        count += 1
        place, radius, all_bodies = _body(frame, solver, body)
        particles = frame.value(f"{solver}.particles").fetch("x", "radius", "body")
        others = all_bodies != body
        if by is not None:
            others &= np.isin(all_bodies, np.asarray(by))
        their_place = particles["x"][others].astype(float)
        their_radius = particles["radius"][others].astype(float)
        if not len(their_place):
            continue
        near = float(radius.max() + their_radius.max()) * (1 + _TOUCH)
        close = np.all((their_place > place.min(axis=0) - near) & (their_place < place.max(axis=0) + near),
                       axis=1)
        their_place, their_radius = their_place[close], their_radius[close]
        touched = np.zeros(len(place), bool)
        for at, size in zip(their_place, their_radius):
            apart = np.linalg.norm(place - at, axis=1) - radius - size
            touched |= apart < _TOUCH * np.minimum(radius, size)
        state = _state(frame, solver, body)
        own = (place[touched] - state["x"]) @ _matrix(state["orientation"])
        edges = 2 * radius[touched]
        made.add(own[:, shown], edges ** 2, edges)
    if count:
        made.values /= count
    return made


_KINDS = {"body": 0, "collider": 2, "wall": 3}  # of what takes part in contacts


def force_map(frames: Iterable[Frame], cell: float, low: Sequence[float], high: Sequence[float], *,
              contacts: str = "solver.contacts", of: str = "collider", number: int = 0, axis: str = "y",
              fps: float = 24.0) -> HeatMap:
    """The force [N] that presses on something, in the mean over frames, over the two axes of the world that `axis` is not.

    It is as fine as the solver's *Contact cell*; with 0, all force is in one place a frame.

    Args:
        frames, cell: as of footprint().
        low, high: the map's corners [m], in the order x, y, z.
        contacts: output of a solver with its contact log on.
        of: "collider", "body" or "wall".
        number: which of them, as *Force plate* numbers them.
        axis: "x", "y" or "z": along which it is seen.
        fps: frames in a second, of the graph.
    """
    if of not in _KINDS:
        raise FloeError(f"there are no contacts of a '{of}'", cure="take collider, body or wall")
    shown = _others(axis)
    made = HeatMap(low, high, cell)
    count = 0
    for frame in frames:
        count += 1
        rows = frame.value(contacts).fetch("x", "normal", "impulse", "a", "aKind", "b", "bKind")
        own = ((rows["a"] == number) & (rows["aKind"] == _KINDS[of])) | \
            ((rows["b"] == number) & (rows["bKind"] == _KINDS[of]))
        pressing = np.einsum("ij,ij->i", rows["normal"][own].astype(float), rows["impulse"][own].astype(float))
        made.add(rows["x"][own].astype(float)[:, shown], pressing * fps)
    if count:
        made.values /= count
    return made


def _others(axis: str) -> "list[int]":
    """The numbers of the two axes that this one is not."""
    if axis not in ("x", "y", "z"):
        raise FloeError(f"there is no axis '{axis}'", cure="take x, y or z")
    return [k for k in range(3) if "xyz"[k] != axis]


def _body(frame: Frame, solver: str, body: int) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places and radii of a body's particles, and the bodies of all particles."""
    particles = frame.value(f"{solver}.particles")
    bodies = particles["body"] if particles.count and "body" in list(particles) else np.zeros(0, int)
    own = bodies == body
    if not own.any():
        raise FloeError(f"body {body} has no particles", node=solver, field="bodyParticles",
                        cure="set bodyParticles to true, and name a body of the solver")
    return particles["x"][own].astype(float), particles["radius"][own].astype(float), bodies


def _state(frame: Frame, solver: str, body: int) -> Dict[str, np.ndarray]:
    states = frame.value(f"{solver}.states").fetch("id", "x", "orientation", "force", "torque")
    at = np.flatnonzero(states["id"] == body)
    if not len(at):
        raise FloeError(f"there is no body {body}", node=solver, cure="name one in its states")
    return {name: array[at[0]].astype(float) for name, array in states.items()}


def _matrix(orientation: np.ndarray) -> np.ndarray:
    """Of a quaternion x, y, z, w: columns are the body's axes."""
    x, y, z, w = orientation / max(1e-12, float(np.linalg.norm(orientation)))
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
