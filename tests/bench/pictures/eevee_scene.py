"""Within Blender: draws a mesh with EEVEE as a task of eevee.py says, in about as much processor time."""
import json
import math
import sys
import time

import bpy
from mathutils import Vector

SUN = Vector((0.68, -0.70, -0.36))  # Floe's own where a scene has none: its direction, in Floe's axes
SKY = {"horizon": (0.66, 0.72, 0.78), "top": (0.24, 0.33, 0.45), "strength": 0.5}


def turned(v):
    """Floe's axes, y up, in Blender's, z up."""
    return Vector((v[0], -v[2], v[1]))


def look_along(thing, direction):
    thing.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()


def read_mesh(path):
    bpy.ops.import_mesh.ply(filepath=path)
    body = bpy.context.selected_objects[0]
    body.rotation_euler = (math.pi / 2, 0, 0)
    for face in body.data.polygons:
        face.use_smooth = True
    return body


def principled(name, colour, **inputs):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1)
    for key, value in inputs.items():
        shader.inputs[key.replace("_", " ")].default_value = value
    return material


def matter(task):
    if not task["clear"]:
        return principled("matter", task["colour"], Roughness=0.28, Specular=0.5, Subsurface=0.3,
                          **{"Subsurface_Color": (*task["colour"], 1)})
    # Seen through over a typical way; EEVEE absorbs in volumes only by tracing froxels.
    clear = principled("matter", [c ** 0.5 for c in task["colour"]], Roughness=0.02, Transmission=1, IOR=1.33)
    clear.use_screen_refraction = True
    clear.refraction_depth = task["depth"]
    return clear


def build(task):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    read_mesh(task["mesh"]).data.materials.append(matter(task))
    bpy.ops.mesh.primitive_plane_add(size=200)
    bpy.context.object.data.materials.append(principled("ground", (0.27, 0.28, 0.295), Roughness=0.9, Specular=0))

    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    eye, target = turned(task["camera"]["eye"]), turned(task["camera"]["target"])
    camera.location = eye
    look_along(camera, target - eye)
    camera.data.sensor_fit = "VERTICAL"
    camera.data.angle = math.radians(task["camera"].get("fieldOfView", 40))
    scene.camera = camera

    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    scene.collection.objects.link(sun)
    sun.data.energy = 1.75 * math.pi
    sun.data.angle = math.radians(1.5)
    sun.data.color = (1, 0.94, 0.85)
    look_along(sun, turned(SUN))

    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    light = scene.world.node_tree.nodes["Background"]
    light.inputs["Color"].default_value = (*SKY["horizon"], 1)
    light.inputs["Strength"].default_value = SKY["strength"]

    scene.render.engine = "BLENDER_EEVEE"
    scene.eevee.use_ssr = scene.eevee.use_ssr_refraction = scene.eevee.use_gtao = True
    scene.eevee.gtao_distance = 0.3
    scene.render.resolution_x, scene.render.resolution_y = task["size"]
    scene.render.resolution_percentage = 100
    scene.view_settings.view_transform = "Filmic"
    return scene


def drawn(scene, samples, path=None):
    """Processor time of one picture [s]."""
    scene.eevee.taa_render_samples = samples
    scene.render.filepath = path or ""
    begin = time.process_time()
    bpy.ops.render.render(write_still=path is not None)
    return time.process_time() - begin


def main():
    task = json.loads(open(sys.argv[-1]).read())
    scene = build(task)
    drawn(scene, 1)  # compiles shaders
    one, three = drawn(scene, 1), drawn(scene, 3)
    each = max((three - one) / 2, 1e-3)
    samples = max(1, min(64, round(1 + (task["seconds"] - one) / each)))
    print(f"EEVEE: {samples} samples, {drawn(scene, samples, task['picture']):.2f} s")


main()
