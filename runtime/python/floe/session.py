"""Sessions: a running engine, the frames that it makes, and what they hold."""

import base64
import collections
import os
import threading
from typing import Any, Deque, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .connection import Connection, read_only_map, wait_until
from .errors import Fault, FloeError, GraphError, RunError, graph_error
from .graph import Graph
from .manifest import nearest, plain
from .picture import Picture, decode_png
from .progress import progress as make_progress

_ENDS = ("finished", "failed", "cancelled")
_NO_PICTURE = "No picture: "
_PICTURE_SECONDS = 300.0
_WATCHED_FRAMES = 10_000  # that are not looked at, at a time


class Particles(Mapping[str, np.ndarray]):
    """The particles of a frame: attributes by name, as arrays with one row a particle.

    `x` position [m], `v` velocity [m/s], `id`, `material` and what else the solver hands out. Each is
    fetched when it is first asked for. On the machine of the server arrays are views on shared memory
    that cannot be written and stay valid after the session; `array.copy()` can be written.
    """

    def __init__(self, connection: Connection, node: str, socket: str, frame: int) -> None:
        self._connection = connection
        self._place = (node, socket, frame)
        self._names: Optional[List[str]] = None
        self._count = 0
        self._arrays: Dict[str, np.ndarray] = {}

    def _list(self) -> List[str]:
        if self._names is None:
            self._count, arrays = self._connection.arrays(*self._place, count=0)
            self._names = list(arrays)
        return self._names

    @property
    def count(self) -> int:
        """Number of particles; len() is that of attributes."""
        self._list()
        return self._count

    def fetch(self, *names: str) -> Dict[str, np.ndarray]:
        """Several attributes with one request; all without names."""
        for name in names:
            if name not in self._list():
                raise KeyError(f"there is no attribute '{name}'; {nearest(name, self._list())}")
        wanted = [name for name in names or self._list() if name not in self._arrays]
        if wanted:
            self._arrays.update(self._connection.arrays(*self._place, attributes=wanted)[1])
        return {name: self._arrays[name] for name in names or self._list()}

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._arrays:
            self.fetch(name)
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._list())

    def __len__(self) -> int:
        return len(self._list())

    def __repr__(self) -> str:
        return f"<{self.count} particles with {', '.join(self)}>"


class Frame:
    """A simulated frame. It can be looked into as long as its session is open."""

    def __init__(self, session: "Union[Session, Watch]", number: int, statistics: Mapping[str, Any],
                 outputs: Optional[Sequence[Tuple[str, str]]], cameras: Sequence[str]) -> None:
        self._session = session
        self._outputs = outputs
        self._cameras = cameras
        self._particles: Optional[Particles] = None
        self.number = number
        #: As in run.json: seconds, residentBytes, nodes; empty where the frame was there already.
        self.statistics: Dict[str, Any] = dict(statistics)

    @property
    def particles(self) -> Particles:
        """Those of the graph's solver. With several solvers, take value("node.particles")."""
        if self._particles is None:
            if self._outputs is None:
                raise FloeError("who watches does not know the graph",
                                cure="name the output: frame.value('solver.particles')")
            if len(self._outputs) != 1:
                names = ", ".join(f"'{node}.{socket}'" for node, socket in self._outputs)
                raise FloeError("the graph has no solver" if not self._outputs else
                                "the graph has several solvers",
                                cure=f"take one by frame.value({names})" if names else None)
            node, socket = self._outputs[0]
            self._particles = self.value(f"{node}.{socket}")
        return self._particles

    def value(self, output: str) -> Particles:
        """The particles at an output: "node.socket"."""
        node, _, socket = output.rpartition(".")
        return Particles(self._session.connection, node, socket, self.number)

    @property
    def picture(self) -> Picture:
        """960 x 540 pixels through the graph's first camera; without one, of everything."""
        return self.draw()

    def draw(self, width: int = 960, height: int = 540, *, camera: Optional[Any] = None,
             colouring: Optional[Mapping[str, Any]] = None,
             show: Optional[Mapping[str, bool]] = None) -> Picture:
        """Draws the frame.

        Args:
            width, height: 1 to 8192 pixels.
            camera: name of a camera node, or {"eye": ..., "target": ..., "fov": degrees}.
            colouring: such as {"mode": "speed"}; see `view.set` of the protocol.
            show: what to draw, such as {"colliders": False, "legend": True}.
        """
        view: Dict[str, Any] = {"width": width, "height": height, "frame": self.number,
                                "quality": "still"}
        if camera is None and self._cameras:
            camera = self._cameras[0]
        if isinstance(camera, str):
            if camera not in self._cameras and self._outputs is not None:
                raise FloeError(f"there is no camera '{camera}'", node=camera,
                                cure=nearest(camera, self._cameras))
            view["cameraNode"] = camera
        elif camera is not None:
            view["camera"] = plain(camera)
        if colouring:
            view["colouring"] = plain(colouring)
        if show:
            view["show"] = plain(show)
        return self._session._draw(view)

    def __repr__(self) -> str:
        return f"<frame {self.number}>"

    def _repr_png_(self) -> bytes:
        return self.picture._repr_png_()


