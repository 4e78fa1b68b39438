"""What the tests of the package share: its place, and a small scene.

Command line: TEST.py SOURCE_FOLDER FLOE [unittest's own arguments]. $FLOE_PACKAGE, when it is set, is the
folder that `floe` has to come from."""

import atexit
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
FLOE = os.path.abspath(sys.argv[2])
os.environ["FLOE_PROGRAM"] = FLOE
PACKAGE = pathlib.Path(os.environ.get("FLOE_PACKAGE", SOURCE / "runtime/python")).resolve()
if "FLOE_PACKAGE" not in os.environ:
    sys.path.insert(0, str(PACKAGE))

private = tempfile.mkdtemp(prefix="floe-python-")
atexit.register(shutil.rmtree, private, ignore_errors=True)
for name in ("XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
    os.environ[name] = os.path.join(private, name)
    os.mkdir(os.environ[name], 0o700)

import floe  # noqa: E402

assert PACKAGE in pathlib.Path(floe.__file__).resolve().parents, floe.__file__


def ball(end=6, height=0.5, speed=0.0):
    """A ball of jelly in free fall: some 2,000 particles, so that a frame takes milliseconds."""
    scene = floe.Graph(end=end)
    scene.add("floe.shape.sphere", "ball", radius=0.2, center=(0, height, 0), voxelSize=0.05)
    scene.add("floe.material", "jello").preset("jello")
    scene.add("floe.emitter", "body", velocity=(speed, 0, 0))
    scene.add("floe.force.gravity", "down", acceleration=(0, -9.81, 0))
    scene.add("floe.mpm.solver", "solver", cellSize=0.05)
    scene.add("floe.camera", "front", eye=(0, 0.5, 4), target=(0, 0.4, 0))
    scene.link("ball.shape", "body.shape")
    scene.link("jello.material", "body.material")
    scene.link("body.emitter", "solver.emitters")
    scene.link("down.force", "solver.forces")
    return scene


def arm(end=1, speed=0.0):
    """A bar along x that a motor turns about y, on its own in the world, and a sensor that looks at it from above."""
    scene = floe.Graph(end=end)
    scene.add("floe.shape.box", "bar_shape", size=(0.6, 0.1, 0.1), voxelSize=0.02)
    scene.add("floe.pbd.body", "bar", voxel=0.05, density=500)
    scene.add("floe.pbd.joint", "axle", kind="hinge", axis=(0, 1, 0), motor=True, speed=speed, torque=1000)
    scene.add("floe.pbd.solver", "arms")
    scene.add("floe.camera", "above", eye=(0, 2, 0), target=(0, 0, 0), up=(0, 0, -1))
    scene.add("floe.sensor.camera", "eye", width=40, height=30)
    for source, target in (("bar_shape.mesh", "bar.mesh"), ("bar.body", "arms.bodies"), ("bar.body", "axle.a"),
                           ("axle.joint", "arms.joints"), ("arms.mesh", "eye.meshes"),
                           ("above.camera", "eye.camera")):
        scene.link(source, target)
    return scene


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="floe-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


def main():
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
