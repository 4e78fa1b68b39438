"""Node types as their manifests describe them, and the check of a value against its parameter."""

import difflib
import math
import threading
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple

from .errors import GraphError

_COMPONENTS = {"vector": 3, "colour": 3}
_NOUNS = {"float": "a number", "int": "a whole number", "bool": "true or false",
          "string": "a text", "path": "a path", "choice": "a text",
          "vector": "three numbers", "colour": "three numbers"}


def nearest(name: str, names: Iterable[str]) -> str:
    """A cure that names the likeliest of `names`, or all of a few."""
    known = sorted(names)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
    if close:
        return f"did you mean '{close[0]}'?"
    if not known:
        return "there are none"
    shown = ", ".join(known[:12])
    return f"take one of {shown}" + (", ..." if len(known) > 12 else "")


def plain(value: Any) -> Any:
    """`value` as JSON has it: NumPy's numbers and arrays, tuples and paths become plain ones."""
    if hasattr(value, "tolist"):  # NumPy's arrays and scalars
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "__fspath__"):
        return str(value)
    return value


class Parameter:
    """A parameter of a node type: what it is called, measured in, and may be."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.name: str = entry["name"]
        self.type: str = entry["type"]  #: float, int, bool, string, path, choice, vector or colour
        self.default: Any = entry.get("default")
        self.label: str = entry.get("label", self.name)
        self.help: str = entry.get("help", "")
        self.unit: Optional[str] = entry.get("unit")
        self.low: Optional[float] = entry.get("min")
        self.high: Optional[float] = entry.get("max")
        self.choices: List[str] = [choice["value"] for choice in entry.get("choices", [])]
        self.live: bool = entry.get("live", False)  #: may change while a simulation runs
        self.animatable: bool = entry.get("animatable", True)
        #: what a value of 0 stands for: {"follows": a solver's parameter, "times": .., "otherwise": ..}
        self.automatic: Optional[Dict[str, Any]] = entry.get("automatic")

    def range_text(self) -> str:
        """Its range and unit as a person reads them: "1 to 1e+13 Pa"; empty without both."""
        unit = f" {self.unit}" if self.unit else ""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}{unit}"
        if self.low is not None:
            return f"at least {self.low:g}{unit}"
        if self.high is not None:
            return f"at most {self.high:g}{unit}"
        return unit.strip()

    def __repr__(self) -> str:
        about = self.range_text()
        return f"<{self.type} {self.name}{': ' + about if about else ''}>"

    def check(self, value: Any, node: str, type_name: str) -> Any:
        """`value` as it is stored in a graph.

        Raises:
            GraphError: it is of a wrong type or out of range.
        """
        value = plain(value)
        where = f"node '{node}' ({type_name}): parameter '{self.name}'"

        def refuse(what: str, cure: str) -> GraphError:
            return GraphError(f"{where} {what}", node=node, field=self.name, cure=cure)

        if isinstance(value, dict):
            if set(value) != {"expr"} and set(value) != {"keys"}:
                raise refuse("is an object",
                             'give a constant, {"expr": "..."} or {"keys": [[frame, value, ...], ...]}')
            if not self.animatable:
                raise refuse("cannot be animated", "give a constant")
            return value
        length = _COMPONENTS.get(self.type)
        if length:
            if not isinstance(value, list) or len(value) != length:
                raise refuse(f"is {value!r}", f"must be {_NOUNS[self.type]}")
            for item in value:
                if isinstance(item, dict) and (set(item) == {"expr"} or set(item) == {"keys"}):
                    continue
                self._check_number(item, refuse)
            return value
        if self.type == "float":
            self._check_number(value, refuse)
        elif self.type == "int":
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, bool) or not isinstance(value, int):
                raise refuse(f"is {value!r}", "must be a whole number")
            self._check_number(value, refuse)
        elif self.type == "bool":
            if not isinstance(value, bool):
                raise refuse(f"is {value!r}", "must be True or False")
        elif not isinstance(value, str):
            raise refuse(f"is {value!r}", f"must be {_NOUNS.get(self.type, 'a text')}")
        elif self.type == "choice" and value not in self.choices:
            raise refuse(f"is {value!r}", nearest(value, self.choices))
        return value

    def _check_number(self, value: Any, refuse: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise refuse(f"is {value!r}", f"must be {_NOUNS[self.type]}")
        if not math.isfinite(value):
            raise refuse(f"is {value!r}", "must be finite")
        unit = f" {self.unit}" if self.unit else ""
        if (self.low is not None and value < self.low) or \
                (self.high is not None and value > self.high):
            if self.low is not None and self.high is not None:
                right = f"must be between {self.low:g} and {self.high:g}{unit}"
            elif self.low is not None:
                right = f"must be at least {self.low:g}{unit}"
            else:
                right = f"must be at most {self.high:g}{unit}"
            raise refuse(f"is {value:g}{unit}", right)


class Socket:
    """An input or an output of a node type."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.name: str = entry["name"]
        kind = entry["kind"]
        #: What it gives or takes: "particles"; several where it may be one of them.
        self.kinds: Tuple[str, ...] = (kind,) if isinstance(kind, str) else tuple(kind)
        self.help: str = entry.get("help", "")
        self.multiple: bool = entry.get("multiple", False)
        self.required: bool = entry.get("required", False)

    def __repr__(self) -> str:
        return f"<{' or '.join(self.kinds)} {self.name}>"

    def fits(self, other: "Socket") -> bool:
        """Whether an output may be linked to an input: a kind of one is a kind of the other."""
        return "any" in self.kinds + other.kinds or bool(set(self.kinds) & set(other.kinds))


