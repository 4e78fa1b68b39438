"""Every plugin.json and *.floe.json of the tree fits the schema that ships with Floe, and the
schemas refuse what is wrong. Usage: schema_test.py SOURCE_FOLDER"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    sys.exit("needs the Python package jsonschema (Debian: python3-jsonschema)")

SOURCE = pathlib.Path(sys.argv[1])
SCHEMAS = SOURCE / "runtime/graph/schema"

SOUND_GRAPH = {
    "floe": 1,
    "range": {"start": 1, "end": 48, "fps": 24},
    "plugins": {"floe.mpm": "0.1.0"},
    "nodes": {
        "ball": {
            "type": "floe.shape.sphere",
            "version": 1,
            "parameters": {
                "radius": {"keys": [[1, 0.5, "linear"], [9, 1, "bezier", [-1, 0], [1, 0]]]},
                "center": [0, {"expr": "sin(time)"}, 0],
            },
            "layout": {"x": 0, "y": 0},
        },
        "d": {"type": "floe.subgraph", "graph": "debris"},
    },
    "links": [{"from": "ball.shape", "to": "d.shape"}],
    "subgraphs": {"debris": {"nodes": {}, "promote": {
        "parameters": {"size": {"to": "a.radius", "label": "Size", "min": 0.1, "max": 2,
                                "softMin": 0.2, "softMax": 1}},
        "inputs": {"shape": "a.b"}}}},
}
SOUND_PLUGIN = {
    "format": 1,
    "id": "acme.two",
    "version": "1.0.0",
    "nodes": [
        {
            "type": "acme.two.ball",
            "graph": "ball.floe.json",
            "parameters": [
                {"name": "size", "type": "float", "default": 1, "min": 0,
                 "shownWhen": {"on": True, "way": ["up", "down"]}},
                {"name": "on", "type": "bool", "default": True},
                {"name": "way", "type": "choice", "default": "up",
                 "choices": [{"value": "up"}, {"value": "down"}]},
            ],
            "outputs": [{"name": "shape", "kind": ["volume", "acme.thing"]}],
        }
    ],
}
SOUND_TRANSLATION = {
    "format": 1,
    "language": "pt_BR",
    "plugin": "acme.two",
    "texts": {"Size": "Tamanho"},
    "nodes": {"acme.two.ball": {"aliases": ["bola"], "texts": {"Size": "Diâmetro"}}},
}


def changed(document, path, value):
    """A copy with one entry replaced."""
    result = copy.deepcopy(document)
    place = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return result


def main():
    failures = []
    validators = {}
    for name in ("graph", "plugin", "translation"):
        schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[name] = jsonschema.Draft202012Validator(schema)

    def check(name, document, label, sound):
        error = jsonschema.exceptions.best_match(validators[name].iter_errors(document))
        if sound and error:
            where = "/".join(str(part) for part in error.absolute_path)
            failures.append(f"{label}: {where}: {error.message}")
        elif not sound and not error:
            failures.append(f"{label}: should not fit the schema")

    check("graph", SOUND_GRAPH, "sound graph", True)
    check("plugin", SOUND_PLUGIN, "sound plugin", True)
    for path, value in [
        (["floe"], 2),
        (["node"], {}),
        (["range", "fps"], 0),
        (["nodes", "my ball"], {"type": "a.b"}),
        (["nodes", "ball", "paramters"], {}),
        (["nodes", "ball", "parameters", "radius"], None),
        (["nodes", "ball", "parameters", "radius"], {"keys": []}),
        (["nodes", "ball", "graph"], "debris"),
        (["nodes", "d", "graph"], 3),
        (["links", 0, "to"], "d"),
    ]:
        check("graph", changed(SOUND_GRAPH, path, value), f"graph with {path} = {value!r}", False)
    for path, value in [
        (["format"], 2),
        (["id"], "two"),
        (["library"], "two"),  # without "abi"
        (["nodes", 0, "parameters", 0, "type"], "double"),
        (["nodes", 0, "parameters", 0, "type"], "choice"),
        (["nodes", 0, "parameters", 0, "default"], "one"),
        (["nodes", 0, "parameters", 0, "shownWhen"], {}),
        (["nodes", 0, "parameters", 0, "shownWhen"], ["on"]),
        (["nodes", 0, "parameters", 0, "shownWhen", "way"], []),
        (["nodes", 0, "parameters", 0, "shownWhen", "way"], 3),
        (["nodes", 0, "outputs", 0, "kind"], "volumes"),
        (["nodes", 0, "outputs", 0, "required"], True),
    ]:
        check("plugin", changed(SOUND_PLUGIN, path, value), f"plugin with {path} = {value!r}", False)

    check("translation", SOUND_TRANSLATION, "sound translation", True)
    for path, value in [
        (["format"], 2),
        (["language"], "../fr"),
        (["label"], "Two"),
        (["texts", "Size"], ""),
        (["texts", "Size"], ["Tamanho"]),
        (["nodes", "acme.two.ball", "help"], "Bola"),
        (["nodes", "acme.two.ball", "aliases"], "bola"),
    ]:
        check("translation", changed(SOUND_TRANSLATION, path, value),
              f"translation with {path} = {value!r}", False)

    for name, folders, pattern in [
        ("translation", ["plugins"], "translations/*.json"),
        ("plugin", ["plugins"], "plugin.json"),
        ("graph", ["graphs", "plugins"], "*.floe.json"),
    ]:
        for folder in folders:
            for path in sorted((SOURCE / folder).rglob(pattern)):
                check(name, json.loads(path.read_text()), str(path), True)

    print("\n".join(failures) or "every file fits")
    sys.exit(1 if failures else 0)


main()
