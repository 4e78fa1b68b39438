"""Sensors: in a session and in files, against geometry."""

import json
import math
import signal
import struct
import subprocess
import time
import zlib

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


def exr(path):
    """Channels and attributes of a file with 32-bit floats and ZIP compression, by the format's own description."""
    data = path.read_bytes()
    assert data[:8] == bytes((0x76, 0x2F, 0x31, 0x01, 2, 0, 0, 0)), data[:8]
    at, attributes = 8, {}
    while data[at]:
        name, kind = (part.decode() for part in data[at:].split(b"\0", 2)[:2])
        at += len(name) + len(kind) + 2
        size = struct.unpack_from("<i", data, at)[0]
        attributes[name] = data[at + 4:at + 4 + size]
        at += 4 + size
    assert attributes["compression"] == b"\x03"  # blocks of 16 rows
    left, top, right, bottom = struct.unpack("<4i", attributes["dataWindow"])
    width, height = right - left + 1, bottom - top + 1
    names, text = [], attributes["channels"]
    while text[0]:
        name = text.split(b"\0", 1)[0]
        assert struct.unpack_from("<i", text, len(name) + 1)[0] == 2  # float
        names.append(name.decode())
        text = text[len(name) + 17:]
    rows = []
    for offset in struct.unpack_from(f"<{(height + 15) // 16}q", data, at + 1):
        first, size = struct.unpack_from("<2i", data, offset)
        count = min(16, height - first)
        raw, wanted = data[offset + 8:offset + 8 + size], 4 * width * len(names) * count
        if size < wanted:
            steps = np.frombuffer(zlib.decompress(raw), np.uint8).astype(np.int64)
            steps[1:] -= 128
            halves = np.cumsum(steps).astype(np.uint8)
            raw = np.empty(wanted, np.uint8)
            raw[0::2], raw[1::2] = halves[:(wanted + 1) // 2], halves[(wanted + 1) // 2:]
        rows.append(np.frombuffer(bytes(raw), "<f4").reshape(count, len(names), width))
    planes = np.concatenate(rows)
    return {name: planes[:, k] for k, name in enumerate(names)}, attributes


def mask_of(segmentation):
    """The mask of packed run lengths, as pycocotools unpacks them."""
    runs, value, shift = [], 0, 0
    for character in segmentation["counts"]:
        bits = ord(character) - 48
        value |= (bits & 0x1F) << shift
        shift += 5
        if not bits & 0x20:
            if bits & 0x10:
                value -= 1 << shift
            runs.append(value + (runs[-2] if len(runs) > 2 else 0))
            value = shift = 0
    height, width = segmentation["size"]
    mask = np.repeat(np.arange(len(runs)) % 2, runs)
    assert len(mask) == width * height
    return mask.reshape(width, height).T.astype(bool)


def weighed(end):
    """A box of 0.4 m, aside of the middle, set down on a floor; the solver's contacts, and plates that read them."""
    scene = floe.Graph(end=end)
    scene.add("floe.shape.box", "cube", size=(0.4, 0.4, 0.4))
    scene.add("floe.pbd.body", "box", position=(0.5, 0.2, -0.25), density=500, voxel=0.1)
    scene.add("floe.shape.box", "floor_shape", size=(4, 0.4, 4), center=(0, -0.2, 0), voxelSize=0.05)
    scene.add("floe.collider", "floor", contact="separate", friction=0.5)
    scene.add("floe.pbd.solver", "solver", contactLog=True)
    scene.add("floe.sensor.forcePlate", "scales")
    scene.add("floe.sensor.forcePlate", "under", of="body", number=0, center=(0.5, 0.2, -0.25))
    for source, target in (("cube.mesh", "box.mesh"), ("box.body", "solver.bodies"),
                           ("floor_shape.shape", "floor.shape"), ("floor.collider", "solver.colliders"),
                           ("solver.contacts", "scales.contacts"), ("solver.contacts", "under.contacts")):
        scene.link(source, target)
    return scene


def weighed_matter(end):
    """Sand, aside of the middle, that falls onto a floor; the solver's contacts, and a plate that reads them."""
    scene = floe.Graph(end=end)
    scene.add("floe.shape.box", "load", size=(0.6, 0.4, 0.6), center=(0.3, 0.3, -0.2), voxelSize=0.05)
    scene.add("floe.material", "sand", density=1500).preset("sand")
    scene["sand"].density = 1500
    scene.add("floe.emitter", "pour")
    scene.add("floe.shape.box", "floor_shape", size=(4, 0.4, 4), center=(0, -0.2, 0), voxelSize=0.05)
    scene.add("floe.collider", "floor", contact="separate", friction=0.5)
    scene.add("floe.mpm.solver", "solver", cellSize=0.1, contactLog=True)
    scene.add("floe.sensor.forcePlate", "scales", center=(0.3, 0, -0.2))
    for source, target in (("load.shape", "pour.shape"), ("sand.material", "pour.material"),
                           ("pour.emitter", "solver.emitters"), ("floor_shape.shape", "floor.shape"),
                           ("floor.collider", "solver.colliders"), ("solver.contacts", "scales.contacts")):
        scene.link(source, target)
    return scene


def labelled(end=3):
    """The ball before the wall, measured into .npz, .exr and COCO files."""
    scene = watched(0.05)
    scene.end = end
    scene.add("floe.output.particles", "layers", path="seen/layers.%04d.exr")
    scene.add("floe.output.coco", "labels", path="labels/labels.%04d.json", names="jelly, wall")
    scene.link("eye.pixels", "layers.particles")
    scene.link("eye.pixels", "labels.pixels")
    return scene


class Sensors(Case):
    def run_program(self, scene, *more):
        scene.save(str(self.folder / "scene.floe.json"))
        return [FLOE, "run", str(self.folder / "scene.floe.json"), "-o", str(self.folder / "out"),
                "--progress", "quiet", *more]

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
        self.assertGreater(np.abs(now - before)[~wall].max(), 2)

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

    def test_layers_are_the_pixels(self):
        subprocess.run(self.run_program(labelled()), check=True)
        layers, attributes = exr(self.folder / "out/seen/layers.0002.exr")
        self.assertEqual(set(layers), {"Z", "N.X", "N.Y", "N.Z", "flow.X", "flow.Y", "flow.Z", "object.X", "element.X",
                                       "material.X"})
        with np.load(self.folder / "out/seen/pixels.0002.npz") as pixels:
            self.assertEqual(attributes["focal"].decode(), repr(float(pixels["focal"])))
            for layer, values, nothing in (
                    ("Z", pixels["depth"], 1e10), ("N.X", pixels["normal"][:, 0], 0),
                    ("N.Y", pixels["normal"][:, 1], 0), ("N.Z", pixels["normal"][:, 2], 0),
                    ("flow.X", pixels["flow"][:, 0], 0), ("flow.Y", pixels["flow"][:, 1], 0), ("flow.Z", 0, 0),
                    ("object.X", pixels["object"], -1), ("element.X", pixels["element"], -1),
                    ("material.X", pixels["material"], -1)):
                expected = np.full(WIDTH * HEIGHT, nothing, np.float32)
                expected[pixels["pixel"]] = values
                np.testing.assert_array_equal(layers[layer].ravel(), expected, layer)

    def test_layers_need_a_sensor(self):
        scene = ball(end=1)
        scene.add("floe.output.particles", "layers", path="layers.%04d.exr")
        scene.link("solver.particles", "layers.particles")
        told = subprocess.run(self.run_program(scene), stderr=subprocess.PIPE, universal_newlines=True)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("an .exr file holds what a camera sensor measured; link the sensor's pixels", told.stderr)

    def test_coco_labels_are_the_pixels(self):
        subprocess.run(self.run_program(labelled()), check=True)
        labels = json.loads((self.folder / "out/labels/labels.json").read_text())
        self.assertEqual([(one["id"], one["name"]) for one in labels["categories"]], [(1, "jelly"), (2, "wall")])
        self.assertEqual(labels["images"], [
            {"id": frame, "width": WIDTH, "height": HEIGHT, "file_name": f"images/beauty.{frame:04}.png"}
            for frame in (1, 2, 3)])
        self.assertEqual([one["id"] for one in labels["annotations"]], [1, 2, 3, 4, 5, 6])
        for one in labels["annotations"]:
            with np.load(self.folder / f"out/seen/pixels.{one['image_id']:04}.npz") as pixels:
                expected = np.zeros(WIDTH * HEIGHT, bool)
                expected[pixels["pixel"][pixels["object"] == one["category_id"] - 1]] = True
            np.testing.assert_array_equal(mask_of(one["segmentation"]).ravel(), expected)
            self.assertEqual(one["area"], expected.sum())
            row, column = np.nonzero(expected.reshape(HEIGHT, WIDTH))
            self.assertEqual(one["bbox"], [column.min(), row.min(), np.ptp(column) + 1, np.ptp(row) + 1])

    def test_coco_labels_leave_out_what_has_no_name(self):
        for names, expected in ((", wall", [(2, "wall")]), ("", [(1, "object 0"), (2, "object 1")]),
                                ("thing, thing", [(1, "thing")])):
            scene = labelled(end=1)
            scene["labels"].names = names
            subprocess.run(self.run_program(scene), check=True)
            labels = json.loads((self.folder / "out/labels/labels.json").read_text())
            self.assertEqual([(one["id"], one["name"]) for one in labels["categories"]], expected)
            self.assertEqual({one["category_id"] for one in labels["annotations"]}, {id for id, _ in expected})
            self.assertEqual(len(labels["annotations"]), 1 if names == ", wall" else 2)

    def test_a_force_plate_weighs_a_box(self):
        with floe.Session() as session:
            frame = session.run(weighed(24), frames=24).wait()
            reading, under = (frame.value(f"{name}.reading").fetch() for name in ("scales", "under"))
            contacts, states = frame.value("solver.contacts").fetch(), frame.value("solver.states").fetch()
        weight = states["mass"][0] * 9.81
        self.assertAlmostEqual(weight, 0.4 ** 3 * 500 * 9.81, delta=1e-3 * weight)
        self.assertEqual([contacts[name].tolist() for name in ("a", "aKind", "b", "bKind")], [[0], [0], [0], [2]])
        np.testing.assert_allclose(contacts["impulse"][0], [0, weight / 24, 0], atol=1e-3 * weight / 24)
        np.testing.assert_allclose(contacts["normal"][0], [0, 1, 0], atol=1e-5)
        # The floor is pressed down below the box; the box is held, without a torque.
        np.testing.assert_allclose(reading["x"][0], [0.5, 0, -0.25], atol=2e-3)
        np.testing.assert_allclose(reading["force"][0], [0, -weight, 0], atol=1e-3 * weight)
        np.testing.assert_allclose(reading["torque"][0], np.cross([0.5, 0, -0.25], [0, -weight, 0]), atol=2e-3 * weight)
        np.testing.assert_allclose(under["force"][0], [0, weight, 0], atol=1e-3 * weight)
        np.testing.assert_allclose(under["torque"][0], 0, atol=2e-3 * weight)

    def test_a_force_plate_weighs_a_heap(self):
        scene = weighed(48)
        scene.add("floe.shape.box", "load", size=(0.6, 0.3, 0.6), center=(-0.6, 0.15, 0.4), voxelSize=0.05)
        scene.add("floe.emitter", "pour")
        scene.add("floe.pbd.grains", "gravel", density=1500)
        scene["solver"].particleSize = 0.1
        for source, target in (("load.shape", "pour.shape"), ("gravel.material", "pour.material"),
                               ("pour.emitter", "solver.emitters")):
            scene.link(source, target)
        with floe.Session() as session:
            run = session.run(scene, frames=48)
            frame = run.wait()
            force = frame.value("scales.reading").fetch()["force"][0]
            radius, states = frame.particles["radius"], frame.value("solver.states").fetch()
        mass = states["mass"][0] + (1500 * (2 * radius.astype(float)) ** 3).sum()
        self.assertGreater(mass, 2 * states["mass"][0])
        self.assertAlmostEqual(force[1], -9.81 * mass, delta=0.02 * 9.81 * mass)  # a heap at rest still creeps

    def test_a_force_plate_weighs_matter(self):
        scene = weighed_matter(16)
        forces, readings = [], []
        with floe.Session() as session:
            for frame in session.run(scene, device="cpu"):
                readings.append(frame.value("scales.reading").fetch())
                forces.append(readings[-1]["force"][0].astype(float))
                particles = frame.particles["v"].copy(), frame.particles["volume"].copy()
        masses = 1500 * particles[1].astype(float)
        momentum = masses @ particles[0]
        # From the fall to rest: what the floor got is what weight gave and matter did not keep.
        weight = 9.81 * masses.sum()
        np.testing.assert_allclose(np.sum(forces, 0) / 24, np.array([0, -weight * 15 / 24, 0]) - momentum,
                                   atol=2e-3 * weight * 15 / 24)
        self.assertLess(np.min(forces, 0)[1], -1.1 * weight)  # as it arrives
        # The block stands on its middle.
        np.testing.assert_allclose(readings[-1]["x"][0][[0, 2]], [0.3, -0.2], atol=0.02)
        np.testing.assert_allclose(readings[-1]["torque"][0], 0, atol=0.02 * weight)

    def test_a_force_plate_weighs_a_part(self):
        scene = weighed_matter(4)
        scene["solver"].contactCell = 0.1
        for name, center in (("left", -0.75), ("right", 1.25)):  # up to x = 0.25 m, and from there on
            scene.add("floe.sensor.forcePlate", name, center=(center, 0, 0), size=(2, 0, 0))
            scene.link("solver.contacts", f"{name}.contacts")
        with floe.Session() as session:
            run = list(session.run(scene, device="cpu"))
            whole, left, right = (run[-1].value(f"{name}.reading").fetch() for name in ("scales", "left", "right"))
            seen = floe.force_map(run[-1:], 0.1, (-1, -1), (2, 1))
        np.testing.assert_allclose(left["force"] + right["force"], whole["force"], rtol=1e-5, atol=1e-3)
        self.assertGreater(left["force"][0][1] / whole["force"][0][1], 0.3)  # five of its twelve columns of particles
        self.assertLess(left["force"][0][1] / whole["force"][0][1], 0.5)
        self.assertLess(left["x"][0][0], 0.25)
        self.assertGreater(right["x"][0][0], 0.25)
        self.assertAlmostEqual(seen.total, -whole["force"][0][1], delta=1e-4 * seen.total)
        np.testing.assert_allclose(seen.centre, whole["x"][0][[0, 2]], atol=0.06)  # rows are spread over cells
        scene["solver"].contactCell = 0
        with floe.Session() as session:
            frame = session.run(scene, frames=1, device="cpu").wait()
            with self.assertRaises(floe.FloeError) as caught:
                frame.value("left.reading").fetch()
        self.assertIn("give its 'Contact cell' a length", str(caught.exception))

    def test_a_force_plate_needs_the_log(self):
        scene = weighed(2)
        scene["solver"].contactLog = False
        scene.add("floe.output.particles", "files", path="reading.%04d.json")
        scene.link("scales.reading", "files.particles")
        told = subprocess.run(self.run_program(scene), stderr=subprocess.PIPE, universal_newlines=True)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("the solver records no contacts; switch its 'Contact log' on", told.stderr)

    def test_a_force_plate_names_what_there_is(self):
        def told(scene, of, number=0):
            scene["scales"].of, scene["scales"].number = of, number
            try:
                with floe.Session() as session:
                    session.run(scene, frames=1, device="cpu").wait().value("scales.reading").fetch()
            except floe.FloeError as error:
                self.assertIn("scales", str(error))
                return str(error)
            return ""

        self.assertEqual(told(weighed(1), "collider"), "")
        self.assertEqual(told(weighed(1), "body"), "")
        self.assertEqual(told(weighed_matter(1), "collider"), "")
        self.assertIn("parameter 'number' is 1; the solver has 1 of them", told(weighed(1), "collider", 1))
        self.assertIn("parameter 'number' is 3; the solver has 1 of them", told(weighed(1), "body", 3))
        for scene, of in (weighed(1), "wall"), (weighed_matter(1), "wall"), (weighed_matter(1), "body"):
            self.assertIn(f"the solver has no {of} whose contacts it records", told(scene, of))

    def test_labels_of_a_killed_run_go_on(self):
        straight = self.folder / "straight"
        scene = labelled(end=40)
        command = self.run_program(scene, "--checkpoint-every", "5")
        subprocess.run([straight if one == str(self.folder / "out") else one for one in command], check=True)
        run = subprocess.Popen(command)
        while run.poll() is None and not (self.folder / "out/labels/labels.0012.json").exists():
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertFalse((self.folder / "out/labels/labels.json").exists())
        subprocess.run([*command, "--resume"], check=True)
        self.assertEqual((self.folder / "out/labels/labels.json").read_bytes(),
                         (straight / "labels/labels.json").read_bytes())


if __name__ == "__main__":
    main()
