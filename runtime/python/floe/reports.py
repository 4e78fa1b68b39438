"""Reports: one page of a run, with everything in it.

`floe report OUT` reads run.json and the pictures and movies that lie beside it. The page needs no server, no
network and no other file; only files that would make it larger than what mail and browsers carry are linked.
"""

import base64
import hashlib
import html
import json
import math
import pathlib
import re
import shlex
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import charts
from .errors import FloeError
from .graph import Path

_MAX_REPORT = 1 << 30  # of run.json
_MAX_EMBEDDED = 96 << 20  # bytes of pictures and movies within a page
_MAX_STILLS = 48
_MAX_MESSAGES = 500
_MAX_GRAPH = 1 << 20
_MAX_CHART_LINES = 7
_MAX_OTHERS = 24  # charts of statistics that only some nodes report
_SMALL_SHARE = 0.02  # of the time: nodes below it are not drawn

#: What is drawn: title, unit, statistics of nodes, factor, whether they are counts.
_CHARTS: Tuple[Tuple[str, str, Tuple[str, ...], float, bool], ...] = (
    ("Particles", "", ("particles", "activeParticles"), 1.0, True),
    ("Active share", "%", ("activeShare",), 100.0, False),
    ("Substeps", "", ("substeps", "redoneSubsteps"), 1.0, True),
    ("Steps", "ms", ("longestStep", "shortestStep"), 1000.0, False),
    ("Fastest particle", "m/s", ("topSpeed",), 1.0, False),
    ("Stages of the solver", "s", ("transferSeconds", "gridSeconds", "rebinSeconds"), 1.0, False),
    ("Blocks", "", ("blocks", "activeBlocks"), 1.0, True),
    ("Memory of nodes", "MB", ("bytes",), 1e-6, False),
)
_NOT_DRAWN = {"seconds", "processorSeconds"}


