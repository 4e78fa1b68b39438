"""`floe plugin check` calls what nodes hand out, and a run refuses it too. Arguments: the program, the plugin's library."""
import pathlib
import re
import sys
import time
import unittest

import hostile_plugin

hostile_plugin.WithHostilePlugin.FLOE = pathlib.Path(sys.argv.pop(1)).absolute()
hostile_plugin.WithHostilePlugin.LIBRARY = sys.argv.pop(1)
PLUGIN_FAILED = 4  # exit code

# node, way: the sentence, and its name
FAULTS = {
    ("number", "unset"): ("output 'number' is not set", "output-unset"),
    ("material", "silent"): ("sound_speed gives 0 m/s, must be above 0", "sound-speed"),
    ("material", "nanSound"): ("sound_speed gives nan m/s", "sound-speed"),
    ("material", "nan"): ("update gives nan in stress[0][0]", "not-finite"),
    ("material", "unset"): ("update does not set stress[0][0] of 48", "output-unset"),
    ("material", "over"): ("update writes past the end of stress[5]", "array-overrun"),
    ("material", "under"): ("update writes before the beginning of F[0]", "array-overrun"),
    ("material", "gradient"): ("update writes to gradient[0], which is an input", "input-changed"),
    ("material", "fail"): ("update failed with status 1", "call-failed"),
    ("material", "stiff"): ("the stress of a small stretch travels at 1000 m/s", "sound-speed"),
    ("emitter", "nan"): ("emit gives nan in 'x' of particle 1", "not-finite"),
    ("emitter", "flat"): ("emit gives 0 in 'volume' of particle 0, must be above 0", "out-of-range"),
    ("emitter", "volume"): ("emit gives particles without 'volume'", "attribute-missing"),
    ("emitter", "throw"): ("emit failed with status 1", "call-failed"),
    ("emitter", "region"): ("emit gives other particles for a region than those of all that lie in it", "emitter-region"),
    ("activation", "third"): ("evaluate gives the state 7 to block 0", "out-of-range"),
    ("activation", "over"): ("evaluate writes past the end of state", "array-overrun"),
    ("force", "nan"): ("accelerate gives nan in acceleration[0][0]", "not-finite"),
    ("force", "unset"): ("accelerate does not set acceleration[2][0] of 64", "output-unset"),
    ("force", "over"): ("accelerate writes past the end of acceleration[0]", "array-overrun"),
    ("force", "input"): ("accelerate writes to x[0], which is an input", "input-changed"),
    ("force", "field"): ("its field is not finite at (", "not-finite"),
    ("collider", "nan"): ("normal or velocity is not finite at (", "not-finite"),
    ("collider", "word"): ("a 'collider' has contact 'glue'", "record-unusable"),
}