class NodeType:
    """A node type, as in the manifest of its plugin."""

    def __init__(self, entry: Mapping[str, Any]) -> None:
        self.name: str = entry["type"]
        self.version: int = entry.get("version", 1)
        self.label: str = entry.get("label", self.name)
        self.help: str = entry.get("help", "")
        self.role: str = entry.get("role", "value")
        self.plugin: str = entry.get("plugin", "")
        self.usable: bool = entry.get("usable", True)
        self.parameters = {p["name"]: Parameter(p) for p in entry.get("parameters", [])}
        self.inputs = {s["name"]: Socket(s) for s in entry.get("inputs", [])}
        self.outputs = {s["name"]: Socket(s) for s in entry.get("outputs", [])}
        self.presets: Dict[str, Dict[str, Any]] = {
            p["name"]: p.get("values", {}) for p in entry.get("presets", [])}

    def __repr__(self) -> str:
        return f"<node type {self.name}>"


class NodeTypes(Mapping[str, NodeType]):
    """All node types of the installed plugins, by name."""

    def __init__(self, entries: Iterable[Mapping[str, Any]]) -> None:
        self._types = {entry["type"]: NodeType(entry) for entry in entries}

    def __getitem__(self, name: str) -> NodeType:
        try:
            return self._types[name]
        except KeyError:
            raise GraphError(f"there is no node type '{name}'",
                             cure=nearest(name, self._types)) from None

    def __contains__(self, name: object) -> bool:
        return name in self._types

    def __iter__(self) -> Iterator[str]:
        return iter(self._types)

    def __len__(self) -> int:
        return len(self._types)


_lock = threading.Lock()
_known: Optional[NodeTypes] = None


def node_types(rescan: bool = False) -> NodeTypes:
    """The node types of the plugins that this machine has; asked of a server once.

    Args:
        rescan: ask again, after a plugin was installed.

    >>> import floe
    >>> floe.node_types()["floe.material"].parameters["youngModulus"]
    <float youngModulus: 1 to 1e+13 Pa>
    """
    from .checker import checker
    global _known
    with _lock:
        if _known is None or rescan:
            answer = checker().call("types.rescan" if rescan else "types.list")
            _known = NodeTypes(answer["types"])
        return _known
