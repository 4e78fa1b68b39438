"""How fast `floe serve` shows a million particles: orbiting, scrubbing cached frames, still pictures.

    interactive_view.py PATH/TO/floe [--particles 1000000] [--frames 30]

Prints milliseconds from the request (view.set) to the picture's notification, with pixels in shared
memory, at 1280x720. Wall clock: run it on a machine that does nothing else.
"""

import argparse
import math
import pathlib
import select
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/unit/serve"))
from client import Client, Protocol, Server  # noqa: E402


def scene(particles, frames):
    cell = (0.6 * 0.55 * 0.6 * 8 / particles) ** (1 / 3)
    # A short time between frames: what is measured is looking, not simulating.
    return {
        "floe": 1,
        "range": {"start": 1, "end": frames, "fps": 1000},
        "nodes": {
            "shape": {"type": "floe.shape.box", "parameters": {
                "size": [0.6, 0.55, 0.6], "center": [0, 0.5, 0], "voxelSize": 0.015}},
            "water": {"type": "floe.material", "parameters": {
                "law": "liquid", "density": 1000, "bulkModulus": 20000.0, "exponent": 7}},
            "column": {"type": "floe.emitter"},
            "gravity": {"type": "floe.force.gravity"},
            "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": cell}},
        },
        "links": [
            {"from": "shape.shape", "to": "column.shape"},
            {"from": "water.material", "to": "column.material"},
            {"from": "column.emitter", "to": "solver.emitters"},
            {"from": "gravity.force", "to": "solver.forces"},
        ],
    }


def camera(step):
    angle = 0.05 * step
    return {"eye": [2 * math.cos(angle), 1.2, 2 * math.sin(angle)], "target": [0, 0.4, 0], "fov": 40}


def picture(client, frame, step, quality, mode="material", until="any"):
    """@param until  "any" picture of it, or the one that no other follows for ten seconds
    @return milliseconds until the picture is there"""
    begin = time.monotonic()
    client.notes.clear()
    client.call("view.set", width=1280, height=720, frame=frame, camera=camera(step),
                quality=quality, colouring={"mode": mode})
    took = None
    while True:
        for note in client.notes:
            if note["method"] == "view.picture":
                took = 1000 * (time.monotonic() - begin)
                if until == "any":
                    return took
            if note["method"] == "log" and note["params"]["severity"] != "info":
                print(note["params"]["message"])
        client.notes.clear()
        if took and not select.select([client.socket], [], [], 10)[0]:
            return took
        client.read()


def report(what, times):
    times = sorted(times)
    print(f"{what}: median {statistics.median(times):.0f} ms, "
          f"from {times[0]:.0f} to {times[-1]:.0f} ms", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("floe")
    parser.add_argument("--particles", type=float, default=1e6)
    parser.add_argument("--frames", type=int, default=30)
    options = parser.parse_args()
    if options.frames < 2:
        parser.error("--frames must be at least 2: the same picture is not drawn twice")
    protocol = Protocol(ROOT / "runtime/serve/protocol.schema.json")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.floe, folder)
        client = Client(protocol, server.address)
        client.socket.settimeout(None)  # a frame of many particles says nothing for minutes
        answer = client.call("document.set", document=scene(options.particles, options.frames),
                             path="")
        assert not [f for f in answer["faults"] if f["severity"] == "error"], answer["faults"]
        begin = time.monotonic()
        client.call("run.start")
        done = False
        while not done:
            message = client.read()
            if message.get("method") == "run.state":
                state = message["params"]["state"]
                assert state != "failed", message
                done = state in ("finished", "idle", "stopped")
        print(f"{options.frames} frames simulated in {time.monotonic() - begin:.0f} s", flush=True)
        time.sleep(3)
        frame = options.frames
        report("first picture of it", [picture(client, frame, 0, "still")])
        report("full picture", [picture(client, frame, i, "still", until="last")
                                for i in range(1, 3)])
        report("orbit, until settled", [picture(client, frame, i, "moving") for i in range(15)])
        report("orbit", [picture(client, frame, i, "moving") for i in range(40)])
        rested = []
        for i in range(10):  # one rests for a moment, the full picture begins, one goes on
            client.call("view.set", width=1280, height=720, frame=frame, camera=camera(i),
                        quality="still")
            time.sleep(0.5)
            rested.append(picture(client, frame, i + 1, "moving"))
        report("orbit on after a rest", rested)
        report("scrub, first time", [picture(client, i, 0, "moving")
                                     for i in range(1, options.frames + 1)])
        report("scrub", [picture(client, i, 0, "moving")
                         for i in range(1, options.frames + 1)])
        report("scrub by speed", [picture(client, i, 0, "moving", "speed")
                                  for i in range(1, options.frames + 1)])
        client.close()
        server.end()


if __name__ == "__main__":
    main()
