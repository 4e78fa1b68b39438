"""Graphs: opened or built, changed with a check of every value, validated, compared, saved."""

import copy
import html
import json
import os
import pathlib
import re
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import graph_picture, program
from .checker import checker
from .connection import Connection
from .errors import Fault, FloeError, GraphError, graph_error
from .manifest import NodeType, Parameter, nearest, node_types, plain
from .nodes import NodeFactory

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

Path = Union[str, "os.PathLike[str]"]


class Node:
    """A node of a graph. Its parameters are its attributes, and its items:

    >>> import floe
    >>> scene = floe.Graph()
    >>> ball = scene.add("floe.shape.sphere", "ball", radius=0.3)
    >>> ball.radius = 0.4
    >>> ball["radius"]
    0.4
    >>> ball.center  # not stored: its default
    [0, 0, 0]
    >>> ball.radius = -1
    Traceback (most recent call last):
    floe.errors.GraphError: node 'ball' (floe.shape.sphere): parameter 'radius' is -1 m; must be between 1e-05 and 100000 m
    """

    _graph: "Graph"
    _name: str

    def __init__(self, graph: "Graph", name: str) -> None:
        object.__setattr__(self, "_graph", graph)
        object.__setattr__(self, "_name", name)

    def _entry(self) -> Dict[str, Any]:
        try:
            return self._graph.document["nodes"][self._name]
        except KeyError:
            raise GraphError(f"node '{self._name}' is not in the graph any more",
                             node=self._name) from None

    @property
    def node_name(self) -> str:
        """Its name in the graph."""
        return self._name

    @property
    def node_type(self) -> Optional[NodeType]:
        """Its type; None for a subgraph, and where no plugin of this machine has it."""
        name = self._entry().get("type", "")
        return self._graph.types[name] if name in self._graph.types else None

    @property
    def parameters(self) -> Dict[str, Any]:
        """Every parameter's value, those that are not stored with their defaults; a copy."""
        values = {name: copy.deepcopy(parameter.default)
                  for name, parameter in self._specs().items()}
        values.update(copy.deepcopy(self._entry().get("parameters", {})))
        return values

    @property
    def bypass(self) -> bool:
        """Whether it is left out."""
        return bool(self._entry().get("bypass", False))

    @bypass.setter
    def bypass(self, value: bool) -> None:
        if value:
            self._entry()["bypass"] = True
        else:
            self._entry().pop("bypass", None)

    def set(self, **values: Any) -> "Node":
        """Sets parameters, all of them or, when one is refused, none."""
        checked = {name: self._check(name, value) for name, value in values.items()}
        self._entry().setdefault("parameters", {}).update(checked)
        return self

    def preset(self, name: str) -> "Node":
        """Sets what one of the type's presets has.

        >>> import floe
        >>> floe.Graph().add("floe.material", "matter").preset("water").law
        'liquid'
        """
        kind = self.node_type
        presets = kind.presets if kind else {}
        if name not in presets:
            raise GraphError(f"{self._where()} has no preset '{name}'", node=self._name,
                             cure=nearest(name, presets))
        return self.set(**presets[name])

    def reset(self, *names: str) -> "Node":
        """Sets parameters to their defaults; all without names."""
        stored = self._entry().get("parameters", {})
        for name in names or list(stored):
            if name not in stored:
                self._spec(name)  # there must be one
            stored.pop(name, None)
        return self

    def _where(self) -> str:
        return f"node '{self._name}' ({self._entry().get('type', '')})"

    def _specs(self) -> Dict[str, Parameter]:
        kind = self.node_type
        if kind:
            return kind.parameters
        return self._graph._promoted(self._entry())

    def _spec(self, name: str) -> Optional[Parameter]:
        """None: nothing here knows the type, so the engine has to check."""
        specs = self._specs()
        if name in specs:
            return specs[name]
        if self.node_type is None and "graph" not in self._entry():
            return None
        raise GraphError(f"{self._where()} has no parameter '{name}'", node=self._name,
                         field=name, cure=nearest(name, specs))

    def _check(self, name: str, value: Any) -> Any:
        spec = self._spec(name)
        if spec is None:
            return plain(value)
        return spec.check(value, self._name, self._entry().get("type", ""))

    def __getitem__(self, name: str) -> Any:
        stored = self._entry().get("parameters", {})
        if name in stored:
            return copy.deepcopy(stored[name])
        spec = self._spec(name)
        return copy.deepcopy(spec.default) if spec else None

    def __setitem__(self, name: str, value: Any) -> None:
        self.set(**{name: value})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except GraphError as error:
            raise AttributeError(str(error)) from error

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        else:
            self[name] = value

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *self._specs()})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other._graph is self._graph and other._name == self._name

    def __hash__(self) -> int:
        return hash((id(self._graph), self._name))

    def __repr__(self) -> str:
        return f"<{self._entry().get('type', '')} '{self._name}'>"

    def _repr_html_(self) -> str:
        specs = self._specs()
        rows = []
        stored = self._entry().get("parameters", {})
        for name, value in self.parameters.items():
            unit = specs[name].unit or "" if name in specs else ""
            shown = html.escape(json.dumps(value))
            shown = f"<b>{shown}</b>" if name in stored else shown
            rows.append(f"<tr><td>{html.escape(name)}</td><td>{shown}</td>"
                        f"<td>{html.escape(unit)}</td></tr>")
        return f"<b>{html.escape(self._where())}</b><table>{''.join(rows)}</table>"


