#!/usr/bin/env python3
"""Everything that is known of many ranks without a cluster: one page, made by one command.

Usage: study.py [--floe PATH] [--out PAGE.md] [--only strong,weak,partitions,avalanche,billion] [--quick]

Runs on two idle cores, and takes some hours; with --quick minutes, for a look at the page itself. Each
rank's own processor time (without waiting), messages, bytes, reductions and memory are counted, however
many ranks share a core; scaling.py says how a step on a cluster follows from them. What ranks that share
cores and caches cost each other is not the price of a border, so one rank is measured beside as many
others like it as share the machine: strong with two copies, weak with as many as there are ranks. Scenes
run without their output nodes, so that nothing but solvers is counted; the first frame, which has no
steps, is left out. Sections:

    strong      dam_break on 1 to 64 ranks; two ranks and two threads by the clock, against the model
    weak        a bar of one falling elastic cube for each of 1 to 32 ranks
    partitions  sand_injection on 4 ranks: static, and the others by particles, by blocks and by time
    avalanche   on 4 ranks: activation and balance, each with and without the other
    billion     billion_fluid on 8 ranks with a hundredth of the particles, and what follows for all"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import tempfile

from ranks_bench import SOURCE, measure, solver_of, stepping
from scaling import NETWORKS, counted, processor

PARTICLES = 1.007e9  # of the dissertation's largest scene (Qiu 2024, table 4.2)
GPUS, GPU_BYTES = 8, 80e9
GPU_PARTICLE = 200  # bytes of a liquid particle on a GPU, with its share of the grid (runtime/ranks/README.md)


class Study:
    def __init__(self, arguments, folder):
        self.floe, self.quick, self.folder = arguments.floe, arguments.quick, pathlib.Path(folder)
        self.gpu_rate = arguments.gpu_rate

    def scene(self, name, change=lambda graph: None):
        """@return path of a graph without what draws and writes"""
        graph = json.loads((SOURCE / "graphs" / name).read_text())
        change(graph)
        gone = {name for name, node in graph["nodes"].items()
                if node["type"].startswith("floe.output.") or node["type"] in ("floe.camera", "floe.light")}
        return self.write({**graph, "nodes": {name: node for name, node in graph["nodes"].items() if name not in gone},
                           "links": [link for link in graph["links"]
                                     if not {link["from"].split(".")[0], link["to"].split(".")[0]} & gone]})

    def write(self, graph):
        path = self.folder / f"{len(list(self.folder.iterdir()))}.floe.json"
        path.write_text(json.dumps(graph))
        return str(path)

    def run(self, graph, ranks, end, settings=(), partition="bisection", threads=1):
        """@return the solver's statistics in each frame"""
        arguments = argparse.Namespace(floe=self.floe, graph=graph, end=end, set=list(settings), partition=partition)
        with tempfile.TemporaryDirectory() as output:
            return [solver_of(frame) for frame in measure(arguments, ranks, output, threads)]

    def least(self, graph, ranks, end, settings=(), partition="bisection:particles"):
        """The same with a partition that does not go by time, so that every run computes the same: of processor times,
        the least of three, as others use the machine, too. @return statistics"""
        runs = [self.run(graph, ranks, end, settings, partition) for _ in range(1 if self.quick else 3)]
        for frame, nodes in enumerate(runs[0]):
            for name in nodes:
                if name.endswith("processorSeconds"):
                    nodes[name] = min(run[frame][name] for run in runs)
        return runs[0]

    def alone(self, graph, end, copies, settings=()):
        """Runs so many copies at once, each on one rank. @return mean processor time of a step [s]"""
        with concurrent.futures.ThreadPoolExecutor(copies) as pool:
            runs = list(pool.map(lambda _: self.least(graph, 1, end, settings), range(copies)))
        return sum(counted(nodes, 1)[0][0] for nodes in runs) / copies

    def modelled(self, nodes, ranks):
        """@return what a step takes in each network [s]"""
        busy, sent, messages, reductions = counted(nodes, ranks)
        rounds = reductions * math.ceil(math.log2(ranks)) + messages
        return [max(busy) + latency * rounds + sent / bandwidth for _, latency, bandwidth in NETWORKS]


