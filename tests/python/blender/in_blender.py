"""Run by Blender: imports a run, and writes what its objects have on some frames, and a picture.

    blender -b --factory-startup --python in_blender.py -- ADDON_FOLDER RUN_FOLDER RESULT_FOLDER FRAMES
"""

import json
import pathlib
import sys

import bpy
import numpy as np

addons, run, result, frames = sys.argv[sys.argv.index("--") + 1:]
sys.path.insert(0, addons)
import floe_import  # noqa: E402

floe_import.register()
for one in list(bpy.data.objects):
    if one.type == "MESH":
        bpy.data.objects.remove(one)
assert bpy.ops.import_scene.floe_run(directory=run) == {"FINISHED"}
scene = bpy.context.scene
said = {"range": [scene.frame_start, scene.frame_end, scene.render.fps], "frames": {}}
for frame in map(int, frames.split(",")):
    scene.frame_set(frame)
    here = said["frames"][frame] = {}
    for one in scene.objects:
        if one.type == "MESH":
            mesh = one.data
            co = np.empty(3 * len(mesh.vertices), np.float32)
            mesh.vertices.foreach_get("co", co)
            values = {"position": co.reshape(-1, 3)}
            for attribute in mesh.attributes:
                if attribute.data_type in ("FLOAT", "INT", "FLOAT_VECTOR") and \
                        attribute.domain == "POINT" and attribute.name != "position":
                    vector = attribute.data_type == "FLOAT_VECTOR"
                    array = np.empty(len(mesh.vertices) * (3 if vector else 1),
                                     np.int32 if attribute.data_type == "INT" else np.float32)
                    attribute.data.foreach_get("vector" if vector else "value", array)
                    values[attribute.name] = array.reshape(-1, 3) if vector else array
            np.savez(pathlib.Path(result, f"{one.name}.{frame}.npz"), **values)
            drawn = one.evaluated_get(bpy.context.evaluated_depsgraph_get())
            here[one.name] = {"type": one.type, "faces": len(mesh.polygons),
                              "fault": one.get("floe_fault", ""), "valid": not mesh.validate(),
                              "drawn": drawn.type}
        elif one.type == "VOLUME":
            one.data.grids.load()
            here[one.name] = {"type": one.type, "grids": len(one.data.grids),
                              "fault": one.data.grids.error_message}
scene.render.engine = "CYCLES"
scene.cycles.samples = 4
scene.cycles.use_denoising = False
scene.render.use_motion_blur = True
scene.render.resolution_x, scene.render.resolution_y = 160, 90
scene.camera.location, scene.camera.rotation_euler = (0, -3, 0.5), (1.5708, 0, 0)
scene.render.filepath = str(pathlib.Path(result, "picture.png"))
bpy.ops.render.render(write_still=True)
pathlib.Path(result, "said.json").write_text(json.dumps(said))