class Run:
    """A simulation that was started: iterate over its frames, or wait() for its end.

    Leaving the loop early stops it. Frames that were up to date already come first.
    """

    def __init__(self, session: "Session", scene: Graph, first: int, started: Mapping[str, Any],
                 shown: Optional[bool]) -> None:
        self._session = session
        self.first = first  #: first frame that is handed out
        self.last: int = started["last"]
        #: The frame whose checkpoint it goes on from; None from the first frame on.
        self.resumed_from: Optional[int] = started.get("resumedFrom")
        self._begins: int = started["first"]
        self._outputs = particle_outputs(scene)
        self._cameras = _cameras(scene)
        self._progress = make_progress(self.last - first + 1, shown)

    def _frame(self, number: int, statistics: Mapping[str, Any]) -> Frame:
        return Frame(self._session, number, statistics, self._outputs, self._cameras)

    def __iter__(self) -> Iterator[Frame]:
        session = self._session
        completed = False
        try:
            for number in range(self.first, min(self._begins, self.last + 1)):
                yield self._frame(number, session._statistics.get(number, {}))
            while True:
                event = session._next(self)
                if event is None:
                    break
                number, statistics = event
                if number >= self.first:
                    self._progress.update(number - self.first + 1, f"frame {number}")
                    yield self._frame(number, statistics)
            completed = True
        finally:
            self._progress.close()
            if not completed:
                session._stop(self)

    def wait(self) -> Optional[Frame]:
        """Waits for the end. Returns the last frame."""
        last = None
        for last in self:
            pass
        return last

    def stop(self) -> None:
        """Stops it within a second; the frames that are done remain."""
        self._session._stop(self)


