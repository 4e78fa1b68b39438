"""What a client of `floe serve` may rely on. Usage: serve_test.py SOURCE_FOLDER FLOE"""

import base64
import copy
import glob
import json
import os
import pathlib
import random
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from client import Client, Failure, Protocol, Server, states

SOURCE = pathlib.Path(sys.argv[1])
FLOE = sys.argv[2]
PROTOCOL = Protocol(SOURCE / "runtime/session/protocol.schema.json")

# A ball of jelly that falls onto a floor: 2,000 particles, so that a frame takes milliseconds.
BALL = {
    "floe": 1,
    "range": {"start": 1, "end": 8, "fps": 24},
    "nodes": {
        "ball": {"type": "floe.shape.sphere",
                 "parameters": {"radius": 0.2, "center": [0, 0.5, 0], "voxelSize": 0.05}},
        "jello": {"type": "floe.material",
                  "parameters": {"law": "fixedCorotated", "name": "Jello", "density": 1000,
                                 "youngModulus": 20000.0, "poissonRatio": 0.4}},
        "body": {"type": "floe.emitter", "parameters": {"velocity": [0.5, 0, 0]}},
        "floor_shape": {"type": "floe.shape.box",
                        "parameters": {"size": [2, 0.2, 2], "center": [0, -0.1, 0],
                                       "voxelSize": 0.05}},
        "floor": {"type": "floe.collider", "parameters": {}},
        "down": {"type": "floe.force.gravity", "parameters": {"acceleration": [0, -9.81, 0]}},
        "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.05}},
        "front": {"type": "floe.camera", "parameters": {"eye": [0, 0.5, 4], "target": [0, 0.4, 0]}},
        "files": {"type": "floe.output.particles", "parameters": {}},
    },
    "links": [
        {"from": "ball.shape", "to": "body.shape"},
        {"from": "jello.material", "to": "body.material"},
        {"from": "body.emitter", "to": "solver.emitters"},
        {"from": "floor_shape.shape", "to": "floor.shape"},
        {"from": "floor_shape.mesh", "to": "floor.mesh"},
        {"from": "floor.collider", "to": "solver.colliders"},
        {"from": "down.force", "to": "solver.forces"},
        {"from": "solver.particles", "to": "files.particles"},
    ],
}


def changed(node, parameter, value):
    document = copy.deepcopy(BALL)
    document["nodes"][node]["parameters"][parameter] = value
    return document


