#!/usr/bin/env python3
"""Hostile clients of `floe serve`: whatever they send, the server answers, stays, and works.

    protocol_fuzz.py --floe build/bin/floe [--seed S] [--requests N] [--strangers M]

An owner sends requests that are sound, changed in structure, or changed in bytes, among them
documents and runs of these. Of the server must be true: it answers every request that can be
understood, once, with a result or with a documented error and a sentence, within a minute; in the
end it simulates a sound document; and it ends with its client, with exit code 0, leaving neither
process nor memory behind. Then strangers come over TCP: silent ones, liars, browsers, half lines.
The owner, who comes last, is let in and served.

The seed is printed; the same one sends the same bytes.
"""

import argparse
import glob
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
PATIENCE = 60  # seconds for an answer; --patience
CODES = {-32700, -32600, -32601, -32602, -32000, -32001, -32002, -32003}

BALL = {
    "floe": 1, "range": {"start": 1, "end": 3, "fps": 24},
    "nodes": {
        "ball": {"type": "floe.shape.sphere", "parameters": {"radius": 0.2, "center": [0, 0.5, 0], "voxelSize": 0.05}},
        "jello": {"type": "floe.material", "parameters": {"law": "fixedCorotated", "youngModulus": 2e4}},
        "body": {"type": "floe.emitter", "parameters": {}},
        "down": {"type": "floe.force.gravity", "parameters": {"acceleration": [0, -9.81, 0]}},
        "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.1}},
        "front": {"type": "floe.camera", "parameters": {"eye": [0, 0.5, 4], "target": [0, 0.4, 0]}},
        "files": {"type": "floe.output.particles", "parameters": {}}},
    "links": [{"from": "ball.shape", "to": "body.shape"}, {"from": "jello.material", "to": "body.material"},
              {"from": "body.emitter", "to": "solver.emitters"}, {"from": "down.force", "to": "solver.forces"},
              {"from": "solver.particles", "to": "files.particles"}]}

HOSTILE = [None, True, False, 0, -1, 1, 2, 3, 1.5, -0.0, 1e-308, 1e308, 2**31, 2**53 + 1, 2**63, -2**63, 10**400,
           float("nan"), float("inf"), "", "x", "\0", "a\0b", "\ud800", "\u202e", "%s%n", "\n", "é" * 300, "a" * 5000,
           "a" * 200000, "solver", "particles", "ball.radius", "cuda:7", [], [[]], [0] * 3, [1e300] * 3, ["x"] * 10000,
           {}, {"": {}}, {"__proto__": 1}, {"expr": "1/0"}, {"keys": [[1, 0], [1, 0]]}]


# In JSON text: what a reader of JSON may refuse.
UNREADABLE = ("NaN", "Infinity", "\\ud800", "0" * 400, "[" * 100)


class Fault(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Fault(text)


def deep(levels):
    return "[" * levels + "]" * levels


class Server:
    """`floe serve` with folders of its own."""

    def __init__(self, floe, folder, *options):
        self.said = open(folder / "said", "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen(
            [str(floe), "serve", *options], stdout=subprocess.PIPE, stderr=self.said, text=True, cwd=folder / "work",
            env=dict(os.environ, XDG_CACHE_HOME=str(folder), XDG_RUNTIME_DIR=str(folder), HOME=str(folder)))
        self.address = self.process.stdout.readline().strip()
        require(self.address, "the server did not start")

    def words(self):
        self.said.seek(0)
        return self.said.read()[-500:]

    def require_end(self):
        """The client has gone."""
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Fault(f"did not end within {PATIENCE} s of its client") from None
        require(code == 0, f"ended with {code}: {self.words()}")

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.said.close()


class Owner:
    """A client that keeps book of what it has asked."""

    def __init__(self, server, token=None):
        self.server = server
        if token is None:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(server.address)
        else:
            host, port = server.address.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)), timeout=PATIENCE)
        self.socket.settimeout(PATIENCE)
        self.file = self.socket.makefile("rb")
        self.last = 0
        self.open = {}  # number -> what was asked
        self.states = []
        self.pid = self.call("hello", {"protocol": 1, "client": "fuzz", **({"token": token} if token else {})})["pid"]

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Fault(f"went while it was written to ({error}): {self.server.words()}") from None

    def ask(self, method, params):
        """@return the request's number, under which an answer is owed; None: it is no valid JSON"""
        line = json.dumps({"jsonrpc": "2.0", "id": self.last + 1, "method": method, "params": params})
        understood = not any(word in line for word in UNREADABLE)
        if understood:
            self.last += 1
            self.open[self.last] = line
        else:
            line = json.dumps({"jsonrpc": "2.0", "id": "unreadable", "method": method, "params": params})
        self.send(line.encode() + b"\n")
        return self.last if understood else None

    def read(self):
        try:
            line = self.file.readline()
        except OSError:
            raise Fault(f"no word for {PATIENCE} s; open: {list(self.open.values())[:1]}"[:600]) from None
        require(line, f"closed the connection: {self.server.words()}; open: {list(self.open.values())[-1:]}"[:900])
        message = json.loads(line)
        if message.get("method") == "run.state":
            self.states.append(message["params"]["state"])
        if "method" in message:
            return message
        number = message.get("id")
        asked = self.open.pop(number, None) if isinstance(number, int) else None
        if "error" in message:
            error = message["error"]
            require(error["code"] in CODES, f"{error} to {asked}"[:600])
            require(error["message"].strip() and "\n" not in error["message"], f"no sentence: {error} to {asked}"[:600])
        else:
            require(asked is not None or isinstance(number, str), f"a result that nobody asked for: {message}"[:300])
        return message

    def answer(self, number):
        while True:
            message = self.read()
            if "method" not in message and message.get("id") == number:
                return message

    def call(self, method, params):
        message = self.answer(self.ask(method, params))
        require("result" in message, f"{method}: {message.get('error')}")
        return message["result"]

    def close(self):
        self.file.close()
        self.socket.close()