class Session:
    """An engine that simulates and draws for this program.

    >>> import floe
    >>> scene = floe.Graph(end=3)
    >>> _ = scene.add("floe.shape.sphere", "ball", radius=0.2, center=(0, 0.5, 0))
    >>> _ = scene.add("floe.material", "jello").preset("jello")
    >>> _ = scene.add("floe.emitter", "body")
    >>> _ = scene.add("floe.force.gravity", "down")
    >>> _ = scene.add("floe.mpm.solver", "solver", cellSize=0.05)
    >>> for a, b in (("ball.shape", "body.shape"), ("jello.material", "body.material"),
    ...              ("body.emitter", "solver.emitters"), ("down.force", "solver.forces")):
    ...     scene.link(a, b)
    >>> with floe.Session() as session:
    ...     for frame in session.run(scene):
    ...         heights = frame.particles["x"][:, 1]
    ...         print(frame.number, f"{heights.mean():.2f} m")
    1 0.50 m
    2 0.49 m
    3 0.47 m

    Args:
        address: of a server that runs already: a socket's path or "HOST:PORT", as it printed it;
            without it, a server is started, and ends with the session.
        token: what that server printed, over TCP.
        program: path of `floe`; without it, see floe.program.find().
        threads: of the server; 0: all.

    Raises:
        ProgramNotFound, ServerDied, RequestError: no server could be started or reached.
    """

    def __init__(self, address: Optional[str] = None, token: Optional[str] = None, *,
                 program: Optional[str] = None, threads: int = 0) -> None:
        self._changed = threading.Condition()
        self._drawing = threading.Lock()
        self._frames: Deque[Tuple[int, Dict[str, Any]]] = collections.deque()
        self._statistics: Dict[int, Dict[str, Any]] = {}
        self._ended: Optional[Dict[str, Any]] = None
        self._gone = False
        self._run: Optional[Run] = None
        self._scene: Optional[Graph] = None
        self._wanted: Optional[Dict[str, Any]] = None
        self._picture: Optional[Picture] = None
        self._complaint = ""
        #: The newest messages of the engine: {"severity", "message", "node"?, "frame"?}.
        self.messages: Deque[Dict[str, Any]] = collections.deque(maxlen=1000)
        self.connection = Connection(address, token, program, threads, self._hear)

    @property
    def version(self) -> str:
        """Of the engine."""
        return str(self.connection.hello["version"])

    @property
    def devices(self) -> List[Dict[str, Any]]:
        """What it can compute on: {"id", "name", "memory" in bytes}."""
        return list(self.connection.hello["devices"])

    # Notifications, on the connection's thread

    def _hear(self, method: str, params: Dict[str, Any]) -> None:
        if method == "view.picture":
            self._take(params)
            return
        with self._changed:
            if method == "":
                self._gone = True
            elif method == "run.frame":
                self._frames.append((params["frame"], params["statistics"]))
                self._statistics[params["frame"]] = params["statistics"]
            elif method == "run.state":
                if params["state"] in _ENDS:
                    self._ended = params
            elif method == "run.progress":
                if self._run:
                    self._run._progress.update(
                        params["frame"] - self._run.first + params["fraction"],
                        f"frame {params['frame']}")
            elif method == "log":
                self.messages.append(params)
                if params["message"].startswith(_NO_PICTURE):
                    self._complaint = params["message"][len(_NO_PICTURE):]
            self._changed.notify_all()

    def _take(self, about: Dict[str, Any]) -> None:
        wanted = self._wanted
        picture = None
        if wanted and about["quality"] == "still" and all(
                about[name] == wanted[name] for name in ("frame", "width", "height")):
            try:
                if "data" in about:
                    pixels = decode_png(base64.b64decode(about["data"]))
                else:
                    pixels = _pixels(about)
                picture = Picture(pixels)
            except (OSError, ValueError, FloeError) as error:
                self._complaint = str(error)
        self.connection.tell("view.shown", sequence=about["sequence"])
        with self._changed:
            if picture is not None:
                self._picture = picture
            self._changed.notify_all()

    # Documents and runs

    def load(self, scene: Graph) -> List[Fault]:
        """Hands the session a graph. Returns its warnings.

        Raises:
            GraphError: it has errors.
        """
        answer = self.connection.call("document.set", document=scene.document,
                                      path=scene._location())
        faults = [Fault(fault) for fault in answer["faults"]]
        if any(fault.severity == "error" for fault in faults):
            raise graph_error(faults)
        self._scene = scene
        return faults

    def run(self, scene: Graph, frames: Optional[int] = None, *, resume_from: Optional[int] = None,
            resume_nodes: Optional[Mapping[str, int]] = None, fresh: bool = False, device: Optional[str] = None, output: Optional[str] = None,
            progress: Optional[bool] = None) -> Run:
        """Starts to simulate, after the frames that are up to date already.

        Args:
            frames: how many, from the graph's first on; without it, to its last.
            resume_from: go on from this frame with the graph as it is now, whatever has changed.
                Where there is no checkpoint of it, from an earlier one: see Run.resumed_from.
            resume_nodes: solvers that go on from their state after another frame, by name.
            fresh: simulate every frame again.
            device: "auto", "cpu", "cuda" or "cuda:N".
            output: run the nodes that write files, into this folder.
            progress: None shows it in terminals and notebooks.

        Raises:
            GraphError: the graph has errors.
            RequestError: the run cannot start; one is under way, for example.
        """
        if frames is not None and frames < 1:
            raise GraphError(f"'frames' is {frames}", cure="must be at least 1")
        self.connection.check_alive()
        if self._run is not None and self._ended is None:
            raise FloeError("a simulation runs already", cure="stop() it, or wait() for its end")
        self.load(scene)
        start: Dict[str, Any] = {}
        if frames is not None:
            start["to"] = scene.start + frames - 1
        if resume_from is not None:
            start["resumeFrom"] = resume_from
        if resume_nodes:
            start["resumeNodes"] = dict(resume_nodes)
        if fresh:
            start["from"] = scene.start
        if device is not None:
            start["device"] = device
        if output is not None:
            start["sinks"] = True
            start["output"] = os.path.abspath(output)
        with self._changed:
            self._frames.clear()
            self._ended = None
            self._run = None
        try:
            started = self.connection.call("run.start", **start)
        except BaseException:
            with self._changed:
                self._ended = {"state": "failed"}
            raise
        first = scene.start if resume_from is None else min(resume_from + 1, started["last"])
        self._run = Run(self, scene, first, started, progress)
        return self._run

    def set(self, node: str, parameter: str, value: Any) -> bool:
        """Changes a parameter, of the graph too. While a simulation runs, only those that are `live`
        in their manifest; it takes effect from its next frame on.

        Returns:
            Whether a running simulation takes it over.
        """
        if self._scene is None:
            raise FloeError("the session has no graph yet", cure="run() or load() one")
        if node in self._scene:
            value = self._scene[node]._check(parameter, value)
        answer = self.connection.call("control.set", node=node, parameter=parameter,
                                      value=plain(value))
        if node in self._scene:
            self._scene[node][parameter] = value
        return bool(answer["live"])

    def pose(self, poses: Mapping[str, Mapping[str, Sequence[float]]]) -> Dict[str, Any]:
        """Moves parts of an avatar, all at once: the protocol's pose.set; see floe.avatar.

        Args:
            poses: {"right_hand": {"position": (x, y, z), "orientation": (x, y, z, w)}, ...}, by node.

        Returns:
            {"live": whether a running simulation takes it over, "moved": nodes, "absent": names without one, "revision"}.
        """
        if self._scene is None:
            raise FloeError("the session has no graph yet", cure="run() or load() one")
        return dict(self.connection.call("pose.set", poses=plain(poses)))

    def frame(self, number: int) -> Frame:
        """A frame that was simulated."""
        if self._scene is None:
            raise FloeError("the session has no graph yet", cure="run() or load() one")
        return Frame(self, number, self._statistics.get(number, {}),
                     particle_outputs(self._scene), _cameras(self._scene))

    def _next(self, run: Run) -> Optional[Tuple[int, Dict[str, Any]]]:
        """The next frame of a run; None after its last."""
        wait_until(self._changed, lambda: bool(
            self._run is not run or self._frames or self._ended or self._gone))
        if self._run is not run:
            raise FloeError("another simulation was started", cure="iterate over that one")
        with self._changed:
            if self._frames:
                return self._frames.popleft()
            ended = self._ended
        if ended is None:
            self.connection.check_alive()
        assert ended is not None
        if ended["state"] == "failed":
            node = ended.get("node") or None
            said = [m for m in self.messages if m["severity"] == "error"]
            text = ended.get("message") or (said[-1]["message"] if said else "the simulation failed")
            raise RunError(text, node=node)
        return None

    def _stop(self, run: Run) -> None:
        if self._run is not run or self._ended or self._gone:
            return
        try:
            self.connection.call("run.stop")
        except FloeError:
            return
        wait_until(self._changed, lambda: bool(self._ended or self._gone), 60.0)

    def _draw(self, view: Dict[str, Any]) -> Picture:
        with self._drawing:
            with self._changed:
                self._picture = None
                patience = 10.0 if self._complaint else _PICTURE_SECONDS
                complaint, self._complaint = self._complaint, ""
                self._wanted = view
            try:
                self.connection.call("view.set", **view)
                came = wait_until(self._changed, lambda: bool(
                    self._picture or self._complaint or self._gone), patience)
                if self._picture is not None:
                    return self._picture
                self.connection.check_alive()
                if not came:
                    self._complaint = complaint
                raise FloeError("no picture: " + (self._complaint or "none came in time"))
            finally:
                self._wanted = None

    def close(self) -> None:
        """Ends it: the server that was started for it ends, and its frames are gone. Arrays remain."""
        self.connection.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<session at {self.connection.address}>"


