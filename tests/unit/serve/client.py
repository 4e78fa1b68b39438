"""A client of `floe serve` that holds every message, both ways, against the protocol's schema."""

import json
import os
import socket
import subprocess
import time

import jsonschema


PATIENCE = 300  # seconds: only a broken server takes so long, however busy the machine


class Protocol:
    def __init__(self, path):
        with open(path) as file:
            self.schema = json.load(file)
        self.validators = {}

    def check(self, message, *where):
        """`where` leads into the schema: "methods", "run.start", "params"."""
        if where not in self.validators:
            part = self.schema
            for key in where:
                part = part[key]
            self.validators[where] = jsonschema.Draft7Validator(
                {"$defs": self.schema["$defs"], "allOf": [part]})
        error = jsonschema.exceptions.best_match(self.validators[where].iter_errors(message))
        if error is not None:
            raise AssertionError(f"{'/'.join(where)}: {error.message} in {str(message)[:400]}")


class Failure(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.data = error.get("data", {})


class Server:
    def __init__(self, program, folder, *options, stderr=None):
        environment = dict(os.environ, XDG_CACHE_HOME=folder, XDG_RUNTIME_DIR=folder)
        self.process = subprocess.Popen([program, "serve", *options], stdout=subprocess.PIPE,
                                        stderr=stderr, text=True, env=environment)
        self.address = self.process.stdout.readline().strip()
        assert self.address, "the server did not start"

    def end(self):
        """@return the exit code; the client has gone before."""
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Client:
    def __init__(self, protocol, address, greet=True, token=None, watch=False):
        self.protocol = protocol
        if address.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address)
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(PATIENCE)
        self.file = self.socket.makefile("rb")
        self.methods = {}
        self.notes = []
        self.heard = 0  # of the notes, those that wait() is through with
        self.last_id = 0
        self.answers_pictures = True
        self.payload = b""  # the bytes after the last answer that had some
        if greet:
            hello = {"protocol": 1, "client": "test"}
            if token:
                hello["token"] = token
            if watch:
                hello["watch"] = True
            self.hello = self.call("hello", **hello)

    def close(self):
        self.file.close()
        self.socket.close()

    def raw(self, data):
        self.socket.sendall(data)

    def line(self, method, **params):
        """A request, to be sent by raw(); its number is last_id then."""
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.protocol.check(message, "$defs", "request")
        self.protocol.check(params, "methods", method, "params")
        self.methods[self.last_id] = method
        return (json.dumps(message) + "\n").encode()

    def send(self, method, **params):
        self.heard = len(self.notes)
        self.raw(self.line(method, **params))
        return self.last_id

    def read(self):
        line = self.file.readline()
        if not line:
            raise EOFError
        message = json.loads(line)
        self.protocol.check(message, *([] if "method" not in message else ["$defs", "notice"]))
        if "method" in message:
            self.protocol.check(message["params"], "notifications", message["method"])
            if message["method"] == "view.picture" and self.answers_pictures:
                self.raw(self.line("view.shown", sequence=message["params"]["sequence"]))
            self.notes.append(message)
        elif "result" in message:
            if message["result"].get("follows"):
                self.payload = self.file.read(message["result"]["bytes"] + 1)[:-1]
            method = self.methods[message["id"]]
            self.protocol.check(message["result"], "methods", method, "result")
        return message

    def answer(self, number):
        while True:
            message = self.read()
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise Failure(message["error"])
                return message["result"]

    def call(self, method, **params):
        return self.answer(self.send(method, **params))

    def wait(self, method, accept=lambda params: True):
        """The params of the first notification that is accepted, of those that came since the last
        request was sent and that no wait() has returned or passed: what a request brings about may
        be heard of before its answer."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while self.heard < len(self.notes):
                note = self.notes[self.heard]
                self.heard += 1
                if note["method"] == method and accept(note["params"]):
                    return note["params"]
            self.read()
        raise AssertionError(f"no such {method} within {PATIENCE} s")

    def run(self, **params):
        """Starts a run and waits for its end. @return answer of run.start, last run.state"""
        started = self.call("run.start", **params)
        ends = ("finished", "failed", "cancelled")
        return started, self.wait("run.state", lambda p: p["state"] in ends)

    def frames(self):
        """State of each frame by the newest cache.changed."""
        for note in reversed(self.notes):
            if note["method"] == "cache.changed":
                return states(note["params"]["frames"])
        return {}


def states(spans):
    return {frame: span["state"] + (" mixed" if span.get("mixed") else "")
            for span in spans for frame in range(span["first"], span["last"] + 1)}