def busiest(nodes, ranks):
    """@return processor seconds of the busiest rank, summed over frames: they wait for each other at least there"""
    if ranks == 1:
        return sum(node["processorSeconds"] for node in nodes)
    return sum(max(node[f"rank{rank}.processorSeconds"] for rank in range(ranks)) for node in nodes)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)]
    return lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows] + [""]


NETWORK_NAMES = [name for name, _, _ in NETWORKS]


def counted_row(nodes, ranks):
    busy, sent, messages, reductions = counted(nodes, ranks)
    mean = sum(busy) / ranks
    return busy, [f"{1e3 * max(busy):.3f}", f"{max(busy) / mean:.2f}", f"{sent / 1e3:.0f}", f"{messages:.1f}",
                  f"{reductions:.1f}"]


COUNTED = ["busiest ms", "imbalance", "KB", "messages", "reductions"]


def strong(study):
    """Frames are short, so that a scene large enough for 64 ranks takes minutes."""
    cell, fps, numbers = ("0.04", 24, (2, 4)) if study.quick else ("0.005", 288, (2, 4, 8, 16, 32, 64))
    graph = study.scene("dam_break.floe.json", lambda graph: graph["range"].update(fps=fps))
    settings = [f"solver.cellSize={cell}"]
    one = study.alone(graph, 3, 2, settings)
    rows, two = [[1, f"{1e3 * one:.3f}", "1.00", 0, "0.0", "0.0", "1.00", "1.00", "1.00"]], None
    for ranks in numbers:
        nodes = study.least(graph, ranks, 3, settings)
        modelled = study.modelled(nodes, ranks)
        two = modelled if ranks == 2 else two
        rows.append([ranks, *counted_row(nodes, ranks)[1], *(f"{one / seconds:.2f}" for seconds in modelled)])
    lines = ["## Strong scaling", "",
             f"dam_break, cells of {cell} m, {nodes[-1]['particles']:.0f} particles, frames 2 and 3 of {fps} a second, of a step; then the speed "
             "relative to one rank (beside another copy of itself), as the model has it.", ""]
    lines += table(["ranks", *COUNTED, *NETWORK_NAMES], rows)
    rows, base = [], None
    for name, ranks, threads in (("one rank, one thread", 1, 1), ("one rank, two threads", 1, 2),
                                 ("two ranks, one thread each", 2, 1)):
        nodes = study.run(graph, ranks, 3, settings, threads=threads)
        seconds = stepping(nodes)
        base = base or seconds
        rows.append([name, f"{1e3 * seconds:.3f}", f"{base / seconds:.2f}"])
    return lines + ["By the clock, on this machine, without handing frames over. The model gives two ranks of one machine a speed of "
                    f"{one / two[-1]:.2f}:", ""] + table(["", "ms a step", "speed"], rows)


