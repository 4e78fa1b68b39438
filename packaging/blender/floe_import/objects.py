"""Objects of Blender that show the files of a run, and follow the timeline.

Floe's y is up; Blender's z is. Positions and velocities are turned when they are read; volumes, which Blender
reads itself, have a turned object.
"""

import json
import math

import bpy
import numpy as np

from . import ply
from .run_folder import Sequence

_PROPERTY = "floe_sequence"
_POINTS = "Floe points"
_MATERIAL = "Floe matter"
_PALETTE = ((0.85, 0.88, 0.92), (0.05, 0.22, 0.6), (0.45, 0.28, 0.12), (0.7, 0.55, 0.3), (0.6, 0.08, 0.06),
            (0.1, 0.4, 0.12), (0.8, 0.4, 0.05), (0.3, 0.1, 0.5))
#: Vectors of Floe's files by their components; what remains is one attribute each.
_VECTORS = {"velocity": ("vx", "vy", "vz"), "normal": ("nx", "ny", "nz")}


def add(sequence, collection):
    """Adds an object for a sequence. Returns it."""
    made = _add_volume(sequence) if sequence.kind == "volume" else _add_mesh(sequence)
    collection.objects.link(made)
    return made


def update(scene, _=None):
    """Loads the scene's frame into all objects that add() made: a handler of frame changes."""
    for one in scene.objects:
        if _PROPERTY in one and one.type == "MESH":
            load(one, scene.frame_current)


def load(one, frame):
    """Loads a frame into an object; where there is none, it is empty. A damaged file is told of in the
    object's property "floe_fault", and shows nothing."""
    about = json.loads(one[_PROPERTY])
    path = Sequence("", {int(number): name for number, name in about["files"].items()},
                    about["kind"]).at(frame)
    if path == one.get("floe_file"):
        return
    one["floe_file"] = path or ""
    one["floe_fault"] = ""
    try:
        _fill(one.data, ply.read(path) if path else None)
    except (ply.PlyError, OSError) as error:
        one["floe_fault"] = str(error)
        _fill(one.data, None)
        print(f"Floe: {error}")


def _add_mesh(sequence):
    one = bpy.data.objects.new(sequence.name, bpy.data.meshes.new(sequence.name))
    one[_PROPERTY] = json.dumps({"kind": sequence.kind, "files": sequence.files})
    if sequence.kind == "particles":
        one.modifiers.new(_POINTS, "NODES").node_group = _points_group()
    one.data.materials.append(_material())
    return one


def _add_volume(sequence):
    volume = bpy.data.volumes.new(sequence.name)
    frames = sorted(sequence.files)
    volume.filepath = sequence.files[frames[0]]
    if len(frames) > 1:
        volume.is_sequence = True
        volume.frame_start = frames[0]
        volume.frame_duration = frames[-1] - frames[0] + 1
        volume.frame_offset = frames[0] - 1
        volume.sequence_mode = "EXTEND"
    one = bpy.data.objects.new(sequence.name, volume)
    one.rotation_euler = (math.pi / 2, 0, 0)
    return one


def _fill(mesh, content):
    """Replaces what a mesh has: vertices, faces, attributes."""
    mesh.clear_geometry()
    for attribute in list(mesh.attributes):
        if attribute.name != "position" and not attribute.name.startswith("."):
            mesh.attributes.remove(attribute)
    position = content.vectors(("x", "y", "z")) if content else None
    if position is None or not len(position):
        mesh.update()
        return
    mesh.vertices.add(len(position))
    mesh.vertices.foreach_set("co", _turned(position).ravel())
    if len(content.sizes):
        mesh.loops.add(len(content.corners))
        mesh.loops.foreach_set("vertex_index", content.corners)
        mesh.polygons.add(len(content.sizes))
        mesh.polygons.foreach_set("loop_start", np.concatenate(
            [[0], np.cumsum(content.sizes)[:-1]]).astype(np.int32))
        mesh.polygons.foreach_set("loop_total", content.sizes)
        mesh.polygons.foreach_set("use_smooth", np.ones(len(content.sizes), bool))
    used = {"x", "y", "z"}
    for name, parts in _VECTORS.items():
        vectors = content.vectors(parts)
        if vectors is not None:
            used.update(parts)
            if name != "normal":  # Blender computes its own
                _set(mesh, name, "FLOAT_VECTOR", "vector", _turned(vectors))
    for name, values in content.vertices.items():
        if name in used:
            continue
        if values.dtype.kind == "f":
            _set(mesh, name, "FLOAT", "value", values.astype(np.float32))
        else:
            _set(mesh, name, "INT", "value", values.astype(np.uint32).view(np.int32)
                 if values.dtype.itemsize == 4 else values.astype(np.int32))
    if "volume" in content.vertices:
        radius = np.cbrt(np.maximum(content.vertices["volume"].astype(np.float64), 0) * 0.75 / math.pi)
        _set(mesh, "radius", "FLOAT", "value", radius.astype(np.float32))
    mesh.update(calc_edges=len(content.sizes) > 0)