class Watch:
    """Looks on at a session that another client steers, and changes nothing.

    Iterate over it: it hands out each frame that is simulated, until the session ends. Up to 8 may
    watch one session.

    Args:
        address: of the server, a socket's path or "HOST:PORT", as it printed it.
        token: what that server printed, over TCP.

    Raises:
        RequestError: as many watch as may; a wrong token.
    """

    def __init__(self, address: str, token: Optional[str] = None) -> None:
        self._changed = threading.Condition()
        self._frames: Deque[Tuple[int, Dict[str, Any]]] = collections.deque(maxlen=_WATCHED_FRAMES)
        self._gone = False
        #: The newest messages of the engine: {"severity", "message", "node"?, "frame"?}.
        self.messages: Deque[Dict[str, Any]] = collections.deque(maxlen=1000)
        self.connection = Connection(address, token, notify=self._hear, watch=True)

    def _hear(self, method: str, params: Dict[str, Any]) -> None:
        with self._changed:
            if method == "":
                self._gone = True
            elif method == "run.frame":
                self._frames.append((params["frame"], params["statistics"]))
            elif method == "log":
                self.messages.append(params)
            self._changed.notify_all()

    def __iter__(self) -> Iterator[Frame]:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: bool(self._frames or self._gone))
                if not self._frames:
                    return
                number, statistics = self._frames.popleft()
            yield Frame(self, number, statistics, None, ())

    def frame(self, number: int) -> Frame:
        """A frame that is there."""
        return Frame(self, number, {}, None, ())

    def _draw(self, view: Dict[str, Any]) -> Picture:
        return Picture(decode_png(base64.b64decode(self.connection.call("view.draw", **view)["data"])))

    def close(self) -> None:
        self.connection.close()

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<watches {self.connection.address}>"