def weak(study):
    """A bar of one elastic cube for each rank, which falls: matter goes on over every border. Blocks hold particles from
    half a cell behind their first node on; so do the cubes, or equal boxes of blocks would not hold equal parts."""
    cells, numbers = (8, (1, 2, 4)) if study.quick else (48, (1, 2, 4, 8, 16, 32))
    h, rows = 0.05, []

    def bar(cubes):
        nodes = {"solver": {"type": "floe.mpm.solver", "version": 1, "parameters": {"cellSize": h}},
                 "gravity": {"type": "floe.force.gravity", "version": 1},
                 "jelly": {"type": "floe.material", "version": 1, "parameters": {
                     "law": "fixedCorotated", "density": 1000, "youngModulus": 1e5, "poissonRatio": 0.3}}}
        links = [{"from": "gravity.force", "to": "solver.forces"}]
        for i in range(cubes):
            nodes[f"shape{i}"] = {"type": "floe.shape.box", "version": 2, "parameters": {
                "size": [cells * h] * 3, "center": [(i * cells + 0.5) * h, 0.5 * h, 0.5 * h]}}
            nodes[f"cube{i}"] = {"type": "floe.emitter", "version": 1}
            links += [{"from": f"shape{i}.shape", "to": f"cube{i}.shape"},
                      {"from": "jelly.material", "to": f"cube{i}.material"},
                      {"from": f"cube{i}.emitter", "to": "solver.emitters"}]
        return study.write({"floe": 1, "range": {"start": 1, "end": 4, "fps": 60}, "nodes": nodes, "links": links})

    for ranks in numbers:
        one = study.alone(bar(1), 4, ranks)
        if ranks == 1:
            rows.append([1, 8 * cells ** 3, f"{1e3 * one:.3f}", f"{1e3 * one:.3f}", "1.00", 0, "0.0", "0.0", *["100 %"] * 3])
            continue
        frames = study.least(bar(ranks), ranks, 4, partition=f"fixed:{ranks}x1x1")
        rows.append([ranks, f"{frames[-1]['particles']:.0f}", f"{1e3 * one:.3f}", *counted_row(frames, ranks)[1],
                     *(f"{100 * one / seconds:.0f} %" for seconds in study.modelled(frames, ranks))])
    return ["## Weak scaling", "",
            f"A bar of elastic cubes of {cells}^3 cells, one for each rank, frames 2 to 4, of a step: as many cubes alone at once, then the bar; "
            "and the efficiency.", ""
            ] + table(["ranks", "particles", "alone ms", *COUNTED, *NETWORK_NAMES], rows)


def partitions(study):
    cell, end = ("0.08", 6) if study.quick else ("0.03", 72)
    graph, settings, ranks = study.scene("scale/sand_injection.floe.json"), [f"solver.cellSize={cell}"], 4
    rows, static = [], None
    for name, partition in (("static boxes, 2 x 2 x 1", "fixed:2x2x1"), ("static boxes, 2 x 1 x 2", "fixed:2x1x2"),
                            ("boxes by particles", "boxes:particles"),
                            ("boxes by blocks", "boxes:blocks"), ("boxes by time", "boxes"),
                            ("curve by time", "curve"), ("bisection by particles", "bisection:particles"),
                            ("bisection by blocks", "bisection:blocks"), ("bisection by time", "bisection")):
        nodes = study.run(graph, ranks, end, settings, partition)
        seconds = busiest(nodes, ranks)
        static = static or seconds
        _, sent, messages, _ = counted(nodes, ranks)
        rows.append([name, f"{seconds:.2f}", f"{100 * static / seconds:.0f} %",
                     f"{sum(node['imbalance'] for node in nodes) / len(nodes):.2f}", f"{sent / 1e3:.0f}", f"{messages:.1f}",
                     f"{sum(node['movedBlocks'] for node in nodes):.0f}"])
    return ["## Static, boxes, curve and bisection", "",
            f"sand_injection on {ranks} ranks, cells of {cell} m, {nodes[-1]['particles']:.0f} particles at the end, {end} frames. Processor "
            "seconds of the busiest rank of each frame. Qiu (2024, table 4.1) compares with 2 x 2 x 1, whose upper ranks the sand leaves, and has "
            "170 % by particles and 145 % by blocks; 2 x 1 x 2 is what `fixed` chooses.", ""
            ] + table(["", "busiest s", "of static", "imbalance", "KB a step", "messages a step", "blocks moved"], rows)


def avalanche(study):
    """Sleeping matter costs nothing, so it is what is awake that has to be balanced."""
    cell, end = ("1.2", 6) if study.quick else ("1.1", 1000)
    name, ranks, rows, base = "activation/avalanche.floe.json", 4, [], None

    def always_on(graph):
        graph["links"] = [link for link in graph["links"] if link["to"] != "solver.activation"]

    for title, change, partition in (("static, always on", always_on, "fixed"),
                                     ("balanced, always on", always_on, "bisection"),
                                     ("static, activation", lambda graph: None, "fixed"),
                                     ("balanced, activation", lambda graph: None, "bisection")):
        nodes = study.run(study.scene(name, change), ranks, end, [f"solver.cellSize={cell}"], partition)
        seconds = busiest(nodes, ranks)
        base = base or seconds
        rows.append([title, f"{seconds:.2f}", f"{base / seconds:.2f}",
                     f"{sum(node['imbalance'] for node in nodes) / len(nodes):.2f}",
                     f"{100 * sum(node['activeShare'] for node in nodes) / len(nodes):.0f} %"])
    return ["## Activation and balance", "",
            f"avalanche on {ranks} ranks, cells of {cell} m, {nodes[-1]['particles']:.0f} particles, {end} frames; the activation itself is "
            "computed by every rank, and is in these numbers.", ""
            ] + table(["", "busiest s", "speed", "imbalance", "active"], rows)


