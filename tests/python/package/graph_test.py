"""Graphs: building, checked values, validation, comparison, files; stubs."""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np

from scene import FLOE, SOURCE, Case, ball, floe, main
from floe import graph_picture, stubs


class Values(Case):
    def refused(self, action, node, field, *texts):
        with self.assertRaises(floe.GraphError) as caught:
            action()
        error = caught.exception
        self.assertEqual((error.node, error.field), (node, field))
        for text in texts:
            self.assertIn(text, str(error))

    def test_a_parameter_may_be_named_type(self):
        light = floe.Graph().add("floe.light", "sky", type="sky", intensity=0.5)
        self.assertEqual((light.node_name, light["type"]), ("sky", "sky"))

    def test_a_value_out_of_range_names_node_field_range_and_unit(self):
        scene = ball()
        before = json.dumps(scene.document)
        self.refused(lambda: setattr(scene["jello"], "youngModulus", 0.5), "jello", "youngModulus",
                     "node 'jello' (floe.material)", "is 0.5 Pa", "between 1 and 1e+13 Pa")
        self.refused(lambda: setattr(scene["jello"], "poissonRatio", 0.62), "jello",
                     "poissonRatio", "0 and 0.49")
        self.refused(lambda: setattr(scene["ball"], "radius", float("nan")), "ball", "radius",
                     "finite")
        self.assertEqual(json.dumps(scene.document), before)

    def test_a_wrong_type_is_refused(self):
        scene = ball()
        for node, field, value in (("ball", "radius", "big"), ("ball", "radius", True),
                                   ("ball", "center", [1, 2]), ("ball", "center", [1, 2, "3"]),
                                   ("jello", "law", "snwo"), ("jello", "law", 3),
                                   ("body", "emit", 1), ("solver", "minimumSubsteps", 1.5),
                                   ("ball", "radius", {"expression": "1"}),
                                   ("solver", "cellSize", {"expr": "frame"})):
            self.refused(lambda: scene[node].set(**{field: value}), node, field)
        self.refused(lambda: setattr(scene["jello"], "law", "snwo"), "jello", "law",
                     "did you mean 'snow'?")

    def test_what_is_not_there_is_named_with_the_nearest(self):
        scene = ball()
        self.refused(lambda: scene["jelo"], "jelo", None, "did you mean 'jello'?")
        self.refused(lambda: scene["ball"].set(radios=1), "ball", "radios", "'radius'?")
        self.refused(lambda: scene.add("floe.shape.spere"), None, None, "floe.shape.sphere")
        self.refused(lambda: scene.add("floe.camera", "front"), "front", None, "already")
        self.refused(lambda: scene.add("floe.camera", "1st"), "1st", None, "letters")
        with self.assertRaises(AttributeError):
            scene["ball"].radios

    def test_several_values_are_set_together_or_not_at_all(self):
        scene = ball()
        with self.assertRaises(floe.GraphError):
            scene["ball"].set(radius=0.3, center=(1, 2))
        self.assertEqual(scene["ball"].radius, 0.2)
        with self.assertRaises(floe.GraphError):
            scene.add("floe.shape.sphere", "other", radius=-1)
        self.assertNotIn("other", scene)

    def test_numpy_values_and_expressions_are_stored_as_json(self):
        scene = ball()
        scene["ball"].radius = np.float32(0.25)
        scene["ball"].center = np.array([0, 1, 2])
        scene["down"].acceleration = [0, {"expr": "-frame"}, 0]
        scene["solver"].minimumSubsteps = np.int64(2)
        self.assertEqual(json.loads(json.dumps(scene.document))["nodes"]["ball"]["parameters"],
                         {"radius": 0.25, "center": [0, 1, 2], "voxelSize": 0.05})
        self.assertEqual(scene.validate(), [])

    def test_what_is_accepted_here_the_engine_accepts_and_the_reverse(self):
        """Each bounded parameter of every type, at its ends and beyond."""
        compared = 0
        for kind in floe.node_types().values():
            scene = floe.Graph()
            node = scene.add(kind.name, "node")
            for name, parameter in kind.parameters.items():
                if parameter.type not in ("float", "int"):
                    continue
                for bound, beyond in ((parameter.low, -1), (parameter.high, 1)):
                    if bound is None:
                        continue
                    for value in (bound, bound + beyond * max(1, abs(bound))):
                        try:
                            node[name] = value
                            here = True
                        except floe.GraphError:
                            here = False
                        scene.document["nodes"]["node"]["parameters"] = {name: value}
                        there = not any(f.severity == "error" and f.field == name
                                        for f in scene.validate())
                        self.assertEqual(here, there, f"{kind.name}.{name} = {value}")
                        compared += 1
        self.assertGreater(compared, 300)

    def test_no_parameter_is_hidden_by_a_member_of_nodes(self):
        members = {name for name in dir(floe.Node) if not name.startswith("_")}
        for kind in floe.node_types().values():
            self.assertEqual(members & set(kind.parameters), set(), kind.name)

    def test_subgraphs_have_the_ranges_of_what_they_expose(self):
        scene = floe.Graph({"floe": 1, "nodes": {"one": {"type": "floe.subgraph", "graph": "g"}},
                            "subgraphs": {"g": {
                                "nodes": {"s": {"type": "floe.shape.sphere", "version": 1,
                                                "parameters": {"radius": 0.7}}},
                                "promote": {"parameters": {"size": {"to": "s.radius"}}}}}})
        self.assertEqual(scene["one"].size, 0.7)
        scene["one"].size = 0.5
        self.refused(lambda: setattr(scene["one"], "size", -1), "one", "size", "100000 m")
        self.refused(lambda: setattr(scene["one"], "sise", 1), "one", "sise", "'size'?")