class Run:
    """A finished or running `floe run`, as its output folder tells.

    Raises:
        FloeError: there is no run.json, or it is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = pathlib.Path(folder)
        path = self.folder / "run.json"
        if not path.is_file():
            path = self.folder / "render.json"
        try:
            if path.stat().st_size > _MAX_REPORT:
                raise ValueError("it is larger than 1 GiB")
            about = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(about, dict) or not isinstance(about["frames"], list):
                raise ValueError("it has no frames")
        except FileNotFoundError:
            raise FloeError(f"{self.folder}: is no output folder of a run: there is no run.json",
                            file=str(self.folder),
                            cure="give the folder that 'floe run' wrote into") from None
        except (OSError, ValueError, KeyError, RecursionError) as error:
            raise FloeError(f"{path}: cannot be read: {error}", file=str(path),
                            cure="run the graph again") from error
        self.about: Dict[str, Any] = about
        self.frames: List[Mapping[str, Any]] = [
            frame for frame in about["frames"]
            if isinstance(frame, dict) and _number(frame.get("frame")) is not None]

    @property
    def result(self) -> str:
        """"running", "finished", "cancelled" or "failed"."""
        return str(self.about.get("result", "unknown"))

    def series(self, name: str, node: Optional[str] = None) -> Tuple[List[float], List[float]]:
        """Frames and values of a statistic; NaN where a frame has none."""
        frames, values = [], []
        for frame in self.frames:
            source: Any = frame
            if node is not None:
                nodes = frame.get("nodes")
                source = nodes.get(node) if isinstance(nodes, dict) else None
            value = _number(source.get(name)) if isinstance(source, dict) else None
            frames.append(float(frame["frame"]))
            values.append(math.nan if value is None else value)
        return frames, values

    def node_statistics(self) -> Dict[str, List[str]]:
        """Names of statistics, and which nodes reported them."""
        found: Dict[str, List[str]] = {}
        for frame in self.frames:
            nodes = frame.get("nodes")
            for node, numbers in (nodes.items() if isinstance(nodes, dict) else ()):
                for name in (numbers if isinstance(numbers, dict) else ()):
                    if node not in found.setdefault(name, []):
                        found[name].append(node)
        return found

    def files(self, suffix: str) -> List[pathlib.Path]:
        """Its pictures or movies, without what lies in the folders of checkpoints and of the cache."""
        return sorted(path for path in self.folder.rglob(f"*{suffix}")
                      if path.is_file() and not path.name.startswith(".") and
                      path.relative_to(self.folder).parts[0] not in ("checkpoints", "cache"))

    def command(self) -> str:
        """The command line that makes the same again."""
        about = self.about
        words = ["floe", "run", str(about.get("graph", "GRAPH"))]
        overrides = about.get("overrides")
        for override in overrides if isinstance(overrides, list) else []:
            words += ["--set", str(override)]
        span = about.get("range")
        if isinstance(span, dict):
            for option, name in (("--start", "start"), ("--end", "end")):
                if _number(span.get(name)) is not None:
                    words += [option, f"{span[name]:g}"]
        device = about.get("device")
        if isinstance(device, dict) and device.get("id"):
            words += ["--device", str(device["id"])]
        return " ".join(shlex.quote(word) for word in words)


def _number(value: Any) -> Optional[float]:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = float(value) if abs(value) < 1e300 else math.nan
        return number if math.isfinite(number) else None
    return None


def _chart_lines(run: Run, nodes: Mapping[str, List[str]], names: Sequence[str],
                 factor: float) -> charts.Lines:
    """A line for each statistic of each node; those whose values are all 0 are left out."""
    lines: charts.Lines = {}
    several = len({node for name in names for node in nodes.get(name, [])}) > 1
    for name in names:
        for node in nodes.get(name, []):
            frames, values = run.series(name, node)
            if any(value and not math.isnan(value) for value in values) or name == names[0]:
                label = f"{node}.{name}" if several or len(names) == 1 else name
                lines[label] = (frames, [value * factor for value in values])
    return dict(list(lines.items())[:_MAX_CHART_LINES])


def _all_charts(run: Run) -> str:
    nodes = run.node_statistics()
    time: charts.Lines = {"whole frame": run.series("seconds")}
    sums = {node: sum(v for v in run.series("seconds", node)[1] if not math.isnan(v))
            for node in nodes.get("seconds", [])}
    for node in sorted(sums, key=lambda node: -sums[node])[:4]:
        if sums[node] > _SMALL_SHARE * sum(v for v in time["whole frame"][1] if not math.isnan(v)):
            time[node] = run.series("seconds", node)
    waits = run.series("sinkWaitSeconds")
    if any(value > 0 for value in waits[1]):
        time["waiting for files"] = waits
    memory = run.series("residentBytes")
    drawn = [charts.chart("Time of a frame", "s", time)]
    covered = set(_NOT_DRAWN)
    for title, unit, names, factor, whole in _CHARTS[:2]:
        drawn.append(charts.chart(title, unit, _chart_lines(run, nodes, names, factor), whole))
    drawn.append(charts.chart("Memory of the program", "MB",
                              {"resident": (memory[0], [value * 1e-6 for value in memory[1]])}))
    energies = [name for name in nodes if "energy" in name.lower()]
    if energies:
        drawn.append(charts.chart("Energy", "J", _chart_lines(run, nodes, energies, 1.0)))
    for title, unit, names, factor, whole in _CHARTS[2:]:
        drawn.append(charts.chart(title, unit, _chart_lines(run, nodes, names, factor), whole))
    covered.update(energies, *(names for _, _, names, _, _ in _CHARTS))
    for other in [name for name in nodes if name not in covered][:_MAX_OTHERS]:
        lines = _chart_lines(run, nodes, (other,), 1.0)
        if any(value and not math.isnan(value) for _, values in lines.values() for value in values):
            drawn.append(charts.chart(other, "", lines))
    return f'<div class="charts">{"".join(drawn)}</div>'


def _embedded(path: pathlib.Path, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(path.read_bytes()).decode()}"


def _stills(run: Run) -> List[pathlib.Path]:
    """Evenly chosen pictures of the node that drew most."""
    groups: Dict[str, List[pathlib.Path]] = {}
    for path in run.files(".png"):
        groups.setdefault(str(path.parent / re.sub(r"\d+(?=\.png$)", "", path.name)), []).append(path)
    if not groups:
        return []
    pictures = max(groups.values(), key=len)
    count = min(len(pictures), _MAX_STILLS)
    return [pictures[round(i * (len(pictures) - 1) / max(1, count - 1))] for i in range(count)]


def _pictures(run: Run, live: bool) -> str:
    """Movies; else, pictures to leaf through. While it runs: the newest picture."""
    stills = _stills(run)
    if live:
        return (f'<img class="picture" src="{_embedded(stills[-1], "image/png")}" alt="newest picture">'
                if stills else "<p>No picture yet.</p>")
    parts, room = [], _MAX_EMBEDDED
    for movie in run.files(".mp4"):
        name = html.escape(movie.relative_to(run.folder).as_posix())
        if movie.stat().st_size <= room:
            room -= movie.stat().st_size
            parts.append(f'<figure><video controls loop muted src="{_embedded(movie, "video/mp4")}">'
                         f'</video><figcaption>{name}</figcaption></figure>')
        else:
            parts.append(f'<p><a href="{name}">{name}</a> is too large for this page, and lies beside '
                         'it.</p>')
    if not parts and stills:
        while len(stills) > 1 and sum(path.stat().st_size for path in stills) > room:
            stills = stills[::2]
        names = [path.name for path in stills]
        frames = [_last_number(name) for name in names]
        sources = [_embedded(path, "image/png") for path in stills]
        parts.append(f"""<figure id="stills"><img class="picture" src="{sources[-1]}" alt="">