def billion(study):
    cell = "0.05" if study.quick else "0.0164"
    graph = study.scene("scale/billion_fluid.floe.json")
    nodes = study.run(graph, GPUS, 3, [f"solver.cellSize={cell}"])
    last = nodes[-1]
    particles = last["particles"]
    factor = PARTICLES / particles
    busy, sent, messages, reductions = counted(nodes, GPUS)
    memory = max(last[f"rank{rank}.bytes"] for rank in range(GPUS))
    share = particles * max(busy) / sum(busy)  # of the busiest
    whole_bytes, whole_sent = memory * factor, sent * factor ** (2 / 3)
    compute = share * factor / study.gpu_rate
    lines = ["## A billion particles on eight GPUs", "",
             f"Measured: billion_fluid with {particles:.0f} particles (cells of {cell} m) on {GPUS} ranks, frames 2 and 3. On paper: "
             f"{PARTICLES:.4g}, where memory grows with particles and borders with their power of 2/3, and a GPU moves "
             f"{study.gpu_rate:.2g} particles a second, as one H200 does (mpm_step_cuda.md). What is sent is what CPUs send: GPUs send less.", ""]
    rows = [["memory of the largest rank, on CPUs", f"{memory / 1e9:.2f} GB", f"{whole_bytes / 1e9:.1f} GB"],
            ["on GPUs", "", f"{GPU_PARTICLE * PARTICLES * max(busy) / sum(busy) / 1e9:.1f} GB of {GPU_BYTES / 1e9:.0f}"],
            ["bytes a particle", f"{memory * GPUS / particles:.0f}", ""],
            ["sent in a step by the rank that sends most", f"{sent / 1e6:.2f} MB", f"{whole_sent / 1e6:.0f} MB"],
            ["imbalance", f"{max(busy) * GPUS / sum(busy):.2f}", ""],
            ["messages, reductions a step", f"{messages:.1f}, {reductions:.1f}", ""],
            ["a step's particles, busiest rank", "", f"{1e3 * compute:.0f} ms"]]
    rounds = reductions * math.ceil(math.log2(GPUS)) + messages
    for name, latency, bandwidth in NETWORKS:
        rows.append([f"a step's messages, {name}", "", f"{1e3 * (latency * rounds + whole_sent / bandwidth):.1f} ms"])
    rows.append(["a frame file in parts, of each rank", f"{45 * particles / GPUS / 1e9:.2f} GB", f"{45 * PARTICLES / GPUS / 1e9:.1f} GB"])
    return lines + table(["", "measured", "on paper"], rows)


SECTIONS = {section.__name__: section for section in (strong, weak, partitions, avalanche, billion)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--floe", default=str(SOURCE / "build/bin/floe"))
    parser.add_argument("--out", default="ranks_study.md")
    parser.add_argument("--only", default=",".join(SECTIONS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gpu-rate", type=float, default=8e9, help="particle steps a second of one GPU")
    arguments = parser.parse_args()
    lines = ["# Many ranks", "",
             f"`tests/bench/ranks/study.py{' --quick' if arguments.quick else ''}`, {processor()}, {os.cpu_count()} cores. What is counted and "
             "what is modelled, the program's header says.", ""]
    with tempfile.TemporaryDirectory() as folder:
        study = Study(arguments, folder)
        for name in arguments.only.split(","):
            print(name, flush=True)
            lines += SECTIONS[name](study)
            pathlib.Path(arguments.out).write_text("\n".join(lines).rstrip() + "\n")
    print(f"written: {arguments.out}")


if __name__ == "__main__":
    main()