class Difference:
    """One difference between two graphs."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.kind: str = entry["kind"]  #: "added", "removed" or "changed"
        self.what: str = entry["what"]  #: such as "node", "parameter", "link"
        self.where: str = entry.get("where", "")
        self.field: str = entry.get("field", "")
        self.before: Any = entry.get("before")
        self.after: Any = entry.get("after")

    def __repr__(self) -> str:
        place = self.where + ("." + self.field if self.field else "")
        values = f": {self.before} -> {self.after}" if self.kind == "changed" else ""
        return f"<{self.kind} {self.what} {place}{values}>"


class Graph(NodeFactory):
    """A graph of nodes and links, as in a file NAME.floe.json.

    >>> import floe
    >>> scene = floe.Graph(end=10)
    >>> ball = scene.add("floe.shape.sphere", "ball", radius=0.2, center=(0, 0.5, 0))
    >>> jello = scene.add("floe.material", "jello").preset("jello")
    >>> body = scene.add("floe.emitter", "body")
    >>> solver = scene.add("floe.mpm.solver", "solver", cellSize=0.05)
    >>> scene.link("ball.shape", "body.shape")
    >>> scene.link("jello.material", "body.material")
    >>> scene.link("body.emitter", "solver.emitters")
    >>> scene.validate()
    []

    Args:
        document: the graph as JSON has it, instead of an empty one; it is copied.
        path: where it is stored, which paths in it are relative to.
        start, end, fps: the frame range of an empty graph.
    """

    def __init__(self, document: Optional[Mapping[str, Any]] = None,
                 path: Optional[Path] = None, *, start: int = 1, end: int = 48,
                 fps: float = 24) -> None:
        #: The graph as JSON has it. What is changed here is checked by validate() only.
        self.document: Dict[str, Any] = copy.deepcopy(dict(document)) if document is not None else {
            "floe": 1, "range": {"start": start, "end": end, "fps": fps}}
        for name, kind in (("nodes", dict), ("links", list)):
            if not isinstance(self.document.setdefault(name, kind()), kind):
                raise GraphError(f"'{name}' is not what a graph has there",
                                 file=str(path) if path else None, field=name)
        self.path = pathlib.Path(path) if path else None
        self.types = node_types()

    @classmethod
    def open(cls, path: Path) -> "Graph":
        """Reads a graph. Faults in it do not prevent that: validate() lists them.

        Raises:
            GraphError: the file is not a graph.
            OSError: it cannot be read.
        """
        text = pathlib.Path(path).read_text(encoding="utf-8")
        try:
            document = json.loads(text)
        except ValueError as error:
            raise GraphError(f"{path}: is no JSON: {error}", file=str(path)) from error
        if not isinstance(document, dict) or "floe" not in document:
            raise GraphError(f"{path}: is not a Floe graph", file=str(path))
        return cls(document, path)

    # Nodes

    @property
    def nodes(self) -> Dict[str, Node]:
        """All nodes by name."""
        return {name: Node(self, name) for name in self.document["nodes"]}

    def add(self, type: str, /, name: Optional[str] = None, **parameters: Any) -> Any:
        """Adds a node.

        Args:
            type: a node type, such as "floe.shape.sphere".
            name: of the node; without it, the type's last word with a number.

        Raises:
            GraphError: there is no such type, the name is taken, a value is refused.
        """
        kind = self.types[type]
        if name is None:
            word = re.sub(r"\W", "_", type.rsplit(".", 1)[-1])
            number = 1
            while f"{word}{number}" in self.document["nodes"]:
                number += 1
            name = f"{word}{number}"
        if not _NAME.match(name):
            raise GraphError(f"'{name}' cannot be a node's name", node=name,
                             cure="use letters, digits and _, and begin with no digit")
        if name in self.document["nodes"]:
            raise GraphError(f"there is a node '{name}' already", node=name,
                             cure="choose another name")
        self.document["nodes"][name] = {"type": type, "version": kind.version}
        try:
            return Node(self, name).set(**parameters)
        except GraphError:
            del self.document["nodes"][name]
            raise

    def remove(self, name: str) -> None:
        """Removes a node with its links."""
        self[name]
        del self.document["nodes"][name]
        self.document["links"] = [
            link for link in self.document["links"]
            if name not in (link["from"].split(".")[0], link["to"].split(".")[0])]

    def __getitem__(self, name: str) -> Node:
        if name not in self.document["nodes"]:
            raise GraphError(f"there is no node '{name}'", node=name,
                             cure=nearest(name, self.document["nodes"]))
        return Node(self, name)

    def __contains__(self, name: object) -> bool:
        return name in self.document["nodes"]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes.values())

    def __len__(self) -> int:
        return len(self.document["nodes"])

    # Links

    @property
    def links(self) -> List[Tuple[str, str]]:
        """All links: ("node.output", "node.input")."""
        return [(link["from"], link["to"]) for link in self.document["links"]]

    def link(self, source: str, target: str) -> None:
        """Links "node.output" to "node.input". An input that takes one link loses the one it has.

        Raises:
            GraphError: there is no such node or socket, or their kinds differ.
        """
        output, giver = self._socket(source, "outputs")
        entry, taker = self._socket(target, "inputs")
        if giver and taker and not giver.fits(taker):
            fitting = [s.name for s in self._sockets(target, "inputs").values() if giver.fits(s)]
            raise GraphError(f"'{output}' is of kind {' or '.join(giver.kinds)}, "
                             f"and '{entry}' takes {' or '.join(taker.kinds)}",
                             node=target.split(".")[0], field=target.split(".", 1)[1],
                             cure=f"link it to {', '.join(fitting)}" if fitting else None)
        if (source, target) in self.links:
            return
        if taker is not None and not taker.multiple:
            self.document["links"] = [x for x in self.document["links"] if x["to"] != target]
        self.document["links"].append({"from": source, "to": target})

    def unlink(self, source: str, target: str) -> None:
        """Removes a link."""
        if (source, target) not in self.links:
            raise GraphError(f"'{source}' is not linked to '{target}'")
        self.document["links"] = [link for link in self.document["links"]
                                  if (link["from"], link["to"]) != (source, target)]

    def _sockets(self, text: str, side: str) -> Dict[str, Any]:
        kind = self[text.split(".")[0]].node_type
        return getattr(kind, side) if kind else {}

    def _socket(self, text: str, side: str) -> Tuple[str, Any]:
        name, dot, socket = text.partition(".")
        if not dot:
            raise GraphError(f"'{text}' is no socket", cure="write 'node.socket'")
        if self[name].node_type is None:
            return text, None
        sockets = self._sockets(text, side)
        if socket not in sockets:
            raise GraphError(f"node '{name}' has no {side[:-1]} '{socket}'", node=name,
                             field=socket, cure=nearest(socket, sockets))
        return text, sockets[socket]

    # The frame range

    @property
    def start(self) -> int:
        """First frame."""
        return int(self.document.get("range", {}).get("start", 1))

    @start.setter
    def start(self, frame: int) -> None:
        self.document.setdefault("range", {})["start"] = int(frame)

    @property
    def end(self) -> int:
        """Last frame."""
        return int(self.document.get("range", {}).get("end", 48))

    @end.setter
    def end(self, frame: int) -> None:
        self.document.setdefault("range", {})["end"] = int(frame)

    @property
    def fps(self) -> float:
        """Frames per second."""
        return float(self.document.get("range", {}).get("fps", 24))

    @fps.setter
    def fps(self, rate: float) -> None:
        self.document.setdefault("range", {})["fps"] = plain(rate)

    # Subgraphs

    def _promoted(self, entry: Mapping[str, Any]) -> Dict[str, Parameter]:
        """The parameters of an instance of one of this graph's own subgraphs."""
        inner = self.document.get("subgraphs", {}).get(entry.get("graph"), {})
        found = {}
        for name, promotion in inner.get("promote", {}).get("parameters", {}).items():
            node, _, parameter = str(promotion.get("to", "")).partition(".")
            target = inner.get("nodes", {}).get(node, {})
            kind = self.types[target["type"]] if target.get("type") in self.types else None
            if kind is None or parameter not in kind.parameters:
                continue
            spec = copy.copy(kind.parameters[parameter])
            spec.name = name
            spec.default = target.get("parameters", {}).get(parameter, spec.default)
            spec.label = promotion.get("label", spec.label)
            spec.help = promotion.get("help", spec.help)
            spec.low = promotion.get("min", spec.low)
            spec.high = promotion.get("max", spec.high)
            found[name] = spec
        return found

    # Checks, comparison, files

    def _location(self) -> str:
        return str((self.path or pathlib.Path("untitled.floe.json")).resolve())

    def validate(self, connection: Optional[Connection] = None) -> List[Fault]:
        """All faults that the engine finds, warnings too; empty for a graph without any."""
        answer = (connection or checker()).call("document.set", document=self.document,
                                                path=self._location())
        return [Fault(fault) for fault in answer["faults"]]

    def check(self) -> None:
        """Raises:
            GraphError: it has an error; `faults` has all.
        """
        faults = self.validate()
        if any(fault.severity == "error" for fault in faults):
            raise graph_error(faults)

    def copy(self) -> "Graph":
        """A graph of its own with the same content and path."""
        return Graph(self.document, self.path)

    def diff(self, other: "Graph") -> List[Difference]:
        """What differs in `other`.

        >>> import floe
        >>> scene = floe.Graph()
        >>> ball = scene.add("floe.shape.sphere", "ball", radius=0.3)
        >>> changed = scene.copy()
        >>> changed["ball"].radius = 0.5
        >>> scene.diff(changed)
        [<changed parameter ball.radius: 0.3 -> 0.5>]
        """
        with tempfile.TemporaryDirectory(prefix="floe-") as folder:
            names = []
            for graph, name in ((self, "before"), (other, "after")):
                file = pathlib.Path(folder, name + ".floe.json")
                file.write_text(json.dumps(graph.document), encoding="utf-8")
                names.append(str(file))
            entries = program.command_json(["diff", "--json", *names], accept=(0, 1))
        return [Difference(entry) for entry in entries]

    def save(self, path: Optional[Path] = None) -> pathlib.Path:
        """Writes it in the standard layout, whole or not at all.

        Args:
            path: where; without it, where it was opened or saved before.
        """
        if path is not None:
            target = pathlib.Path(path)
        elif self.path:
            target = self.path
        else:
            raise FloeError("the graph has no file yet", cure="give save() a path")
        target = target.resolve() if target.is_symlink() else target
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.part.",
                                        suffix=".floe.json")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(self.document, file, allow_nan=False)
            program.command(["fmt", name])
            with open(name, "rb") as written:
                os.fsync(written.fileno())
            os.chmod(name, target.stat().st_mode & 0o7777 if target.exists() else _default_mode())
            os.replace(name, target)
        except BaseException:
            if os.path.exists(name):
                os.unlink(name)
            raise
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self.path = pathlib.Path(path) if path is not None else self.path
        return target

    def __repr__(self) -> str:
        return (f"<graph {self.path.name if self.path else 'without a file'}: "
                f"{len(self)} nodes, frames {self.start} to {self.end}>")

    def _repr_html_(self) -> str:
        rows = []
        for node in self:
            stored = node._entry().get("parameters", {})
            values = ", ".join(f"{name} = {json.dumps(value)}" for name, value in stored.items())
            rows.append(f"<tr><td>{html.escape(node.node_name)}</td>"
                        f"<td>{html.escape(node._entry().get('type', ''))}</td>"
                        f"<td style='text-align:left'>{html.escape(values)}</td></tr>")
        links = [(a.split(".")[0], b.split(".")[0]) for a, b in self.links]
        roles = {node.node_name: node.node_type.role for node in self if node.node_type}
        picture = graph_picture.svg(self.document["nodes"], links, roles)
        return (f"<b>{html.escape(repr(self)[1:-1])}</b><br>{picture}<table><tr><th>node</th><th>type</th>"
                f"<th>parameters</th></tr>{''.join(rows)}</table>")


def _default_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
