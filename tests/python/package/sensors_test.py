"""Sensors: in a session and in files, against geometry."""

import math
import subprocess

import numpy as np

from scene import FLOE, Case, ball, floe, main

WIDTH, HEIGHT = 120, 90


def watched(speed):
    """The ball, before a wall at z = -1 that slides to the right by `speed` m a frame, seen from z = 4."""
    scene = ball(end=3)
    scene["front"].eye = (0, 0.4, 4)  # along -z
    scene.add("floe.shape.box", "wall_shape", size=(1, 2, 0.2), center=(0, 0.4, -1.1))
    scene.add("floe.collider", "wall", position=[{"keys": [[1, 0.0, "linear"], [3, 2 * speed, "linear"]]}, 0, 0])
    scene.add("floe.sensor.camera", "eye", width=WIDTH, height=HEIGHT)
    scene.add("floe.output.particles", "files", path="seen/pixels.%04d.npz")
    for source, target in (("wall_shape.shape", "wall.shape"), ("wall_shape.mesh", "wall.mesh"),
                           ("solver.particles", "eye.particles"), ("wall.collider", "eye.colliders"),
                           ("front.camera", "eye.camera"), ("eye.pixels", "files.particles")):
        scene.link(source, target)
    return scene


class Sensors(Case):
    def test_pixels_and_boxes_of_a_session_are_geometry(self):
        with floe.Session() as session:
            frame = session.run(watched(0.05), frames=3).wait()
            pixels, boxes = (frame.value(f"eye.{name}").fetch() for name in ("pixels", "boxes"))
            solver = frame.particles["x"]
        wall = pixels["object"] == 1
        self.assertGreater(wall.sum(), 500)
        self.assertGreater((~wall).sum(), 100)
        np.testing.assert_allclose(pixels["depth"][wall], 5, rtol=1e-5)
        np.testing.assert_allclose(pixels["normal"][wall], np.tile([0, 0, 1], (wall.sum(), 1)), atol=1e-5)
        # The wall's own points, by finite differences: 0.05 m a frame, 5 m away.
        focal = HEIGHT / 2 / math.tan(math.radians(20))
        np.testing.assert_allclose(pixels["flow"][wall], np.tile([focal * 0.05 / 5, 0], (wall.sum(), 1)), atol=1e-3)
        np.testing.assert_allclose(pixels["v"][wall], np.tile([0.05 * 24, 0, 0], (wall.sum(), 1)), atol=1e-4)
        # What is seen of the ball lies on its particles.
        seen = pixels["x"][~wall]
        centres = solver[pixels["element"][~wall]]
        distances = np.linalg.norm(seen - centres, axis=1)
        np.testing.assert_allclose(distances, distances[0], rtol=1e-3)
        # Rectangles hold just the pixels of their objects.
        for number, rectangle, count in zip(boxes["object"], boxes["rectangle"], boxes["pixels"]):
            own = pixels["pixel"][pixels["object"] == number]
            column, row = own % WIDTH, own // WIDTH
            self.assertEqual(list(rectangle), [column.min(), row.min(), np.ptp(column) + 1, np.ptp(row) + 1])
            self.assertEqual(count, len(own))

    def test_flow_has_the_cameras_own_motion(self):
        scene = watched(0.05)
        scene["front"].eye = [{"keys": [[1, -0.3, "linear"], [3, 0.1, "linear"]]}, 0.4, 4]
        scene["front"].target = [{"keys": [[1, 0.1, "linear"], [3, -0.1, "linear"]]}, 0.4, 0]
        with floe.Session() as session:
            frame = session.run(scene, frames=3).wait()
            pixels = frame.value("eye.pixels").fetch()
            values = frame.particles["x"], frame.particles["v"]
        focal = HEIGHT / 2 / math.tan(math.radians(20))

        def seen_from(eye, target, points):
            forward = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
            right = np.cross(forward, [0, 1, 0])
            down = np.cross(forward, right)
            to = points - eye
            return focal * np.stack([to @ right, to @ down], 1) / (to @ forward)[:, None]

        wall = pixels["object"] == 1
        step = np.where(wall[:, None], [0.05, 0, 0], values[1][pixels["element"] * ~wall] / 24)
        now = seen_from((0.1, 0.4, 4), (-0.1, 0.4, 0), pixels["x"])
        before = seen_from((-0.1, 0.4, 4), (0, 0.4, 0), pixels["x"] - step)
        np.testing.assert_allclose(pixels["flow"], now - before, atol=2e-3)
        self.assertGreater(np.abs(now - before)[~wall].max(), 5)

    def test_files_open_in_numpy(self):
        watched(0.05).save(str(self.folder / "scene.floe.json"))
        subprocess.run([FLOE, "run", str(self.folder / "scene.floe.json"), "-o", str(self.folder / "out"),
                        "--progress", "quiet"], check=True)
        with np.load(self.folder / "out/seen/pixels.0003.npz") as file:
            self.assertIsNone(file.zip.testzip())
            self.assertEqual(int(file["width"]), WIDTH)
            depth = np.full(WIDTH * HEIGHT, np.inf)
            depth[file["pixel"]] = file["depth"]
            # Back from depth to the points, by the camera's matrix.
            row, column = np.divmod(file["pixel"], WIDTH)
            points = (file["eye"] + file["depth"][:, None] * (
                file["forward"] + np.outer((column + 0.5 - WIDTH / 2) / file["focal"], file["right"])
                + np.outer((row + 0.5 - HEIGHT / 2) / file["focal"], file["down"])))
            np.testing.assert_allclose(points, file["x"], atol=1e-5)
            self.assertEqual(file["x"].dtype, np.float32)
            self.assertEqual(file["material"].dtype, np.int32)


if __name__ == "__main__":
    main()