class Session(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="floe-serve-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = Server(FLOE, self.folder)
        self.addCleanup(self.stop)
        self.client = Client(PROTOCOL, self.server.address)
        self.path = os.path.join(self.folder, "ball.floe.json")

    def stop(self):
        self.client.close()
        if self.server.process.poll() is None:
            self.server.end()

    def load(self, document=BALL):
        answer = self.client.call("document.set", document=document, path=self.path)
        self.assertEqual([f for f in answer["faults"] if f["severity"] == "error"], [])
        return states(answer["frames"])

    def table(self, frame, **params):
        return self.client.call("value.table", node="solver", socket="particles", frame=frame,
                                **{"offset": 0, "count": 10000, **params})

    def mean(self, frame, column):
        table = self.table(frame)
        index = table["columns"].index(column)
        return sum(row[index] for row in table["rows"]) / table["total"]

    def stored(self):
        """Bytes of the particles of each frame on disk, by frame; waits until all are there."""
        wanted = [f for f, state in self.client.frames().items() if state.startswith("cached")]
        pattern = os.path.join(self.folder, "floe/sessions/*/frames/*/solver.particles.*.floe")
        for _ in range(500):
            files = {int(name.split(".")[-2]): name for name in glob.glob(pattern)}
            if sorted(files) == sorted(wanted):
                break
            time.sleep(0.02)
        self.assertEqual(sorted(files), sorted(wanted))
        return {frame: pathlib.Path(name).read_bytes() for frame, name in files.items()}

    def plain_run(self, document=BALL):
        pathlib.Path(self.path).write_text(json.dumps(document))
        out = os.path.join(self.folder, "out")
        subprocess.run([FLOE, "run", self.path, "--cache", "--output", out, "--progress", "quiet"],
                       check=True)
        return {int(name.split(".")[-2]): pathlib.Path(name).read_bytes()
                for name in glob.glob(out + "/cache/solver.particles.*.floe")}

    def live(self, document, node, parameter, value):
        """Plays, changes a parameter after the third frame. @return the first frame with it"""
        self.load(document)
        self.client.call("run.start")
        self.client.wait("run.frame", lambda p: p["frame"] == 3)
        answer = self.client.call("control.set", node=node, parameter=parameter, value=value)
        self.assertTrue(answer["live"])
        self.client.wait("run.state", lambda p: p["state"] == "finished")
        return min(f for f, state in self.client.frames().items() if state == "cached mixed")


class Documents(Session):
    def test_types_are_manifests(self):
        types = {entry["type"]: entry for entry in self.client.call("types.list")["types"]}
        solver = types["floe.mpm.solver"]
        self.assertTrue(solver["usable"])
        self.assertTrue(os.path.isdir(solver["folder"]))
        self.assertIn("gravity", [p["name"] for p in solver["parameters"] if p.get("live")])

    def test_every_fault_names_node_and_field(self):
        document = changed("ball", "radius", -1)
        document["nodes"]["jello"]["parameters"]["poissonRatio"] = 0.7
        faults = self.client.call("document.set", document=document, path="")["faults"]
        self.assertEqual({(f["node"], f["field"]) for f in faults},
                         {("ball", "radius"), ("jello", "poissonRatio")})
        with self.assertRaises(Failure) as refused:
            self.client.call("run.start")
        self.assertEqual(refused.exception.data["node"], "ball")

    def test_what_is_no_document_is_a_fault(self):
        for document in (5, "", [], {}, {"floe": 99}, "x" * 1000, {"floe": 1, "nodes": 3}):
            answer = self.client.call("document.set", document=document, path="x.floe.json")
            self.assertTrue(any(f["severity"] == "error" for f in answer["faults"]), document)


class Runs(Session):
    def test_frames_equal_those_of_floe_run(self):
        self.load()
        _, end = self.client.run()
        self.assertEqual(end["state"], "finished")
        stored = self.stored()
        self.assertFalse(glob.glob(self.folder + "/**/*.vdb", recursive=True), "a sink ran unasked")
        self.assertEqual(stored, self.plain_run())

    def test_a_stopped_run_goes_on_bit_for_bit(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 40
        self.load(document)
        self.client.call("run.start")
        self.client.wait("run.frame", lambda p: p["frame"] == 5)
        begin = time.monotonic()
        self.client.call("run.stop")
        self.client.wait("run.state", lambda p: p["state"] == "cancelled")
        self.assertLess(time.monotonic() - begin, 1)
        started, end = self.client.run()
        self.assertEqual(end["state"], "finished")
        self.assertGreater(started["first"], 1)
        self.assertEqual(set(self.client.frames().values()), {"cached"})
        self.assertEqual(self.stored(), self.plain_run(document))

    def test_a_change_makes_frames_stale_and_going_on_mixes(self):
        self.load()
        self.client.run()
        self.assertEqual(self.load(changed("jello", "density", 2000)),
                         {frame: "stale" for frame in range(1, 9)})
        self.assertEqual(self.load(), {frame: "cached" for frame in range(1, 9)})
        self.load(changed("front", "fieldOfView", 60))  # no solver depends on it
        self.assertEqual(self.load(), {frame: "cached" for frame in range(1, 9)})

        stronger = changed("down", "acceleration", [0, -40, 0])
        self.load(stronger)
        started, end = self.client.run(resumeFrom=4, to=6)
        self.assertEqual((started["resumedFrom"], started["first"], end["state"]),
                         (4, 5, "finished"))
        self.assertEqual(self.client.frames(),
                         {**{f: "stale" for f in (1, 2, 3, 4, 7, 8)},
                          **{f: "cached mixed" for f in (5, 6)}})

    def test_a_key_in_the_future_leaves_earlier_frames_alone(self):
        self.load(changed("down", "acceleration",
                          {"keys": [[5, [0, -9.81, 0], "step"], [6, [0, 3, 0], "step"]]}))
        self.client.run()
        frames = self.load(changed("down", "acceleration",
                                   {"keys": [[5, [0, -9.81, 0], "step"], [6, [0, 4, 0], "step"]]}))
        self.assertEqual(frames, {**{f: "cached" for f in range(1, 6)},
                                  **{f: "stale" for f in range(6, 9)}})

    def test_steps_go_on_from_what_is_there(self):
        self.load()
        for frame in (1, 2, 3):
            self.client.call("run.step")
            self.client.wait("run.state", lambda p: p["state"] == "finished")
            self.assertEqual(self.client.frames(), {f: "cached" for f in range(1, frame + 1)})
        self.client.run()
        self.assertEqual(self.stored(), self.plain_run())

    def test_live_gravity_acts_from_the_next_frame(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 60
        document["nodes"]["ball"]["parameters"]["center"] = [0, 30, 0]
        first = self.live(document, "down", "acceleration", [0, 0, 0])
        frames = self.client.frames()
        self.assertEqual(frames[1], "stale")
        self.assertEqual(frames[60], "cached mixed")
        self.assertEqual({state for f, state in frames.items() if f >= first}, {"cached mixed"})
        # Nothing accelerates it any more; float velocities are summed over 2,000 particles.
        self.assertAlmostEqual(self.mean(60, "v.y"), self.mean(first, "v.y"), places=3)
        self.assertLess(self.mean(60, "v.y"), -0.5)
        # The document alone gives another history.
        self.client.run(**{"from": 1, "to": 3})
        self.assertAlmostEqual(self.mean(3, "v.y"), 0, places=4)

    def test_every_frame_of_a_live_performance_stays_up_to_date(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 300
        document["nodes"]["ball"]["parameters"]["center"] = [0, 300, 0]
        self.load(document)
        self.client.call("run.start")
        for step in range(1, 5):  # one after another, as a slider that is dragged
            self.client.wait("run.frame")
            answer = self.client.call("control.set", node="down", parameter="acceleration",
                                      value=[0, -step, 0])
            self.assertTrue(answer["live"])
        self.client.wait("run.state", lambda p: p["state"] == "finished")
        frames = self.client.frames()
        played = [f for f, state in frames.items() if state == "cached mixed"]
        self.assertEqual(played, list(range(min(played), 301)), "no gaps")
        # They belong to the document as it is now; another change makes them stale.
        document["nodes"]["down"]["parameters"]["acceleration"] = [0, -4, 0]
        now = self.load(document)
        self.assertEqual({now[f] for f in played}, {"cached mixed"})
        document["nodes"]["ball"]["parameters"]["radius"] = 0.21
        now = self.load(document)
        self.assertEqual({now[f] for f in played}, {"stale"})

    def test_live_wind_carries_what_flies(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 100
        document["nodes"]["ball"]["parameters"]["center"] = [0, 300, 0]
        document["nodes"]["body"]["parameters"]["velocity"] = [0, 0, 0]
        document["nodes"]["air"] = {"type": "floe.force.wind",
                                    "parameters": {"velocity": [0, 0, 0], "strength": 5}}
        document["links"].append({"from": "air.force", "to": "solver.forces"})
        first = self.live(document, "air", "velocity", [0, 0, 3])
        self.assertAlmostEqual(self.mean(first - 1, "v.z"), 0, places=3)
        # dv/dt = strength (wind - v): after 50 frames at 24 a second, 1 - exp(-5 * 2.08) of it.
        self.assertAlmostEqual(self.mean(min(first + 50, 100), "v.z"), 3, delta=0.3)

    def test_live_cohesion_holds_a_column_up(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 24
        document["nodes"]["ball"] = {"type": "floe.shape.box", "parameters": {
            "size": [0.3, 0.6, 0.3], "center": [0, 0.3, 0], "voxelSize": 0.05}}
        document["nodes"]["jello"]["parameters"] = {
            "law": "druckerPrager", "density": 1600, "youngModulus": 200000.0,
            "poissonRatio": 0.3, "frictionAngle": 20, "cohesion": 0}
        document["nodes"]["body"]["parameters"]["velocity"] = [0, 0, 0]
        # A column of height h stands with a cohesion above some rho g h / 4, here 2.4 kPa.
        self.live(document, "jello", "cohesion", 50000)
        held = self.mean(24, "x.y")
        self.load(document)
        self.client.run(**{"from": 1})
        dry = self.mean(24, "x.y")
        self.assertLess(dry, 0.2, "without, it lies as a heap: its mean height was 0.3")
        self.assertGreater(held, dry + 0.06)

    def test_a_collider_dragged_live_pushes(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 200
        document["nodes"]["ball"]["parameters"]["center"] = [0, 0.25, 0]
        document["nodes"]["body"]["parameters"]["velocity"] = [0, 0, 0]
        document["nodes"]["floor"]["parameters"] = {"contact": "slip", "friction": 0}
        document["nodes"]["wall_shape"] = {"type": "floe.shape.box", "parameters": {
            "size": [0.2, 1, 1], "center": [-0.5, 0.5, 0], "voxelSize": 0.05}}
        document["nodes"]["wall"] = {"type": "floe.collider", "parameters": {}}
        document["links"] += [{"from": "wall_shape.shape", "to": "wall.shape"},
                              {"from": "wall_shape.mesh", "to": "wall.mesh"},
                              {"from": "wall.collider", "to": "solver.colliders"}]
        # Its face comes from -0.4 to -0.1 within a frame: what stood there has to go.
        first = self.live(document, "wall", "position", [0.3, 0, 0])
        self.assertAlmostEqual(self.mean(first - 1, "x.x"), 0, delta=0.01)
        self.assertGreater(self.mean(200, "x.x"), 0.09)

    def test_emission_is_switched_off_and_on(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 60
        document["nodes"]["ball"]["parameters"]["center"] = [0, 300, 0]
        document["nodes"]["body"]["parameters"] = {"mode": "continuous", "rate": 24,
                                                   "velocity": [0, -1, 0]}
        first = self.live(document, "body", "emit", False)
        count = {f: self.table(f)["total"] for f in (1, first - 1, first, 60)}
        self.assertGreater(count[first - 1], count[1])
        self.assertEqual(count[60], count[first], "off: what is there stays, nothing comes")

    def test_only_live_parameters_change_while_it_runs(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 500
        self.load(document)
        self.client.call("run.start")
        for node, parameter, value in (("solver", "cellSize", 0.1), ("nobody", "x", 1),
                                       ("down", "nothing", 1), ("down", "acceleration", "up")):
            with self.assertRaises(Failure, msg=f"{node}.{parameter}"):
                self.client.call("control.set", node=node, parameter=parameter, value=value)
        self.client.call("run.stop")
        self.client.wait("run.state", lambda p: p["state"] == "cancelled")

    def test_sinks_run_when_asked(self):
        self.load()
        output = os.path.join(self.folder, "asked")
        _, end = self.client.run(sinks=True, output=output, to=3)
        self.assertEqual(end["state"], "finished")
        self.assertTrue(os.listdir(output))

    def test_the_command_line_gives_the_same_frames(self):
        pathlib.Path(self.path).write_text(json.dumps(BALL))
        self.load(changed("jello", "density", 1500))
        self.client.run(to=3)
        command = self.client.call("command.line")["command"]
        self.assertIn("--set jello.density=1500", command)
        out = os.path.join(self.folder, "by-hand")
        subprocess.run(command.replace("floe ", FLOE + " ", 1) +
                       f" --end 3 --cache --progress quiet --output {out}", shell=True, check=True)
        for frame, content in self.stored().items():
            name = f"{out}/cache/solver.particles.{frame:04d}.floe"
            self.assertEqual(pathlib.Path(name).read_bytes(), content)


class Values(Session):
    def test_pages_are_sorted_slices(self):
        self.load()
        self.client.run(to=2)
        whole = self.table(2, sort="x.y", descending=True)
        column = whole["columns"].index("x.y")
        heights = [row[column] for row in whole["rows"]]
        self.assertEqual(heights, sorted(heights, reverse=True))
        part = self.table(2, sort="x.y", descending=True, offset=100, count=7)
        self.assertEqual(part["rows"], whole["rows"][100:107])
        self.assertEqual(self.table(2, offset=10 ** 9)["rows"], [])
        info = self.client.call("value.info", node="solver", socket="particles", frame=2)
        self.assertEqual(info["count"], whole["total"])
        x = next(a for a in info["attributes"] if a["name"] == "x")
        self.assertEqual(x["max"][1], heights[0])
        with self.assertRaises(Failure):
            self.table(2, sort="nothing")

    def test_records_and_meshes_are_tables_too(self):
        self.load()
        fields = self.client.call("value.table", node="jello", socket="material", frame=1,
                                  offset=0, count=100)
        self.assertIn(["density", 1000], fields["rows"])
        self.assertIn(["parameters.poissonRatio", 0.4],
                      [[name, round(value, 6) if isinstance(value, float) else value]
                       for name, value in fields["rows"]])
        volume = dict(self.client.call("value.table", node="ball", socket="shape", frame=1,
                                       offset=0, count=100)["rows"])
        self.assertEqual(volume["kind"], "level set")
        self.assertAlmostEqual(volume["voxel size [m]"], 0.05, 6)
        self.assertLess(volume["lowest corner [m]"][1], 0.3)  # of a ball at 0.5 with radius 0.2
        self.assertGreater(volume["highest corner [m]"][1], 0.7)
        mesh = self.client.call("value.table", node="ball", socket="mesh", frame=1, offset=0,
                                count=3)
        self.assertEqual(len(mesh["rows"]), 3)
        with self.assertRaises(Failure):
            self.client.call("value.table", node="solver", socket="particles", frame=1, offset=0,
                             count=1)


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
        self.client.run(to=2)
        self.client.answers_pictures = True
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


class Manners(Session):
    def test_only_the_owner_may_come(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.server.address).st_mode), 0o600)
        folder = os.path.dirname(self.server.address)
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)

    def test_a_second_client_is_refused_clearly(self):
        other = Client(PROTOCOL, self.server.address, greet=False)
        message = other.read()
        self.assertIn("client already", message["error"]["message"])
        self.assertRaises(EOFError, other.read)
        other.close()
        self.client.call("types.list")

    def test_errors_have_codes_and_sentences(self):
        def code(line):
            self.client.raw(line + b"\n")
            message = self.client.read()
            self.assertGreater(len(message["error"]["message"]), 10)
            return message["error"]["code"]
        request = b'{"jsonrpc": "2.0", "id": 1, "method": "%s", "params": %s}'
        self.assertEqual(code(b"garbage"), -32700)
        self.assertEqual(code(b"[" * 100000), -32700)
        self.assertEqual(code(b'{"a": ' * 1000 + b"1" + b"}" * 1000), -32700)
        self.assertEqual(code(b"\xff\xfe\x00"), -32700)
        self.assertEqual(code(b"[]"), -32600)
        self.assertEqual(code(b'{"jsonrpc": "1.0", "id": 1, "method": "hello"}'), -32600)
        self.assertEqual(code(request % (b"nothing", b"{}")), -32601)
        for params in (b"[1]", b'{"width": 0, "height": 5}', b'{"width": 5}',
                       b'{"width": 1e300, "height": 5}', b'{"width": 5, "height": 5, "x": 1}',
                       b'{"width": 5, "height": 5, "camera": {"eye": [0,0,0], "target": [0,0,0]}}'):
            self.assertEqual(code(request % (b"view.set", params)), -32602, params)

    def test_hello_comes_first(self):
        self.client.close()
        self.server.end()
        self.server = Server(FLOE, self.folder)
        self.client = Client(PROTOCOL, self.server.address, greet=False)
        with self.assertRaises(Failure) as refused:
            self.client.call("types.list")
        self.assertEqual(refused.exception.code, -32001)
        with self.assertRaises(Failure) as refused:
            self.client.call("hello", protocol=999)
        self.assertEqual(refused.exception.code, -32002)

    def test_a_line_without_end_is_cut_off(self):
        chunk = b"x" * (1 << 20)
        with self.assertRaises(OSError):
            for _ in range(200):
                self.client.raw(chunk)
        self.client.close()
        self.assertEqual(self.server.end(), 0)

    def test_half_a_message_and_good_bye(self):
        self.client.raw(b'{"jsonrpc": "2.0", "id": 1, "met')
        self.client.close()
        self.assertEqual(self.server.end(), 0)
        self.assertFalse(os.path.exists(self.server.address))
        self.assertEqual(glob.glob(self.folder + "/floe/sessions/*"), [])

    def test_the_server_ends_with_its_client_in_mid_run(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 100000
        self.load(document)
        self.client.call("run.start")
        self.client.wait("run.frame")
        self.client.close()
        self.assertEqual(self.server.end(), 0)
        self.assertEqual(glob.glob(self.folder + "/floe/sessions/*"), [])

    def test_ten_thousand_requests(self):
        for _ in range(10000):
            self.client.send("view.shown", sequence=random.randrange(2 ** 53))
        self.client.call("types.list")
        for _ in range(1000):  # of those that wait for another thread some may be refused
            self.client.send("view.pick", x=1, y=1)
        number = self.client.send("types.list")
        self.client.answer(number)

    def test_random_bytes_never_end_it(self):
        chance = random.Random(7)
        alphabet = b'{}[]",:0123456789.-eE\\ truefalsnid"jsonrpc""method""hello"'
        for _ in range(300):
            size = chance.randrange(200)
            self.client.raw(bytes(chance.choice(alphabet) for _ in range(size)) + b"\n")
        number = self.client.send("types.list")
        self.client.answer(number)

    def test_a_killed_server_leaves_nothing_after_the_next_start(self):
        self.load()
        self.client.call("view.set", width=64, height=36)
        segment = self.client.wait("view.picture")["segment"]
        self.client.call("run.start")
        self.server.kill()
        self.client.close()
        self.assertTrue(os.path.exists("/dev/shm" + segment))
        self.server = Server(FLOE, self.folder)
        self.client = Client(PROTOCOL, self.server.address)
        self.assertFalse(os.path.exists("/dev/shm" + segment))
        self.assertEqual(len(glob.glob(self.folder + "/floe/sessions/*")), 1)

    def killed_at_work(self, document, frame):
        """Kills the server in the middle of a run, when that frame is on disk. @return its process"""
        self.load(document)
        self.client.call("run.start")
        self.client.wait("run.frame", lambda p: p["frame"] == frame)
        whole = f'"frame":{frame},'
        while not any(whole in pathlib.Path(path).read_text() for path in
                      glob.glob(self.folder + "/floe/sessions/*/frames/*/history.json")):
            time.sleep(0.01)
        process = self.server.process.pid
        self.server.kill()
        self.client.close()
        return process

    def succeed(self, process):
        self.server = Server(FLOE, self.folder, "--take-over", str(process))
        self.client = Client(PROTOCOL, self.server.address)

    def test_the_frames_of_a_killed_server_go_on_bit_for_bit(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 40
        self.succeed(self.killed_at_work(document, 6))
        there = self.load(document)
        self.assertLessEqual({1, 2, 3, 4, 5, 6}, set(there))
        self.assertEqual(set(there.values()), {"cached"})
        started, end = self.client.run()
        self.assertEqual(end["state"], "finished")
        self.assertGreater(started["first"], 1)
        self.assertEqual(self.stored(), self.plain_run(document))
        self.assertEqual(len(glob.glob(self.folder + "/floe/sessions/*")), 1)

    def test_frames_that_other_code_made_are_not_taken_over(self):
        document = copy.deepcopy(BALL)
        document["range"]["end"] = 40
        process = self.killed_at_work(document, 2)
        for origin in glob.glob(self.folder + "/floe/sessions/*/origin"):
            with open(origin, "w") as file:
                file.write("another version")
        self.succeed(process)
        self.assertEqual(self.load(document), {})

    def test_rescan_keeps_serving(self):
        self.load()
        self.client.run(to=2)
        self.assertTrue(self.client.call("types.rescan")["types"])
        self.assertEqual(self.load(), {})
        _, end = self.client.run(to=2)
        self.assertEqual(end["state"], "finished")


class Network(unittest.TestCase):
    def test_tcp_wants_the_token_and_sends_png(self):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(FLOE, folder, "--listen", "127.0.0.1:0", "--keep")
            try:
                token = server.process.stdout.readline().split()[1]
                self.assertRegex(token, "^[0-9a-f]{64}$")
                for wrong in ("", "0" * 64, token[:-1]):
                    stranger = Client(PROTOCOL, server.address, greet=False)
                    with self.assertRaises(Failure) as refused:
                        stranger.call("hello", protocol=1, token=wrong)
                    self.assertEqual(refused.exception.code, -32002)
                    stranger.close()
                client = Client(PROTOCOL, server.address, token=token)
                client.call("document.set", document=BALL, path="")
                client.call("view.set", width=64, height=36)
                data = base64.b64decode(client.wait("view.picture")["data"])
                self.assertTrue(data.startswith(b"\x89PNG"))
                client.call("shutdown")
                client.close()
                self.assertEqual(server.end(), 0)
            finally:
                if server.process.poll() is None:
                    server.kill()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
