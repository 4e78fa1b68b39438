"""The variants of a sweep: which values they have, what they are named by, and what became of each."""

import hashlib
import itertools
import json
import math
import pathlib
import random
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import FloeError
from .graph import Graph
from .manifest import plain
from .picture import write_whole

_MAX_VARIANTS = 100_000


class Range:
    """Numbers from `low` to `high`, for random sweeps.

    Args:
        log: every factor is equally likely, instead of every difference.
    """

    def __init__(self, low: float, high: float, log: bool = False) -> None:
        if not (math.isfinite(low) and math.isfinite(high) and low <= high) or (log and low <= 0):
            raise FloeError(f"{low:g} to {high:g} is no range",
                            cure="give the lower end first" + ("; above 0 for log" if log else ""))
        self.low, self.high, self.log = low, high, log

    def sample(self, source: random.Random) -> float:
        """One of them."""
        if self.log:
            return math.exp(source.uniform(math.log(self.low), math.log(self.high)))
        return source.uniform(self.low, self.high)


Choices = Union[Sequence[Any], Range]


class Variant:
    """One variant of a sweep and what became of it."""

    def __init__(self, values: Dict[str, Any], graph: Optional[Graph], name: str,
                 folder: pathlib.Path) -> None:
        self.values = values  #: "node.parameter": value
        self.graph = graph  #: None where the sweep was prepared by another process
        self.name = name  #: hash of its content
        self.folder = folder
        self.attempts = 0
        self.state = "waiting"  #: "waiting", "running", "done" or "failed"
        self.message = ""  #: why it failed
        self.exit_code: Optional[int] = None
        self.seconds = 0.0

    @property
    def output(self) -> pathlib.Path:
        """Folder with its run.json, pictures and files."""
        return self.folder / "out"

    @property
    def pictures(self) -> List[pathlib.Path]:
        """Its frames, as one of its nodes drew them: the one whose files come last by name."""
        found = sorted(path for path in self.output.rglob("*.png") if not path.name.startswith("."))
        if not found:
            return []
        word = _without_number(found[-1])
        return [path for path in found if _without_number(path) == word]

    @property
    def picture(self) -> Optional[pathlib.Path]:
        """The last of its pictures; None without any."""
        found = self.pictures
        return found[-1] if found else None

    @property
    def statistics(self) -> Dict[str, float]:
        """Of its last frame, with "node.name" of what nodes reported."""
        try:
            frames = json.loads((self.output / "run.json").read_text())["frames"]
        except (OSError, ValueError, KeyError):
            return {}
        if not frames:
            return {}
        last = frames[-1]
        found = {name: last[name] for name in ("frame", "seconds", "residentBytes") if name in last}
        for node, numbers in last.get("nodes", {}).items():
            found.update({f"{node}.{name}": number for name, number in numbers.items()})
        return found

    def prepare(self) -> None:
        """Makes its folder with its graph, where they are not there yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "graph.floe.json"
        if self.graph is not None and not path.exists():
            self.graph.save(path)

    def write_state(self) -> None:
        write_whole(self.folder / "state.json", json.dumps({
            "state": self.state, "attempts": self.attempts, "exitCode": self.exit_code,
            "message": self.message, "seconds": self.seconds, "values": self.values},
            indent=1).encode())

    def read_state(self) -> None:
        try:
            said = json.loads((self.folder / "state.json").read_text())
        except (OSError, ValueError):
            return
        if said.get("state") in ("done", "failed"):
            self.state, self.exit_code = said["state"], said.get("exitCode")
            self.message, self.seconds = said.get("message", ""), said.get("seconds", 0.0)
            self.attempts = said.get("attempts", 0)

    def __repr__(self) -> str:
        return f"<variant {self.name}: {self.state}, {self.values}>"


def _without_number(path: pathlib.Path) -> str:
    return str(path.parent / re.sub(r"\d+(?=\.png$)", "", path.name))


def combinations(vary: Mapping[str, Choices], mode: str = "grid", samples: int = 0,
                 seed: int = 0) -> List[Dict[str, Any]]:
    """The values of each variant.

    >>> from floe.variants import combinations
    >>> combinations({"ball.radius": [0.1, 0.2], "snow.density": [300, 400]})[1]
    {'ball.radius': 0.1, 'snow.density': 400}
    >>> len(combinations({"ball.radius": [0.1, 0.2], "snow.density": [300, 400]}, "list"))
    2

    Args:
        mode: "grid": each with each; "list": the first of all, the second of all, and so on;
            "random": `samples` draws from each, the same for the same `seed`.
    """
    if not vary:
        raise FloeError("nothing is varied", cure="name one parameter at least: node.parameter")
    lists: Dict[str, Choices] = {}
    for name, choices in vary.items():
        lists[name] = choices if isinstance(choices, Range) else list(plain(choices))
        if mode != "random" and isinstance(choices, Range):
            raise FloeError(f"'{name}' is a range", cure="list its values, or take mode 'random'")
        if not isinstance(choices, Range) and len(choices) == 0:
            raise FloeError(f"'{name}' has no values", cure="give one at least")
    counts = {name: len(choices) for name, choices in lists.items()
              if not isinstance(choices, Range)}
    total = samples if mode == "random" else math.prod(counts.values()) if mode == "grid" else 0
    if total > _MAX_VARIANTS:
        raise FloeError(f"these are {total} variants", cure=f"at most {_MAX_VARIANTS} are possible")
    if mode == "grid":
        return [dict(zip(lists, values)) for values in itertools.product(*lists.values())]  # type: ignore[arg-type]
    if mode == "list":
        if len(set(counts.values())) != 1:
            raise FloeError(f"the lists differ in length: {counts}",
                            cure="give each parameter as many values")
        return [dict(zip(lists, values)) for values in zip(*lists.values())]  # type: ignore[arg-type]
    if mode == "random":
        if samples < 1:
            raise FloeError("a random sweep has no samples", cure="set samples to 1 at least")
        source = random.Random(seed)
        return [{name: choices.sample(source) if isinstance(choices, Range)
                 else source.choice(choices) for name, choices in lists.items()}
                for _ in range(samples)]
    raise FloeError(f"there is no mode '{mode}'", cure="take grid, list or random")


def standing_alone(scene: Graph) -> Tuple[Graph, List[str]]:
    """A copy whose files are named by absolute paths, and these."""
    copy = scene.copy()
    base = pathlib.Path(scene._location()).parent
    files = []

    def fix(nodes: Mapping[str, Any]) -> None:
        for entry in nodes.values():
            kind = copy.types[entry["type"]] if entry.get("type") in copy.types else None
            parameters = entry.get("parameters", {})
            for name, spec in (kind.parameters if kind else {}).items():
                if spec.type == "path" and isinstance(parameters.get(name), str) \
                        and parameters[name]:
                    parameters[name] = str(base / parameters[name])
                    files.append(parameters[name])
            if isinstance(entry.get("file"), str):
                entry["file"] = str(base / entry["file"])
                files.append(entry["file"])

    fix(copy.document["nodes"])
    for inner in copy.document.get("subgraphs", {}).values():
        fix(inner.get("nodes", {}))
    return copy, files


def content_hash(graph: Graph, files: List[str], version: str, hashes: Dict[str, str],
                 device: str = "") -> str:
    """Of what decides about the result; not of where nodes lie in the editor.

    Args:
        device: kind of device, where one was chosen.
    """
    document = json.loads(json.dumps(graph.document))
    for name in ("notes", "backdrops"):
        document.pop(name, None)
    for entry in document["nodes"].values():
        entry.pop("layout", None)
    for file in files:
        if file not in hashes:
            try:
                with open(file, "rb") as content:
                    digest = hashlib.sha256()
                    for block in iter(lambda: content.read(1 << 20), b""):
                        digest.update(block)
                hashes[file] = digest.hexdigest()
            except OSError:
                hashes[file] = "missing"
    text = json.dumps([document, {file: hashes[file] for file in sorted(files)}, version,
                       *([device] if device else [])], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse_choices(text: str) -> Choices:
    """The values of `--vary NODE.PARAMETER=TEXT`.

    >>> from floe.variants import parse_choices
    >>> parse_choices("1e4,1e5")
    [10000.0, 100000.0]
    >>> parse_choices("1..4")
    [1, 2, 3, 4]
    >>> parse_choices("snow,sand")
    ['snow', 'sand']
    """
    span = re.fullmatch(r"\s*([^,\[\"]+?)\.\.([^,\[\"]+?)(:log)?\s*", text)
    if span:
        try:
            low, high = json.loads(span.group(1)), json.loads(span.group(2))
        except ValueError:
            low = high = None
        if isinstance(low, int) and isinstance(high, int) and not span.group(3):
            if high - low >= _MAX_VARIANTS:
                raise FloeError(f"'{text}' has too many values")
            return list(range(low, high + 1))
        if isinstance(low, (int, float)) and isinstance(high, (int, float)):
            return Range(low, high, bool(span.group(3)))
    try:
        return list(json.loads(f"[{text}]"))
    except ValueError:
        return [part.strip() for part in text.split(",")]
