"""From the values of a scene to a graph that simulates and draws it."""

import math
from typing import Any, Dict, List, Sequence

import numpy as np

from ..graph import Graph
from .grammar import BACKGROUNDS, COLOURS, CONTACTS, DIRECTIONS, MATERIALS, VIEWS, Object, Scene

CELL = 0.05  # of the material point method [m]
_WIND_STRENGTH = 0.3  # [1/s]
_FIELD_OF_VIEW = 40.0
_WALL = 0.3  # height [m]


def is_rigid(scene: Scene) -> bool:
    """Whether the PBD solver simulates it."""
    return all(bool(MATERIALS[thing.material].get("rigid")) for thing in scene.objects)


def spacing(scene: Scene) -> float:
    """Below it, contacts are not resolved [m]."""
    return max(_voxel(thing) for thing in scene.objects) if is_rigid(scene) else CELL


def _voxel(thing: Object) -> float:
    return max(0.03, thing.size / 8)


def graph(scene: Scene, width: int = 320, height: int = 180, pictures: bool = False) -> Graph:
    """The graph of a scene.

    Args:
        width, height: of the movies, one a view.
        pictures: keep each frame as a PNG too (otherwise, only the movies are meant to be kept).
    """
    made = Graph(start=1, end=scene.frames, fps=24)
    rigid = is_rigid(scene)
    if rigid:
        made.add("floe.pbd.solver", "solver", bodyParticles=True, particleSize=spacing(scene))
    else:
        made.add("floe.mpm.solver", "solver", cellSize=CELL)
    for thing in scene.objects:
        (_add_body if rigid else _add_matter)(made, thing)
    extent = _extent(scene)
    _add_ground(made, scene, extent)
    if scene.wind > 0 and not rigid:
        way = DIRECTIONS[scene.wind_direction]
        made.add("floe.force.wind", "wind", velocity=[scene.wind * c for c in way],
                 strength=_WIND_STRENGTH)
        made.link("wind.force", "solver.forces")
    low, high = BACKGROUNDS[scene.background]
    for view in scene.views:
        eye, target = _camera(scene, extent, view)
        made.add("floe.camera", view, eye=eye, target=target, fieldOfView=_FIELD_OF_VIEW)
        made.add("floe.output.render", f"{view}_movie", path=f"{view}/{view}.%04d.png", width=width,
                 height=height, samples="4", movie=True, background=low, backgroundTop=high)
        made.link("solver.particles", f"{view}_movie.particles")
        made.link(f"{view}.camera", f"{view}_movie.camera")
        for node in made.nodes.values():
            if node.node_name.startswith("wall") and not node.node_name.endswith("_shape"):
                made.link(f"{node.node_name}.collider", f"{view}_movie.colliders")
    return made


def _add_shape(made: Graph, thing: Object, center: Sequence[float], voxel: float) -> str:
    name = f"{thing.name}_shape"
    if thing.mesh:
        made.add("floe.shape.mesh", name, path=thing.mesh, fit=thing.size, center=list(center),
                 voxelSize=voxel)
    elif thing.noun == "sphere":
        made.add("floe.shape.sphere", name, radius=thing.size / 2, center=list(center),
                 voxelSize=voxel)
    elif thing.noun == "cylinder":
        made.add("floe.shape.cylinder", name, radius=thing.size / 2, height=thing.size,
                 center=list(center), voxelSize=voxel)
    else:
        made.add("floe.shape.box", name, size=[thing.size] * 3, center=list(center), voxelSize=voxel)
    return name


def _add_body(made: Graph, thing: Object) -> None:
    shape = _add_shape(made, thing, [0.0, 0.0, 0.0], _voxel(thing) / 2)
    body = made.add("floe.pbd.body", thing.name)
    body.set(name=thing.name, voxel=_voxel(thing), color=list(COLOURS[thing.colour]), density=thing.density,
             position=thing.position, velocity=thing.velocity, friction=thing.friction,
             slidingFriction=thing.friction * 0.8)
    made.link(f"{shape}.mesh", f"{thing.name}.mesh")
    made.link(f"{thing.name}.body", "solver.bodies")


