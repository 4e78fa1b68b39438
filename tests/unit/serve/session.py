"""The scene and the server that the tests of `floe serve` share.

Their command line is TEST.py SOURCE_FOLDER FLOE [unittest's own arguments]."""

import copy
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from client import Client, Protocol, Server, states

SOURCE = pathlib.Path(sys.argv[1])
FLOE = sys.argv[2]
PROTOCOL = Protocol(SOURCE / "runtime/serve/protocol.schema.json")

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
        for _ in range(15000):
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
        """Goes on from the third frame and changes a parameter while that runs.
        @return the first frame with it"""
        for _ in range(100):
            self.load(document)
            self.client.run(**{"from": 1, "to": 3})
            # In one piece: what is sent after a frame was heard of may come many frames later.
            lines = self.client.line("run.start")
            lines += self.client.line("control.set", node=node, parameter=parameter, value=value)
            self.client.heard = len(self.client.notes)
            self.client.raw(lines)
            answer = self.client.answer(self.client.last_id)
            self.client.wait("run.state", lambda p: p["state"] == "finished")
            mixed = [f for f, state in self.client.frames().items() if state == "cached mixed"]
            if answer["live"] and mixed and min(mixed) <= 6:  # or the machine was busy with something else
                return min(mixed)
        self.fail("no change came in time")
