"""Documents, runs and values of `floe serve`."""

import copy
import glob
import json
import os
import pathlib
import struct
import subprocess
import sys
import time
import unittest

from client import Client, Failure, Server
from session import FLOE, BALL, PROTOCOL, changed, Session


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

    def test_a_fault_can_be_said_in_other_languages(self):
        document = changed("ball", "radius", -1)
        fault, = self.client.call("document.set", document=document, path="")["faults"]
        self.assertEqual(fault["cause"], "parameter 'radius' is -1")
        self.assertEqual(fault["causeText"], {"pattern": "parameter '{name}' is {value}",
                                                 "values": ["radius", "-1"]})
        self.assertEqual(fault["cureText"]["values"], ["1e-05", "100000 m"])
        fault, = self.client.call("document.set", document=5, path="")["faults"]
        self.assertEqual(fault["causeText"], {"pattern": "is not a Floe graph", "values": []})

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
        document["range"]["end"] = 100000
        self.load(document)
        self.client.call("run.start")
        self.client.wait("run.frame", lambda p: p["frame"] == 5)
        self.client.call("run.stop")
        self.client.wait("run.state", lambda p: p["state"] == "cancelled")
        document["range"]["end"] = max(self.client.frames()) + 20
        self.load(document)
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

    def test_a_live_run_does_not_race(self):
        document = copy.deepcopy(BALL)
        document["range"]["fps"] = 8
        self.load(document)
        begin = time.monotonic()
        _, end = self.client.run(live=True)
        self.assertGreaterEqual(time.monotonic() - begin, 7 / 8 - 0.01)
        self.assertEqual(end["state"], "finished")
        if end["speed"] == 1:  # nothing had to be slowed down
            self.assertEqual(self.client.frames(), {frame: "cached" for frame in range(1, 9)})
            self.assertEqual(self.stored(), self.plain_run(document))

    def test_a_live_run_slows_time_down_where_frames_take_long(self):
        document = changed("jello", "youngModulus", 1e9)  # half a second a frame
        document["range"]["end"] = 16
        self.load(document)
        _, end = self.client.run(live=True)
        frames = [note["params"] for note in self.client.notes if note["method"] == "run.frame"]
        self.assertEqual(frames[0]["speed"], 1)
        self.assertLess(frames[-1]["speed"], 0.7)
        self.assertLess(end["speed"], 1)
        steps = [frame["statistics"]["nodes"]["solver"]["substeps"] for frame in frames]
        self.assertLess(steps[-1], 0.8 * steps[1], "the frame simulates less")
        self.assertEqual(self.client.frames()[1], "cached")
        self.assertEqual(self.client.frames()[16], "cached mixed")
        # An ordinary run goes on at the document's own speed.
        document["range"]["end"] = 17
        self.load(document)
        self.client.run(resumeFrom=16)
        last = [note["params"] for note in self.client.notes if note["method"] == "run.frame"][-1]
        self.assertNotIn("speed", last)
        self.assertGreater(last["statistics"]["nodes"]["solver"]["substeps"], 0.8 * steps[1])

    def test_the_frames_of_a_run_are_looked_at(self):
        self.load()
        with self.assertRaises(Failure) as refused:
            self.client.call("cache.open", folder=self.folder + "/nowhere")
        self.assertIn("no frames", str(refused.exception))
        cached = self.plain_run()
        folder = os.path.join(self.folder, "out", "cache")
        before = sorted(os.listdir(folder))
        self.assertEqual(self.client.call("cache.open", folder=folder), {"frames": len(cached)})
        self.assertEqual(self.client.frames(), {frame: "cached" for frame in range(1, 9)})
        table = self.table(8)
        self.client.call("cache.clear")
        self.assertEqual(sorted(os.listdir(folder)), before, "they are somebody else's")
        self.client.run()
        self.assertEqual(self.table(8), table)

    def cooked(self, **params):
        """Which nodes a run cooked, in order."""
        self.client.notes.clear()
        self.client.heard = 0
        self.assertEqual(self.client.run(**params)[1]["state"], "finished")
        return [note["params"]["node"] for note in self.client.notes
                if note["method"] == "node.state" and note["params"]["state"] == "cooking"]

    def test_a_run_takes_over_the_values_of_the_one_before(self):
        self.load()
        self.assertIn("ball", self.cooked(to=3))
        # A collider may move, so it cooks for each new frame; its shape does not.
        self.assertEqual(set(self.cooked(resumeFrom=3, to=4)), {"floor", "solver"})
        self.load(changed("jello", "density", 2000))
        self.assertEqual(set(self.cooked(resumeFrom=3, to=4)), {"jello", "body", "solver"})
        self.client.call("cache.clear")
        self.assertIn("ball", self.cooked(to=3))
        self.load()
        self.client.run(**{"from": 1})
        self.assertEqual(self.stored(), self.plain_run())

    def test_a_node_that_warns_cooks_and_warns_in_every_run(self):
        corners = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
        mesh = pathlib.Path(self.folder, "open.obj")  # a box of which a side is missing
        mesh.write_text(corners + "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\n")
        document = copy.deepcopy(BALL)
        document["nodes"]["ball"] = {"type": "floe.shape.mesh",
                                     "parameters": {"path": str(mesh), "voxelSize": 0.1}}
        self.load(document)
        warned = []
        for _ in range(2):
            self.cooked(**{"from": 1, "to": 2})
            warned.append({note["params"].get("node") for note in self.client.notes
                           if note["method"] == "log" and note["params"]["severity"] == "warning"})
        self.assertTrue(warned[0])
        self.assertEqual(*warned)

    def test_solvers_go_on_from_frames_of_their_own(self):
        document = copy.deepcopy(BALL)
        document["nodes"]["other"] = copy.deepcopy(document["nodes"]["solver"])
        document["links"] += [{"from": "body.emitter", "to": "other.emitters"},
                              {"from": "floor.collider", "to": "other.colliders"},
                              {"from": "down.force", "to": "other.forces"}]
        self.load(document)
        self.client.run()

        def heights(node, frame):
            table = self.client.call("value.table", node=node, socket="particles", frame=frame,
                                     offset=0, count=10000)
            index = table["columns"].index("x.y")
            return [row[index] for row in table["rows"]]

        expected = {frame: heights("solver", frame) for frame in (3, 5)}
        self.assertEqual(heights("other", 5), expected[5])
        started, end = self.client.run(resumeFrom=2, resumeNodes={"other": 4}, to=3)
        self.assertEqual((started["resumedFrom"], end["state"]), (2, "finished"))
        self.assertEqual(heights("solver", 3), expected[3])
        self.assertEqual(heights("other", 3), expected[5], "it went on from frame 4")
        self.assertEqual(self.client.frames()[3], "cached mixed")
        for params in ({"resumeNodes": {"other": 4}}, {"resumeFrom": 2, "resumeNodes": [4]},
                       {"resumeFrom": 2, "resumeNodes": {"other": 4.5}}, {"resumeFrom": 2, "resumeNodes": {"ball": 4}},
                       {"resumeFrom": 2, "resumeNodes": {"other": 99}}, {"resumeFrom": 2, "resumeNodes": {"x": 4}}):
            with self.assertRaises(Failure):
                self.client.raw(json.dumps({"jsonrpc": "2.0", "id": 900, "method": "run.start",
                                            "params": params}).encode() + b"\n")
                self.client.answer(900)

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
        document["range"]["end"] = 100000
        document["nodes"]["ball"]["parameters"]["center"] = [0, 300, 0]
        self.load(document)
        self.client.call("run.start")
        for step in range(1, 5):  # one after another, as a slider that is dragged
            self.client.wait("run.frame")
            answer = self.client.call("control.set", node="down", parameter="acceleration",
                                      value=[0, -step, 0])
            self.assertTrue(answer["live"])
        for _ in range(5):
            self.client.wait("run.frame")
        self.client.call("run.stop")
        self.client.wait("run.state", lambda p: p["state"] == "cancelled")
        frames = self.client.frames()
        played = [f for f, state in frames.items() if state == "cached mixed"]
        self.assertEqual(played, list(range(min(played), max(frames) + 1)), "no gaps")
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
        document["range"]["end"] = 100000
        self.load(document)
        self.client.call("run.start")
        for node, parameter, value in (("solver", "cellSize", 0.1), ("nobody", "x", 1),
                                       ("down", "nothing", 1), ("down", "acceleration", "up")):
            with self.assertRaises(Failure, msg=f"{node}.{parameter}"):
                self.client.call("control.set", node=node, parameter=parameter, value=value)
        self.client.call("run.stop")
        self.client.wait("run.state", lambda p: p["state"] == "cancelled")

    def test_poses_move_all_or_nothing(self):
        document = copy.deepcopy(BALL)
        document["nodes"]["hand_shape"] = {"type": "floe.shape.sphere", "parameters": {"radius": 0.1, "voxelSize": 0.05}}
        document["nodes"]["right_hand"] = {"type": "floe.collider"}
        document["nodes"]["left_hand"] = {"type": "floe.collider",
                                          "parameters": {"position": [{"keys": [[1, 0, "linear"]]}, 0, 0]}}
        document["links"] += [{"from": "hand_shape.shape", "to": f"{hand}.shape"} for hand in ("right_hand", "left_hand")]
        self.load(document)
        right = {"right_hand": {"position": [0, 2, 0], "orientation": [0, 0.6, 0, 0.8]}}
        answer = self.client.call("pose.set", poses={**right, "head": {"position": [0, 1, 0]}})
        self.assertEqual((answer["moved"], answer["absent"], answer["live"]), (["right_hand"], ["head"], False))
        for poses in ({**right, "left_hand": {"position": [0, 0, 0]}}, {**right, "jello": {"position": [0, 0, 0]}},
                      {"right_hand": {"position": [0, 0, 1e7]}}):
            with self.assertRaises(Failure, msg=poses):
                self.client.call("pose.set", poses=poses)
        self.assertEqual(self.client.call("pose.set", poses={"head": {"position": [0, 1, 0]}})["revision"],
                         answer["revision"], "what was refused has changed nothing")

    def test_sinks_run_when_asked(self):
        self.load()
        output = os.path.join(self.folder, "asked")
        _, end = self.client.run(sinks=True, output=output, to=3)
        self.assertEqual(end["state"], "finished")
        self.assertTrue(os.listdir(output))

    def test_sinks_need_a_folder(self):
        self.load()
        for params in ({}, {"output": ""}):
            with self.assertRaises(Failure) as refused:
                self.client.call("run.start", sinks=True, **params)
            self.assertEqual(refused.exception.code, -32602)
            self.assertIn("'output' is missing", str(refused.exception))

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

    def arrays(self, client=None, **params):
        return (client or self.client).call("value.arrays", **{
            "node": "solver", "socket": "particles", "frame": 2, **params})

    def unpacked(self, answer, data):
        """Rows of each array of 32-bit numbers and of ids."""
        found = {}
        for entry in answer["arrays"]:
            self.assertEqual(entry["offset"] % 64, 0)
            letter = {"float32": "f", "int32": "i", "uint32": "I", "uint8": "B", "uint64": "Q"}
            width = entry["components"]
            flat = struct.unpack_from(f"={answer['count'] * width}{letter[entry['type']]}", data,
                                      entry["offset"])
            found[entry["name"]] = [flat[i:i + width] for i in range(0, len(flat), width)]
        return found

    def in_shared_memory(self, answer):
        data = pathlib.Path("/dev/shm" + answer["segment"]).read_bytes()
        self.assertEqual(len(data), answer["bytes"])
        self.client.call("value.release", segment=answer["segment"])
        self.assertFalse(os.path.exists("/dev/shm" + answer["segment"]))
        return data

    def test_arrays_hold_what_the_table_shows(self):
        self.load()
        self.client.run(to=2)
        table = self.table(2)
        answer = self.arrays()
        self.assertEqual((answer["total"], answer["count"]), (table["total"],) * 2)
        arrays = self.unpacked(answer, self.in_shared_memory(answer))
        for n, shown in enumerate(table["rows"][:100]):
            row = [number for rows in arrays.values() for number in rows[n]]
            self.assertEqual(len(row), len(shown))
            for a, b in zip(shown, row):
                self.assertAlmostEqual(a, b, delta=1e-6 * max(1, abs(a)))
        part = self.arrays(attributes=["id", "x"], offset=5, count=7)
        self.assertEqual([a["name"] for a in part["arrays"]], ["id", "x"])
        some = self.unpacked(part, self.in_shared_memory(part))
        self.assertEqual(some["x"], arrays["x"][5:12])
        self.assertEqual(some["id"], arrays["id"][5:12])
        for empty in (self.arrays(count=0), self.arrays(offset=10 ** 9)):
            self.assertEqual((empty["count"], empty["bytes"]), (0, 0))
            self.assertNotIn("segment", empty)
        for params in ({"attributes": ["nothing"]}, {"frame": 3}, {"socket": "mesh"}):
            with self.assertRaises(Failure):
                self.arrays(**params)

    def test_arrays_that_are_never_released_are_bounded_and_removed(self):
        self.load()
        self.client.run(to=2)
        segments = [self.arrays(attributes=["id"])["segment"] for _ in range(16)]
        with self.assertRaises(Failure) as refused:
            self.arrays()
        self.assertEqual(refused.exception.code, -32003)
        self.client.call("value.release", segment="/nothing")
        self.client.call("value.release", segment=segments.pop())
        segments.append(self.arrays()["segment"])
        self.client.close()
        self.server.end()
        self.assertEqual([s for s in segments if os.path.exists("/dev/shm" + s)], [])

    def test_arrays_over_tcp_follow_the_answer(self):
        server = Server(FLOE, self.folder, "--listen", "127.0.0.1:0")
        token = server.process.stdout.readline().split()[1]
        client = Client(PROTOCOL, server.address, token=token)
        self.addCleanup(server.end)
        self.addCleanup(client.close)
        client.call("document.set", document=BALL, path=self.path)
        client.run(to=2)
        self.load()
        self.client.run(to=2)
        here = self.arrays()
        there = self.arrays(client)
        self.assertTrue(there["follows"])
        self.assertEqual(client.payload, self.in_shared_memory(here))
        client.call("types.list")

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
