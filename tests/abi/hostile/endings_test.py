"""Plugins that end the process, or never come back, in every way. Arguments: the program, the plugin's library."""
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
CRASHED, CANCELLED, FILES = 9, 130, 5  # exit codes

WAYS = {"exit": "exit()", "quick_exit": "exit()", "_exit": "exit code 0", "abort": "SIGABRT", "terminate": "SIGABRT",
        "null": "SIGSEGV", "bus": "SIGBUS", "divide": "SIGFPE", "stack": "SIGSEGV", "pool": "SIGSEGV"}


class Endings(hostile_plugin.WithHostilePlugin):
    def check_end(self, result, node, word, frame, call):
        self.assertEqual(result.returncode, CRASHED, result.stdout + result.stderr)
        sentence = next(line for line in result.stderr.splitlines() if line.startswith("error: "))
        for part in (f"node '{node}'", f"frame {frame}", "plugin 'test.hostile'", word, f"in {call}"):
            self.assertIn(part, sentence)
        report = self.report()
        self.assertEqual((report["result"], report["exitCode"]), ("failed", CRASHED))
        message = report["messages"][-1]
        self.assertEqual((message["node"], message["plugin"], message["frame"]), (node, "test.hostile", frame))

    def test_whatever_a_cook_does_is_said_with_node_plugin_and_frame(self):
        for way, word in WAYS.items():
            with self.subTest(way):
                self.check_end(self.run_graph(self.number(way)), "bad", word, 2, "cook")

    def test_sinks_too(self):
        graph = self.graph({"good": ("test.hostile.number", {}),
                            "end": ("test.hostile.sink", {"way": "null", "at": 3})}, [("good.number", "end.number")])
        self.check_end(self.run_graph(graph), "end", "SIGSEGV", 3, "cook")

    def test_what_an_emitter_or_a_material_does_is_said_with_its_own_node(self):
        for way in ("exit", "null", "_exit"):
            with self.subTest(way):
                self.check_end(self.run_graph(self.block(emitter=way, at=2)), "source", WAYS[way], 2, "emit")
        self.check_end(self.run_graph(self.block(material="null")), "stuff", "SIGSEGV", 2, "update")
        self.check_end(self.run_graph(self.block(activation="exit")), "sleep", "exit()", 2, "evaluate")

    def test_without_a_culprit_what_was_at_work_is_said(self):
        for way, word in (("kill", "killed from outside"), ("thread", "SIGABRT")):
            result = self.run_graph(self.number(way))
            self.assertEqual(result.returncode, CRASHED)
            self.assertIn(word, result.stderr)
            self.assertIn("node 'bad'", result.stderr)

    def test_the_end_is_an_event(self):
        result = self.run_graph(self.number("exit"), "--progress", "json")
        events = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(events[-1]["event"], "message")
        self.assertEqual((events[-1]["level"], events[-1]["node"], events[-1]["plugin"], events[-1]["frame"]),
                         ("error", "bad", "test.hostile", 2))

    def test_checkpoints_stay_valid(self):
        graph = self.block(emitter="null", at=30, end=32)
        result = self.run_graph(graph, "--checkpoint-every", "1")
        self.assertEqual(result.returncode, CRASHED)
        newest = max(int(path.name.split(".")[1]) for path in (self.output / "checkpoints").glob("frame.*.checkpoint"))
        resumed = self.run_graph(graph, "--resume-from", str(newest), "--set", "source.way=")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.report()["result"], "finished")

    def test_what_waits_when_the_work_is_done_is_ended(self):
        begin = time.monotonic()
        result = self.run_graph(self.number("linger"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertGreater(time.monotonic() - begin, 8)
        self.assertIn("did not end after its work was done", result.stderr)
        self.assertEqual(self.report()["result"], "finished")

    def test_how_numbers_are_treated_is_set_back(self):
        for way, what in (("upward", "how the processor rounds numbers"), ("locale", "the locale of numbers")):
            result = self.run_graph(self.number(way))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"warning: node 'bad': the plugin 'test.hostile' changed {what}", result.stderr)

    def test_statistics_are_bounded(self):
        result = self.run_graph(self.number("statistics"))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("node 'bad': reports more than 4096 statistics in one frame", result.stderr)
        self.assertLess(len(self.report()["frames"][1]["nodes"]["bad"]), 5000)

    def test_a_report_that_the_run_cannot_write_is_ended(self):
        result = self.run_graph(self.number("descriptors"))
        self.assertEqual(result.returncode, FILES, result.stderr)
        report = self.report()
        self.assertEqual((report["result"], report["exitCode"]), ("failed", FILES))

    def test_who_closes_all_descriptors_does_not_silence_the_run(self):
        for way in ("close", "close all"):  # the second one: also what the run opened out of its way
            for style in ("lines", "json", "quiet"):
                with self.subTest(way + " " + style):
                    result = self.run_graph(self.number(way), "--progress", style)
                    self.assertEqual(result.returncode, FILES, result.stderr)
                    self.assertIn("closed descriptors that are not its own", result.stdout + result.stderr)
                    report = self.report()
                    self.assertEqual((report["result"], report["exitCode"]), ("failed", FILES))
                    self.assertEqual([path.name for path in self.output.iterdir()], ["run.json"])

    def serve(self, graph):
        """A server whose client runs the graph, once it has ended: exit code, words."""
        server = subprocess.Popen(self.command("serve", "--socket", self.work / "socket"), env=self.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(server.kill)
        server.stdout.readline()
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.connect(str(self.work / "socket"))
        for number, (method, parameters) in enumerate((
                ("hello", {"protocol": 1, "client": "test"}),
                ("document.set", {"document": json.loads(graph.read_text()), "path": str(graph)}), ("run.start", {}))):
            line = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            client.sendall((json.dumps(line) + "\n").encode())
        _, errors = server.communicate(timeout=30)
        return server.returncode, errors

    def test_a_server_whose_connections_are_closed_does_not_stay(self):
        for way in ("close", "close all"):
            with self.subTest(way):
                code, errors = self.serve(self.number(way))
                self.assertEqual(code, FILES, errors)
                self.assertIn("the server's connections are closed", errors)

    def test_a_server_says_it_too(self):
        code, errors = self.serve(self.number("null"))
        self.assertEqual(code, CRASHED, errors)
        self.assertIn("node 'bad': frame 2: the plugin 'test.hostile' crashed by SIGSEGV", errors)


class Hanging(hostile_plugin.WithHostilePlugin):
    def start(self, graph):
        run = subprocess.Popen(self.command("run", graph, "--output", self.output, "--device", "cpu"),
                               env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        for line in run.stdout:
            if line.startswith("frame 1/"):
                time.sleep(0.3)
                return run

    def test_one_signal_says_what_it_waits_for_and_a_second_ends_at_once(self):
        run = self.start(self.number("hang"))
        run.send_signal(signal.SIGINT)
        said = run.stderr.readline()
        self.assertIn("waiting for node 'bad' (plugin test.hostile) in cook at frame 2", said)
        self.assertIn("A second Ctrl-C or signal ends the program at once", said)
        begin = time.monotonic()
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(10), CANCELLED)
        self.assertLess(time.monotonic() - begin, 2)
        report = self.report()
        self.assertEqual((report["result"], report["exitCode"]), ("cancelled", CANCELLED))
        self.assertEqual(report["messages"][-1].get("node"), None)
        self.assertIn("node 'bad'", report["messages"][-1]["text"])

    def test_a_farms_signal_ends_within_ten_seconds(self):
        run = self.start(self.number("hang"))
        begin = time.monotonic()
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(12), CANCELLED)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(self.report()["result"], "cancelled")

    def test_two_signals_at_a_time_are_one(self):
        run = self.start(self.graph({"good": ("test.hostile.number", {})}, end=1000000))
        run.send_signal(signal.SIGTERM)
        run.send_signal(signal.SIGINT)  # to the process and its group, say
        _, errors = run.communicate(timeout=10)
        self.assertEqual(run.returncode, CANCELLED)
        self.assertEqual(errors, "")  # it ended by itself
        self.assertEqual(self.report()["result"], "cancelled")

    def test_the_command_ends_with_its_supervisor(self):
        run = self.start(self.number("hang"))
        child = int(pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split()[0])
        run.kill()
        run.wait()
        for _ in range(100):
            if not pathlib.Path(f"/proc/{child}/exe").exists():
                return
            time.sleep(0.05)
        self.fail("the command goes on alone")


if __name__ == "__main__":
    unittest.main()