def _add_matter(made: Graph, thing: Object) -> None:
    shape = _add_shape(made, thing, thing.position, CELL / 2)
    material = made.add("floe.material", f"{thing.name}_material")
    about: Dict[str, Any] = dict(MATERIALS[thing.material])
    if "preset" in about:
        material.preset(about["preset"])
    else:
        material.set(law=about["law"], poissonRatio=about["poissonRatio"],
                     youngModulus=thing.stiffness)
    material.set(name=thing.name, color=list(COLOURS[thing.colour]), opacity=1.0,
                 density=thing.density)
    made.add("floe.emitter", thing.name, velocity=thing.velocity)
    made.link(f"{shape}.shape", f"{thing.name}.shape")
    made.link(f"{thing.name}_material.material", f"{thing.name}.material")
    made.link(f"{thing.name}.emitter", "solver.emitters")
    if not any(target == "solver.forces" for _, target in made.links):
        made.add("floe.force.gravity", "gravity")
        made.link("gravity.force", "solver.forces")


def _extent(scene: Scene) -> np.ndarray:
    """Corners of the box in which it is expected to happen: (2, 3)."""
    points: List[np.ndarray] = []
    for thing in scene.objects:
        place, velocity = np.asarray(thing.position), np.asarray(thing.velocity)
        glides = scene.friction < 0.1 and abs(velocity[1]) < 0.3
        for seconds in np.linspace(0, min(1.4, scene.frames / 24) if glides else 0.8, 6):
            at = place + velocity * seconds - [0, 4.9 * seconds * seconds, 0]
            at[1] = max(at[1], thing.size / 2)
            points += [at - thing.size / 2, at + thing.size / 2]
    return np.array([np.min(points, axis=0), np.max(points, axis=0)])


def _add_ground(made: Graph, scene: Scene, extent: np.ndarray) -> None:
    made.add("floe.shape.plane", "ground_shape", size=24, thickness=0.3, voxelSize=0.05)
    contact = CONTACTS[scene.contact]
    made.add("floe.collider", "ground", contact=contact, friction=scene.friction)
    made.link("ground_shape.shape", "ground.shape")
    made.link("ground.collider", "solver.colliders")
    if scene.boundary != "box":
        return
    low, high = extent[0] - 1.0, extent[1] + 1.0
    middle, size = (low + high) / 2, high - low
    for name, center, edges in (
            ("wall_left", [low[0], _WALL / 2, middle[2]], [0.12, _WALL, size[2]]),
            ("wall_right", [high[0], _WALL / 2, middle[2]], [0.12, _WALL, size[2]]),
            ("wall_back", [middle[0], _WALL / 2, low[2]], [size[0] + 0.12, _WALL, 0.12]),
            ("wall_front", [middle[0], _WALL / 2, high[2]], [size[0] + 0.12, _WALL, 0.12])):
        made.add("floe.shape.box", f"{name}_shape", size=[float(c) for c in edges],
                 center=[float(c) for c in center], voxelSize=0.04)
        made.add("floe.collider", name, friction=0.3, color=[0.42, 0.4, 0.38])
        made.link(f"{name}_shape.shape", f"{name}.shape")
        made.link(f"{name}_shape.mesh", f"{name}.mesh")
        made.link(f"{name}.collider", "solver.colliders")


def _camera(scene: Scene, extent: np.ndarray, view: str) -> Any:
    """Eye and target that show the extent."""
    middle = extent.mean(axis=0)
    radius = float(np.linalg.norm(extent[1] - extent[0])) / 2
    way = np.asarray(VIEWS[view]) / np.linalg.norm(VIEWS[view])
    eye = middle + way * max(1.5, radius * 0.8 / math.tan(math.radians(_FIELD_OF_VIEW / 2)))
    return [float(c) for c in eye], [float(c) for c in middle]
