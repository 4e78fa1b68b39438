"""The Blender add-on: its readers anywhere, and in Blender that what a run wrote is there on its frames.

Command line: addon_test.py SOURCE_FOLDER FLOE [unittest's own arguments]."""

import importlib
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import types
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "package"))
from scene import FLOE, SOURCE, Case, ball, main  # noqa: E402

from floe.picture import decode_png  # noqa: E402

ADDONS = SOURCE / "packaging/blender"
BLENDER = shutil.which("blender")



def _readers():
    """The add-on's modules that need no Blender, without its __init__, which does."""
    package = types.ModuleType("floe_import")
    package.__path__ = [str(ADDONS / "floe_import")]
    sys.modules["floe_import"] = package
    return [importlib.import_module(f"floe_import.{name}") for name in ("ply", "run_folder")]


ply, run_folder = _readers()


def run(folder, end=5):
    """A falling ball: particles, its level set, and a mesh, in a folder."""
    scene = ball(end=end)
    scene.add("floe.output.particles", "points", path="particles/matter.%04d.ply", every=2)
    scene.add("floe.output.mesh", "surface", path="mesh/ball.%04d.ply")
    scene.add("floe.output.volume", "level_set", path="volume/ball.%04d.vdb")
    for source, target in (("solver.particles", "points.particles"), ("ball.mesh", "surface.mesh"),
                           ("ball.shape", "level_set.volume")):
        scene.link(source, target)
    scene.save(folder / "ball.floe.json")
    subprocess.run([FLOE, "run", folder / "ball.floe.json", "--output", folder / "out", "--progress",
                    "quiet"], check=True)
    return folder / "out"


class Readers(Case):
    def test_what_floe_writes_is_read(self):
        out = run(self.folder)
        found = {one.kind: one for one in run_folder.sequences(str(out))}
        self.assertEqual({kind: one.name for kind, one in found.items()},
                         {"particles": "matter", "mesh": "ball", "volume": "ball"})
        self.assertEqual(sorted(found["particles"].files), [1, 3, 5])
        self.assertTrue(found["particles"].at(4).endswith("matter.0003.ply"))
        self.assertIsNone(found["particles"].at(0))
        self.assertEqual(run_folder.frame_range(str(out)), (1, 5, 24.0))
        content = ply.read(found["particles"].at(5))
        self.assertEqual(len(np.unique(content.vertices["id"])), len(content.vertices["x"]))
        # Free fall over four frames; the solver's steps are much finer.
        self.assertAlmostEqual(content.vertices["vy"].mean(), -9.81 * 4 / 24, delta=0.01)
        mesh = ply.read(found["mesh"].at(1))
        corners = mesh.vectors(("x", "y", "z"))[mesh.corners].reshape(-1, mesh.sizes[0], 3)
        volume = sum(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, i], corners[:, i + 1])).sum()
                     for i in range(1, mesh.sizes[0] - 1)) / 6
        # The ball's mesh is inscribed at its voxel size, a quarter of the radius.
        self.assertAlmostEqual(abs(volume), 4 / 3 * np.pi * 0.2 ** 3, delta=0.1 * 0.0335)

    def test_damaged_files_are_errors(self):
        head = (b"ply\nformat binary_little_endian 1.0\nelement vertex 2\nproperty float x\n"
                b"element face 2\nproperty list uchar int vertex_indices\nend_header\n")
        good = head + struct.pack("<ff", 1, 2) + struct.pack("<BiiBiii", 2, 0, 1, 3, 0, 1, 1)
        path = self.folder / "some.ply"
        path.write_bytes(good)
        content = ply.read(path)
        self.assertEqual((content.corners.tolist(), content.sizes.tolist()), ([0, 1, 0, 1, 1], [2, 3]))
        wrong = [good[:cut] for cut in range(len(good))] + [
            good.replace(b"little_endian", b"middle_endian"), good.replace(b"float x", b"quad x"),
            good.replace(b"vertex 2", b"vertex 99999999999"), good.replace(b"vertex 2", b"vertex -1"),
            good.replace(b"float x", b"float x\nproperty float x"),
            head + struct.pack("<ff", 1, 2) + struct.pack("<BiiBiii", 2, 0, 1, 3, 0, 9, 1)]
        for content in wrong:
            path.write_bytes(content)
            with self.assertRaises(ply.PlyError):
                ply.read(path)


@unittest.skipUnless(BLENDER, "Blender is not installed: apt-get install blender")
class InBlender(Case):
    def test_objects_follow_the_timeline_with_attributes(self):
        out, result = run(self.folder), self.folder / "result"
        result.mkdir()
        (out / "particles/matter.0003.ply").write_bytes(b"ply\nnothing")
        done = subprocess.run([BLENDER, "-b", "--factory-startup", "--python-exit-code", "3", "--python",
                               pathlib.Path(__file__).with_name("in_blender.py"), "--", ADDONS, out, result,
                               "1,3,5,2"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout[-2000:])
        said = json.loads((result / "said.json").read_text())
        self.assertEqual(said["range"], [1, 5, 24])
        for frame in ("1", "5"):
            self.assertEqual(said["frames"][frame]["matter"],
                             {"type": "MESH", "faces": 0, "fault": "", "valid": True, "drawn": "MESH"})
        self.assertIn("matter.0003.ply", said["frames"]["3"]["matter"]["fault"])
        self.assertEqual(said["frames"]["2"]["matter"]["fault"], "", "the fault is that of its file")
        mesh = next(about for name, about in said["frames"]["1"].items()
                    if about["type"] == "MESH" and name != "matter")
        self.assertGreater(mesh["faces"], 100)
        self.assertTrue(mesh["valid"])
        grid = next(about for about in said["frames"]["1"].values() if about["type"] == "VOLUME")
        self.assertEqual((grid["grids"], grid["fault"]), (1, ""))
        for frame in (1, 5):
            there = np.load(result / f"matter.{frame}.npz")
            wrote = ply.read(out / f"particles/matter.{frame:04d}.ply").vertices
            np.testing.assert_array_equal(there["position"][:, 2], wrote["y"])
            np.testing.assert_array_equal(there["position"][:, 1], -wrote["z"])
            np.testing.assert_array_equal(there["velocity"][:, 2], wrote["vy"])
            for name in ("id", "material", "J", "volume"):
                np.testing.assert_array_equal(there[name], wrote[name].astype(there[name].dtype))
            np.testing.assert_allclose(4 / 3 * np.pi * there["radius"] ** 3, there["volume"], rtol=1e-5)
        # Free fall, downward in Blender's z.
        self.assertAlmostEqual(there["velocity"][:, 2].mean(), -9.81 * 4 / 24, delta=0.01)
        pixels = decode_png((result / "picture.png").read_bytes())
        self.assertEqual(pixels.shape[:2], (90, 160))
        self.assertGreater(pixels[:, :, :3].std(), 5, "the ball is to be seen")


if __name__ == "__main__":
    main()
