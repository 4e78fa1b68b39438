"""Blender's part of eevee.py, for Blender's own Python: makes the picture of the environment, or draws meshes with
EEVEE. Takes a job as JSON, writes what there is to say of it as JSON."""

import json
import math
import pathlib
import sys
import time

import bpy
import mathutils
import numpy

job = json.loads(pathlib.Path(sys.argv[-1]).read_text())


def turned(vector):
    """From y up to z up."""
    return mathutils.Vector((vector[0], -vector[2], vector[1]))


def save(pixels, path, kind):
    """Rows from the top; 3 colours, linear for EXR, as shown for PNG."""
    height, width, _ = pixels.shape
    image = bpy.data.images.new("saved", width, height, float_buffer=kind == "OPEN_EXR")
    image.colorspace_settings.name = "Linear" if kind == "OPEN_EXR" else "sRGB"
    whole = numpy.ones((height, width, 4), numpy.float32)
    whole[..., :3] = pixels[::-1]
    image.pixels.foreach_set(whole.ravel())
    image.filepath_raw, image.file_format = path, kind
    image.save()


def around():
    """A pale sky, brighter towards the horizon, two bright windows, a dim floor."""
    height, width = 256, 512
    up = 90 - (numpy.arange(height) + 0.5)[:, None] * 180 / height * numpy.ones((1, width))
    right = ((numpy.arange(width) + 0.5)[None] * 360 / width - 180) * numpy.ones((height, 1))
    sky = numpy.exp(-numpy.maximum(up, 0) / 25)[..., None]
    picture = (1 - sky) * numpy.array([0.22, 0.31, 0.46]) + sky * numpy.array([0.62, 0.66, 0.70])
    floor = numpy.clip(-up / 4, 0, 1)[..., None]
    picture = (1 - floor) * picture + floor * numpy.array([0.23, 0.22, 0.21])
    for centre, height_, half, light in ((-55, 38, (24, 13), 5.0), (75, 30, (10, 20), 3.0)):
        inside = [numpy.clip((h - abs(a - c)) / 2, 0, 1) for h, a, c in
                  ((half[0], right, centre), (half[1], up, height_))]
        picture += light * (inside[0] * inside[1])[..., None] * numpy.array([1.0, 0.97, 0.92])
    save(picture, job["picture"], "OPEN_EXR")
    return {}


def principled(name, **values):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    for socket, value in values.items():
        shader.inputs[socket.replace("_", " ")].default_value = value
    return material


def material_of(mesh):
    """As near as EEVEE comes: it does not know how thick matter is, so clear matter has the colour that is left of
    white light after a typical way, and scatters with its opacity's share."""
    if mesh["kind"] == "opaque":
        return principled("opaque", Base_Color=(*mesh["color"], 1), Roughness=mesh["roughness"], Specular=0.5)
    left = [colour ** (mesh["way"] / mesh["depth"]) for colour in mesh["color"]]
    material = principled("clear", Base_Color=(*left, 1), Roughness=0.0, IOR=mesh["ior"], Specular=0.5,
                          Transmission=1 - 0.5 * mesh["opacity"])
    material.use_screen_refraction = True
    material.refraction_depth = 0.5 * mesh["way"]
    return material


def add_mesh(mesh):
    points, faces = [], []
    for line in open(mesh["path"]):
        parts = line.split()
        if parts and parts[0] == "v":
            points.append(turned([float(x) for x in parts[1:4]]))
        elif parts and parts[0] == "f":
            faces.append([int(part.split("/")[0]) - 1 for part in parts[1:]])
    data = bpy.data.meshes.new("surface")
    data.from_pydata(points, [], faces)
    data.polygons.foreach_set("use_smooth", [True] * len(faces))
    data.materials.append(material_of(mesh))
    bpy.context.collection.objects.link(bpy.data.objects.new("surface", data))
    return sum(len(face) - 2 for face in faces)


