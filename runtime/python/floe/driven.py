"""A simulation whose parameters something outside drives, frame by frame: a controller, a policy, a person.

The driven parameters follow a straight line from one frame's value to the next, as keys in the graph, and each step goes
on from the checkpoint of the frame before. So a step is exactly what `floe run` of a graph with these keys
simulates, the same controls give the same bits, and going back to the beginning costs nothing.
"""

import pathlib
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import FloeError, GraphError
from .graph import Graph
from .session import Frame, Session

Values = Union[float, Sequence[float]]


def checked(graph: Graph, name: str, value: Values) -> None:
    """Raises:
        GraphError: "node.parameter" cannot have the value.
    """
    node, dot, parameter = name.rpartition(".")
    if not dot:
        raise GraphError(f"'{name}' is no parameter", cure="write 'node.parameter'")
    if not np.all(np.isfinite(np.asarray(value, float))):
        raise GraphError(f"'{name}' would be {value}", node=node, field=parameter,
                         cure="give finite numbers")
    graph[node]._check(parameter, value)


def keyed(keys: Sequence[Tuple[int, Values]]) -> Any:
    """A parameter that goes straight from value to value, as a graph has it."""
    table = np.array([np.atleast_1d(np.asarray(value, float)) for _, value in keys])
    tracks = [{"keys": [[frame, float(value), "linear"]
                        for (frame, _), value in zip(keys, column)]} for column in table.T]
    return tracks if np.ndim(keys[0][1]) else tracks[0]


def recorded(graph: Graph, name: str) -> np.ndarray:
    """What a demonstration drove, frame by frame: actions for imitation, as lerobot.Demonstrations takes them.

    >>> import floe
    >>> scene = floe.Graph(end=3)
    >>> _ = scene.add("floe.collider", "plate", position=[{"keys": [[1, 0, "linear"], [3, 1, "linear"]]}, 0.5, 0])
    >>> floe.recorded(scene, "plate.position").tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.5, 0.0], [1.0, 0.5, 0.0]]

    Args:
        graph: of Driven.save(), or one that was driven in the editor.
        name: "node.parameter".

    Returns:
        (frames, numbers of the parameter), from the graph's first to its last frame.

    Raises:
        GraphError: it is not driven.
    """
    node, _, parameter = name.rpartition(".")
    stored = graph.document["nodes"].get(node, {}).get("parameters", {}).get(parameter)
    tracks = stored if isinstance(stored, list) else [stored]
    moved = any(isinstance(track, dict) for track in tracks)
    frames = np.arange(graph.start, graph.end + 1)
    columns = []
    for track in tracks:
        keys = track.get("keys") if isinstance(track, dict) else [[graph.start, track, "linear"]]
        if not moved or not keys or any(not isinstance(key[1], (int, float)) or "linear" not in key[2:] for key in keys[:-1]) \
                or not isinstance(keys[-1][1], (int, float)):
            raise GraphError(f"'{name}' was not driven", node=node, field=parameter,
                             cure="name a parameter whose keys are linear")
        columns.append(np.interp(frames, [key[0] for key in keys], [key[1] for key in keys]))
    return np.stack(columns, 1)


class Driven:
    """A graph with driven parameters, in a session of its own.

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
    >>> with floe.Driven(scene, settle=1) as world:
    ...     frame = world.reset({"wind.velocity": [0, 0, 0]})
    ...     for _ in range(3):
    ...         frame = world.step({"wind.velocity": [2, 0, 0]})
    ...     print(frame.number, bool(frame.particles["v"][:, 0].mean() > 0.5))
    4 True

    Args:
        graph: a solver and what it needs; its own frame range does not count.
        settle: frames that are simulated once, before anything is driven, and that every reset() goes
            back to the end of.
        limit: frames that can be driven after that, at most.
        threads: of the session; 1 where several run side by side.
        program: as of Session.
    """

    def __init__(self, graph: Graph, settle: int = 1, limit: int = 1000, *, threads: int = 1,
                 program: Optional[str] = None) -> None:
        if settle < 1 or limit < 1:
            raise FloeError("a driven graph needs a frame to begin from, and one that is driven")
        self._graph = graph.copy()
        self._graph.end = self._graph.start + settle - 1 + limit
        self._first = self._graph.start + settle - 1
        self._settle = settle
        self._settled = False
        self._keys: Dict[str, List[Any]] = {}
        self._frame: Optional[Frame] = None
        self._session = Session(threads=threads, program=program)

    @property
    def frame(self) -> Frame:
        """The newest."""
        if self._frame is None:
            raise FloeError("nothing is simulated yet", cure="reset() first")
        return self._frame

    @property
    def session(self) -> Session:
        """That it simulates in."""
        return self._session

    @property
    def graph(self) -> Graph:
        """The graph with the keys so far. `floe run` of it gives the same frames, where the values at the
        reset were those of the graph, or made no difference until then."""
        made = self._graph.copy()
        self._write(made)
        made.end = self.frame.number
        return made

    def reset(self, values: Mapping[str, Values]) -> Frame:
        """Goes back to the end of the settling.

        Args:
            values: of the driven parameters there, by "node.parameter". Those named now are the ones that
                step() may drive.

        Raises:
            GraphError: a value is refused, or the graph has errors.
        """
        for name, value in values.items():
            checked(self._graph, name, value)
        if not self._settled:
            self._session.run(self._graph, self._settle, progress=False).wait()
            self._settled = True
        self._keys = {name: [(self._first, value)] for name, value in values.items()}
        self._frame = self._session.frame(self._first)
        return self._frame

    def step(self, values: Mapping[str, Values], frames: int = 1) -> Frame:
        """Simulates frames in which driven parameters move to these values; others stay.

        Raises:
            RunError: the simulation failed.
        """
        before = self.frame.number
        if before + frames > self._graph.end:
            raise FloeError(f"frame {self._graph.end} is the last that can be driven",
                            cure="reset(), or give Driven a higher limit")
        for name, value in values.items():
            if name not in self._keys:
                raise FloeError(f"'{name}' is not driven", cure="name it in reset()")
            checked(self._graph, name, value)
        for name, keys in self._keys.items():
            keys.append((before + frames, values.get(name, keys[-1][1])))
        driven = self._graph.copy()
        self._write(driven)
        count = before + frames - driven.start + 1
        last = self._session.run(driven, count, resume_from=before, progress=False).wait()
        assert last is not None
        self._frame = last
        return last

    def _write(self, graph: Graph) -> None:
        for name, keys in self._keys.items():
            node, _, parameter = name.rpartition(".")
            graph.document["nodes"][node].setdefault("parameters", {})[parameter] = keyed(keys)

    def save(self, path: Union[str, pathlib.Path]) -> pathlib.Path:
        """Writes the graph with its keys: the demonstration, which `floe run` replays."""
        return self.graph.save(path)

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def __enter__(self) -> "Driven":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