def _pixels(about: Mapping[str, Any]) -> np.ndarray:
    """A copy: the slot is given back."""
    width, height, stride = about["width"], about["height"], about["stride"]
    memory = read_only_map(about["segment"])
    rows = np.frombuffer(memory, np.uint8, height * stride, about["offset"])
    return rows.reshape(height, stride)[:, :4 * width].reshape(height, width, 4).copy()


def typed_nodes(scene: Graph) -> Iterator[Tuple[str, str]]:
    """Every node, those in the graph's own subgraphs too: ("instance/node", type)."""
    subgraphs = scene.document.get("subgraphs", {})

    def walk(nodes: Mapping[str, Any], prefix: str, depth: int) -> Iterator[Tuple[str, str]]:
        for name, entry in nodes.items():
            if entry.get("bypass"):
                continue
            inner = subgraphs.get(entry.get("graph"))
            if inner is not None and depth < 8:
                yield from walk(inner.get("nodes", {}), f"{prefix}{name}/", depth + 1)
            else:
                yield prefix + name, entry.get("type", "")

    return walk(scene.document["nodes"], "", 0)


def particle_outputs(scene: Graph) -> List[Tuple[str, str]]:
    """Where solvers hand out particles that are not made of another solver's."""
    found = []
    for name, type_name in typed_nodes(scene):
        kind = scene.types[type_name] if type_name in scene.types else None
        if kind is None or kind.role != "solver" or \
                any("particles" in socket.kinds for socket in kind.inputs.values()):
            continue
        given = [s.name for s in kind.outputs.values() if "particles" in s.kinds]
        found += [(name, socket) for socket in given[:1]]  # the others describe it: states of bodies
    return found


def _cameras(scene: Graph) -> List[str]:
    return [name for name, type_name in typed_nodes(scene)
            if type_name in scene.types and
            any("camera" in s.kinds for s in scene.types[type_name].outputs.values())]
