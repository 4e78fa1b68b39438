#!/usr/bin/env python3
"""overhead.py FLOE GRAPH [--frames N] [--pairs N]

How much longer a run takes because it writes its particles: the graph runs by turns with its
floe.output.particles nodes and with no output node at all; the ratio of the shortest sums of frame
times is printed, since whatever else the machine does only adds. Rendering is left out of both: a
processor that draws has less time for the solver.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile


def without_sinks(graph, keep):
    """The graph without its output nodes, but for those of type `keep`."""
    nodes = {
        name: node
        for name, node in graph["nodes"].items()
        if not node["type"].startswith("floe.output.") or node["type"] == keep
    }
    ends = lambda link: {link["from"].split(".")[0], link["to"].split(".")[0]}
    links = [link for link in graph["links"] if ends(link) <= set(nodes)]
    return {**graph, "nodes": nodes, "links": links}


def seconds(floe, graph, folder):
    path = folder / "graph.floe.json"
    path.write_text(json.dumps(graph))
    output = folder / f"out{len(list(folder.iterdir()))}"
    subprocess.run([floe, "run", path, "--output", output, "--device", "cpu", "--checkpoint-every",
                    "0", "--progress", "quiet"], check=True)
    frames = json.loads((output / "run.json").read_text())["frames"]
    return sum(frame["seconds"] for frame in frames[1:])  # the first also reads and emits


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("floe", type=pathlib.Path)
parser.add_argument("graph", type=pathlib.Path)
parser.add_argument("--frames", type=int, default=12)
parser.add_argument("--pairs", type=int, default=3)
arguments = parser.parse_args()

graph = json.loads(arguments.graph.read_text())
graph["range"]["end"] = graph["range"]["start"] + arguments.frames - 1
plains, writings = [], []
for pair in range(arguments.pairs):
    with tempfile.TemporaryDirectory(dir=arguments.graph.parent) as folder:
        folder = pathlib.Path(folder)
        kinds = ["", "floe.output.particles"]
        times = {kind: seconds(arguments.floe, without_sinks(graph, kind), folder)
                 for kind in (kinds if pair % 2 == 0 else reversed(kinds))}
        plain, writing = (times[kind] for kind in kinds)
    print(f"without output {plain:.2f} s, with {writing:.2f} s")
    plains.append(plain)
    writings.append(writing)
print(f"shortest with / shortest without: {min(writings) / min(plains):.3f}")