def add_surroundings():
    world = bpy.context.scene.world
    world.use_nodes = True
    nodes, links = world.node_tree.nodes, world.node_tree.links
    picture = nodes.new("ShaderNodeTexEnvironment")
    picture.image = bpy.data.images.load(job["around"])
    place, turn = nodes.new("ShaderNodeTexCoord"), nodes.new("ShaderNodeMapping")
    turn.inputs["Rotation"].default_value = (0, 0, -math.pi / 2)  # the picture's middle looks along Floe's -z
    links.new(place.outputs["Generated"], turn.inputs["Vector"])
    links.new(turn.outputs["Vector"], picture.inputs["Vector"])
    links.new(picture.outputs["Color"], nodes["Background"].inputs["Color"])

    sun = bpy.data.lights.new("sun", "SUN")
    sun.color = job["sun"]["color"]
    sun.energy = math.pi * job["sun"]["intensity"]  # of a white surface's radiance to irradiance
    sun.angle = math.radians(job["sun"]["softness"])
    sun.use_contact_shadow = True
    lamp = bpy.data.objects.new("sun", sun)
    lamp.rotation_euler = turned(job["sun"]["direction"]).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(lamp)

    bpy.ops.mesh.primitive_plane_add(size=60)
    bpy.context.object.data.materials.append(
        principled("ground", Base_Color=(*job["ground"], 1), Roughness=0.9, Specular=0.25))
    for box in job["boxes"]:
        bpy.ops.mesh.primitive_cube_add(size=1, location=turned(box["center"]))
        size = box["size"]
        bpy.context.object.scale = (size[0], size[2], size[1])
        bpy.context.object.data.materials.append(
            principled("box", Base_Color=(*box["color"], 1), Roughness=0.55, Specular=0.5))


def add_camera():
    given = job["camera"]
    data = bpy.data.cameras.new("camera")
    data.sensor_fit, data.angle = "VERTICAL", math.radians(given["fieldOfView"])
    camera = bpy.data.objects.new("camera", data)
    camera.location = turned(given["eye"])
    camera.rotation_euler = (turned(given["target"]) - camera.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.collection.objects.link(camera)
    bpy.context.scene.camera = camera


def set_up():
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_EEVEE"
    scene.render.resolution_x, scene.render.resolution_y = job["size"]
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    eevee = scene.eevee
    eevee.use_ssr = eevee.use_ssr_refraction = eevee.use_gtao = eevee.use_soft_shadows = True
    eevee.use_ssr_halfres = False
    eevee.gtao_distance = 0.3
    eevee.shadow_cascade_size = "2048"
    eevee.use_shadow_high_bitdepth = True


def as_floe_shows(light):
    """Floe's tone curve (shaders/tone.glsl) and sRGB's encoding."""
    into = numpy.array([[0.59719, 0.35458, 0.04823], [0.07600, 0.90834, 0.01566], [0.02840, 0.13383, 0.83777]])
    out = numpy.array([[1.60475, -0.53108, -0.07367], [-0.10208, 1.10813, -0.00605], [-0.00327, -0.07276, 1.07602]])
    c = numpy.maximum(light, 0) @ into.T
    c = (c * (c + 0.0245786) - 0.000090537) / (c * (0.983729 * c + 0.4329510) + 0.238081)
    c = numpy.clip(c @ out.T, 0, 1)
    return numpy.where(c > 0.0031308, 1.055 * numpy.maximum(c, 1e-6) ** (1 / 2.4) - 0.055, 12.92 * c)


def draw():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.world = bpy.data.worlds.new("world")
    triangles = sum(add_mesh(mesh) for mesh in job["meshes"])
    add_surroundings()
    add_camera()
    set_up()
    scene = bpy.context.scene
    linear = job["picture"].replace(".png", ".exr")
    scene.render.filepath = linear
    for samples in (1, job["samples"]):
        scene.eevee.taa_render_samples = samples
        start = time.process_time()
        bpy.ops.render.render(write_still=True)
        seconds = time.process_time() - start
    drawn = bpy.data.images.load(linear)
    pixels = numpy.empty(len(drawn.pixels), numpy.float32)
    drawn.pixels.foreach_get(pixels)
    height, width = job["size"][1], job["size"][0]
    save(as_floe_shows(pixels.reshape(height, width, 4)[::-1, :, :3].astype(float)), job["picture"], "PNG")
    return {"seconds": seconds, "triangles": triangles}


pathlib.Path(job["result"]).write_text(json.dumps({"around": around, "draw": draw}[job["what"]]()))
