"""Writes `nodes.pyi`: every node type of this machine's plugins as a class with typed parameters, so that
editors complete `scene.add("floe.shape.sphere", radius=...)` and type checkers check it.

    python -m floe.stubs                    # into the package, where it may be written
    python -m floe.stubs --output typings   # typings/floe/nodes.pyi, for a type checker's search path

With --manifests the types are those of a folder of plugins, and no program is needed.
"""

import argparse
import json
import keyword
import os
import pathlib
import re
import sys
import textwrap
from typing import Dict, List, Optional, Sequence

from .errors import FloeError
from .manifest import NodeType, NodeTypes, Parameter, node_types
from .picture import write_whole

_HEAD = '''"""Node types of Floe's plugins. Written by `python -m floe.stubs`; changes are lost."""

from typing import Any, Dict, List, Literal, Optional, Sequence, Tuple, Union, overload

from .graph import Node

_Animated = Dict[str, Any]
_Number = Union[float, _Animated]
_Integer = Union[int, _Animated]
_Flag = Union[bool, _Animated]
_Triple = Union[Sequence[_Number], Any]
'''
_TYPES = {"float": "_Number", "int": "_Integer", "bool": "_Flag", "vector": "_Triple",
          "colour": "_Triple"}


def class_names(types: Sequence[str]) -> Dict[str, str]:
    """A class name for each node type: its last words, as many as make it unique."""
    def name(kind: str, words: int) -> str:
        parts = re.split(r"[^A-Za-z0-9]+", kind)[-words:]
        return "".join(part[:1].upper() + part[1:] for part in parts) + "Node"

    names: Dict[str, str] = {}
    for kind in types:
        words = 1
        most = len(re.split(r"[^A-Za-z0-9]+", kind))
        while words < most and any(name(kind, words) == name(other, words)
                                   for other in types if other != kind):
            words += 1
        names[kind] = name(kind, words)
    return names


def _annotation(parameter: Parameter) -> str:
    if parameter.type == "choice":
        return f"Literal[{', '.join(repr(choice) for choice in parameter.choices)}]"
    return _TYPES.get(parameter.type, "str")


def _usable(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _comment(text: str, indent: str) -> List[str]:
    return textwrap.wrap(text, 98, initial_indent=indent + "# ", subsequent_indent=indent + "# ")


def _class(kind: NodeType, name: str) -> List[str]:
    help_text = (kind.label + ". " + kind.help).strip().replace("\\", "\\\\").replace('"""', "'''")
    lines = ["", "", f"class {name}(Node):"]
    lines += textwrap.wrap(f'"""{help_text}', 98, initial_indent="    ", subsequent_indent="    ")
    lines[-1] += '"""'
    for parameter in kind.parameters.values():
        if not _usable(parameter.name):
            continue
        about = "; ".join(filter(None, (parameter.label, parameter.range_text())))
        lines += _comment(about, "    ")
        lines.append(f"    {parameter.name}: {_annotation(parameter)}")
    return lines


def _overload(kind: NodeType, name: str) -> List[str]:
    lines = ["    @overload", f'    def add(self, node_type: Literal["{kind.name}"], /,',
             "            name: Optional[str] = ..."]
    taken = {"self", "node_type", "name"}
    usable = [p for p in kind.parameters.values() if _usable(p.name) and p.name not in taken]
    if usable:
        lines[-1] += ", *,"
        for parameter in usable:
            lines.append(f"            {parameter.name}: {_annotation(parameter)} = ...,")
        lines[-1] = lines[-1][:-1]
    lines[-1] += f") -> {name}: ..."
    return lines


def stub(types: NodeTypes) -> str:
    """The text of `nodes.pyi`."""
    usable = sorted(types)
    names = class_names(usable)
    lines = [_HEAD.rstrip("\n")]
    for kind in usable:
        lines += _class(types[kind], names[kind])
    lines += ["", "", "class NodeFactory:"]
    for kind in usable:
        lines += _overload(types[kind], names[kind])
    lines += ["    @overload",
              "    def add(self, node_type: str, /, name: Optional[str] = ..., **parameters: Any) -> Node: ..."]
    return "\n".join(lines) + "\n"


def types_of_manifests(folder: pathlib.Path) -> NodeTypes:
    """The types of the plugins FOLDER/*/plugin.json."""
    entries = []
    for manifest in sorted(folder.glob("*/plugin.json")):
        entries += json.loads(manifest.read_text(encoding="utf-8")).get("nodes", [])
    if not entries:
        raise FloeError(f"{folder}: no plugin.json below it has a node type", file=str(folder))
    return NodeTypes(entries)


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m floe.stubs",
                                     description="Writes stubs of all installed node types.")
    parser.add_argument("--output", metavar="FOLDER",
                        help="writes FOLDER/floe/nodes.pyi; without it, into the package")
    parser.add_argument("--manifests", metavar="FOLDER",
                        help="reads FOLDER/*/plugin.json instead of asking the engine")
    options = parser.parse_args(arguments)
    if options.output:
        folder = pathlib.Path(options.output, "floe")
        folder.mkdir(parents=True, exist_ok=True)
    else:
        folder = pathlib.Path(__file__).parent
    target = folder / "nodes.pyi"
    try:
        types = (types_of_manifests(pathlib.Path(options.manifests)) if options.manifests
                 else node_types())
        write_whole(target, stub(types).encode())
    except (FloeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{os.fspath(target)}: {len(types)} node types")
    return 0


if __name__ == "__main__":
    sys.exit(main())
