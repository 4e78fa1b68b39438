"""Many worlds in one engine: copies of a driven graph that are simulated side by side in one process and know nothing of
each other.

All copies are in one graph, each with solvers of its own; what no driven parameter can change (shapes, materials, emitters)
is there once. A step is one run of that graph. Each solver goes on from a checkpoint of its own, so single worlds are reset
while the others go on.
"""

import copy
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Union

import numpy as np

from .driven import Values, checked, keyed
from .errors import FloeError, RunError
from .graph import Graph
from .session import Particles, Session, particle_outputs, typed_nodes

Driving = Mapping[str, Values]


class Worlds:
    """A graph with driven parameters, many times.

    >>> import floe
    >>> scene = floe.Graph()
    >>> _ = scene.add("floe.shape.sphere", "ball", radius=0.2, voxelSize=0.05)
    >>> _ = scene.add("floe.material", "jello").preset("jello")
    >>> _ = scene.add("floe.emitter", "body")
    >>> _ = scene.add("floe.force.wind", "wind", strength=5)
    >>> _ = scene.add("floe.mpm.solver", "solver", cellSize=0.05)
    >>> for a, b in (("ball.shape", "body.shape"), ("jello.material", "body.material"),
    ...              ("body.emitter", "solver.emitters"), ("wind.force", "solver.forces")):
    ...     scene.link(a, b)
    >>> with floe.Worlds(scene, 3) as worlds:
    ...     worlds.reset({"wind.velocity": [0, 0, 0]})
    ...     for _ in range(3):
    ...         worlds.step([{"wind.velocity": [speed, 0, 0]} for speed in (-2, 0, 2)])
    ...     print([round(float(worlds.particles(k)["v"][:, 0].mean())) for k in range(3)])
    [-1, 0, 1]

    A world gives what the same controls of a Driven give, bit for bit, as long as nothing in the graph depends on the time:
    in the engine, all steps are the same few frames.

    Args:
        graph: solvers and what they need; its own frame range does not count, and nodes that write files do not run.
        count: of worlds.
        settle: frames that are simulated before anything is driven, and that every reset goes back to the end of.
        threads: of the session; 0: all.
        program: as of Session.
    """

    def __init__(self, graph: Graph, count: int, settle: int = 1, *, threads: int = 0,
                 program: Optional[str] = None) -> None:
        if count < 1 or settle < 1:
            raise FloeError("there must be a world, and a frame to begin from")
        self._single = graph.copy()
        self._count = count
        self._settle = settle
        self._first = self._single.start + settle - 1
        self._outputs = particle_outputs(self._single)
        self._all: Optional[Graph] = None
        self._solvers = [name for name, kind in typed_nodes(self._single)
                         if kind in self._single.types and self._single.types[kind].role == "solver"]
        if not self._solvers:
            raise FloeError("the graph has no solver")
        self._copied: Set[str] = set()
        self._before: List[Dict[str, Values]] = []  # of each world: its driven values
        self._at = [self._first] * count  # the frame that each world's state is kept as
        self._failed = False  # the states are lost
        self._session = Session(threads=threads, program=program)

    def __len__(self) -> int:
        return self._count

    @property
    def session(self) -> Session:
        """That they are simulated in."""
        return self._session

    def reset(self, values: Union[Driving, Sequence[Optional[Driving]]],
              mask: Union[None, np.ndarray, Sequence[bool]] = None) -> None:
        """Takes worlds back to the end of the settling.

        Args:
            values: of the driven parameters there, by "node.parameter"; for all worlds, or one after the other. Those named
                at the first reset are the ones that can be driven.
            mask: which worlds; all without it.

        Raises:
            GraphError: a value is refused, or the graph has errors.
        """
        chosen = [world for world in range(self._count) if mask is None or self._as_mask(mask)[world]]
        if self._failed and len(chosen) < self._count:
            raise FloeError("a world failed, and the others' states are lost", cure="reset all of them")
        given = self._for_each(values)
        for world in chosen:
            own = given[world]
            if own is None:
                raise FloeError(f"there are no values for world {world}", cure="give one entry for each")
            for name, value in own.items():
                checked(self._single, name, value)
            if self._before and set(own) != set(self._before[0]):
                raise FloeError("driven are " + ", ".join(sorted(self._before[0])),
                                cure="name exactly these in every reset")
        if self._all is None:
            if len(chosen) < self._count:
                raise FloeError("no world is there yet", cure="reset all of them first")
            names = set(given[0] or {})
            if any(set(own or {}) != names for own in given):
                raise FloeError("worlds differ in what is driven", cure="name the same parameters for each")
            made = self._many(names)
            self._session.run(made, self._settle, progress=False).wait()
            self._all = made
            self._before = [{} for _ in range(self._count)]
        for world in chosen:
            self._before[world] = dict(given[world] or {})
            self._at[world] = self._first
        self._failed = False

    def step(self, values: Sequence[Optional[Driving]], frames: int = 1) -> None:
        """Simulates frames in which driven parameters move to these values; others stay.

        Args:
            values: one entry a world; None: it stays where its reset has put it.

        Raises:
            RunError: a simulation failed, in the world that its text names. All must be reset then.
        """
        if self._all is None:
            raise FloeError("nothing is simulated yet", cure="reset() first")
        if self._failed:
            raise FloeError("a world failed, and the others' states are lost", cure="reset all of them")
        if frames < 1:
            raise FloeError(f"'frames' is {frames}", cure="must be at least 1")
        given = self._for_each(values)
        after = []
        for world, own in enumerate(given):
            before = self._before[world]
            if own is None and self._at[world] != self._first:
                raise FloeError(f"world {world} has to go on", cure="only one that was just reset can wait")
            for name, value in (own or {}).items():
                if name not in before:
                    raise FloeError(f"'{name}' is not driven", cure="name it in the first reset()")
                checked(self._single, name, value)
            after.append({**before, **(own or {})})
            for name, value in after[-1].items():
                node, _, parameter = name.rpartition(".")
                stored = self._all.document["nodes"][self._name(world, node)]
                stored.setdefault("parameters", {})[parameter] = keyed(
                    [(self._first, before[name]), (self._first + frames, value)])
        last = self._first + frames
        self._all.end = last
        apart = {self._name(world, solver): at for world, at in enumerate(self._at) if at != self._first
                 for solver in self._solvers}
        try:
            self._session.run(self._all, last - self._all.start + 1, resume_from=self._first,
                              resume_nodes=apart, progress=False).wait()
        except RunError as error:
            self._failed = True
            raise RunError(f"a world failed: {error.args[0]}", node=error.node, cure="reset all of them") from error
        for world, own in enumerate(given):
            if own is not None:
                self._before[world] = after[world]
                self._at[world] = last

    def particles(self, world: int) -> Particles:
        """Those of a world's solver. With several solvers, take value(world, "node.particles")."""
        if len(self._outputs) != 1:
            raise FloeError("the graph has several solvers",
                            cure="take one by value(world, 'node.particles')")
        node, socket = self._outputs[0]
        return self.value(world, f"{node}.{socket}")

    def value(self, world: int, output: str) -> Particles:
        """The particles at an output, "node.socket", of a world."""
        if self._all is None:
            raise FloeError("nothing is simulated yet", cure="reset() first")
        node, _, socket = output.rpartition(".")
        return Particles(self._session.connection, self._name(world, node), socket, self._at[world])

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def __enter__(self) -> "Worlds":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _as_mask(self, mask: Union[np.ndarray, Sequence[bool]]) -> np.ndarray:
        given = np.asarray(mask)
        if given.shape != (self._count,) or given.dtype != np.bool_:
            raise FloeError("the mask does not fit", cure=f"give {self._count} booleans")
        return given

    def _for_each(self, values: Union[Driving, Sequence[Optional[Driving]]]
                  ) -> Sequence[Optional[Driving]]:
        if isinstance(values, Mapping):
            return [values] * self._count
        if len(values) != self._count:
            raise FloeError(f"there are values for {len(values)} worlds", cure=f"give {self._count}")
        return values

    def _name(self, world: int, node: str) -> str:
        if not 0 <= world < self._count:
            raise FloeError(f"there is no world {world}", cure=f"take 0 to {self._count - 1}")
        return f"world{world}_{node}" if node.split("/")[0] in self._copied else node

    def _many(self, driven: Set[str]) -> Graph:
        """The graph of all worlds; what is driven, and what depends on that, is there for each."""
        document = self._single.document
        nodes = document["nodes"]
        sinks = {node.node_name for node in self._single if node.node_type and node.node_type.role == "sink"}
        copied = {name.rpartition(".")[0] for name in driven} | {s.split("/")[0] for s in self._solvers}
        ends = [(a.split(".")[0], b.split(".")[0]) for a, b in self._single.links]
        while True:
            more = {b for a, b in ends if a in copied and b not in sinks} - copied
            if not more:
                break
            copied |= more
        self._copied = copied
        made: Dict[str, Any] = {"floe": document["floe"], "range": dict(document.get("range", {})),
                                "nodes": {name: entry for name, entry in nodes.items()
                                          if name not in copied | sinks}, "links": []}
        if "subgraphs" in document:
            made["subgraphs"] = document["subgraphs"]
        for world in range(self._count):
            for name in sorted(copied):
                made["nodes"][self._name(world, name)] = copy.deepcopy(nodes[name])
        for a, b in self._single.links:
            if b.split(".")[0] in sinks:
                continue
            for world in range(self._count) if b.split(".")[0] in copied else (0,):
                made["links"].append({"from": self._renamed(world, a), "to": self._renamed(world, b)})
        result = Graph(made, self._single.path)
        result.end = self._first
        return result

    def _renamed(self, world: int, end: str) -> str:
        node, _, socket = end.partition(".")
        return f"{self._name(world, node)}.{socket}"
