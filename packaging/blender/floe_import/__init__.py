"""Blender add-on: File > Import > Floe run. Shows the files of a run and follows the timeline."""

bl_info = {
    "name": "Floe run",
    "author": "Floe",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "File > Import > Floe run",
    "description": "Particles with attributes and velocities, meshes and volumes of a run of Floe",
    "category": "Import-Export",
}

import os  # noqa: E402

import bpy  # noqa: E402

from . import objects, run_folder  # noqa: E402


class ImportRun(bpy.types.Operator):
    """Add what a run of Floe has written, frame by frame"""

    bl_idname = "import_scene.floe_run"
    bl_label = "Import Floe run"
    bl_options = {"REGISTER", "UNDO"}

    directory: bpy.props.StringProperty(name="Folder", subtype="DIR_PATH",
                                        description="Output folder of floe run")
    set_range: bpy.props.BoolProperty(name="Set frame range and rate", default=True,
                                      description="Take those of the run for the scene")

    def execute(self, context):
        folder = os.path.abspath(bpy.path.abspath(self.directory))
        try:
            found = run_folder.sequences(folder)
        except OSError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not found:
            self.report({"ERROR"}, f"{folder}: has no .ply or .vdb files; give the output folder of a run "
                        "whose particles are written as .ply")
            return {"CANCELLED"}
        scene = context.scene
        span = run_folder.frame_range(folder)
        if self.set_range and span:
            scene.frame_start, scene.frame_end = span[0], span[1]
            scene.render.fps = max(1, round(span[2]))
            scene.render.fps_base = scene.render.fps / span[2] if span[2] > 0 else 1.0
        scene.render.use_lock_interface = True  # frames are loaded while it renders
        collection = bpy.data.collections.new(os.path.basename(folder) or "Floe")
        scene.collection.children.link(collection)
        for sequence in found:
            objects.add(sequence, collection)
        objects.update(scene)
        faults = [one["floe_fault"] for one in collection.objects if one.get("floe_fault")]
        for fault in faults:
            self.report({"WARNING"}, fault)
        self.report({"INFO"}, f"{len(found)} sequences")
        return {"FINISHED"}

    def invoke(self, context, _):
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}


@bpy.app.handlers.persistent
def _follow(scene, depsgraph=None):
    objects.update(scene, depsgraph)


def _menu(self, _):
    self.layout.operator(ImportRun.bl_idname, text="Floe run")


def register():
    bpy.utils.register_class(ImportRun)
    bpy.types.TOPBAR_MT_file_import.append(_menu)
    bpy.app.handlers.frame_change_pre.append(_follow)


def unregister():
    bpy.app.handlers.frame_change_pre.remove(_follow)
    bpy.types.TOPBAR_MT_file_import.remove(_menu)
    bpy.utils.unregister_class(ImportRun)
