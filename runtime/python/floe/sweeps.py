"""Sweeps: many variants of one graph, simulated side by side, as a table, a contact sheet and a page.

Variants are simulated by `floe run`, each in a folder of its own that is named by the hash of its content:
the graph with its changes, the files it reads, the last frame and the version of Floe. What this leaves in
the output folder:

    variants/HASH/graph.floe.json   what is simulated
    variants/HASH/state.json        written whole or not at all, when an attempt begins and when it ends
    variants/HASH/out/              as `floe run` writes it
    variants/HASH/log.txt           what the newest attempt said
    table.csv, contact.png, index.html

A variant is *done* when its state.json says so, and is not simulated again; *failed* when it says so, and is
repeated by the next sweep into this folder; anything else was *in flight*, when the sweep was killed for
example, and goes on from its newest checkpoint. As the name is a hash, other values, another graph or another
version are other variants: results never mix. One sweep at a time writes into a folder.
"""

import argparse
import csv
import ctypes
import fcntl
import hashlib
import html
import io
import itertools
import json
import math
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import program
from .errors import FloeError
from .graph import Graph, Path
from .manifest import plain
from .picture import decode_png, encode_png, write_whole
from .progress import progress as make_progress

_MAX_VARIANTS = 100_000
_POLL_SECONDS = 0.02
_NOT_RETRIED = (2, 3)  # command line and graph: the next attempt would fail alike
_OUT_OF_MEMORY = 6
_FIRST_JOB_BYTES = 1 << 30  # expected of a job while none has ended
_TILE = (320, 180)
_MAX_SHEET_TILES = 2000

#: 3 x 5 pixels of each digit, a row in three bits.
_DIGITS = ("75557", "26227", "71747", "71717", "55711", "74717", "74757", "71111", "75757", "75717")


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

    def __init__(self, values: Dict[str, Any], graph: Graph, name: str,
                 folder: pathlib.Path) -> None:
        self.values = values  #: "node.parameter": value
        self.graph = graph
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
    def picture(self) -> Optional[pathlib.Path]:
        """The last of its pictures; None without any."""
        found = sorted(path for path in self.output.rglob("*.png") if not path.name.startswith("."))
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