class Check(hostile_plugin.WithHostilePlugin):
    def check(self, ways, **options):
        return self.floe("plugin", "check", self.plugin(ways, **options))

    def lines(self, result, name):
        lines = result.stdout.splitlines()
        first = next(i for i, line in enumerate(lines) if f"test.hostile.{name} on cpu" in line)
        said = [lines[first]]
        for line in lines[first + 1:]:
            if not line.startswith("    "):
                break
            said.append(line.strip())
        return result.returncode, said

    def test_nodes_that_keep_the_rules_pass(self):
        result = self.floe("plugin", "check", self.plugin())
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertNotIn("error:", result.stdout)
        self.assertNotIn("warning:", result.stdout)

    def test_each_fault_is_found_and_named(self):
        left = dict(FAULTS)
        while left:  # one way of each node at a time
            ways = {name: way for name, way in left}
            result = self.check(ways)
            for name, way in ways.items():
                sentence, fault = left.pop((name, way))
                with self.subTest(f"{name} {way}"):
                    code, said = self.lines(result, name)
                    self.assertEqual(code, PLUGIN_FAILED, said)
                    self.assertIn("FAILED", said[0])
                    self.assertTrue(any(line.startswith("error: ") and sentence in line and line.endswith(f"[{fault}]")
                                        for line in said[1:]), said)

    def test_stress_at_rest_is_a_warning(self):
        code, said = self.lines(self.check({"material": "turn"}), "material")
        self.assertEqual(code, 0, said)
        self.assertTrue(any(line.startswith("warning: ") and line.endswith("[stress-at-rest]") for line in said), said)

    def test_a_parameter_that_nobody_reads_is_a_warning(self):
        more = [{"name": "extra", "type": "float", "default": 1, "label": "Extra", "help": "Forgotten."}]
        code, said = self.lines(self.check({}, more=more), "number")
        self.assertEqual(code, 0, said)
        self.assertIn("warning: parameter 'extra' is never read: read it in cook, or take it out of the manifest "
                      "[parameter-unread]", said)

    def test_a_crash_is_said_with_the_function(self):
        code, said = self.lines(self.check({"material": "null"}), "material")
        self.assertEqual(code, PLUGIN_FAILED)
        self.assertIn("in update of output 'material'", said[0])

    def test_nodes_that_hang_take_at_most_twenty_seconds(self):
        def check(ways):
            begin = time.monotonic()
            return self.check(ways), time.monotonic() - begin

        before = check({})[1]
        result, hung = check(dict.fromkeys(hostile_plugin.NODES, "hang"))
        after = check({})[1]
        self.assertEqual(result.returncode, PLUGIN_FAILED)
        self.assertIn("in accelerate of output 'force'", result.stdout)
        given = [float(each) for each in re.findall(r"did not end within ([0-9.]+) s", result.stdout)]
        self.assertGreaterEqual(len(given), 7, result.stdout)
        # What a check takes without them says how busy the machine is.
        self.assertLess(hung - max(before, after), 20, result.stdout)
        left = [line for line in result.stdout.splitlines() if "nodes before it hung for 18 s" in line]
        self.assertEqual(len(given) + len(left), len(hostile_plugin.NODES), result.stdout)
        self.assertIn(" skipped ", left[0])


class Runs(hostile_plugin.WithHostilePlugin):
    def refuse(self, graph, *parts):
        result = self.run_graph(graph)
        self.assertIn(result.returncode, (3, PLUGIN_FAILED), result.stdout + result.stderr)
        for part in parts:
            self.assertIn(part, result.stderr)

    def force(self, way):
        return self.block(more={"wind": ("test.hostile.force", {"way": way})}, links=[("wind.force", "solver.forces")])

    def test_a_force_that_is_not_finite_is_an_error(self):
        self.refuse(self.force("nan"), "node 'solver'", "force 1", "its acceleration is not finite at (")
        self.refuse(self.force("field"), "node 'solver'", "force 1", "its field is not finite at (")

    def test_a_force_moves_matter(self):
        graph = self.force("")
        self.assertEqual(self.run_graph(graph, "--set", "solver.gravity=[0, 0, 0]").returncode, 0)
        self.assertEqual(self.report()["result"], "finished")

    def test_a_material_without_a_speed_of_sound_is_an_error(self):
        self.refuse(self.block(material="silent"), "node 'solver'", "speed of sound of 0 m/s, must be above 0")

    def test_a_node_that_says_it_was_stopped_does_not_end_the_run_in_silence(self):
        self.refuse(self.number("stopped"), "node 'bad'", "says that it was stopped, though nobody stops the run")
        self.refuse(self.block(emitter="stopped", at=2), "node 'solver'", "though nobody stops the run")
        self.assertEqual(self.report()["result"], "failed")

    def test_a_function_that_fails_is_named_by_its_own_node(self):
        self.refuse(self.block(activation="throw"), "node 'solver'",
                    "evaluate of node 'sleep' (plugin test.hostile) let a C++ exception escape")
        self.refuse(self.block(activation="status"), "node 'solver'",
                    "evaluate of node 'sleep' (plugin test.hostile) failed with status 55")

    def test_an_output_that_is_not_set_is_an_error(self):
        self.refuse(self.number("unset"), "node 'bad'", "'number'", "did not set this output")


if __name__ == "__main__":
    unittest.main()