def _set(mesh, name, kind, member, values):
    attribute = mesh.attributes.new(name, kind, "POINT")
    attribute.data.foreach_set(member, np.ascontiguousarray(values).ravel())


def _turned(vectors):
    """From y up to z up."""
    return np.stack([vectors[:, 0], -vectors[:, 2], vectors[:, 1]], axis=1)


def _points_group():
    """Nodes that turn vertices into points of the attribute "radius", for Cycles to draw as spheres."""
    group = bpy.data.node_groups.get(_POINTS)
    if group is not None:
        return group
    group = bpy.data.node_groups.new(_POINTS, "GeometryNodeTree")
    if hasattr(group, "interface"):  # Blender 4
        group.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
        group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    else:
        group.inputs.new("NodeSocketGeometry", "Geometry")
        group.outputs.new("NodeSocketGeometry", "Geometry")
    nodes, links = group.nodes, group.links
    begin, end = nodes.new("NodeGroupInput"), nodes.new("NodeGroupOutput")
    points = nodes.new("GeometryNodeMeshToPoints")
    radius = nodes.new("GeometryNodeInputNamedAttribute")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = "radius"
    paint = nodes.new("GeometryNodeSetMaterial")
    paint.inputs["Material"].default_value = _material()
    links.new(begin.outputs[0], points.inputs["Mesh"])
    links.new(next(s for s in radius.outputs if s.enabled and s.name == "Attribute"),
              points.inputs["Radius"])
    links.new(next(s for s in points.outputs if s.type == "GEOMETRY"), paint.inputs["Geometry"])
    links.new(paint.outputs["Geometry"], end.inputs[0])
    for index, node in enumerate((begin, radius, points, paint, end)):
        node.location = (220 * index, -200 if node is radius else 0)
    return group


def _material():
    """A material that tells Floe's materials apart, by the attribute "material"."""
    made = bpy.data.materials.get(_MATERIAL)
    if made is not None:
        return made
    made = bpy.data.materials.new(_MATERIAL)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    number = nodes.new("ShaderNodeAttribute")
    number.attribute_name = "material"
    share = nodes.new("ShaderNodeMath")  # (number mod palette + 0.5) / palette
    share.operation = "WRAP"
    share.inputs[1].default_value = len(_PALETTE)
    share.inputs[2].default_value = 0.0
    scale = nodes.new("ShaderNodeMath")
    scale.operation = "MULTIPLY_ADD"
    scale.inputs[1].default_value = 1 / len(_PALETTE)
    scale.inputs[2].default_value = 0.5 / len(_PALETTE)
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "CONSTANT"
    while len(ramp.color_ramp.elements) < len(_PALETTE):
        ramp.color_ramp.elements.new(1.0)
    for index, colour in enumerate(_PALETTE):
        ramp.color_ramp.elements[index].position = index / len(_PALETTE)
        ramp.color_ramp.elements[index].color = (*colour, 1.0)
    links.new(number.outputs["Fac"], share.inputs[0])
    links.new(share.outputs[0], scale.inputs[0])
    links.new(scale.outputs[0], ramp.inputs["Fac"])
    links.new(ramp.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    return made
