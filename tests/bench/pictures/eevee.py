#!/usr/bin/env python3
"""eevee.py FLOE FOLDER [--page PICTURE] [--scenes water jelly] [--samples N] [--size 960x540]

A water and a jelly scene as Floe draws them, beside EEVEE's pictures of the same surfaces: the same camera, sun,
environment and tone curve, in the same time. Each scene is simulated once, with its frames and its surfaces as meshes
kept in FOLDER; Blender draws the meshes with N samples, and Floe gets as many exposures as it makes in the time that
EEVEE took. Prints a table as Markdown; PICTURE, where given, gets both scenes side by side (JPEG).

Wants Blender (`apt-get install blender xvfb`; `xvfb-run` where there is no screen) and Python with Pillow. Times are
processor times of drawing alone, both on software renderers: EEVEE's without Blender's start and reading of meshes, with
shaders compiled by a first picture of one sample; Floe's as what further exposures of the same frame take, times
their number."""

import argparse
import json
import os
import pathlib
import resource
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
GRAPHS = HERE.parents[2] / "graphs"
SUN = {"color": [1, 0.94, 0.85], "intensity": 1.6, "direction": [0.55, -0.75, -0.45], "softness": 2.5}
GROUND = [0.27, 0.28, 0.295]

# Frame: which one is drawn. Materials: their mesh, by the number that particles have; what EEVEE is told of them.
SCENES = {
    "water": {
        "graph": "dam_break", "frame": 17,
        "set": {"solver.cellSize": 0.0167},
        "materials": {0: {"kind": "clear", "color": [0.08, 0.3, 0.6], "depth": 0.4, "way": 0.2, "opacity": 0.2,
                          "ior": 1.33}},
        "boxes": [{"size": [0.16, 0.16, 0.4], "center": [0.35, 0.08, 0], "color": [0.5, 0.28, 0.12]}],
    },
    "jelly": {
        "graph": "jelly_drop", "frame": 13,
        "set": {"solver.cellSize": 0.0167, "jello.opacity": 0.3, "jello.colorDepth": 0.12},
        "materials": {0: {"kind": "clear", "color": [0.75, 0.08, 0.12], "depth": 0.12, "way": 0.2, "opacity": 0.3,
                          "ior": 1.33},
                      1: {"kind": "opaque", "color": [0.1, 0.25, 0.7], "roughness": 0.5}},
        "boxes": [],
    },
}


def arrange(scene, size):
    """The scene's graph, with its surfaces written as meshes, a sun and a picture of the environment."""
    graph = json.loads((GRAPHS / f"{scene['graph']}.floe.json").read_text())
    nodes, links = graph["nodes"], graph["links"]
    for target, value in scene["set"].items():
        node, parameter = target.split(".")
        nodes[node].setdefault("parameters", {})[parameter] = value
    graph["range"]["end"] = graph["range"]["start"] + scene["frame"] - 1
    every = scene["frame"] - graph["range"]["start"]  # the first is drawn too, and this
    del nodes["export"]
    graph["links"] = links = [link for link in links if not link["to"].startswith("export.")]
    nodes["render"]["parameters"] = {"path": "images/floe.%04d.png", "width": size[0], "height": size[1],
                                     "samples": "1", "shutter": 0, "every": every, "movie": False, "groundColor": GROUND}
    nodes["sun"] = {"type": "floe.light", "version": 1, "parameters": SUN}
    nodes["around"] = {"type": "floe.light", "version": 1,
                       "parameters": {"type": "environment", "image": "around.exr", "color": [1, 1, 1], "intensity": 1}}
    links += [{"from": f"{light}.light", "to": "render.lights"} for light in ("sun", "around")]
    for material in scene["materials"]:
        part, surface, mesh, export = (f"{name}{material}" for name in ("part", "surface", "mesh", "export"))
        nodes[part] = {"type": "floe.particles.filter", "version": 1,
                       "parameters": {"expression": f"material == {material}"}}
        nodes[surface] = {"type": "floe.surface.levelset", "version": 2}
        nodes[mesh] = {"type": "floe.surface.mesh", "version": 1}
        nodes[export] = {"type": "floe.output.mesh", "version": 1,
                         "parameters": {"path": f"mesh/{material}.%04d.obj", "every": every}}
        links += [{"from": "solver.particles", "to": f"{part}.particles"},
                  {"from": f"{part}.kept", "to": f"{surface}.particles"},
                  {"from": f"{surface}.shape", "to": f"{mesh}.shape"}, {"from": f"{mesh}.mesh", "to": f"{export}.mesh"}]
    return graph