<figcaption><input type="range" min="0" max="{len(stills) - 1}" value="{len(stills) - 1}">
<span>{html.escape(names[-1])}</span></figcaption></figure>
<script>(() => {{
  const sources = {_script_json(sources)}, names = {_script_json(names)}, frames = {_script_json(frames)};
  const figure = document.getElementById('stills');
  figure.querySelector('input').addEventListener('input', event => {{
    const i = event.target.value;
    figure.querySelector('img').src = sources[i];
    figure.querySelector('span').textContent = names[i];
    if (frames[i] !== null) floePoint(frames[i]);
  }});
}})();</script>""")
    return "".join(parts) or "<p>The run drew no pictures.</p>"


def _last_number(name: str) -> Optional[int]:
    found = re.search(r"(\d{1,9})\.png$", name)
    return int(found.group(1)) if found else None


def _script_json(value: Any) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(value).replace("<", "\\u003c")


def _table(rows: Sequence[Tuple[str, str]]) -> str:
    return "<table>" + "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
                               for name, value in rows) + "</table>"


def _messages(run: Run) -> str:
    messages = [entry for entry in run.about.get("messages") or [] if isinstance(entry, dict)]
    if not messages:
        return "<p>None.</p>"
    order = {"error": 0, "warning": 1}
    messages.sort(key=lambda entry: order.get(str(entry.get("level")), 2))
    rows = "".join(f'<tr class="{html.escape(str(entry.get("level", "")))}">' + "".join(
        f"<td>{html.escape(str(entry.get(name, '')))}</td>"
        for name in ("level", "frame", "node", "text")) + "</tr>" for entry in messages[:_MAX_MESSAGES])
    more = len(messages) - _MAX_MESSAGES
    return (f"<table><tr><th></th><th>frame</th><th>node</th><th></th></tr>{rows}</table>" +
            (f"<p>{more} more are in run.json.</p>" if more > 0 else ""))


def _made_again(run: Run) -> str:
    about = run.about
    rows = [("Floe", str(about.get("floe", "")))]
    device = about.get("device")
    if isinstance(device, dict):
        rows.append(("device", f"{device.get('id', '')}: {device.get('name', '')}"))
    rows.append(("threads", f"{about.get('threads', '')}"
                            " (results on the CPU do not depend on their number)"))
    plugins = about.get("plugins")
    for name, version in sorted(plugins.items()) if isinstance(plugins, dict) else []:
        rows.append((f"plugin {name}", str(version)))
    text = f"<pre>{html.escape(run.command())}</pre>{_table(rows)}"
    graph = pathlib.Path(str(about.get("graph", "")))
    try:
        content = graph.read_bytes() if graph.is_file() and graph.stat().st_size <= _MAX_GRAPH else None
    except OSError:
        content = None
    if content is None:
        return text + "<p>The graph's file is not there any more, or cannot be read.</p>"
    digest = hashlib.sha256(content).hexdigest()
    changed = (run.folder / "run.json").exists() and \
        graph.stat().st_mtime > (run.folder / "run.json").stat().st_mtime
    note = " It was changed after the run." if changed else ""
    return (text + f"<p>The graph as it is now, SHA-256 {digest}.{note}</p><details><summary>"
            f"{html.escape(str(graph))}</summary><pre>"
            f"{html.escape(content.decode(errors='replace'))}</pre></details>")


def body(run: Run, live: bool = False) -> str:
    """What is between a page's head and end.

    Args:
        live: the run is going on: the newest picture alone, and neither movie nor graph.
    """
    about = run.about
    frames = run.frames
    span: Any = about.get("range")
    span = span if isinstance(span, dict) else {}
    seconds = sum(value for value in run.series("seconds")[1] if not math.isnan(value))
    done = f"frame {frames[-1]['frame']:g}" if frames else "no frame"
    facts = f"{done} of {span.get('start', '?')} to {span.get('end', '?')}, {_duration(seconds)}"
    if about.get("started"):
        facts += f", started {about['started']}"
    exit_code = about.get("exitCode")
    state = run.result + (f" with exit code {exit_code}" if exit_code else "")
    name = pathlib.PurePath(str(about.get("graph", "a run"))).name
    return (f'<h1>{html.escape(name)} <span class="state {html.escape(run.result)}">'
            f"{html.escape(state)}</span></h1><p>{html.escape(facts)}</p>"
            f"{_pictures(run, live)}{_all_charts(run)}<h2>Messages</h2>{_messages(run)}"
            + ("" if live else f"<h2>To make it again</h2>{_made_again(run)}"))


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


STYLE = """
body { font: 14px/1.4 sans-serif; margin: 1.5em auto; max-width: 1280px; padding: 0 1em; color: #222; }
h1 { font-size: 22px; } h2 { font-size: 17px; margin-top: 1.6em; } figure { margin: 0 0 1em; }
.picture, video { max-width: 100%; } input[type=range] { width: 60%; }
.state { font-size: 14px; padding: 2px 8px; border-radius: 9px; background: #ddd; }
.finished { background: #cfe8cf; } .failed, .error { background: #f6cccc; } .warning { background: #fbeecb; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 14px; }
table { border-collapse: collapse; } td, th { border: 1px solid #ddd; padding: 2px 8px; text-align: left;
vertical-align: top; } pre { background: #f5f5f5; padding: 8px; overflow: auto; }
"""


def page(content: str, title: str, script: str = "") -> str:
    """A page around what body() gives."""
    return (f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}'
            f"</title><style>{STYLE}{charts.STYLE}</style><script>{charts.SCRIPT}</script></head>"
            f"<body><main>{content}</main>{script}</body></html>\n")
