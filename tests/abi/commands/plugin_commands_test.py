"""`floe plugin list|check|new`, as a person uses them. Arguments: the program, the test plugin's library."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

FLOE, LIBRARY = sys.argv.pop(1), sys.argv.pop(1)
PLUGIN_FAILED = 4  # exit code

TYPES = ["fine", "crash", "leave", "wrongKind", "undeclared", "counter", "forgetful"]


def node(name):
    return {"type": f"test.cooking.{name}", "version": 1, "label": name, "category": "Test",
            "help": "A test.", "role": "solver" if name in ("counter", "forgetful") else "value",
            "backends": {"cpu": True, "cuda": "none"},
            "parameters": [{"name": "factor", "type": "float", "default": 2, "label": "Factor",
                            "help": "A number."}],
            "inputs": [{"name": "number", "label": "Number", "kind": "number", "help": "A number."}],
            "outputs": [{"name": "number", "label": "Number", "kind": "number", "help": "A number."}]}


def manifest():
    return {"format": 1, "id": "test.cooking", "version": "1.0.0", "label": "Cooking",
            "vendor": "Floe developers", "license": "Apache-2.0", "abi": {"major": 1, "minor": 0},
            "library": "cooking", "nodes": [node(name) for name in TYPES]}


class PluginCommands(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="floe-commands-")
        self.addCleanup(temporary.cleanup)
        self.work = pathlib.Path(temporary.name)
        self.environment = dict(os.environ, HOME=str(self.work), FLOE_PLUGIN_PATH="",
                                XDG_CACHE_HOME=str(self.work / "cache"),
                                XDG_DATA_HOME=str(self.work / "data"))

    def floe(self, *arguments):
        return subprocess.run([FLOE, *map(str, arguments)], env=self.environment, cwd=self.work,
                              capture_output=True, text=True, timeout=120)

    def plugin(self, content, name="cooking"):
        folder = self.work / "plugins" / name
        folder.mkdir(parents=True)
        shutil.copy(LIBRARY, folder / "libcooking.so")
        (folder / "plugin.json").write_text(json.dumps(content) if isinstance(content, dict) else content)
        return folder

    def line(self, result, type_name):
        lines = [line for line in result.stdout.splitlines() if f"test.cooking.{type_name} " in line]
        self.assertEqual(len(lines), 1, result.stdout + result.stderr)
        return lines[0]

    def test_check_finds_each_fault_and_goes_on(self):
        result = self.floe("plugin", "check", self.plugin(manifest()))
        self.assertEqual(result.returncode, PLUGIN_FAILED, result.stdout)
        self.assertIn(" ok ", self.line(result, "fine"))
        self.assertIn(" ok ", self.line(result, "counter"))
        for name, reason in [("crash", "SIG"), ("leave", "exit code 0"), ("wrongKind", "number"),
                             ("undeclared", "manifest"),
                             ("forgetful", "goes on differently")]:
            self.assertIn("FAILED", self.line(result, name))
            if name != "crash" or "SIGSEGV" in result.stdout:  # sanitizers turn it into an exit
                self.assertIn(reason, self.line(result, name))
        self.assertIn("asks for the parameter 'noSuchParameter'", result.stdout)
        self.assertIn("5 faults", result.stdout)

    def test_check_leaves_no_folder_behind_where_a_node_crashes(self):
        temporary = self.work / "temporary"
        temporary.mkdir()
        self.environment["TMPDIR"] = str(temporary)
        result = self.floe("plugin", "check", self.plugin(manifest()))
        self.assertIn("FAILED", self.line(result, "crash"))
        self.assertEqual(list(temporary.iterdir()), [])

    def test_check_lists_all_faults_of_a_manifest(self):
        content = manifest()
        content["version"] = "new"
        content["nodes"][0]["role"] = "wizard"
        content["nodes"][1]["parameters"][0]["type"] = "double"
        content["nodes"][2]["outputs"][0]["kind"] = "smoke"
        result = self.floe("plugin", "check", self.plugin(content))
        self.assertEqual(result.returncode, PLUGIN_FAILED)
        for word in ("new", "wizard", "double", "smoke"):
            self.assertIn(word, result.stdout)

    def test_check_names_conditions_that_cannot_be(self):
        content = manifest()
        content["nodes"][0]["parameters"] += [
            {"name": "on", "type": "bool", "default": True, "label": "On", "help": "A switch.",
             "shownWhen": {"onn": True}}]
        content["nodes"][0]["parameters"][0]["shownWhen"] = {"on": "maybe"}
        result = self.floe("plugin", "check", self.plugin(content))
        self.assertEqual(result.returncode, PLUGIN_FAILED, result.stdout)
        everything = result.stdout + result.stderr
        self.assertIn("'shownWhen' names the unknown parameter 'onn', did you mean 'on'?", everything)
        self.assertIn("'shownWhen' asks whether 'on' is 'maybe', which it never is, must be true or false",
                      everything)

    def test_check_holds_the_manifest_against_the_library(self):
        content = manifest()
        content["nodes"][0]["type"] = "test.cooking.fyne"
        result = self.floe("plugin", "check", self.plugin(content))
        self.assertEqual(result.returncode, PLUGIN_FAILED)
        self.assertIn("test.cooking.fyne", result.stdout)  # both sides of the difference
        self.assertIn("test.cooking.fine", result.stdout)

    def translation(self, folder, content, language="fr"):
        path = folder / "translations" / f"{language}.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content) if isinstance(content, dict) else content)
        return path

    def test_check_holds_translations_against_the_manifest(self):
        content = manifest()
        content["nodes"] = content["nodes"][:1]
        folder = self.plugin(content)
        texts = {"Cooking": "Cuisine", "fine": "bien", "Test": "Essai", "A test.": "Un essai.",
                 "Factor": "Facteur", "A number.": "Un nombre.", "Number": "Nombre"}
        good = {"format": 1, "language": "fr", "plugin": "test.cooking", "texts": texts}
        path = self.translation(folder, good)
        result = self.floe("plugin", "check", folder)
        self.assertRegex(result.stdout, r"translation fr +ok\n")
        self.assertNotIn("warning", result.stdout)

        del texts["Factor"]
        texts["Numbers"] = "Nombres"
        self.translation(folder, good)
        result = self.floe("plugin", "check", folder)
        self.assertRegex(result.stdout, r"translation fr +ok\n")  # English is shown
        self.assertIn(f"warning: {path}: 'Factor' has no translation, add a line to 'texts'",
                      result.stdout)
        self.assertIn(f"warning: {path}: the manifest has no text 'Numbers', remove the line",
                      result.stdout)

        self.translation(folder, good | {"lines": {}})
        broken = self.translation(folder, "{", "de")
        result = self.floe("plugin", "check", folder)
        self.assertEqual(result.returncode, PLUGIN_FAILED, result.stdout)
        self.assertRegex(result.stdout, r"translation de +FAILED\n    error: " + str(broken))
        self.assertRegex(result.stdout, r"translation fr +FAILED\n    error: " + str(path))
        self.assertIn("unknown key 'lines'", result.stdout)

    def test_check_of_nothing_is_an_error(self):
        for path in ("/no/such/folder", "no.such.plugin", ""):
            result = self.floe("plugin", "check", path)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(path, result.stderr)
        pipe = self.work / "pipe"
        pipe.mkdir()
        os.mkfifo(pipe / "plugin.json")  # would block whoever opens it
        self.assertEqual(self.floe("plugin", "check", pipe).returncode, PLUGIN_FAILED)
        broken = self.plugin("{ not json")
        result = self.floe("plugin", "check", broken)
        self.assertEqual(result.returncode, PLUGIN_FAILED)

    def test_check_of_what_is_not_built_says_so(self):
        folder = self.plugin(manifest())
        (folder / "libcooking.so").unlink()
        result = self.floe("plugin", "check", folder)
        self.assertEqual(result.returncode, PLUGIN_FAILED)
        self.assertIn("its library libcooking.so is not beside plugin.json; build it", result.stdout)

    def test_check_passes_a_good_plugin(self):
        content = manifest()
        folder = self.plugin(content)
        self.environment["FLOE_PLUGIN_PATH"] = str(folder)
        by_id = self.floe("plugin", "check", "test.cooking")
        self.assertIn(str(folder), by_id.stdout)

    def test_what_a_plugin_prints_is_not_between_lines_of_json(self):
        self.environment["FLOE_PLUGIN_PATH"] = str(self.plugin(manifest()))
        graph = self.work / "graph.floe.json"
        graph.write_text(json.dumps({"floe": 1, "range": {"start": 1, "end": 2, "fps": 24}, "nodes": {
            "talker": {"type": "test.cooking.fine", "parameters": {"factor": {"expr": "frame"}}}}}))
        result = self.floe("run", graph, "--output", self.work / "out", "--progress", "json")
        self.assertEqual(result.returncode, 0, result.stderr)
        events = [json.loads(line)["event"] for line in result.stdout.splitlines()]
        self.assertEqual(events, ["began", "frame", "frame"])
        self.assertEqual(result.stderr.count("a plugin talks"), 2)

    def test_list_shows_what_is_not_used(self):
        self.plugin(manifest())
        bad = manifest()
        bad["id"] = "test.other"
        self.plugin(bad, "other")
        self.environment["FLOE_PLUGIN_PATH"] = str(self.work / "plugins")
        result = self.floe("plugin", "list", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        states = {plugin["id"]: plugin for plugin in json.loads(result.stdout)["plugins"]}
        self.assertEqual(states["test.cooking"]["state"], "usable")
        self.assertEqual(states["test.other"]["state"], "refused")
        self.assertIn("test.other", states["test.other"]["reason"])
        text = self.floe("plugin", "list").stdout
        self.assertIn("NOT USED (refused)", text)

    def test_new_refuses_bad_names_and_full_folders(self):
        for name in ("Upper", "1st", "a..b", ".a", "a.", "sp ace", "../up", "", "a/b", "x" * 300):
            result = self.floe("plugin", "new", name)
            self.assertNotEqual(result.returncode, 0, name)
            self.assertGreater(result.returncode, 0, name)
        self.assertEqual(self.floe("plugin", "new", "waves").returncode, 0)
        self.assertTrue((self.work / "my_waves" / "plugin.json").exists())
        again = self.floe("plugin", "new", "waves")
        self.assertNotEqual(again.returncode, 0)
        self.assertIn("my_waves", again.stderr)


if __name__ == "__main__":
    unittest.main()
