"""How `floe serve` treats strangers, nonsense and its own death."""

import base64
import copy
import fcntl
import glob
import json
import os
import pathlib
import random
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from client import Client, Failure, Server
from session import FLOE, PROTOCOL, BALL, Session


class Manners(Session):
    def test_only_the_owner_may_come(self):
        self.assertEqual(stat.S_IMODE(os.stat(self.server.address).st_mode), 0o600)
        folder = os.path.dirname(self.server.address)
        self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700)

    def test_a_second_client_is_refused_clearly(self):
        other = Client(PROTOCOL, self.server.address, greet=False)
        with self.assertRaises(Failure) as refused:
            other.call("hello", protocol=1)
        self.assertIn("client already", str(refused.exception))
        self.assertEqual(refused.exception.code, -32002)
        self.assertRaises(EOFError, other.read)
        other.close()
        self.client.call("types.list")

    def test_several_watch_one_session(self):
        self.load()
        watchers = [Client(PROTOCOL, self.server.address, watch=True) for _ in range(2)]
        for watcher in watchers:
            self.addCleanup(watcher.close)
        self.assertEqual(watchers[0].hello["frames"], [])
        self.client.run(to=3)
        for watcher in watchers:
            self.assertEqual(watcher.wait("run.frame", lambda p: p["frame"] == 3)["frame"], 3)
            watcher.wait("run.state", lambda p: p["state"] == "finished")
            about = watcher.call("value.arrays", node="solver", socket="particles", frame=3, attributes=["x"])
            self.assertTrue(about["follows"])  # the client alone has shared memory
            self.assertEqual(about["count"] * 12, len(watcher.payload))
            drawn = watcher.call("view.draw", width=64, height=36, frame=3)
            self.assertTrue(base64.b64decode(drawn["data"]).startswith(b"\x89PNG"))
            for method, params in (("run.start", {}), ("document.set", {"document": BALL, "path": ""}),
                                   ("shutdown", {}), ("view.set", {"width": 5, "height": 5})):
                with self.assertRaises(Failure) as refused:
                    watcher.call(method, **params)
                self.assertEqual(refused.exception.code, -32002)
                self.assertIn(method, str(refused.exception))
        late = Client(PROTOCOL, self.server.address, watch=True)
        self.assertEqual(late.hello["frames"], [{"first": 1, "last": 3, "state": "cached"}])
        late.close()
        # Watchers go without a trace, and end with the client's session.
        watchers[0].close()
        self.client.call("types.list")
        self.client.close()
        self.assertEqual(self.server.end(), 0)
        with self.assertRaises(EOFError):
            while True:
                watchers[1].read()

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
                       b'{"width": 5, "height": 5, "view": 4}',
                       b'{"width": 5, "height": 5, "view": -1}',
                       b'{"width": 5, "height": 5, "ghosts": "ball"}',
                       b'{"width": 5, "height": 5, "ghosts": [1]}',
                       b'{"width": 5, "height": 5, "ghosts": [' + b'"x",' * 256 + b'"x"]}',
                       b'{"width": 5, "height": 5, "camera": {"eye": [0,0,0], "target": [0,0,0]}}'):
            self.assertEqual(code(request % (b"view.set", params)), -32602, params)

    def test_hello_comes_first(self):
        self.client.close()
        self.server.end()
        self.server = Server(FLOE, self.folder)
        for code, method, params in ((-32001, "types.list", {}), (-32001, "shutdown", {}),
                                     (-32001, "nothing", {}), (-32602, "hello", {"protocol": "x"}),
                                     (-32002, "hello", {"protocol": 999})):
            stranger = Client(PROTOCOL, self.server.address, greet=False)
            stranger.raw(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method,
                                     "params": params}).encode() + b"\n")
            self.assertEqual(stranger.read()["error"]["code"], code, method)
            self.assertRaises(EOFError, stranger.read)
            stranger.close()
        self.client = Client(PROTOCOL, self.server.address)
        self.client.call("types.list")

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
        # It dies with its supervisor, but may take a moment to give its memory and its folder back.
        for place in ("/dev/shm" + segment, *glob.glob(self.folder + "/floe/sessions/*")):
            left = os.open(place, os.O_RDONLY)
            fcntl.flock(left, fcntl.LOCK_EX)
            os.close(left)
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
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = Server(FLOE, self.folder, "--listen", "127.0.0.1:0")
        self.addCleanup(lambda: self.server.process.poll() is None and self.server.kill())
        self.token = self.server.process.stdout.readline().split()[1]

    def test_the_token_is_long(self):
        self.assertRegex(self.token, "^[0-9a-f]{64}$")

    def test_pictures_are_png(self):
        client = Client(PROTOCOL, self.server.address, token=self.token)
        client.call("document.set", document=BALL, path="")
        client.call("view.set", width=64, height=36)
        data = base64.b64decode(client.wait("view.picture")["data"])
        self.assertTrue(data.startswith(b"\x89PNG"))
        client.call("shutdown")
        client.close()
        self.assertEqual(self.server.end(), 0)

    def test_strangers_cost_the_owner_nothing(self):
        silent = Client(PROTOCOL, self.server.address, greet=False)
        for wrong in ("", "0" * 64, self.token[:-1], self.token + "0"):
            stranger = Client(PROTOCOL, self.server.address, greet=False)
            with self.assertRaises(Failure) as refused:
                stranger.call("hello", protocol=1, token=wrong)
            self.assertEqual(refused.exception.code, -32002)
            self.assertRaises(EOFError, stranger.read)
            stranger.close()
        Client(PROTOCOL, self.server.address, greet=False).close()
        client = Client(PROTOCOL, self.server.address, token=self.token)
        client.call("types.list")
        self.assertIn("no hello came in time", silent.read()["error"]["message"])
        silent.close()
        client.close()
        self.assertEqual(self.server.end(), 0)

    def test_a_crowd_is_logged_in_a_few_lines(self):
        self.server.kill()
        self.server = Server(FLOE, self.folder, "--listen", "127.0.0.1:0",
                             stderr=subprocess.PIPE)
        token = self.server.process.stdout.readline().split()[1]
        for _ in range(2000):
            Client(PROTOCOL, self.server.address, greet=False).close()
        client = Client(PROTOCOL, self.server.address, token=token)
        client.close()
        self.assertEqual(self.server.end(), 0)
        log = self.server.process.stderr.read()
        self.server.process.stderr.close()
        self.assertIn("from 127.0.0.1", log)
        self.assertLess(log.count("\n"), 100)


class Addresses(unittest.TestCase):
    def test_what_is_no_address_is_refused(self):
        for text in ("", "127.0.0.1:22x", "127.0.0.1", ":7000", "127.0.0.1:70000"):
            done = subprocess.run([FLOE, "serve", "--listen", text], capture_output=True, text=True,
                                  timeout=60)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("HOST:PORT" if text else "--listen: the value is empty", done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