def blender(job):
    """Runs the part of this comparison that Blender does; returns what it says of it."""
    path = pathlib.Path(job["result"])
    path.with_suffix(".job").write_text(json.dumps(job))
    command = ["blender", "--background", "--factory-startup", "--python-exit-code", "1", "--python",
               HERE / "in_blender.py", "--", path.with_suffix(".job")]
    if not os.environ.get("DISPLAY") and shutil.which("xvfb-run"):
        command = ["xvfb-run", "-a"] + command
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(path.read_text())


def floe_draws(floe, graph, folder, frame, exposures):
    """Draws a cached frame; returns the processor time that this took [s]."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([floe, "render", graph, "--output", folder, "--start", str(frame), "--end", str(frame), "--node",
                    "render", "--set", f"render.exposures={exposures}", "--progress", "quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(name, arguments):
    scene = SCENES[name]
    folder = arguments.folder / name
    folder.mkdir(parents=True, exist_ok=True)
    around = folder / "around.exr"
    if not around.exists():
        blender({"what": "around", "picture": str(around), "result": str(folder / "around.json")})
    graph = folder / "scene.floe.json"
    graph.write_text(json.dumps(arrange(scene, arguments.size), indent=1))
    frame = scene["frame"]
    if not (folder / "cache").exists():
        subprocess.run([arguments.floe, "run", graph, "--output", folder, "--cache", "--checkpoint-every", "0",
                        "--progress", "quiet"], check=True)
    camera = json.loads(graph.read_text())["nodes"]["camera"]["parameters"]
    eevee = blender({
        "what": "draw", "picture": str(folder / "eevee.png"), "result": str(folder / "eevee.json"),
        "around": str(around), "size": arguments.size, "samples": arguments.samples, "camera": camera, "sun": SUN,
        "ground": GROUND, "boxes": scene["boxes"],
        "meshes": [{**material, "path": str(folder / f"mesh/{number}.{frame:04d}.obj")}
                   for number, material in scene["materials"].items()]})
    one = floe_draws(arguments.floe, graph, folder, frame, 1)
    some = floe_draws(arguments.floe, graph, folder, frame, 9)
    each = (some - one) / 8
    exposures = max(round(eevee["seconds"] / each), 1)
    floe_draws(arguments.floe, graph, folder, frame, exposures)
    return {"scene": name, "triangles": eevee["triangles"], "eevee": eevee["seconds"], "exposures": exposures,
            "floe": each * exposures, "surfaces": one - each, "pictures": [folder / f"images/floe.{frame:04d}.png",
                                                                           folder / "eevee.png"]}


def side_by_side(rows, path):
    from PIL import Image
    pictures = [[Image.open(picture).convert("RGB") for picture in row["pictures"]] for row in rows]
    width, height = pictures[0][0].size
    page = Image.new("RGB", (2 * width + 8, len(rows) * (height + 8) - 8), "white")
    for y, row in enumerate(pictures):
        for x, picture in enumerate(row):
            page.paste(picture, (x * (width + 8), y * (height + 8)))
    page.save(path, quality=86, optimize=True)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("floe", type=pathlib.Path)
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--page", type=pathlib.Path)
parser.add_argument("--scenes", nargs="+", choices=SCENES, default=list(SCENES))
parser.add_argument("--samples", type=int, default=16)
parser.add_argument("--size", type=lambda text: [int(part) for part in text.split("x")], default=[960, 540])
arguments = parser.parse_args()

rows = [compare(name, arguments) for name in arguments.scenes]
print("| scene | triangles | EEVEE's time | samples | Floe's time | exposures | its surfaces from particles, beside that |")
print("|---|---|---|---|---|---|---|")
for row in rows:
    print(f"| {row['scene']} | {row['triangles']:,} | {row['eevee']:.1f} s | {arguments.samples} | {row['floe']:.1f} s | "
          f"{row['exposures']} | {row['surfaces']:.1f} s |")
if arguments.page:
    side_by_side(rows, arguments.page)
