"""What `floe serve` draws and exports."""

import copy
import math
import os
import pathlib
import shutil
import stat
import sys
import time
import unittest

from client import Failure
from session import BALL, Session


class Pictures(Session):
    def pixels(self, picture):
        with open("/dev/shm" + picture["segment"], "rb") as file:
            file.seek(picture["offset"])
            return file.read(picture["stride"] * picture["height"])

    def look(self, **params):
        self.client.call("view.set", **{"width": 320, "height": 180, "frame": 1, **params})
        return self.client.wait("view.picture", lambda p: p["frame"] == params.get("frame", 1))

    def test_live_colours_are_seen_in_the_next_frames(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 60
        document["nodes"]["jello"]["parameters"]["color"] = [0.9, 0.9, 0.9]
        self.live(document, "jello", "color", [0.9, 0.01, 0.01])

        def colour(frame):
            eye = [self.mean(frame, "x.x"), self.mean(frame, "x.y"), 3]
            picture = self.look(frame=frame, camera={"eye": eye, "target": [*eye[:2], 0]})
            at = picture["height"] // 2 * picture["stride"] + picture["width"] // 2 * 4
            return self.pixels(picture)[at:at + 3]

        red, green, blue = colour(1)
        self.assertLess(max(red, green, blue) - min(red, green, blue), 60)
        red, green, blue = colour(60)
        self.assertGreater(max(red, blue), 2 * green)

    def test_what_is_placed_is_seen_before_and_after_simulating(self):
        self.load()
        self.client.answers_pictures = False
        still = self.look(cameraNode="front")
        self.assertFalse(still["cached"])
        self.assertEqual(stat.S_IMODE(os.stat("/dev/shm" + still["segment"]).st_mode), 0o600)
        before = self.pixels(still)
        self.client.call("view.shown", sequence=still["sequence"])
        middle = {"x": 160, "y": 85}
        self.assertEqual(self.client.call("view.pick", **middle)["node"], "body")
        self.client.answers_pictures = True
        self.client.run(to=2)
        simulated = self.look(cameraNode="front", frame=2, colouring={"mode": "speed"})
        self.assertTrue(simulated["cached"])
        self.assertEqual(simulated["legend"]["title"], "speed [m/s]")
        self.assertNotEqual(self.pixels(simulated), before)
        hit = self.client.call("view.pick", **middle)
        self.assertEqual(hit["node"], "solver")
        row = self.table(2)["rows"][hit["particle"]]
        columns = self.table(2)["columns"]
        for axis, position in enumerate(hit["position"]):
            # On the particle's surface; its radius is 0.6 of the lattice's 0.025 m.
            self.assertLess(abs(row[columns.index("x." + "xyz"[axis])] - position), 0.016)
        self.assertEqual(self.client.call("view.pick", x=3, y=3), {})

    def test_of_a_scene_with_an_unknown_node_the_rest_is_seen(self):
        document = copy.deepcopy(BALL)
        document["nodes"]["jello"] = {"type": "someone.elses.material"}
        answer = self.client.call("document.set", document=document, path=self.path)
        self.assertEqual(answer["faults"][0]["code"], "missing-plugin")
        self.look(cameraNode="front")
        # The emitter has no material and is left out: its shape is one that nothing uses yet. The
        # floor needs nothing of it.
        self.assertEqual(self.client.call("view.pick", x=160, y=85)["node"], "ball")
        self.assertEqual(self.client.call("view.pick", x=160, y=110)["node"], "floor")
        with self.assertRaises(Failure):
            self.client.call("run.start")

    def test_a_view_that_is_left_alone_becomes_finer(self):
        document = copy.deepcopy(BALL)
        document["nodes"]["jello"]["parameters"]["color"] = [0.01, 0.01, 0.01]
        self.load(document)
        self.client.run(to=3)
        eye = [0, self.mean(3, "x.y"), 3]

        def spread(picture):
            """@return variance of the height of what is darker than the background [pixels^2]"""
            pixels, stride = self.pixels(picture), picture["stride"]
            dark = []
            for y in range(picture["height"]):
                light = [(value / 255) ** 2.2 for value in pixels[y * stride:y * stride + 4 * 200:4]]
                dark.append(sum(max(0, light[0] - value) for value in light))
            mean = sum(y * w for y, w in enumerate(dark)) / sum(dark)
            return sum((y - mean) ** 2 * w for y, w in enumerate(dark)) / sum(dark)

        def seen(**params):
            self.client.call("view.set", width=320, height=180, frame=3, quality="still",
                             camera={"eye": eye, "target": [*eye[:2], 0]},
                             show={"grid": False, "domain": False, "colliders": False,
                                   "legend": False}, **params)
            kinds, last = [], 0
            while kinds[-1:] != [32]:
                picture = self.client.wait("view.picture", lambda p: p["frame"] == 3)
                kinds.append(picture.get("exposures", 1))
                last = spread(picture)
                self.client.call("view.shown", sequence=picture["sequence"])
            self.assertEqual(kinds[-3:], [8, 16, 32])
            self.assertEqual(set(kinds[:-3]), {1})
            return last

        # An even streak of length l adds l^2 / 12.
        streak = math.sqrt(12 * (seen(shutter=6) - seen()))
        pixel = 2 * 3 * math.tan(math.radians(20)) / 180
        fallen = abs(self.mean(3, "v.y")) * 6 / 24
        self.assertAlmostEqual(streak * pixel, fallen, delta=0.1 * fallen)

    def test_clear_water_looks_the_same_in_motion(self):
        document = copy.deepcopy(BALL)
        document["nodes"]["jello"]["parameters"] = {
            "law": "liquid", "name": "Water", "color": [0.1, 0.4, 0.6], "opacity": 0.2,
            "colorDepth": 0.4, "density": 1000, "bulkModulus": 200000.0, "viscosity": 0.001}
        document["nodes"]["ball"]["parameters"]["radius"] = 0.35
        self.load(document)
        self.client.run(to=2)

        away = 1.6

        def colours(quality, **params):
            """By pixel of a grid of 80 x 45, whatever the size of the picture."""
            nonlocal away
            away += 0.0005  # each picture is known by its camera
            self.client.call("view.set", width=320, height=180, frame=2, quality=quality,
                             camera={"eye": [0, 0.6, away], "target": [0, 0.35, 0]}, **params)
            picture = self.client.wait("view.picture", lambda p: p["quality"] == quality
                                       and abs(p["camera"]["eye"][2] - away) < 1e-4)
            pixels, stride = self.pixels(picture), picture["stride"]
            return [pixels[y * picture["height"] // 45 * stride + x * picture["width"] // 80 * 4:]
                    [:3] for y in range(45) for x in range(80)]

        # The first picture in motion is drawn as no time has been taken yet.
        moving = colours("moving")
        still = colours("still")
        without = colours("still", show={"particles": False, "surfaces": False})
        spheres = colours("still", show={"surfaces": False})

        def difference(a, b, where):
            return sum(abs(a[i][k] - b[i][k]) for i in where for k in range(3)) / 3 / len(where)

        water = [i for i in range(80 * 45) if difference(still, without, [i]) > 10]
        self.assertGreater(len(water), 100)
        # Of 255, where opaque spheres are off by 33: what is left are edges and small ripples.
        self.assertLess(difference(moving, still, water), 8)
        # Particles that are not drawn as surfaces are clear, too.
        self.assertLess(difference(spheres, still, water), 8)

    def test_a_narrow_view_sees_the_whole_of_what_a_camera_is_rendered_to(self):
        self.load()

        def rise(frame, **view):
            picture = self.look(width=90, height=180, cameraNode="front", frame=frame, **view)
            return math.tan(math.radians(picture["camera"]["fov"]) / 2)

        as_it_is = rise(1)
        self.assertAlmostEqual(rise(2, gate=0.4), as_it_is, delta=1e-4)
        self.assertAlmostEqual(rise(3, gate=2), 4 * as_it_is, delta=1e-3)
        self.assertAlmostEqual(rise(4, gate=1e6), math.tan(math.radians(85)), delta=1e-2)
        self.assertAlmostEqual(rise(5), as_it_is, delta=1e-4)

    def test_up_to_four_views_are_drawn_each_as_it_was_set_last(self):
        self.load()
        wanted = {"frame": 1, "quality": "moving"}
        sides = {1: [0, 0.5, 3], 2: [3, 0.5, 0], 3: [0, 4, 0.001]}
        self.client.call("view.set", width=320, height=180, cameraNode="front", **wanted)
        for view, eye in sides.items():
            self.client.call("view.set", view=view, width=100 + view, height=90,
                             camera={"eye": eye, "target": [0, 0.5, 0]}, **wanted)

        def pictures():
            return [note["params"] for note in self.client.notes[mark:]
                    if note["method"] == "view.picture"]

        def each_has_come(*views):
            seen = {}
            while not set(views) <= set(seen):
                self.client.wait("view.picture")
                seen = {p.get("view", 0): p for p in pictures()}
            return seen

        # A change is drawn in every open view; each picture names its view.
        mark = len(self.client.notes)
        self.client.call("document.set", document=BALL, path=self.path)
        seen = each_has_come(0, 1, 2, 3)
        self.assertNotIn("view", seen[0])
        for view, eye in sides.items():
            for axis in range(3):
                self.assertAlmostEqual(seen[view]["camera"]["eye"][axis], eye[axis], delta=1e-5)
        # A click is in the view that it names: the ball is at the middle of each.
        for view in sides:
            hit = self.client.call("view.pick", view=view, x=50, y=45)
            self.assertEqual(hit["node"], "body", view)
        self.assertEqual(self.client.call("view.pick", x=160, y=85)["node"], "body")
        # One that is closed is not drawn any more, the others are.
        self.client.call("view.close", view=2)
        self.assertEqual(self.client.call("view.pick", view=2, x=50, y=45), {})
        mark = len(self.client.notes)
        self.client.call("document.set", document=BALL, path=self.path)
        self.assertNotIn(2, each_has_come(0, 1, 3))

    def test_each_view_gets_its_full_picture(self):
        self.load()
        self.client.run(to=2)
        for view in range(4):
            self.client.send("view.set", view=view, width=160, height=90, frame=2, quality="still",
                             camera={"eye": [0, 0.5, 3 + view], "target": [0, 0.5, 0]})
        full = set()
        while full != {0, 1, 2, 3}:
            picture = self.client.wait("view.picture", lambda p: p["quality"] == "still")
            self.assertAlmostEqual(picture["camera"]["eye"][2], 3 + picture.get("view", 0), delta=1e-5)
            self.assertEqual((picture["width"], picture["height"]), (160, 90))
            full.add(picture.get("view", 0))

    def test_surfaces_are_seen_in_place_of_particles(self):
        document = copy.deepcopy(BALL)
        document["nodes"]["skin"] = {"type": "floe.surface.levelset", "parameters": {}}
        document["nodes"]["water"] = {"type": "floe.surface.mesh", "parameters": {}}
        document["links"] += [{"from": "solver.particles", "to": "skin.particles"},
                              {"from": "skin.shape", "to": "water.shape"}]
        document["nodes"]["body"]["parameters"]["velocity"] = [0, 0, 0]
        self.load(document)
        self.client.run(to=2)
        wanted = {"width": 320, "height": 180, "frame": 2, "quality": "still",
                  "camera": {"eye": [0, 0.5, 3], "target": [0, 0.5, 0]}}

        def middle(**show):
            self.client.call("view.set", **wanted, show=show)
            self.client.wait("view.picture",
                             lambda p: p["frame"] == 2 and p["quality"] == "still")
            return self.client.call("view.pick", x=160, y=90)

        self.assertEqual(middle()["node"], "water")
        self.assertEqual(middle(surfaces=False)["node"], "solver")
        middle()
        box = self.client.call("view.bounds", node="water")
        self.assertAlmostEqual(box["high"][1] - box["low"][1], 0.4, delta=0.1)  # the ball's

    def with_another_ball(self):
        """BALL that falls straight, and the emitter of a second one beside it."""
        document = copy.deepcopy(BALL)
        nodes = document["nodes"]
        nodes["body"]["parameters"]["velocity"] = [0, 0, 0]
        nodes["other_ball"] = copy.deepcopy(nodes["ball"])
        nodes["other_ball"]["parameters"]["center"] = [0.8, 0.5, 0]
        nodes["other"] = {"type": "floe.emitter", "parameters": {}}
        document["links"] += [{"from": "other_ball.shape", "to": "other.shape"},
                              {"from": "jello.material", "to": "other.material"}]
        return document

    def seen_at(self, x, **view):
        """What is in the middle of a picture that looks at a place x metres to the right."""
        self.client.call("view.set", width=320, height=180, frame=2, quality="still",
                         camera={"eye": [x, 0.5, 3], "target": [x, 0.5, 0]}, **view)
        self.client.wait("view.picture", lambda p: p["frame"] == 2 and p["quality"] == "still")
        return self.client.call("view.pick", x=160, y=90)

    def test_a_surface_stands_for_its_own_particles_alone(self):
        document = self.with_another_ball()
        document["nodes"] |= {"skin": {"type": "floe.surface.levelset", "parameters": {}},
                              "water": {"type": "floe.surface.mesh", "parameters": {}},
                              "foam": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.05}}}
        document["links"] += [{"from": "other.emitter", "to": "foam.emitters"},
                              {"from": "down.force", "to": "foam.forces"},
                              {"from": "solver.particles", "to": "skin.particles"},
                              {"from": "skin.shape", "to": "water.shape"}]
        self.load(document)
        self.client.run(to=2)
        self.assertEqual(self.seen_at(0)["node"], "water")
        with self.assertRaises(KeyError):
            self.span("solver")
        self.assertEqual(self.seen_at(0.8)["node"], "foam")

    def test_broken_matter_is_drawn_once(self):
        document = self.with_another_ball()
        document["nodes"] |= {"kept": {"type": "floe.value.cache"},
                              "fracture": {"type": "floe.mesh.fracture"}}
        document["links"] += [{"from": "other.emitter", "to": "solver.emitters"},
                              {"from": "solver.particles", "to": "kept.value"},
                              {"from": "ball.mesh", "to": "fracture.mesh"},
                              {"from": "kept.value", "to": "fracture.particles"}]
        self.load(document)
        self.client.run(to=2)
        pieces = self.seen_at(0)
        self.assertEqual(pieces["node"], "fracture")
        self.assertNotIn("particle", pieces)  # the mesh
        for node in ("solver", "kept"):
            with self.assertRaises(KeyError):
                self.span(node)
        beside = self.seen_at(0.8)  # matter that the mesh is not of
        self.assertEqual(beside["node"], "fracture")
        self.assertIn("particle", beside)
        self.assertIn("particle", self.seen_at(0, show={"surfaces": False}))

    def see(self, frame, **view):
        self.client.call("view.set", width=320, height=180, frame=frame, quality="still",
                         camera={"eye": [0, 0.5, 3], "target": [0, 0.5, 0]}, **view)
        self.client.wait("view.picture", lambda p: p["frame"] == frame and p["quality"] == "still")

    def span(self, node=None):
        box = self.client.call("view.bounds", **({"node": node} if node else {}))
        return [high - low for low, high in zip(box["low"], box["high"])]

    def test_a_shape_that_nothing_uses_is_seen(self):
        document = {"floe": 1, "range": {"start": 1, "end": 8, "fps": 24},
                    "nodes": {"ball": BALL["nodes"]["ball"]}, "links": []}
        self.load(document)
        self.see(1)
        self.assertEqual(self.client.call("view.pick", x=160, y=90)["node"], "ball")
        for length in self.span():
            self.assertAlmostEqual(length, 0.4, delta=0.02)

    def test_before_simulating_the_view_is_on_what_will_move(self):
        self.load()
        self.see(1)
        for length in self.span():  # not the floor of two metres
            self.assertAlmostEqual(length, 0.4, delta=0.02)
        self.assertGreater(self.span("floor")[0], 1.9)

    def test_of_a_simulated_frame_the_view_is_on_what_moves(self):
        self.load()
        self.client.run(to=2)
        for surfaces in (False, True):
            for selected in ("", "floor", "body"):
                self.see(2, show={"surfaces": surfaces}, selected=selected)
                for length in self.span():  # the ball still falls: not the floor of two metres
                    self.assertAlmostEqual(length, 0.4, delta=0.06)
        self.assertGreater(self.span("floor")[0], 1.9)

    def test_a_selected_emitter_is_outlined_once_there_are_particles(self):
        self.load()
        self.client.run(to=2)
        self.see(2)
        with self.assertRaises(KeyError):  # nothing of it is drawn
            self.span("body")
        for node in ("body", "ball"):
            self.see(2, selected=node)
            for length in self.span(node):  # where they came from, not where they are
                self.assertAlmostEqual(length, 0.4, delta=0.02)

    def test_ghosts_are_seen_through(self):
        self.load()
        self.client.run(to=2)
        for node in ("body", "ball"):
            self.see(2, ghosts=[node])
            for length in self.span(node):  # where it was, whatever has become of it
                self.assertAlmostEqual(length, 0.4, delta=0.02)
        self.see(2, ghosts=["solver", "none"])  # have no shape
        with self.assertRaises(KeyError):
            self.span("body")

    def test_gaussians_that_nothing_takes_are_seen_beside_those_that_move(self):
        document = copy.deepcopy(BALL)
        nodes = document["nodes"]
        nodes["cover"] = {"type": "floe.gaussians.mesh", "parameters": {"count": 4000}}
        nodes["lower"] = {"type": "floe.gaussians.select",
                          "parameters": {"center": [0, 0.3, 0], "size": [1, 0.4, 1]}}
        nodes["filled"] = {"type": "floe.gaussians.fill", "parameters": {}}
        nodes["body"] = {"type": "floe.gaussians.emitter", "parameters": {}}
        nodes["moved"] = {"type": "floe.gaussians.deform", "parameters": {}}
        nodes["solver"]["parameters"]["outputDeformation"] = True
        document["links"] += [{"from": "ball.mesh", "to": "cover.mesh"},
                              {"from": "cover.gaussians", "to": "lower.gaussians"},
                              {"from": "lower.selected", "to": "filled.gaussians"},
                              {"from": "filled.gaussians", "to": "body.gaussians"},
                              {"from": "filled.gaussians", "to": "moved.gaussians"},
                              {"from": "solver.particles", "to": "moved.particles"}]
        self.load(document)

        def heights(node, frame):
            self.see(frame)
            box = self.client.call("view.bounds", node=node)
            return box["low"][1], box["high"][1]

        self.assertLess(heights("filled", 1)[0], 0.32)
        rest = heights("lower", 1)
        self.assertAlmostEqual(rest[0], 0.5, delta=0.05)
        self.assertAlmostEqual(rest[1], 0.7, delta=0.05)
        self.client.run(to=5)
        self.assertLess(heights("moved", 5)[0], 0.25)
        self.assertEqual(heights("lower", 5), rest)

    def test_gaussians_are_seen_at_rest_and_where_they_moved(self):
        document = copy.deepcopy(BALL)
        nodes = document["nodes"]
        nodes["cover"] = {"type": "floe.gaussians.mesh",
                          "parameters": {"count": 4000, "color": [0.02, 0.8, 0.02]}}
        nodes["body"] = {"type": "floe.gaussians.emitter", "parameters": {}}
        nodes["moved"] = {"type": "floe.gaussians.deform", "parameters": {}}
        nodes["solver"]["parameters"]["outputDeformation"] = True
        document["links"] += [{"from": "ball.mesh", "to": "cover.mesh"},
                              {"from": "cover.gaussians", "to": "body.gaussians"},
                              {"from": "cover.gaussians", "to": "moved.gaussians"},
                              {"from": "solver.particles", "to": "moved.particles"}]
        self.load(document)

        def green_rows(frame):
            self.client.call("view.set", width=320, height=180, frame=frame, quality="still",
                             camera={"eye": [0, 0.5, 3], "target": [0, 0.5, 0]})
            picture = self.client.wait("view.picture", lambda p: p["frame"] == frame and
                                       p["quality"] == "still")
            pixels = self.pixels(picture)
            rows = []
            for row in range(picture["height"]):
                at = row * picture["stride"] + picture["width"] // 2 * 4
                if pixels[at + 1] > 60 + max(pixels[at], pixels[at + 2]):
                    rows.append(row)
            return rows

        before = green_rows(1)
        self.assertGreater(len(before), 20)  # 0.4 m of 2.2 m, of 180 rows
        self.assertAlmostEqual(sum(before) / len(before), 90, delta=8)
        self.assertAlmostEqual(self.client.call("view.bounds", node="cover")["high"][1], 0.7,
                               delta=0.05)
        middle = {"x": 160, "y": 90}
        self.assertEqual(self.client.call("view.pick", **middle)["node"], "cover")
        self.client.run(to=7)
        after = green_rows(7)
        self.assertGreater(len(after), 20)
        hit = self.client.call("view.pick", x=160, y=round(sum(after) / len(after)))
        self.assertEqual(hit["node"], "moved")
        # A quarter of a second: 0.5 * 9.81 / 16 = 0.3 m of free fall, and the floor below is near.
        self.assertGreater(sum(after) / len(after), 90 + 12)
        self.assertLess(self.client.call("view.bounds", node="moved")["high"][1], 0.6)

    def test_pictures_never_queue(self):
        self.load()
        self.client.answers_pictures = False

        def shown():
            return [n["params"] for n in self.client.notes if n["method"] == "view.picture"]

        def look_from(x):
            self.client.call("view.set", width=320, height=180, frame=1,
                             camera={"eye": [x, 1, 4], "target": [0, 0.4, 0]})

        for i in range(1000):
            look_from(i * 0.01)
            if len(shown()) == 3:
                break
            time.sleep(0.1)
        for i in range(50):
            look_from(i * 0.1)
        time.sleep(1)
        look_from(-3)
        self.assertEqual(len(shown()), 3)
        self.client.send("view.shown", sequence=shown()[0]["sequence"])
        newest = self.client.wait("view.picture")
        self.assertEqual(newest["camera"]["eye"][0], -3)

    def test_exports(self):
        self.load()
        self.client.run(to=3)
        picture = os.path.join(self.folder, "seen.png")
        self.client.call("export.picture", path=picture, frame=3, width=64, height=36)
        self.assertTrue(pathlib.Path(picture).read_bytes().startswith(b"\x89PNG"))
        with self.assertRaises(Failure):  # a file is no folder
            self.client.call("export.picture", path=picture + "/below.png")
        movie = os.path.join(self.folder, "seen.mp4")
        with self.assertRaises(Failure):  # frame 4 is not simulated
            self.client.call("export.movie", path=movie, first=1, last=4, width=64, height=36)
        self.assertFalse(os.path.exists(movie))
        if shutil.which("ffmpeg"):
            answer = self.client.call("export.movie", path=movie, first=1, last=3, width=64,
                                      height=36)
            self.assertEqual(answer["pictures"], 3)
            self.assertGreater(os.path.getsize(movie), 500)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
