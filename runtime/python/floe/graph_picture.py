"""A graph as a small SVG picture: what a notebook shows."""

import html
from typing import Any, Dict, List, Mapping, Sequence, Tuple

_WIDTH, _HEIGHT, _GAP = 150, 34, 22
_ACROSS = 232  # from column to column
_MAX_NODES = 300
_COLOURS = {"solver": "#f2c879", "sink": "#b9d7a8", "value": "#c7d5ea"}


def columns(names: Sequence[str], links: Sequence[Tuple[str, str]]) -> Dict[str, int]:
    """How far right a node stands: right of everything it takes.

    >>> from floe.graph_picture import columns
    >>> columns(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    {'a': 0, 'b': 1, 'c': 2}
    """
    depth = {name: 0 for name in names}
    for _ in range(len(depth)):  # a graph that is being edited may have a cycle: so often at most
        changed = False
        for source, target in links:
            if source in depth and target in depth and depth[target] < depth[source] + 1 <= len(depth):
                depth[target] = depth[source] + 1
                changed = True
        if not changed:
            break
    return depth


def svg(nodes: Mapping[str, Mapping[str, Any]], links: Sequence[Tuple[str, str]],
        roles: Mapping[str, str]) -> str:
    """The picture; nodes stand in columns by what they depend on.

    Args:
        nodes: entries of the document by name.
        links: pairs of nodes' names.
        roles: of nodes, as their types say.
    """
    names = list(nodes)[:_MAX_NODES]
    column = columns(names, links)
    rows: Dict[int, List[str]] = {}
    for name in names:
        rows.setdefault(column[name], []).append(name)
    place = {name: (8 + depth * _ACROSS, 8 + row * (_HEIGHT + _GAP))
             for depth, group in rows.items() for row, name in enumerate(group)}
    width = 16 + max(rows, default=0) * _ACROSS + _WIDTH
    height = 16 + max((len(group) for group in rows.values()), default=1) * (_HEIGHT + _GAP) - _GAP
    parts = []
    for source, target in links:
        if source in place and target in place:
            x1, y1 = place[source][0] + _WIDTH, place[source][1] + _HEIGHT / 2
            x2, y2 = place[target][0], place[target][1] + _HEIGHT / 2
            bend = max(30.0, abs(x2 - x1) / 2)
            parts.append(f'<path d="M{x1} {y1} C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}" '
                         'fill="none" stroke="#888"/>')
    for name in names:
        x, y = place[name]
        kind = str(nodes[name].get("type") or nodes[name].get("graph") or "")
        faded = ' opacity="0.4"' if nodes[name].get("bypass") else ""
        parts.append(
            f'<g{faded}><rect x="{x}" y="{y}" width="{_WIDTH}" height="{_HEIGHT}" rx="5" '
            f'fill="{_COLOURS.get(roles.get(name, ""), "#e3e3e3")}" stroke="#777"/>'
            f'<text x="{x + 8}" y="{y + 15}" font-weight="bold">{html.escape(_cut(name))}</text>'
            f'<text x="{x + 8}" y="{y + 28}" fill="#555">{html.escape(_cut(kind))}</text></g>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'style="max-width:{width}px;width:100%" font-family="sans-serif" font-size="11">'
            f'{"".join(parts)}</svg>')


def _cut(text: str) -> str:
    return text if len(text) <= 22 else text[:21] + "\u2026"