class Notebooks(Case):
    def test_a_graph_shows_itself(self):
        scene = ball()
        scene["ball"].bypass = True
        picture = ElementTree.fromstring(re.search(r"<svg.*</svg>", scene._repr_html_()).group())
        names = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        self.assertLessEqual({"ball", "solver", "floe.mpm.solver"}, set(names))
        self.assertEqual(len(list(picture.iter("{http://www.w3.org/2000/svg}path"))), len(scene.links))
        # Also one with a cycle, and with names that are none.
        svg = graph_picture.svg({"<a>": {"type": "x"}, "b": {}}, [("<a>", "b"), ("b", "<a>")], {})
        ElementTree.fromstring(svg)


class Links(Case):
    def test_kinds_and_names_are_checked(self):
        scene = ball()
        for source, target, text in (("ball.shape", "solver.emitters", "kind volume"),
                                     ("ball.shapes", "body.shape", "did you mean 'shape'?"),
                                     ("ball", "body.shape", "node.socket"),
                                     ("nobody.shape", "body.shape", "no node 'nobody'")):
            with self.assertRaises(floe.GraphError) as caught:
                scene.link(source, target)
            self.assertIn(text, str(caught.exception))

    def test_an_input_for_one_is_linked_anew_and_removal_takes_links_along(self):
        scene = ball()
        scene.add("floe.shape.box", "box")
        scene.link("box.shape", "body.shape")
        self.assertEqual([a for a, b in scene.links if b == "body.shape"], ["box.shape"])
        scene.remove("box")
        self.assertEqual([b for a, b in scene.links if a.startswith("box")], [])
        scene.link("ball.shape", "body.shape")
        scene.link("ball.shape", "body.shape")
        self.assertEqual(len(scene.links), 4)
        scene.unlink("ball.shape", "body.shape")
        with self.assertRaises(floe.GraphError):
            scene.check()