class Mutator:
    def __init__(self, chance, scratch):
        self.chance = chance
        schema = json.loads((ROOT / "runtime/serve/protocol.schema.json").read_text())
        self.methods = {name: part["params"] for name, part in schema["methods"].items()
                        if name not in ("hello", "shutdown", "types.rescan")}
        self.definitions = schema["$defs"]
        self.scenes = sorted((ROOT / "graphs" / "validation").glob("*.floe.json"))
        # Nothing else is ever written to.
        self.paths = [str(scratch / name) for name in ("a.png", "b.mp4", "c.exr", "no/such/d.png", "", "e" * 300 + ".png")]

    def value(self, schema, name=""):
        """A sound value, or nearly."""
        chance = self.chance
        if "$ref" in schema:
            schema = self.definitions[schema["$ref"].rsplit("/", 1)[1]]
        if name in ("path", "output"):
            return chance.choice(self.paths)
        if name == "document":
            return self.document()
        if "enum" in schema:
            return chance.choice(schema["enum"])
        kind = schema.get("type", "object" if "properties" in schema else None)
        if kind == "object":
            required = schema.get("required", [])
            return {key: self.value(part, key) for key, part in schema.get("properties", {}).items()
                    if key in required or chance.random() < 0.5}
        if kind == "array":
            return [self.value(schema.get("items", {}))
                    for _ in range(schema.get("minItems", chance.randrange(4)))]
        if kind == "string":
            return chance.choice(["solver", "ball", "particles", "front", "radius", "acceleration", "x", "v", "cpu"])
        if kind == "integer":
            return chance.choice([1, 2, 3, 16, 64]) if name in ("width", "height") else chance.randrange(5)
        if kind == "number":
            return chance.choice([0.5, 1, chance.uniform(-2, 2)])
        if kind == "boolean":
            return chance.random() < 0.5
        return chance.choice([1, 0.5, [0, 1, 0], "x"])

    def document(self):
        chance = self.chance
        document = json.loads(json.dumps(BALL))
        if chance.random() < 0.2:
            document = json.loads(chance.choice(self.scenes).read_text())
        for _ in range(chance.choice([0, 0, 1, 2, 5])):
            self.change(document)
        return document

    def change(self, tree):
        """Changes one place of a tree of JSON."""
        chance = self.chance
        places = []

        def collect(node):
            for key in (list(node) if isinstance(node, dict) else range(len(node))):
                places.append((node, key))
                if isinstance(node[key], (dict, list)):
                    collect(node[key])
        collect(tree)
        if not places:
            return
        node, key = chance.choice(places)
        what = chance.randrange(6)
        if what == 0:
            del node[key]
        elif what == 1 and isinstance(node, dict):
            node[chance.choice(["", "x", "\0", "a" * 1000, "path2"])] = node[key]
        elif what == 2:
            other, place = chance.choice(places)
            copy = json.loads(json.dumps(other[place])) if place in other or isinstance(other, list) and place < len(other) else 0
            if key not in ("path", "output"):
                node[key] = copy
        elif key not in ("path", "output"):
            node[key] = json.loads(json.dumps(chance.choice(HOSTILE)))

    def request(self, owner):
        """Sends one."""
        chance = self.chance
        method = chance.choice(list(self.methods))
        params = self.value(self.methods[method])
        how = chance.random()
        if how > 0.3 and isinstance(params, dict):
            for _ in range(chance.randint(1, 3)):
                self.change(params)
        if method == "run.start":  # a frame or three, wherever the files go
            params = {**params, "to": chance.choice([1, 2, 3]), "device": "cpu"}
        if how < 0.85:
            owner.ask(method if chance.random() < 0.98 else chance.choice(["", "x", "run", "rpc.x"]), params)
            return
        line = json.dumps({"jsonrpc": "2.0", "id": "m", "method": method, "params": params})
        if "path" in line or "output" in line or method.startswith("export"):
            line = json.dumps({"jsonrpc": "2.0", "id": "m", "method": "view.bounds", "params": {"node": "ball"}})
        line = bytearray(line.encode())
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(line) + 1)
            what = chance.randrange(6)
            if what == 0 and at < len(line):
                line[at] ^= 1 << chance.randrange(8)
            elif what == 1:
                del line[at:at + chance.randrange(1, 20)]
            elif what == 2:
                line[at:at] = chance.choice([b"\0", b"\xff", b"\n", b"\r\n", b'"', b"{", b"\\u0000", b"1e999", b"-"])
            elif what == 3:
                line[at:at] = line[at:at + chance.randrange(1, 50)]
            elif what == 4:
                line[at:at] = deep(chance.choice([10, 200, 5000])).encode()
            else:
                line[at:at] = chance.randbytes(chance.randrange(1, 30))
        owner.send(bytes(line) + b"\n")


