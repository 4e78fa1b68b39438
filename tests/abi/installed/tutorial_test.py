#!/usr/bin/env python3
"""Does what the manual's page *Writing a plugin* says, step by step as a reader would, with an
installed Floe: the blocks of the page are what is typed.

usage: tutorial_test.py PREFIX PAGE.md"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PREFIX, PAGE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


def blocks(page):
    """@return the blocks of each section, by its heading"""
    sections = re.split(r"^## +(.*)$", page, flags=re.M)
    return {heading: re.findall(r"^```\n(.*?)^```", text, flags=re.M | re.S)
            for heading, text in zip(sections[1::2], sections[2::2])}


class WritingAPlugin(unittest.TestCase):
    maxDiff = None

    def test_as_it_is_written(self):
        steps = blocks(PAGE.read_text())
        with tempfile.TemporaryDirectory(prefix="floe-tutorial-") as work:
            self.environment = dict(
                os.environ, HOME=work, XDG_CACHE_HOME=f"{work}/cache", XDG_DATA_HOME=f"{work}/data",
                CMAKE_PREFIX_PATH=str(PREFIX), PATH=f"{PREFIX}/bin:{os.environ['PATH']}")
            commands, = (block for block in steps["A node in five minutes"] if "plugin new" in block)
            self.shell(commands, work)
            self.folder = pathlib.Path(work) / "studio_waves"

            parameter, code = steps["A parameter"]
            self.edit(lambda node: node["parameters"].append(json.loads(parameter)))
            self.put_into_cook(code)
            self.assertIn("studio.waves", self.build_and_check())

            sockets, code = steps["An input"]
            self.edit(lambda node: node.update(json.loads("{" + sockets + "}")))
            self.put_into_cook(code)
            self.build_and_check()

            french, = steps["In other languages"]
            (self.folder / "translations").mkdir()
            (self.folder / "translations" / "fr.json").write_text(french)
            said = self.build_and_check()
            # Lines for the page's own additions are missing; those that are there fit.
            self.assertIn("Phase", said)
            for text in json.loads(french)["texts"]:
                self.assertIn(text, (self.folder / "plugin.json").read_text())
                self.assertNotIn(text, said)

    def shell(self, commands, folder):
        done = subprocess.run(["bash", "-e", "-o", "pipefail", "-c", commands], cwd=folder,
                              env=self.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{commands}\n{done.stdout}")
        return done.stdout

    def edit(self, change):
        path = self.folder / "plugin.json"
        manifest = json.loads(path.read_text())
        node, = manifest["nodes"]
        change(node)
        path.write_text(json.dumps(manifest, indent=2))

    def put_into_cook(self, code):
        path = self.folder / "studio_waves.cpp"
        text = path.read_text()
        changed = re.sub(r"(void cook\(.*\n *\{\n)", lambda found: found[1] + code, text)
        self.assertNotEqual(changed, text, "no cook() to read it in")
        path.write_text(changed)

    def build_and_check(self):
        return self.shell("cmake --build build && floe plugin check build/floe-plugins/studio_waves",
                          self.folder)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