class Files(Case):
    def test_what_is_saved_is_what_the_engine_writes(self):
        path = self.folder / "ball.floe.json"
        ball().save(path)
        self.assertEqual(subprocess.run([FLOE, "fmt", "--check", path]).returncode, 0)
        self.assertEqual(floe.Graph.open(path).diff(ball()), [])
        self.assertEqual(path.stat().st_mode & 0o777, 0o666 & ~umask())
        self.assertEqual(os.listdir(self.folder), ["ball.floe.json"])

    def test_graphs_of_the_repository_are_not_changed_by_opening_and_saving(self):
        for path in sorted((SOURCE / "graphs").glob("*.floe.json")):
            scene = floe.Graph.open(path)
            self.assertEqual([f for f in scene.validate() if f.severity == "error"], [], path)
            scene.save(self.folder / "copy.floe.json")
            self.assertEqual((self.folder / "copy.floe.json").read_bytes(), path.read_bytes())

    def test_a_save_that_fails_leaves_the_old_file(self):
        path = self.folder / "ball.floe.json"
        scene = ball()
        scene.save(path)
        before = path.read_bytes()
        scene.document["nodes"] = 5
        with self.assertRaises(floe.FloeError):
            scene.save()
        self.assertEqual(path.read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["ball.floe.json"])

    def test_what_is_no_graph_is_refused_by_name(self):
        path = self.folder / "not.floe.json"
        for text in ("{", "[]", "{}", '{"floe": 1, "nodes": 3}'):
            path.write_text(text)
            with self.assertRaises(floe.GraphError) as caught:
                floe.Graph.open(path)
            self.assertEqual(caught.exception.file, str(path))

    def test_faults_are_all_listed(self):
        scene = ball()
        scene.document["nodes"]["ball"]["parameters"]["radius"] = -1
        scene.document["nodes"]["jello"]["parameters"]["poissonRatio"] = 0.7
        self.assertEqual({(f.node, f.field) for f in scene.validate()},
                         {("ball", "radius"), ("jello", "poissonRatio")})
        with self.assertRaises(floe.GraphError) as caught:
            scene.check()
        self.assertEqual(len(caught.exception.faults), 2)
        self.assertIn("and 1 more", str(caught.exception))

    def test_a_program_that_is_missing_is_named_with_the_cure(self):
        code = "import floe; floe.Graph()"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "FLOE_PROGRAM": "/nowhere/floe",
                                   "PYTHONPATH": str(pathlib.Path(floe.__file__).parents[1])})
        self.assertIn("FLOE_PROGRAM is '/nowhere/floe'", done.stderr)
        self.assertIn("ProgramNotFound", done.stderr)


class Stubs(Case):
    def test_manifests_tell_the_same_as_the_engine(self):
        types = stubs.types_of_manifests(SOURCE / "plugins")
        own = floe.NodeTypes([])
        own._types = {name: floe.node_types()[name] for name in types}
        self.assertEqual(stubs.stub(types), stubs.stub(own))
        self.assertGreater(len(types), 40)
        with self.assertRaises(floe.FloeError):
            stubs.types_of_manifests(self.folder)

    def test_they_are_python_and_have_every_type_and_parameter(self):
        tree = ast.parse(stubs.stub(floe.node_types()))
        classes = {c.name: c for c in tree.body if isinstance(c, ast.ClassDef)}
        self.assertEqual(len(classes), len(floe.node_types()) + 1)
        fields = {f.target.id: ast.unparse(f.annotation) for f in classes["MaterialNode"].body
                  if isinstance(f, ast.AnnAssign)}
        self.assertEqual(set(fields), set(floe.node_types()["floe.material"].parameters))
        self.assertEqual(fields["youngModulus"], "_Number")
        self.assertIn("'snow'", fields["law"])
        adders = [f for f in classes["NodeFactory"].body if isinstance(f, ast.FunctionDef)]
        self.assertEqual(len(adders), len(floe.node_types()) + 1)

    def test_names_of_classes_are_unique(self):
        names = stubs.class_names(["a.shape.box", "a.hitbox.box", "b.box", "a.ball"])
        self.assertEqual(len(set(names.values())), 4)
        self.assertEqual(names["a.ball"], "BallNode")

    def test_the_command_writes_them(self):
        self.assertEqual(stubs.main(["--output", str(self.folder)]), 0)
        self.assertEqual((self.folder / "floe/nodes.pyi").read_text(),
                         stubs.stub(floe.node_types()))


def umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


if __name__ == "__main__":
    main()
