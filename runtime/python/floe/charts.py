"""Line charts over frames as SVG, for pages that need nothing else."""

import html
import json
import math
from typing import Dict, List, Sequence, Tuple

import numpy as np

_SIZE = (620, 210)
_MARGIN = (64, 8, 10, 26)  # left, right, top, bottom
_MAX_POINTS = 1200  # of a line; where there are more, the lowest and the highest of each group remain
#: Distinguishable by the colour-blind too (Okabe and Ito 2008).
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#555555")

#: Frames and values of each line by its name; values that are missing are NaN.
Lines = Dict[str, Tuple[Sequence[float], Sequence[float]]]


def ticks(low: float, high: float, count: int = 5) -> List[float]:
    """Round numbers that cover low to high.

    >>> from floe.charts import ticks
    >>> ticks(0, 0.93)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    if not span > 0:
        span = abs(high) or 1.0
    raw = span / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 12) for number in range(first, max(last, first + 1) + 1)]


def thinned(x: np.ndarray, y: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Few enough points to draw; peaks remain."""
    if len(x) <= _MAX_POINTS:
        return x, y
    kept = set()
    for group in np.array_split(np.arange(len(x)), _MAX_POINTS // 2):
        kept.add(int(group[np.argmin(y[group])]))
        kept.add(int(group[np.argmax(y[group])]))
    order = np.array(sorted(kept))
    return x[order], y[order]


def chart(title: str, unit: str, lines: Lines, whole: bool = False) -> str:
    """A figure with a chart; empty when no line has a value.

    Args:
        whole: values are counts, so ticks are whole numbers.
    """
    drawn = {}
    for name, (frames, values) in lines.items():
        x, y = np.asarray(frames, float), np.asarray(values, float)
        good = np.isfinite(x) & np.isfinite(y)
        if good.any():
            drawn[name] = thinned(x[good], y[good])
    if not drawn:
        return ""
    low = min(0.0, *(float(y.min()) for _, y in drawn.values()))
    high = max(float(y.max()) for _, y in drawn.values())
    marks = ticks(low, high if high > low else low + 1)
    if whole:
        marks = sorted({float(math.floor(mark)) for mark in marks} | {float(math.ceil(marks[-1]))})
    first = min(float(x[0]) for x, _ in drawn.values())
    last = max(float(x[-1]) for x, _ in drawn.values())
    width, height = _SIZE
    left, right, top, bottom = _MARGIN

    def across(frame: float) -> float:
        return left + (width - left - right) * ((frame - first) / (last - first)
                                                if last > first else 0.5)

    def up(value: float) -> float:
        return height - bottom - (height - top - bottom) * (value - marks[0]) / (marks[-1] - marks[0])

    parts = []
    for mark in marks:
        place = up(mark)
        parts.append(f'<line x1="{left}" x2="{width - right}" y1="{place:.1f}" y2="{place:.1f}" class="grid"/>'
                     f'<text x="{left - 6}" y="{place + 4:.1f}" text-anchor="end">{_short(mark)}</text>')
    for mark in ticks(first, last, 8):
        if first <= mark <= last and mark == int(mark):
            parts.append(f'<text x="{across(mark):.1f}" y="{height - 8}" text-anchor="middle">'
                         f'{int(mark)}</text>')
    legend, data = [], []
    for index, (name, (x, y)) in enumerate(drawn.items()):
        colour = _COLOURS[index % len(_COLOURS)]
        points = " ".join(f"{across(a):.1f},{up(b):.1f}" for a, b in zip(x, y))
        if len(x) == 1:
            parts.append(f'<circle cx="{across(x[0]):.1f}" cy="{up(y[0]):.1f}" r="3" fill="{colour}"/>')
        parts.append(f'<polyline points="{points}" stroke="{colour}"/>')
        legend.append(f'<span style="color:{colour}">&#9644;</span> {html.escape(name)}')
        data.append({"name": name, "x": [float(a) for a in x],
                     "y": [float(f"{b:.5g}") for b in y]})
    parts.append(f'<line class="cursor" y1="{top}" y2="{height - bottom}" x1="-9" x2="-9"/>')
    described = html.escape(json.dumps({"left": left, "right": width - right, "first": first,
                                        "last": last, "lines": data}), quote=True)
    return (f'<figure class="chart" data-chart="{described}"><figcaption><b>{html.escape(title)}</b>'
            f'{" [" + html.escape(unit) + "]" if unit else ""} <span class="legend">'
            f'{" ".join(legend)}</span></figcaption>'
            f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">'
            f'{"".join(parts)}</svg><p class="reading">&nbsp;</p></figure>')


def _short(value: float) -> str:
    for factor, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:g}{letter}"
    return f"{value:g}"


#: For the page's head and end: how charts look, and what they say under the pointer.
STYLE = """
.chart { margin: 0; } .chart svg { width: 100%; display: block; } .legend { font-size: 12px; color: #555; }
.chart text { font: 11px sans-serif; fill: #555; } .chart .grid { stroke: #e4e4e4; }
.chart polyline { fill: none; stroke-width: 1.5; } .chart .cursor { stroke: #999; stroke-dasharray: 3 3; }
.reading { font-size: 12px; margin: 0 0 4px 64px; color: #333; min-height: 1.2em; }
"""
SCRIPT = """
function floePoint(frame) {
  document.querySelectorAll('.chart').forEach(figure => {
    const chart = JSON.parse(figure.dataset.chart), span = chart.last - chart.first;
    if (span <= 0) return;
    const x = chart.left + (chart.right - chart.left) * (frame - chart.first) / span;
    const cursor = figure.querySelector('.cursor');
    cursor.setAttribute('x1', x); cursor.setAttribute('x2', x);
    figure.querySelector('.reading').textContent = 'frame ' + Math.round(frame) + ': ' +
      chart.lines.map(line => {
        let best = 0;
        line.x.forEach((at, i) => { if (Math.abs(at - frame) < Math.abs(line.x[best] - frame)) best = i; });
        return line.name + ' ' + line.y[best];
      }).join(', ');
  });
}
document.addEventListener('mousemove', event => {
  const svg = event.target.closest && event.target.closest('.chart svg');
  if (!svg) return;
  const chart = JSON.parse(svg.parentNode.dataset.chart), box = svg.getBoundingClientRect();
  const x = (event.clientX - box.left) / box.width * svg.viewBox.baseVal.width;
  const frame = chart.first + (chart.last - chart.first) * (x - chart.left) / (chart.right - chart.left);
  floePoint(Math.min(chart.last, Math.max(chart.first, frame)));
});
"""
