"""rosbridge over WebSocket and TCP: what clients see of a simulation and do to it, and what hostile ones cannot do."""

import base64
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import time

import numpy as np

from scene import PACKAGE, Case, arm, ball, floe, main
from floe import ros_web, rosbridge, websocket

KEY = "dGhlIHNhbXBsZSBub25jZQ=="


class Tcp:
    """A client, as a program that has never seen this package would write it."""

    def __init__(self, address):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=30)
        self.lines = self.socket.makefile("rb")

    def raw(self, data):
        self.socket.sendall(data)

    def say(self, **message):
        self.raw(json.dumps(message).encode())  # with nothing between

    def hear(self):
        """The next message; None at the end."""
        try:
            line = self.lines.readline()
        except ConnectionResetError:
            return None
        return json.loads(line) if line else None

    def wait(self, **wanted):
        """The next message with these members."""
        while True:
            message = self.hear()
            assert message is not None, f"it ended before {wanted}"
            if all(message.get(name) == value for name, value in wanted.items()):
                return message

    def call(self, service, **args):
        self.say(op="call_service", id="c", service=service, args=args)
        return self.wait(op="service_response", id="c")

    def close(self):
        self.lines.close()
        self.socket.close()


class Web(Tcp):
    def __init__(self, address, **headers):
        super().__init__(address)
        fields = {"Host": address, "Upgrade": "websocket", "Connection": "keep-alive, Upgrade",
                  "Sec-WebSocket-Key": KEY, "Sec-WebSocket-Version": "13",
                  **{name.replace("_", "-"): value for name, value in headers.items()}}
        self.raw(("GET / HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in fields.items()) + "\r\n").encode())
        self.answer = b""
        while not self.answer.endswith(b"\r\n\r\n"):
            byte = self.lines.read(1)
            if not byte:
                break
            self.answer += byte

    def frame(self, kind, data, final=True, masked=True, size=None):
        size = len(data) if size is None else size
        mask = b"\x12\x34\x56\x78"
        head = bytes([(0x80 if final else 0) | kind])
        head += bytes([0x80 * masked | size]) if size < 126 else \
            struct.pack("!BH", 0x80 * masked | 126, size) if size < 65536 else \
            struct.pack("!BQ", 0x80 * masked | 127, size)
        body = bytes(b ^ mask[i % 4] for i, b in enumerate(data)) if masked else data
        self.raw(head + (mask if masked else b"") + body)

    def say(self, **message):
        self.frame(websocket.TEXT, json.dumps(message).encode())

    def take(self):
        """Kind and data of the next frame; None at the end."""
        try:
            head = self.lines.read(2)
        except ConnectionResetError:
            return None
        if len(head) < 2:
            return None
        size = head[1]
        if size == 126:
            size, = struct.unpack("!H", self.lines.read(2))
        elif size == 127:
            size, = struct.unpack("!Q", self.lines.read(8))
        return head[0] & 15, self.lines.read(size)

    def hear(self):
        found = self.take()
        while found is not None and found[0] != websocket.TEXT:
            found = self.take()
        return None if found is None else json.loads(found[1])


class Protocol(Case):
    """The server alone."""

    def setUp(self):
        super().setUp()
        self.taken = []
        self.server = rosbridge.Server(
            {"/out": "std_msgs/msg/String"}, {"/in": ("geometry_msgs/msg/Twist", self.taken.append)},
            {"/double": ("x/srv/Double", self.double)}, origins=["https://lab.example"], max_message=100_000)
        self.addCleanup(self.server.close)
        self.tcp, self.web = self.server.listen("0", framed=False), self.server.listen("0")

    @staticmethod
    def double(args):
        if "x" not in args:
            raise rosbridge.Refused("'x' is missing")
        return {"y": 2 * args["x"]}

    def connect(self, kind=Tcp, **headers):
        client = kind(self.tcp if kind is Tcp else self.web, **headers)
        self.addCleanup(client.close)
        return client

    def works(self, client):
        self.assertEqual(client.call("/double", x=4)["values"], {"y": 8})

    def test_only_this_machine_can_connect(self):
        self.assertTrue(self.tcp.startswith("127.0.0.1:") and self.web.startswith("127.0.0.1:"))
        for wrong in ("", "x", "1:2:x", "99999", "256.0.0.1:0", self.tcp):
            with self.assertRaises(floe.FloeError):
                self.server.listen(wrong)

    def test_topics_and_services_over_both(self):
        for kind in (Tcp, Web):
            with self.subTest(kind.__name__):
                client = self.connect(kind)
                self.works(client)
                self.assertEqual(client.call("/double")["values"], "'x' is missing")
                self.assertFalse(client.call("/nothing")["result"])
                self.assertIn("/in", client.call("/rosapi/topics")["values"]["topics"])
                client.say(op="advertise", topic="/in", type="geometry_msgs/Twist")
                client.say(op="publish", topic="/in", msg={"linear": {"x": 1}})
                client.say(op="subscribe", topic="/out", type="std_msgs/String", queue_length=10)
                self.works(client)  # what came before is done
                self.assertEqual(self.taken.pop(), {"linear": {"x": 1}})
                self.assertTrue(self.server.wanted("/out"))
                for number in range(5):
                    self.server.publish("/out", {"data": "é" * 200 * number})
                self.assertEqual([len(client.hear()["msg"]["data"]) for _ in range(5)],
                                 [0, 200, 400, 600, 800])
                client.say(op="unsubscribe", topic="/out")
                self.works(client)
                self.assertFalse(self.server.wanted("/out"))

    def test_a_slow_client_gets_the_newest_and_holds_nobody_up(self):
        slow, quick = self.connect(), self.connect(Web)
        for client, length in ((slow, 1), (quick, 1000)):
            client.say(op="subscribe", topic="/out", queue_length=length)
            self.works(client)
        begun = time.monotonic()
        for number in range(100):
            self.server.publish("/out", {"data": "x" * 200_000, "number": number})
        self.assertLess(time.monotonic() - begun, 20, "publishing waits for nobody")
        numbers = []
        while not numbers or numbers[-1] < 99:
            numbers.append(slow.wait(op="publish")["msg"]["number"])
        self.assertLess(len(numbers), 100)
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(quick.wait(op="publish")["msg"]["number"] >= 0, True)

    def test_throttled_subscriptions(self):
        client = self.connect()
        client.say(op="subscribe", topic="/out", throttle_rate=10_000)
        self.works(client)
        for number in range(3):
            self.server.publish("/out", {"number": number})
        self.assertEqual(client.wait(op="publish")["msg"]["number"], 0)
        self.works(client)  # nothing else came before the answer

    def test_wrong_requests_are_answered_and_forgiven(self):
        for kind in (Tcp, Web):
            client = self.connect(kind)
            for number, wrong in enumerate((
                    {"op": "dance"}, {"op": 3}, {"op": "publish", "topic": "/in"}, {"op": "publish", "topic": "/out"},
                    {"op": "publish", "topic": "/nothing", "msg": {}}, {"op": "subscribe"},
                    {"op": "subscribe", "topic": "/nothing"}, {"op": "subscribe", "topic": "/out", "type": "a/B"},
                    {"op": "subscribe", "topic": "/out", "compression": "png"},
                    {"op": "subscribe", "topic": "/out", "throttle_rate": -1},
                    {"op": "subscribe", "topic": "/out", "queue_length": "many"},
                    {"op": "advertise", "topic": "/in", "type": "std_msgs/String"},
                    {"op": "fragment", "id": "a", "data": "x", "num": 2, "total": 2},
                    {"op": "fragment", "id": "a", "data": 1, "num": 0, "total": 2}, {"op": "set_level"})):
                client.say(**wrong, id=number) if "id" not in wrong else client.say(**wrong)
                self.assertEqual(client.wait(op="status")["level"], "error", wrong)
            self.works(client)
            client.say(op="call_service", service="/double", args=5)
            self.assertFalse(client.wait(op="service_response")["result"])
            for data in (b"{]}", b'{"op": NaN}', b'{"a":' * 12000 + b"1" + b"}" * 12000):
                client.raw(data) if kind is Tcp else client.frame(websocket.TEXT, data)
                self.assertEqual(client.wait(op="status")["level"], "error")
            self.works(client)

    def test_fragments_make_a_message(self):
        client = self.connect(Web)
        whole = json.dumps({"op": "publish", "topic": "/in", "msg": {"data": "x" * 50}})
        for number in (2, 0, 1):
            client.say(op="fragment", id="f", num=number, total=3, data=whole[40 * number:40 * number + 40]
                       if number < 2 else whole[80:])
        self.works(client)
        self.assertEqual(self.taken, [{"data": "x" * 50}])
        for number in range(3):
            client.say(op="fragment", id="long", num=number, total=4, data="y" * 40_000)
        self.assertIn("longer", client.wait(op="status")["msg"])
        for number in range(5):
            client.say(op="fragment", id=f"many{number}", num=0, total=2, data="")
        self.assertIn("fragments", client.wait(op="status")["msg"])
        self.works(client)

    def test_streams_in_any_pieces(self):
        client = self.connect()
        text = b'{"op":"publish","topic":"/in","msg":{"data":"a\\"}{\\\\"}}'
        for piece in range(1, 7):
            for at in range(0, len(text), piece):
                client.raw(text[at:at + piece])
                if piece == 1:
                    time.sleep(0.001)
        client.raw(b" \n\0" + text * 3)
        self.works(client)
        self.assertEqual(self.taken, [{"data": 'a"}{\\'}] * 9)

    def test_what_cannot_go_on_is_cut_off_and_others_are_not(self):
        other = self.connect()
        for data in (b"GET / HTTP/1.1\r\n\r\n", b"[1]", b"\xff" * 10, b'{"a":"' + b"x" * 200_000,
                     b'{"op": "publish", "x": ' + b"[" * 150_000):
            client = self.connect()
            client.raw(data)
            message = client.hear()
            self.assertTrue(message is None or message["level"] == "error")
            self.assertIsNone(client.hear())
        self.works(other)

    def test_web_pages_from_elsewhere_are_turned_away(self):
        for origin in (None, "http://localhost:8000", "http://127.0.0.1", "https://lab.example"):
            client = self.connect(Web, **({"Origin": origin} if origin else {}))
            self.assertIn(b"101", client.answer.split(b"\r\n")[0])
            self.assertIn(websocket.accept_key(KEY).encode(), client.answer)
            self.works(client)
        for origin in ("https://evil.example", "http://localhost.evil.example", "null", "http://[", ""):
            answer = self.connect(Web, Origin=origin).answer
            self.assertIn(b"403", answer.split(b"\r\n")[0], origin)

    def test_broken_handshakes_and_frames(self):
        for headers, status in (({"Upgrade": "h2c"}, b"426"), ({"Sec_WebSocket_Version": "8"}, b"426"),
                                ({"Sec_WebSocket_Key": "short"}, b"400")):
            self.assertIn(status, self.connect(Web, **headers).answer.split(b"\r\n")[0])
        client = self.connect()
        long = Tcp(self.web)
        self.addCleanup(long.close)
        long.raw(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 5000)
        self.assertIn(b"431", long.lines.readline())
        for break_it, status in (
                (lambda c: c.frame(websocket.TEXT, b"{}", masked=False), 1002),
                (lambda c: c.frame(3, b""), 1002), (lambda c: c.frame(0, b"{}"), 1002),
                (lambda c: c.frame(websocket.TEXT, b"", size=1 << 40), 1009),
                (lambda c: c.frame(websocket.PING, b"x" * 126), 1002),
                (lambda c: [c.frame(websocket.TEXT if k == 0 else 0, b"x" * 60_000, final=False)
                            for k in range(2)], 1009),
                (lambda c: c.raw(b"\xf1\x80"), 1002)):
            client = self.connect(Web)
            break_it(client)
            found = client.take()
            while found is not None and found[0] != websocket.CLOSE:
                found = client.take()
            self.assertEqual(struct.unpack("!H", found[1][:2])[0], status)
            self.assertIsNone(client.take())
        client = self.connect(Web)
        client.frame(websocket.PING, b"hello")
        self.assertEqual(client.take(), (websocket.PONG, b"hello"))
        client.frame(websocket.TEXT, b'{"op":"publish","topic":', final=False)
        client.frame(websocket.PING, b"")  # between the pieces of a message
        client.frame(0, b'"/in","msg":{}}')
        self.assertEqual(client.take(), (websocket.PONG, b""))
        self.works(client)
        self.assertEqual(self.taken, [{}])
        client.frame(websocket.CLOSE, b"")
        self.assertEqual(client.take()[0], websocket.CLOSE)

    def test_random_bytes_do_no_harm(self):
        random = np.random.default_rng(7)
        good = json.dumps({"op": "call_service", "service": "/double", "args": {"x": 1}}).encode()
        for turn in range(60):
            client = self.connect() if turn % 2 else self.connect(Web)
            data = bytearray(good * 3)
            for at in random.integers(len(data), size=4):
                data[at] = random.integers(256)
            try:
                client.raw(bytes(data))
                client.socket.shutdown(socket.SHUT_WR)
                while client.hear() is not None:
                    pass
            except (OSError, ValueError):
                pass
            client.close()
        self.works(self.connect())

    def test_clients_and_subscriptions_are_bounded(self):
        first = self.connect()
        self.works(first)
        for number in range(70):
            first.say(op="subscribe", topic="/out", id=f"s{number}")
        self.assertIn("subscriptions", first.wait(op="status")["msg"])
        crowd = [self.connect() for _ in range(40)]
        refused = 0
        for client in crowd:
            try:
                client.say(op="call_service", id="c", service="/double", args={"x": 1})
                refused += client.hear() is None
            except OSError:
                refused += 1
        self.assertGreaterEqual(refused, 9)
        for client in crowd:
            client.close()
        self.works(first)


class Simulations(Case):
    def start(self, **settings):
        scene = ball(end=1, height=30.0)
        scene.add("floe.shape.box", "box", size=(0.2, 0.2, 0.2), voxelSize=0.05)
        scene.add("floe.collider", "rover", position=(2, 0.1, 0))
        scene.link("box.shape", "rover.shape")
        scene.link("rover.collider", "solver.colliders")
        return self.serve(scene, ["rover"], ["front"], size=(64, 48), **settings)

    def serve(self, scene, *devices, **settings):
        self.bridge = ros_web.WebBridge(scene, *devices, namespace="/lab", **{"paused": True, "limit": 40, **settings})
        address = self.bridge.server.listen("0")
        runner = threading.Thread(target=self.bridge.run)
        runner.start()
        self.addCleanup(runner.join)
        self.addCleanup(self.bridge.close)
        client = Web(address)
        self.addCleanup(client.close)
        return client

    def values(self, client, service, **args):
        answer = client.call(service, **args)
        self.assertTrue(answer["result"], answer)
        return answer["values"]

    def test_depth_and_joints(self):
        client = self.serve(arm(), sensors=["eye"], joints=["axle"])
        for topic in ("/tf", "/lab/eye/depth"):
            client.say(op="subscribe", topic=topic, queue_length=100)
        client.say(op="publish", topic="/lab/joint_command", msg={"name": ["axle"], "velocity": [1.5]})
        # The motor comes up to speed in the first frame; after that it has it.
        heard = {}
        for _ in range(2):
            client.say(op="call_service", id="step", service="/step_simulation", args={"steps": 6})
            while True:
                message = client.hear()
                if message["op"] == "service_response":
                    self.assertEqual(message["values"]["result"]["result"], 1)
                    break
                heard.setdefault(message["topic"], []).append(message["msg"])
        turns = [t["transform"]["rotation"] for message in heard["/tf"] for t in message["transforms"]
                 if t["child_frame_id"] == "arms/body_0"]
        angles = np.array([2 * np.arctan2(turn["z"], turn["w"]) for turn in turns])
        np.testing.assert_allclose(np.diff(angles)[-6:], 1.5 / 24, rtol=0.02)
        depth = np.frombuffer(base64.b64decode(heard["/lab/eye/depth"][-1]["data"]), "<f4").reshape(30, 40)
        self.assertAlmostEqual(float(depth[15, 20]), 1.95, places=4)
        self.assertTrue(np.isnan(depth[0]).all())
        for message, said in (({"name": ["wrist"], "velocity": [1]}, "no joint 'wrist'"),
                              ({"name": ["axle"], "velocity": [1, 2]}, "2 velocities for 1 joints"),
                              ({"name": ["axle"], "position": [1]}, "not positions"),
                              ({"name": "axle"}, "'name' is no list"), ({"name": [7]}, "'name' is no list"),
                              ({"name": ["axle"], "velocity": [1e300]}, "'velocity' is no list"),
                              ({"name": ["axle"], "velocity": [True]}, "'velocity' is no list")):
            client.say(op="publish", topic="/lab/joint_command", msg=message)
            self.assertIn(said, client.wait(op="status", level="error")["msg"])

    def test_it_is_stepped_driven_and_reset(self):
        client = self.start()
        features = self.values(client, "/get_simulator_features")["features"]["features"]
        self.assertEqual(features, [20, 21, 22, 24, 25, 26, 31, 32])
        self.assertEqual(self.values(client, "/get_simulation_state")["state"], {"state": 2})
        for topic, kind in (("/clock", "rosgraph_msgs/Clock"), ("/tf", "tf2_msgs/TFMessage"),
                            ("/lab/points", "sensor_msgs/PointCloud2"), ("/lab/front/image", "sensor_msgs/Image"),
                            ("/lab/front/camera_info", "sensor_msgs/CameraInfo")):
            client.say(op="subscribe", topic=topic, type=kind, queue_length=100)
        client.say(op="publish", topic="/lab/rover/cmd_vel", msg={"linear": {"x": 0.48}, "angular": {}})
        heard = {}
        client.say(op="call_service", id="step", service="/step_simulation", args={"steps": 12})
        while True:
            message = client.hear()
            if message["op"] == "service_response":
                break
            heard.setdefault(message["topic"], []).append(message["msg"])
        self.assertEqual(message["values"], {"result": {"result": 1, "error_message": ""}})
        clocks = [m["clock"]["sec"] + m["clock"]["nanosec"] / 1e9 for m in heard["/clock"]]
        np.testing.assert_allclose(clocks, np.arange(1, 13) / 24, atol=1e-8)
        cloud = heard["/lab/points"][-1]
        types = {7: "<f4", 6: "<u4"}
        table = np.frombuffer(base64.b64decode(cloud["data"]), np.dtype(
            {"names": [f["name"] for f in cloud["fields"]], "formats": [types[f["datatype"]] for f in cloud["fields"]],
             "offsets": [f["offset"] for f in cloud["fields"]], "itemsize": cloud["point_step"]}))
        self.assertEqual(len(table), cloud["width"])
        # Free fall, downward in z; a hundredth for the solver's steps.
        self.assertAlmostEqual(table["vz"].mean(), -9.81 * 0.5, delta=0.05)
        self.assertAlmostEqual(table["z"].mean(), 30 - 9.81 / 8, delta=0.05)
        place, = [t["transform"]["translation"] for t in heard["/tf"][-1]["transforms"]
                  if t["child_frame_id"] == "rover"]
        self.assertAlmostEqual(place["x"], 2.24, delta=0.0201)  # half a second, less a frame at most
        image = heard["/lab/front/image"][-1]
        pixels = np.frombuffer(base64.b64decode(image["data"]), np.uint8)
        self.assertEqual(pixels.size, 64 * 48 * 3)
        self.assertGreater(pixels.std(), 5)
        self.assertAlmostEqual(heard["/lab/front/camera_info"][-1]["k"][4], 24 / np.tan(np.radians(20)), places=4)
        # Back to the beginning.
        client.say(op="call_service", id="reset", service="/reset_simulation", args={})
        self.assertEqual(client.wait(topic="/clock")["msg"]["clock"], {"sec": 0, "nanosec": 0})
        self.assertEqual(client.wait(id="reset")["values"]["result"]["result"], 1)

    def test_states_and_what_does_not_fit_them(self):
        client = self.start(real_time=False)

        def result(service, **args):
            return self.values(client, service, **args)["result"]["result"]

        self.assertEqual(result("/set_simulation_state", state={"state": 2}), 101)  # already
        self.assertEqual(result("/set_simulation_state", state={"state": 9}), 0)
        self.assertEqual(result("/set_simulation_state", state={"state": [1]}), 0)
        self.assertEqual(result("/step_simulation", steps=41), 4)  # more than are left
        for steps in (0, -1, "2", 1.5, True, None):
            self.assertEqual(result("/step_simulation", steps=steps), 4)
        self.assertEqual(result("/reset_simulation", scope=1), 0)  # time alone
        for velocity in ("fast", float(1e9), None, [1]):
            client.say(op="publish", topic="/lab/rover/cmd_vel", msg={"linear": {"x": velocity}})
            self.assertIn("no velocity", client.wait(op="status")["msg"])
        self.assertEqual(result("/set_simulation_state", state={"state": 1}), 1)
        end = time.monotonic() + 60
        while self.values(client, "/get_simulation_state")["state"]["state"] != 2:
            self.assertLess(time.monotonic(), end, "it pauses at its last frame")
            self.assertIn(result("/step_simulation", steps=1), (3, 4))  # it plays; or no frame is left
            time.sleep(0.05)
        self.assertEqual(result("/set_simulation_state", state={"state": 0}), 1)
        self.assertEqual(self.values(client, "/get_simulation_state")["state"]["state"], 0)
        self.assertEqual(result("/step_simulation", steps=2), 1)
        self.assertEqual(self.values(client, "/get_simulation_state")["state"]["state"], 2)

    def test_the_command(self):
        ball(end=1).save(self.folder / "ball.floe.json")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])}
        process = subprocess.Popen(
            [sys.executable, "-m", "floe.ros", str(self.folder / "ball.floe.json"), "--rosbridge", "0",
             "--rosbridge-tcp", "0", "--paused"], env=environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        web, tcp = (process.stdout.readline().strip().split("://") for _ in range(2))
        self.assertEqual((web[0], tcp[0]), ("ws", "tcp"))
        one, other = Web(web[1]), Tcp(tcp[1])
        self.assertEqual(one.call("/step_simulation", steps=1)["values"]["result"]["result"], 1)
        self.assertEqual(other.call("/get_simulation_state")["values"]["state"]["state"], 2)
        one.close()
        other.close()


if __name__ == "__main__":
    main()
