"""Plugins with a process of their own (--isolate). Arguments: the program, the plugin's library."""
import json
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

import hostile_plugin

hostile_plugin.WithHostilePlugin.FLOE = pathlib.Path(sys.argv.pop(1)).absolute()
hostile_plugin.WithHostilePlugin.LIBRARY = sys.argv.pop(1)
PLUGIN, CANCELLED = 4, 130  # exit codes
ISOLATED = ("--isolate", "test.hostile")

WAYS = {"exit": "exit code 0", "_exit": "exit code 0", "abort": "SIGABRT", "terminate": "SIGABRT", "null": "SIGSEGV",
        "divide": "SIGFPE", "stack": "SIGSEGV", "pool": "SIGSEGV", "thread": "SIGABRT", "kill": "killed from outside"}


def children(process):
    """Numbers of all processes under one."""
    found = []
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child), *children(child)]
    return found


class Isolated(hostile_plugin.WithHostilePlugin):
    def test_its_end_is_the_failure_of_a_node_and_nothing_else(self):
        for way, word in WAYS.items():
            with self.subTest(way):
                result = self.run_graph(self.number(way), *ISOLATED)
                self.assertEqual(result.returncode, PLUGIN, result.stdout + result.stderr)
                for part in ("node 'bad'", "frame 2", "plugin 'test.hostile', in a process of its own,", word):
                    self.assertIn(part, result.stderr)
                report = self.report()
                self.assertEqual((report["result"], report["exitCode"]), ("failed", PLUGIN))

    def test_what_a_node_says_of_itself_arrives(self):
        result = self.run_graph(self.number("unset"), *ISOLATED)
        self.assertEqual(result.returncode, PLUGIN)
        self.assertIn("did not set this output", result.stderr)

    def test_states_cross(self):
        graph = self.graph({"sum": ("test.hostile.counter", {}), "end": ("test.hostile.sink", {})},
                           [("sum.number", "end.number")], end=6)

        def sums():
            return {frame["frame"]: frame["nodes"]["sum"]["sum"] for frame in self.report()["frames"]}

        result = self.run_graph(graph, *ISOLATED, "--checkpoint-every", "2", "--end", "4")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sums()[4], 10)
        result = self.run_graph(graph, *ISOLATED, "--resume-from", "3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sums()[6], 21)
        result = self.run_graph(graph, "--resume-from", "3")  # the same bytes without
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sums()[6], 21)

    def test_values_cross_bit_for_bit(self):
        graph = self.work / "scene.floe.json"
        graph.write_text(json.dumps({
            "floe": 1, "range": {"start": 1, "end": 3, "fps": 24},
            "nodes": {"ball": {"type": "floe.shape.sphere", "parameters": {"radius": 0.2}},
                      "stuff": {"type": "floe.material", "parameters": {}},
                      "source": {"type": "floe.emitter", "parameters": {}},
                      "solver": {"type": "floe.mpm.solver", "parameters": {"cellSize": 0.05}},
                      "files": {"type": "floe.output.particles", "parameters": {}}},
            "links": [{"from": "ball.shape", "to": "source.shape"}, {"from": "stuff.material", "to": "source.material"},
                      {"from": "source.emitter", "to": "solver.emitters"},
                      {"from": "solver.particles", "to": "files.particles"}]}))
        written = []
        for more in ((), ("--isolate", "floe.shapes")):
            self.output = self.work / f"out{len(written)}"
            result = self.run_graph(graph, *more)
            self.assertEqual(result.returncode, 0, result.stderr)
            written.append({path.name: path.read_bytes() for path in self.output.rglob("*")
                            if path.is_file() and path.suffix not in (".json", ".checkpoint")})
        self.assertGreaterEqual(len(written[0]), 3)
        self.assertEqual(written[0], written[1])

    def test_what_consists_of_functions_cannot_cross(self):
        result = self.run_graph(self.block(), *ISOLATED)
        self.assertEqual(result.returncode, PLUGIN)
        self.assertIn("hands out functions, which cannot leave the plugin's process", result.stderr)
        self.assertIn("without --isolate", result.stderr)

    def test_a_hung_one_is_ended_alone(self):
        run = subprocess.Popen(self.command("run", self.number("hang"), "--output", self.output, "--device", "cpu",
                                            *ISOLATED),
                               env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        next(line for line in run.stdout if line.startswith("frame 1/"))
        time.sleep(0.3)
        started = children(run.pid)
        self.assertGreaterEqual(len(started), 1)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(8), CANCELLED)
        self.assertIn("waiting for node 'bad' (plugin test.hostile) in cook at frame 2", run.stderr.read())
        self.assertEqual(self.report()["result"], "cancelled")
        for child in started:
            self.assertFalse(pathlib.Path(f"/proc/{child}/exe").exists(), child)

    def test_there_is_no_such_plugin(self):
        result = self.run_graph(self.number(""), "--isolate", "test.hostil")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("there is no plugin 'test.hostil'", result.stderr)

    def test_a_server_outlives_it(self):
        graph = self.number("null")
        server = subprocess.Popen(self.command("serve", "--socket", self.work / "socket", *ISOLATED),
                                  env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.communicate)
        self.addCleanup(server.kill)
        server.stdout.readline()
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(30)
        client.connect(str(self.work / "socket"))
        lines = client.makefile("r")
        self.addCleanup(lines.close)

        def request(number, method, parameters):
            line = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            client.sendall((json.dumps(line) + "\n").encode())

        request(0, "hello", {"protocol": 1, "client": "test"})
        request(1, "document.set", {"document": json.loads(graph.read_text()), "path": str(graph)})
        request(2, "run.start", {})
        said = ""
        while "in a process of its own" not in said:
            said = next(lines)
        self.assertIn("bad", said)
        self.assertIn("SIGSEGV", said)
        request(3, "run.stop", {})
        while json.loads(next(lines)).get("id") != 3:
            pass
        self.assertIsNone(server.poll())


if __name__ == "__main__":
    unittest.main()
