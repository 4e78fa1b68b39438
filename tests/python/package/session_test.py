"""Sessions: frames, arrays, pictures, live changes, resuming, and servers that die."""

import contextlib
import glob
import io
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import threading
import types
from unittest import mock

import numpy as np

from scene import FLOE, Case, ball, floe, main
from floe.connection import Connection


class Frames(Case):
    def test_a_picture_of_the_environment_lights_and_is_the_background(self):
        scene = ball(end=1)
        scene.add("floe.light", "around", type="environment", intensity=1)
        scene.add("floe.output.render", "render", ground=False)
        for source, target in (("solver.particles", "render.particles"), ("around.light", "render.lights")):
            scene.link(source, target)
        with floe.Session() as session:
            seen = []
            for name, colour in (("red", (220, 40, 40, 255)), ("blue", (40, 40, 220, 255))):
                path = self.folder / f"{name}.png"
                floe.Picture(np.full((16, 32, 4), colour, np.uint8)).save(path)
                scene["around"].image = str(path)
                frame = session.run(scene).wait()
                seen.append(frame.draw(64, 48).pixels[2, 2])
        self.assertGreater(seen[0][0], 4 * seen[0][2])
        self.assertGreater(seen[1][2], 4 * seen[1][0])

    def test_particles_fall_as_bodies_do(self):
        with floe.Session() as session:
            for frame in session.run(ball(end=5, speed=0.5)):
                seconds = (frame.number - 1) / 24  # the first is how it begins
                x, v = frame.particles["x"], frame.particles["v"]
                self.assertEqual(x.shape, (frame.particles.count, 3))
                self.assertEqual(x.dtype, np.float32)
                # Symplectic Euler errs by g dt / 2 in the mean velocity: 1 % with ten substeps a frame.
                np.testing.assert_allclose(v.mean(axis=0), [0.5, -9.81 * seconds, 0], rtol=0.02,
                                           atol=0.01)
                np.testing.assert_allclose(x[:, 1].mean(), 0.5 - 9.81 * seconds ** 2 / 2, atol=0.02)
                self.assertEqual(frame.statistics["nodes"]["solver"]["substeps"] > 0,
                                 frame.number > 1)
            self.assertEqual(frame.number, 5)
            self.assertEqual(len(np.unique(frame.particles["id"])), frame.particles.count)

    def test_arrays_are_views_on_shared_memory_that_outlive_the_session(self):
        with floe.Session() as session:
            frame = session.run(ball(end=1)).wait()
            x = frame.particles["x"]
            owner = x
            while isinstance(owner, np.ndarray):
                self.assertFalse(owner.flags.owndata)
                owner = owner.base
            self.assertIsInstance(getattr(owner, "obj", owner), mmap.mmap)
            with self.assertRaises(ValueError):
                x[0] = 0
            mean = x.mean()
            self.assertIs(frame.particles["x"], x)
            with self.assertRaises(KeyError) as caught:
                frame.particles["velocity"]
            self.assertIn("material, state, v", str(caught.exception))
            for name, array in frame.particles.fetch().items():
                self.assertEqual(len(array), frame.particles.count, name)
            self.assertEqual(segments(session), [], "all are released")
        self.assertEqual(x.mean(), mean)

    def test_frames_that_are_there_come_again_without_simulating(self):
        scene = ball(end=4)
        with floe.Session() as session:
            first = {f.number: f.particles["x"].copy() for f in session.run(scene, frames=2)}
            again = session.run(scene)
            seen = {}
            for frame in again:
                seen[frame.number] = frame.particles["x"]
            self.assertEqual(list(seen), [1, 2, 3, 4])
            for number, x in first.items():
                np.testing.assert_array_equal(seen[number], x)
            self.assertEqual([f.number for f in session.run(scene)], [1, 2, 3, 4])
            np.testing.assert_array_equal(session.frame(2).particles["x"], first[2])

    def test_leaving_the_loop_stops_the_run(self):
        with floe.Session() as session:
            for frame in session.run(ball(end=100000)):
                if frame.number == 2:
                    break
            done = [f.number for f in session.run(ball(end=3))]
            self.assertEqual(done, [1, 2, 3])

    def test_a_second_run_must_wait(self):
        with floe.Session() as session:
            run = session.run(ball(end=100000))
            with self.assertRaises(floe.FloeError) as caught:
                session.run(ball())
            self.assertIn("stop()", str(caught.exception))
            run.stop()
            session.run(ball(end=1)).wait()

    def test_resuming_goes_on_from_a_frame_with_the_graph_as_it_is(self):
        scene = ball(end=6)
        with floe.Session() as session:
            speeds = {f.number: f.particles["v"][:, 1].mean() for f in session.run(scene)}
            scene["down"].acceleration = (0, 0, 0)
            run = session.run(scene, resume_from=3)
            after = {f.number: f.particles["v"][:, 1].mean() for f in run}
            self.assertEqual(run.resumed_from, 3)
            self.assertEqual(list(after), [4, 5, 6])
            self.assertAlmostEqual(after[6], speeds[3], places=3)

    def test_live_parameters_change_while_it_runs_and_others_do_not(self):
        scene = ball(end=100000, height=1000)
        with floe.Session() as session:
            run = iter(session.run(scene))
            next(run)
            self.assertTrue(session.set("down", "acceleration", (0, 0, 5)))
            self.assertEqual(scene["down"].acceleration, [0, 0, 5])
            with self.assertRaises(floe.RequestError) as caught:
                session.set("solver", "cellSize", 0.1)
            self.assertEqual((caught.exception.node, caught.exception.field),
                             ("solver", "cellSize"))
            with self.assertRaises(floe.GraphError):
                session.set("down", "acceleration", "up")
            speed = 0.0
            for frame in run:
                speed = frame.particles["v"][:, 2].mean()
                if speed > 0.3:
                    break
            self.assertGreater(speed, 0.3)

    def test_faults_come_before_anything_runs(self):
        scene = ball()
        scene.unlink("ball.shape", "body.shape")
        with floe.Session() as session:
            with self.assertRaises(floe.GraphError) as caught:
                session.run(scene)
            self.assertEqual(caught.exception.node, "body")
            with self.assertRaises(floe.GraphError):
                session.run(ball(), frames=0)
            session.run(ball(end=1)).wait()

    def test_a_node_that_fails_is_named(self):
        scene = ball(end=3)
        scene.add("floe.shape.mesh", "scan", path="missing.obj")
        scene.add("floe.collider", "wall")
        scene.link("scan.shape", "wall.shape")
        scene.link("wall.collider", "solver.colliders")
        with floe.Session() as session:
            with self.assertRaises((floe.RunError, floe.GraphError)) as caught:
                session.run(scene).wait()
            self.assertEqual(caught.exception.node, "scan")
            self.assertIn("missing.obj", str(caught.exception))
            session.run(ball(end=1)).wait()

    def test_files_are_written_when_asked(self):
        scene = ball(end=2)
        scene.add("floe.output.particles", "files", path="p.%04d.ply")
        scene.link("solver.particles", "files.particles")
        with floe.Session() as session:
            session.run(scene, output=self.folder / "out").wait()
        self.assertEqual(sorted(os.listdir(self.folder / "out")), ["p.0001.ply", "p.0002.ply", "run.json"])

    def test_a_picture_shows_the_ball_where_it_is(self):
        with floe.Session() as session:
            frame = session.run(ball(end=1, height=0.4)).wait()
            picture = frame.draw(64, 36)
            self.assertEqual(picture.size, (64, 36))
            # Against the sky above: the camera looks at the ball's middle.
            middle, sky = (picture.pixels[y, 32, :3].astype(int) for y in (18, 3))
            self.assertGreater(abs(middle - sky).max(), 20)
            aside = frame.draw(64, 36, camera={"eye": (0, 0.4, 4), "target": (0, 3, 0)})
            self.assertNotEqual(aside.pixels.tobytes(), picture.pixels.tobytes())
            path = self.folder / "ball.png"
            picture.save(path)
            from floe.picture import decode_png
            np.testing.assert_array_equal(decode_png(path.read_bytes()), picture.pixels)
            with self.assertRaises(floe.FloeError):
                frame.draw(64, 36, camera="nobody")
            frame.draw(64, 36)


