#!/usr/bin/python3
"""Remakes the pictures of presets from the previews of their node types.

    packaging/preset_pictures.py --floe build/bin/floe [--only snow,sand] [plugins/materials ...]

A type's `preview` is run with the values of each preset that names a `picture`; its last frame
becomes that picture. Needs Pillow (python3-pil).
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

SIZE = (240, 160)


def make(floe, folder, node, preset):
    scene = json.loads((folder / node["preview"]).read_text())
    shown = scene["nodes"]["shown"]
    shown["parameters"] = preset["values"] | shown.get("parameters", {})
    with tempfile.TemporaryDirectory() as work:
        graph = pathlib.Path(work) / "scene.floe.json"
        graph.write_text(json.dumps(scene))
        done = subprocess.run(
            [floe, "run", str(graph), "--output", work + "/out"], capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{node['type']}, {preset['name']}: {done.stderr}")
        last = sorted(pathlib.Path(work, "out").rglob("*.png"))[-1]
        picture = folder / preset["picture"]
        picture.parent.mkdir(exist_ok=True)
        Image.open(last).convert("RGB").resize(SIZE, Image.LANCZOS).save(picture, quality=88)
    print(picture, picture.stat().st_size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--floe", default="build/bin/floe")
    parser.add_argument("--only", type=lambda text: text.split(","), help="names of presets")
    parser.add_argument("plugins", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    for folder in options.plugins or sorted(root.glob("plugins/*")):
        if not (folder / "plugin.json").exists():
            continue
        for node in json.loads((folder / "plugin.json").read_text()).get("nodes", []):
            for preset in node.get("presets", []):
                if "picture" in preset and (not options.only or preset["name"] in options.only):
                    make(options.floe, folder, node, preset)


if __name__ == "__main__":
    main()