class Sweep:
    """The variants of a sweep, in order, with its table, sheet and page."""

    def __init__(self, folder: pathlib.Path, variants: List[Variant]) -> None:
        self.folder = folder
        self.variants = variants

    @property
    def done(self) -> List[Variant]:
        """Those that were simulated to their last frame."""
        return [variant for variant in self.variants if variant.state == "done"]

    @property
    def failed(self) -> List[Variant]:
        """Those that were not, after all attempts."""
        return [variant for variant in self.variants if variant.state == "failed"]

    def rows(self) -> List[Dict[str, Any]]:
        """The table: one row a variant, its values, result and statistics."""
        rows = []
        for number, variant in enumerate(self.variants, 1):
            values = {name: value if isinstance(value, (int, float, str)) else json.dumps(value)
                      for name, value in variant.values.items()}
            rows.append({"number": number, "variant": variant.name, **values,
                         "state": variant.state, "attempts": variant.attempts,
                         "runSeconds": round(variant.seconds, 3), "message": variant.message,
                         **{name: number for name, number in variant.statistics.items()
                            if name not in values}})
        return rows

    def write(self) -> None:
        """Writes table.csv, contact.png and index.html, each whole or not at all."""
        rows = self.rows()
        columns = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(self.folder / "table.csv", text.getvalue().encode())
        write_whole(self.folder / "contact.png", encode_png(self._sheet()))
        write_whole(self.folder / "index.html", self._page(rows, columns).encode())

    def _sheet(self) -> np.ndarray:
        shown = self.variants[:_MAX_SHEET_TILES]
        across = max(1, math.ceil(math.sqrt(len(shown))))
        down = max(1, math.ceil(len(shown) / across))
        width, height = _TILE
        sheet = np.full((down * (height + 4), across * (width + 4), 3), 255, np.uint8)
        for index, variant in enumerate(shown):
            tile = sheet[index // across * (height + 4) + 2:, index % across * (width + 4) + 2:]
            tile[:height, :width] = _tile(variant, index + 1)
        return sheet

    def _page(self, rows: List[Dict[str, Any]], columns: List[str]) -> str:
        figures = []
        for number, variant in enumerate(self.variants, 1):
            picture = variant.picture
            values = ", ".join(f"{name} = {json.dumps(value)}"
                               for name, value in variant.values.items())
            image = ""
            if picture:
                source = html.escape(picture.relative_to(self.folder).as_posix())
                image = f'<a href="{source}"><img src="{source}" loading="lazy" alt=""></a>'
            said = html.escape(variant.message) if variant.state == "failed" else ""
            figures.append(f'<figure class="{variant.state}">{image}<figcaption><b>{number}</b> '
                           f'{html.escape(values)}<br>{variant.state} {said}</figcaption></figure>')
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(str(row.get(name, '')))}</td>"
                                        for name in columns) + "</tr>" for row in rows)
        return (f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Sweep</title><style>
body {{ font: 14px sans-serif; margin: 1em; }}
figure {{ display: inline-block; width: 320px; margin: 4px; vertical-align: top; }}
img {{ width: 100%; }} .failed {{ background: #fdd; }} figcaption {{ overflow-wrap: anywhere; }}
table {{ border-collapse: collapse; }} td, th {{ border: 1px solid #ccc; padding: 2px 6px; }}
</style></head><body><h1>{len(self.done)} of {len(self.variants)} variants are done, """
                f"""{len(self.failed)} failed</h1><p><a href="table.csv">table.csv</a>,
<a href="contact.png">contact.png</a></p>{''.join(figures)}
<h2>Table</h2><table><tr>{head}</tr>{body}</table></body></html>
""")

    def __repr__(self) -> str:
        return (f"<sweep of {len(self.variants)} variants: {len(self.done)} done, "
                f"{len(self.failed)} failed>")


def _tile(variant: Variant, number: int) -> np.ndarray:
    """Its picture, scaled to fit, and its number in the table."""
    width, height = _TILE
    tile = np.full((height, width, 3), (200, 60, 60) if variant.state == "failed" else 90, np.uint8)
    picture = variant.picture
    if picture and variant.state == "done":
        try:
            pixels = decode_png(picture.read_bytes())[:, :, :3]
        except (OSError, FloeError):
            pixels = None
        if pixels is not None:
            scale = min(width / pixels.shape[1], height / pixels.shape[0])
            wide, high = (max(1, min(limit, round(size * scale))) for limit, size in
                          ((width, pixels.shape[1]), (height, pixels.shape[0])))
            rows = np.arange(high) * pixels.shape[0] // high
            columns = np.arange(wide) * pixels.shape[1] // wide
            tile[:high, :wide] = pixels[rows][:, columns]
    for place, digit in enumerate(str(number)):
        for y, row in enumerate(_DIGITS[int(digit)]):
            for x in range(3):
                top, left = 6 + 3 * y, 6 + 12 * place + 3 * x
                tile[top:top + 3, left:left + 3] = 255 if int(row) >> (2 - x) & 1 else 0
    return tile


def combinations(vary: Mapping[str, Choices], mode: str = "grid", samples: int = 0,
                 seed: int = 0) -> List[Dict[str, Any]]:
    """The values of each variant.

    >>> from floe.sweeps import combinations
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


def _standing_alone(scene: Graph) -> Tuple[Graph, List[str]]:
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


def _content_hash(graph: Graph, files: List[str], version: str,
                  hashes: Dict[str, str]) -> str:
    """Of what decides about the result; not of where nodes lie in the editor."""
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
    text = json.dumps([document, {file: hashes[file] for file in sorted(files)}, version],
                      sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _available_bytes() -> int:
    with open("/proc/meminfo") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 62


_libc = ctypes.CDLL(None)


def _end_with_parent() -> None:
    """In a new process: a killed sweep must not leave runs behind."""
    _libc.prctl(1, int(signal.SIGTERM), 0, 0, 0)


class _Job:
    def __init__(self, variant: Variant, path: str, threads: int) -> None:
        self.variant = variant
        self.begun = time.monotonic()
        command = [path, "run", str(variant.folder / "graph.floe.json"), "--output",
                   str(variant.output), "--threads", str(threads), "--progress", "quiet"]
        if any(variant.output.glob("checkpoints/*.checkpoint")):
            command.append("--resume")
        with open(variant.folder / "log.txt", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, preexec_fn=_end_with_parent)

    def finish(self) -> bool:
        """Returns whether it has ended, and notes how."""
        code = self.process.poll()
        if code is None:
            return False
        variant = self.variant
        variant.exit_code = code
        variant.seconds = time.monotonic() - self.begun
        variant.state = "done" if code == 0 else "failed"
        variant.message = ""
        if code != 0:
            log = (variant.folder / "log.txt").read_text(errors="replace")
            lines = [line for line in log.splitlines() if line.strip()]
            said = [line[len("error: "):] for line in lines if line.startswith("error: ")]
            variant.message = (said or lines or [f"it ended with exit code {code}"])[-1][:1000]
        return True


def sweep(scene: Graph, vary: Mapping[str, Choices], output: Path, *, mode: str = "grid",
          samples: int = 0, seed: int = 0, frames: Optional[int] = None,
          jobs: Optional[int] = None, threads: int = 1, retries: int = 1, keep_going: bool = True,
          program_path: Optional[str] = None, progress: Optional[bool] = None) -> Sweep:
    """Simulates variants of a graph; those that are done in `output` already are kept.

    Args:
        vary: values by "node.parameter"; a Range for random sweeps.
        output: folder for everything; see floe.sweeps for what is where.
        mode, samples, seed: see floe.sweeps.combinations().
        frames: how many; without it, all of the graph.
        jobs: runs at a time, where memory permits; without it, as many as cores have threads.
        threads: of each run.
        retries: further attempts after a failure that may pass.
        keep_going: simulate the others after a failure.

    Raises:
        GraphError: a value is refused; nothing was simulated then.
        FloeError: another sweep writes into the folder.
    """
    if threads < 1 or (jobs is not None and jobs < 1) or retries < 0:
        raise FloeError("a sweep needs a job with a thread at least, and no fewer than 0 retries")
    path = program.find(program_path)
    version = program.command(["--version"], program_path).strip()
    base, _ = _standing_alone(scene)
    if frames is not None:
        if frames < 1:
            raise FloeError(f"'frames' is {frames}", cure="must be at least 1")
        base.end = base.start + frames - 1
    folder = pathlib.Path(output).resolve()
    hashes: Dict[str, str] = {}
    variants: Dict[str, Variant] = {}
    for values in combinations(vary, mode, samples, seed):
        graph = base.copy()
        for name, value in values.items():
            node, dot, parameter = name.rpartition(".")
            if not dot:
                raise FloeError(f"'{name}' is no parameter", cure="write 'node.parameter'")
            graph[node][parameter] = value
        graph, files = _standing_alone(graph)
        digest = _content_hash(graph, files, version, hashes)
        variants.setdefault(digest, Variant(values, graph, digest,
                                            folder / "variants" / digest))
    (folder / "variants").mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FloeError(f"{folder}: another sweep writes into this folder",
                            cure="wait for its end, or choose another folder") from None
        result = Sweep(folder, list(variants.values()))
        _simulate(result, path, jobs or max(1, (os.cpu_count() or 1) // threads), threads, retries,
                  keep_going, progress)
        result.write()
    return result


def _simulate(result: Sweep, path: str, jobs: int, threads: int, retries: int, keep_going: bool,
              shown: Optional[bool]) -> None:
    waiting = []
    for variant in result.variants:
        variant.read_state()
        if variant.state != "done":
            variant.state, variant.attempts = "waiting", 0
            waiting.append(variant)
    waiting.reverse()
    running: List[_Job] = []
    job_bytes = _FIRST_JOB_BYTES
    bar = make_progress(len(result.variants), shown)
    try:
        while waiting or running:
            while waiting and len(running) < jobs and (
                    not running or _available_bytes() > job_bytes):
                variant = waiting.pop()
                variant.folder.mkdir(exist_ok=True)
                if not (variant.folder / "graph.floe.json").exists():
                    variant.graph.save(variant.folder / "graph.floe.json")
                variant.attempts += 1
                variant.state = "running"
                variant.write_state()
                running.append(_Job(variant, path, threads))
            ended = [job for job in running if job.finish()]
            if not ended:
                time.sleep(_POLL_SECONDS)
                continue
            for job in ended:
                running.remove(job)
                variant = job.variant
                if variant.state == "done":
                    job_bytes = max(job_bytes, int(variant.statistics.get("residentBytes", 0)))
                elif variant.exit_code == _OUT_OF_MEMORY:
                    jobs = max(1, len(running))
                variant.write_state()
                if variant.state == "failed":
                    if variant.attempts <= retries and variant.exit_code not in _NOT_RETRIED:
                        waiting.insert(0, variant)
                    elif not keep_going:
                        waiting.clear()
            done, failed = len(result.done), len(result.failed)
            bar.update(done + failed, f"{done} done" + (f", {failed} failed" if failed else ""))
    finally:
        for job in running:  # interrupted: what they have done remains, and goes on next time
            job.process.terminate()
        for job in running:
            job.process.wait()
        bar.close()


def parse_choices(text: str) -> Choices:
    """The values of `--vary NODE.PARAMETER=TEXT`.

    >>> from floe.sweeps import parse_choices
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


def _is_text(scene: Graph, node: str, parameter: str) -> bool:
    """Whether values are taken as they were typed: the choice "4" is no number."""
    if node not in scene:
        return False
    spec = scene[node]._specs().get(parameter)
    return spec is not None and spec.type in ("string", "path", "choice")


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m floe.sweep", description="Simulates variants of a graph, with a table, a contact "
        "sheet and a page. Variants that are done in the output folder already are kept.")
    parser.add_argument("graph", help="graph file (*.floe.json)")
    parser.add_argument("--vary", action="append", default=[], metavar="NODE.PARAMETER=VALUES",
                        help="V1,V2,...; FIRST..LAST of whole numbers; LOW..HIGH or LOW..HIGH:log "
                        "for random sweeps")
    parser.add_argument("--set", action="append", default=[], metavar="NODE.PARAMETER=VALUE",
                        help="of all variants")
    parser.add_argument("--mode", choices=("grid", "list", "random"), default="grid")
    parser.add_argument("--samples", type=int, default=0, help="of a random sweep")
    parser.add_argument("--seed", type=int, default=0, help="of a random sweep")
    parser.add_argument("--frames", type=int, help="how many; all of the graph")
    parser.add_argument("--jobs", type=int, help="runs at a time; as many as there are cores")
    parser.add_argument("--threads", type=int, default=1, help="of each run")
    parser.add_argument("--retries", type=int, default=1, help="after a failure that may pass")
    parser.add_argument("--stop-at-failure", action="store_true",
                        help="begin no further variant then")
    parser.add_argument("-o", "--output", help="folder (out/<graph name>-sweep)")
    options = parser.parse_args(arguments)
    try:
        scene = Graph.open(options.graph)
        vary = {}
        for text in options.vary:
            name, equals, values = text.partition("=")
            if not equals:
                raise FloeError(f"'{text}' is no --vary", cure="write NODE.PARAMETER=VALUES")
            node, _, parameter = name.rpartition(".")
            vary[name] = ([part.strip() for part in values.split(",")]
                          if _is_text(scene, node, parameter) else parse_choices(values))
        for text in options.set:
            name, _, value = text.partition("=")
            node, dot, parameter = name.rpartition(".")
            if not dot or "=" not in text:
                raise FloeError(f"'{text}' is no --set", cure="write NODE.PARAMETER=VALUE")
            if not _is_text(scene, node, parameter):
                try:
                    value = json.loads(value)
                except ValueError:
                    pass  # the check says what is wrong
            scene[node][parameter] = value
        name = pathlib.Path(options.graph).name.split(".")[0]
        result = sweep(scene, vary, options.output or f"out/{name}-sweep", mode=options.mode,
                       samples=options.samples, seed=options.seed, frames=options.frames,
                       jobs=options.jobs, threads=options.threads, retries=options.retries,
                       keep_going=not options.stop_at_failure)
    except (FloeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    for variant in result.failed:
        print(f"failed: {variant.name} {json.dumps(variant.values)}: {variant.message}",
              file=sys.stderr)
    print(f"{len(result.done)} of {len(result.variants)} variants are done: "
          f"{result.folder / 'index.html'}")
    return 0 if len(result.done) == len(result.variants) else 1


if __name__ == "__main__":
    sys.exit(main())