def attempt(floe, seed, requests, work):
    """@return the number of requests made"""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="floe-protocol-", dir=work))
    scratch = folder / "work"
    scratch.mkdir()
    server = Server(floe, folder)
    try:
        owner = Owner(server)
        mutator = Mutator(random.Random(seed), scratch)
        owner.call("document.set", {"document": BALL, "path": str(scratch / "ball.floe.json")})
        for i in range(requests):
            mutator.request(owner)
            if i % 20 == 19:
                owner.answer(owner.ask("run.stop", {}))
        deadline = time.monotonic() + PATIENCE
        while owner.open:
            require(time.monotonic() < deadline, f"never answered: {list(owner.open.values())[0]}"[:600])
            owner.answer(owner.ask("export.cancel", {}))
            time.sleep(0.02)
        # It still does its work.
        while "error" in owner.answer(owner.ask("document.set", {"document": BALL, "path": str(scratch / "b.json")})):
            require(time.monotonic() < deadline, "does not take a sound document any more")
            owner.answer(owner.ask("run.stop", {}))
            time.sleep(0.1)
        owner.states.clear()
        owner.call("run.start", {"from": 1, "to": 2, "device": "cpu"})
        while not {"finished", "failed", "cancelled"} & set(owner.states):
            owner.read()
        require("finished" in owner.states, f"the sound document: {owner.states}")
        owner.close()
        server.require_end()
        require(not os.path.exists(f"/proc/{owner.pid}/exe"), "its process is still there")
        left = [path for path in glob.glob("/dev/shm/*floe*") if f"{owner.pid}" in path]
        require(not left, f"left {left}")
        return requests
    finally:
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


def strangers(floe, seed, count, work):
    """@return the number of connections made"""
    chance = random.Random(f"strangers {seed}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="floe-protocol-", dir=work))
    (folder / "work").mkdir()
    server = Server(floe, folder, "--listen", "127.0.0.1:0")
    token = server.process.stdout.readline().split()[1]
    host, port = server.address.rsplit(":", 1)
    kept = []

    def hello(given, **more):
        return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello",
                           "params": {"protocol": 1, "token": given, **more}}).encode() + b"\n"
    try:
        for _ in range(count):
            stranger = socket.create_connection((host, int(port)), timeout=PATIENCE)
            what = chance.randrange(9)
            try:
                if what == 0:
                    stranger.sendall(hello(token[:-1] + ("0" if token[-1] != "0" else "1")))
                elif what == 1:
                    stranger.sendall(hello(chance.choice(["", "0" * len(token), token + "0", token[:-1], None, 7, [token]])))
                elif what == 2:
                    stranger.sendall(hello(token[::-1])[:chance.randrange(60)])
                elif what == 3:
                    stranger.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                elif what == 4:
                    stranger.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + chance.randbytes(100))
                elif what == 5:
                    stranger.sendall(b"x" * 70000)
                elif what == 6:
                    stranger.sendall(chance.randbytes(chance.randrange(300)) + b"\n")
                elif what == 7:
                    stranger.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}).encode() + b"\n")
            except OSError:
                pass  # it was turned away
            if chance.random() < 0.5:
                kept.append(stranger)
            else:
                stranger.close()
            require(server.process.poll() is None, f"a stranger ended it: {server.words()}")
        begin = time.monotonic()
        owner = Owner(server, token)
        owner.call("types.list", {})
        require(time.monotonic() - begin < 30, "the owner had to wait")
        owner.close()
        server.require_end()
        return count
    finally:
        for stranger in kept:
            stranger.close()
        server.close()
        shutil.rmtree(folder, ignore_errors=True)


def main():
    global PATIENCE
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--floe", type=pathlib.Path, default=ROOT / "build/bin/floe")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--strangers", type=int, default=100)
    parser.add_argument("--patience", type=int, default=PATIENCE)
    asked = parser.parse_args()
    PATIENCE = asked.patience
    floe = asked.floe.absolute()
    with tempfile.TemporaryDirectory(prefix="floe-protocol-") as work:
        try:
            made = attempt(floe, asked.seed, asked.requests, work) if asked.requests else 0
            made += strangers(floe, asked.seed, asked.strangers, work) if asked.strangers else 0
        except Fault as fault:
            print(f"FAILED, seed {asked.seed}: {fault}")
            return 1
    print(f"seed {asked.seed}: {made} inputs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