def segments(session):
    """The shared memory of a session's server."""
    number = session.connection.process.pid
    with open(f"/proc/{number}/task/{number}/children") as file:
        servers = [number, *file.read().split()]
    return [name for server in servers for name in glob.glob(f"/dev/shm/floe-view-{server}-*")]


class Pictures(Case):
    def test_png_files_of_every_filter_are_read(self):
        import struct
        import zlib
        from floe.picture import decode_png, encode_png
        pixels = np.random.default_rng(1).integers(0, 256, (7, 5, 4), np.uint8)
        np.testing.assert_array_equal(decode_png(encode_png(pixels)), pixels)
        np.testing.assert_array_equal(decode_png(encode_png(pixels[:, :, :3])), pixels[:, :, :3])
        # By the PNG specification, byte by byte.
        rows, above = b"", [0] * 20
        for y in range(7):
            line, kind = pixels[y].reshape(-1).tolist(), y % 5
            rows += bytes([kind])
            for i, value in enumerate(line):
                a, b, c = (line[i - 4] if i > 3 else 0), above[i], (above[i - 4] if i > 3 else 0)
                p = a + b - c
                paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                rows += bytes([(value - (0, a, b, (a + b) // 2, paeth)[kind]) & 255])
            above = line

        def chunk(name, content):
            return struct.pack(">I", len(content)) + name + content + b"0000"
        data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 5, 7, 8, 6, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
        np.testing.assert_array_equal(decode_png(data), pixels)
        for damaged in (b"", data[:40], data[:60], data.replace(b"IHDR", b"IHDX"), b"GIF" + data):
            with self.assertRaises(floe.FloeError):
                decode_png(damaged)
        with self.assertRaises(floe.FloeError):
            encode_png(np.zeros((3, 3), np.uint8))


class Progress(Case):
    def test_a_terminal_gets_a_line(self):
        said = io.StringIO()
        with floe.Session() as session, contextlib.redirect_stderr(said):
            session.run(ball(end=2), progress=True).wait()
        self.assertIn("100% frame 2", said.getvalue())
        self.assertTrue(said.getvalue().endswith("\n"))
        self.assertNotIn("\n", said.getvalue()[:-1])

    def test_a_notebook_gets_a_bar(self):
        shown = []

        class Handle:
            def update(self, html):
                shown.append(html)

        fake = types.ModuleType("IPython")
        fake.get_ipython = lambda: types.SimpleNamespace(kernel=True)
        fake.display = types.ModuleType("IPython.display")
        fake.display.HTML = str
        fake.display.display = lambda html, display_id: Handle()
        with mock.patch.dict(sys.modules, {"IPython": fake, "IPython.display": fake.display}):
            with floe.Session() as session:
                session.run(ball(end=2)).wait()
        self.assertIn('value="1.0000"', shown[-1])
        self.assertIn("frame 2", shown[-1])

    def test_nothing_is_shown_where_nobody_looks(self):
        said = io.StringIO()
        with floe.Session() as session, contextlib.redirect_stderr(said):
            session.run(ball(end=2)).wait()
        self.assertEqual(said.getvalue(), "")


class Servers(Case):
    def test_a_killed_server_is_an_exception_and_the_next_session_works(self):
        with floe.Session() as session:
            run = iter(session.run(ball(end=100000)))
            x = next(run).particles["x"]
            os.kill(session.connection.process.pid, signal.SIGKILL)
            with self.assertRaises(floe.ServerDied) as caught:
                for _ in run:
                    pass
            self.assertEqual(caught.exception.exit_code, -signal.SIGKILL)
            self.assertIn("open a new session", str(caught.exception))
            with self.assertRaises(floe.ServerDied):
                session.frame(1).particles["v"]
            with self.assertRaises(floe.ServerDied):
                session.run(ball())
        self.assertTrue(np.isfinite(x).all())
        with floe.Session() as session:
            session.run(ball(end=1)).wait()

    def test_a_closed_session_says_so(self):
        session = floe.Session()
        process = session.connection.process
        session.close()
        session.close()
        self.assertEqual(process.wait(0.0), 0)
        with self.assertRaises(floe.ServerDied) as caught:
            session.run(ball())
        self.assertIn("closed", str(caught.exception))

    def test_a_server_that_cannot_start_says_why(self):
        fake = self.folder / "floe"
        fake.write_text("#!/bin/sh\necho 'error: no room' >&2\nexit 5\n")
        fake.chmod(0o755)
        with self.assertRaises(floe.ServerDied) as caught:
            floe.Session(program=str(fake))
        self.assertIn("no room", str(caught.exception))
        self.assertEqual(caught.exception.exit_code, 5)

    def test_over_tcp_arrays_and_pictures_are_the_same(self):
        server = subprocess.Popen([FLOE, "serve", "--listen", "127.0.0.1:0", "--keep"],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)
        address = server.stdout.readline().strip()
        token = server.stdout.readline().split()[1]
        scene = ball(end=2)
        with self.assertRaises(floe.RequestError) as caught:
            floe.Session(address, "0" * 64)
        self.assertIn("token", str(caught.exception))
        with floe.Session() as local:
            frame = local.run(scene).wait()
            here, picture = frame.particles.fetch(), frame.draw(48, 27)
        with floe.Session(address, token) as remote:
            frame = remote.run(scene).wait()
            there = frame.particles.fetch()
            self.assertEqual(list(there), list(here))
            for name in here:
                self.assertEqual(there[name].dtype, here[name].dtype)
                np.testing.assert_array_equal(there[name], here[name])
            np.testing.assert_array_equal(frame.draw(48, 27).pixels, picture.pixels)
            with self.assertRaises(floe.RequestError) as caught:
                floe.Session(address, token)
            self.assertIn("client already", str(caught.exception))
        with floe.Session(address, token) as again:  # --keep
            np.testing.assert_array_equal(again.run(scene).wait().particles["x"], here["x"])

    def test_others_look_on(self):
        scene = ball(end=4)
        with floe.Session() as session:
            with floe.Watch(session.connection.address) as first, floe.Watch(session.connection.address) as second:
                own = session.run(scene).wait()
                for watch in (first, second):
                    seen = []
                    for frame in watch:
                        seen.append(frame.number)
                        if frame.number == 4:
                            break
                    self.assertEqual(seen, [1, 2, 3, 4])
                    np.testing.assert_array_equal(frame.value("solver.particles")["x"], own.particles["x"])
                    self.assertEqual(frame.draw(64, 36).pixels.shape[:2], (36, 64))
                    with self.assertRaisesRegex(floe.FloeError, "name the output"):
                        frame.particles["x"]
                with self.assertRaisesRegex(floe.RequestError, "who watches cannot"):
                    first.connection.call("run.start")
            watch = floe.Watch(session.connection.address)
        self.assertEqual([frame.number for frame in watch], [])  # the session has ended
        watch.close()

    def test_no_server_is_an_exception(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        for address in (f"127.0.0.1:{port}", str(self.folder / "none.sock")):
            with self.assertRaises(floe.ServerDied) as caught:
                floe.Session(address)
            self.assertIn(address, str(caught.exception))
        with self.assertRaises(floe.FloeError):
            floe.Session("nonsense")

    def test_arrays_that_come_in_parts_are_joined(self):
        path = str(self.folder / "fake.sock")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        whole = np.arange(75, dtype=np.float32).reshape(25, 3)

        def serve():
            connection, _ = listener.accept()
            with connection, connection.makefile("rwb") as file:
                for line in file:
                    request = json.loads(line)
                    params, payload = request["params"], b""
                    result = {"protocol": 1, "version": "0", "pid": 1, "devices": []}
                    if request["method"] == "value.arrays":
                        first = params.get("offset", 0)
                        part = whole[first:first + min(10, params.get("count", 25))]
                        payload = part.tobytes() + b"\n"
                        result = {"total": 25, "offset": first, "count": len(part),
                                  "bytes": part.nbytes, "follows": True, "arrays": [
                                      {"name": "x", "type": "float32", "components": 3,
                                       "offset": 0}]}
                    answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
                    file.write(json.dumps(answer).encode() + b"\n" + payload)
                    file.flush()

        threading.Thread(target=serve, daemon=True).start()
        connection = Connection(path)
        self.addCleanup(listener.close)
        self.addCleanup(connection.close)
        total, arrays = connection.arrays("solver", "particles", 1)
        self.assertEqual(total, 25)
        np.testing.assert_array_equal(arrays["x"], whole)
        np.testing.assert_array_equal(connection.arrays("s", "p", 1, count=12)[1]["x"], whole[:12])


if __name__ == "__main__":
    main()
