"""A simulation for clients of rosbridge, without ROS on this machine: topics, and services of simulation_interfaces.

Topics are those of floe.ros, with the messages of ROS 2; bytes are in base64, as rosbridge has them.

| service | |
|---|---|
| /get_simulator_features | simulation_interfaces/srv/GetSimulatorFeatures |
| /get_simulation_state, /set_simulation_state | stopped, playing, paused |
| /step_simulation | so many frames, while paused; answers when they are done |
| /reset_simulation | back to the beginning, time and all |
| /rosapi/topics, /rosapi/services | what there is |
"""

import base64
import queue
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .driven import Driven
from .errors import FloeError
from .graph import Graph
from .ros import WORLD, Devices, intrinsics, optical, quaternion, table_of
from .rosbridge import Message, Refused, Server
from .session import Frame

STOPPED, PLAYING, PAUSED = 0, 1, 2
_NAMES = {STOPPED: "stopped", PLAYING: "playing", PAUSED: "paused"}
_UNSUPPORTED, _OK, _INCORRECT_STATE, _FAILED, _ALREADY = 0, 1, 3, 4, 101  # of simulation_interfaces/msg/Result
#: SIMULATION_RESET, _TIME, _STATE; SIMULATION_STATE_GETTING, _SETTING, _PAUSE; STEP_SIMULATION_SINGLE, _MULTIPLE
FEATURES = [20, 21, 22, 24, 25, 26, 31, 32]
_RESET_SCOPES = (0, 3, 7, 255)  # all; time and state; with what was spawned, of which there is nothing
_MAX_STEPS = 100_000
_DATATYPES = {"<f4": 7, "<u4": 6}  # of sensor_msgs/msg/PointField


class WebBridge:
    """Runs a graph for clients of rosbridge.

    Args:
        graph: with a solver, and the robots' colliders.
        robots: names of colliders that cmd_vel drives.
        cameras: names of cameras whose pictures are published.
        sensors: names of camera sensors whose depth is published.
        joints: names of hinges with a motor that joint_command drives.
        namespace: of the topics.
        size: of pictures, width and height.
        settle: frames before the first.
        limit: frames after that, until a reset.
        real_time: no faster than the clock on the wall, while it plays.
        paused: begin so.
        origins: places whose pages may connect, beside those of this machine.

    Raises:
        GraphError: one of them is not in the graph, or is something else.
    """

    def __init__(self, graph: Graph, robots: Sequence[str] = (), cameras: Sequence[str] = (), *,
                 sensors: Sequence[str] = (), joints: Sequence[str] = (), namespace: str = "/floe", size: Tuple[int, int] = (320, 240), settle: int = 1,
                 limit: int = 1000, real_time: bool = True, paused: bool = False,
                 origins: Sequence[str] = (), program: Optional[str] = None) -> None:
        self._size, self._seconds, self._real_time = size, 1.0 / graph.fps, real_time
        self._limit, self._first = limit, graph.start + settle - 1
        self._devices = Devices(graph, robots, cameras, sensors, joints)
        self._lock = threading.Lock()
        self.state = PAUSED if paused else PLAYING
        #: What clients asked for, for the thread that simulates: what to do, and where its answer goes.
        self._asked: "queue.Queue[Tuple[Callable[[], Message], queue.Queue[Any]]]" = queue.Queue(64)
        self._ended = threading.Event()
        space = namespace.rstrip("/")
        self._points = f"{space}/points"
        self._images = {name: (f"{space}/{name}/image", f"{space}/{name}/camera_info") for name in cameras}
        self._depths = {name: (f"{space}/{name}/depth", f"{space}/{name}/camera_info") for name in sensors}
        published = {"/clock": "rosgraph_msgs/msg/Clock", "/tf": "tf2_msgs/msg/TFMessage",
                     self._points: "sensor_msgs/msg/PointCloud2"}
        for image, info in (*self._images.values(), *self._depths.values()):
            published.update({image: "sensor_msgs/msg/Image", info: "sensor_msgs/msg/CameraInfo"})
        services = {name: (f"simulation_interfaces/srv/{kind}", self._on_thread(answer))
                    for name, kind, answer in (
                        ("/get_simulator_features", "GetSimulatorFeatures", self._features),
                        ("/get_simulation_state", "GetSimulationState", self._get_state),
                        ("/set_simulation_state", "SetSimulationState", self._set_state),
                        ("/step_simulation", "StepSimulation", self._step),
                        ("/reset_simulation", "ResetSimulation", self._reset))}
        taken = {f"{space}/{name}/cmd_vel": ("geometry_msgs/msg/Twist", self._drive(number))
                 for number, name in enumerate(robots)}
        if joints:
            taken[f"{space}/joint_command"] = ("sensor_msgs/msg/JointState", self._tell_joints)
        self.server = Server(published, taken, services, origins=origins)
        self._world = Driven(graph, settle, limit, program=program)
        self._frame: Optional[Frame] = None

    def _drive(self, number: int) -> Callable[[Message], None]:
        def take(message: Message) -> None:
            numbers = []
            for part, axis in (("linear", "x"), ("linear", "y"), ("angular", "z")):
                value = message.get(part, {})
                value = value.get(axis, 0.0) if isinstance(value, dict) else None
                if not isinstance(value, (int, float)) or isinstance(value, bool) or \
                        not abs(value) < 1e6:
                    raise Refused(f"'{part}.{axis}' is no velocity")
                numbers.append(float(value))
            with self._lock:
                self._devices.robots[number].command(*numbers)
        return take

    def _tell_joints(self, message: Message) -> None:
        lists = []
        for field, kind in (("name", str), ("velocity", (int, float)), ("effort", (int, float))):
            value = message.get(field) or []
            if not isinstance(value, list) or not all(
                    isinstance(entry, kind) and not isinstance(entry, bool) for entry in value) or \
                    not all(abs(entry) < 1e15 for entry in value if kind is not str):
                raise Refused(f"'{field}' is no list of {'names' if kind is str else 'numbers below 1e15'}")
            lists.append(value)
        try:
            with self._lock:
                self._devices.command_joints(*lists)
        except FloeError as error:
            raise Refused(str(error)) from None

    def _on_thread(self, answer: Callable[[Message], Message]) -> Callable[[Message], Message]:
        """A service that is done by the thread that simulates, between two frames."""
        def call(args: Message) -> Message:
            done: "queue.Queue[Any]" = queue.Queue(1)
            try:
                self._asked.put_nowait((lambda: answer(args), done))
            except queue.Full:
                raise Refused("too many calls wait") from None
            while True:
                try:
                    result = done.get(timeout=0.2)
                    break
                except queue.Empty:
                    if self._ended.is_set():
                        raise Refused("the simulation has ended") from None
            if isinstance(result, Exception):
                raise Refused(str(result))
            assert isinstance(result, dict)
            return result
        return call

    # The services

    def _features(self, _: Message) -> Message:
        return {"features": {"features": FEATURES, "spawn_formats": [], "custom_info":
                             "Floe: a step is a frame of the graph; robots are driven colliders"}}

    def _get_state(self, _: Message) -> Message:
        return {"state": {"state": self.state}, "result": _result(_OK)}

    def _set_state(self, args: Message) -> Message:
        wanted = args.get("state")
        wanted = wanted.get("state") if isinstance(wanted, dict) else wanted
        if isinstance(wanted, bool) or not isinstance(wanted, int) or wanted not in _NAMES:
            return {"result": _result(_UNSUPPORTED, "there are the states 0 (stopped), 1 (playing), 2 (paused)")}
        if wanted == self.state:
            return {"result": _result(_ALREADY, f"it is {_NAMES[wanted]} already")}
        if wanted == STOPPED:
            self._begin()
        self.state = wanted
        return {"result": _result(_OK)}

    def _step(self, args: Message) -> Message:
        if self.state == PLAYING:
            return {"result": _result(_INCORRECT_STATE, "it plays; pause it first")}
        steps = args.get("steps", 1)
        if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= _MAX_STEPS:
            return {"result": _result(_FAILED, f"'steps' must be a number from 1 to {_MAX_STEPS}")}
        if steps > self._left():
            return {"result": _result(_FAILED, f"{self._left()} frames are left; reset it, or allow more")}
        for _ in range(steps):
            if self._ended.is_set():
                return {"result": _result(_FAILED, "it has ended")}
            self._advance()
        if self.state == STOPPED:
            self.state = PAUSED
        return {"result": _result(_OK)}

    def _reset(self, args: Message) -> Message:
        scope = args.get("scope", 0)
        if isinstance(scope, bool) or scope not in _RESET_SCOPES:
            return {"result": _result(_UNSUPPORTED, "time and state are reset together: scope 0, 3, 7 or 255")}
        self._begin()
        return {"result": _result(_OK)}

    # The simulation

    def _left(self) -> int:
        assert self._frame is not None
        return self._first + self._limit - self._frame.number

    def _begin(self) -> None:
        with self._lock:
            self._devices.begin()
            values = self._devices.values()
        self._frame = self._world.reset(values)
        self._publish()

    def _advance(self) -> None:
        with self._lock:
            self._devices.advance(self._seconds)
            values = self._devices.values()
        self._frame = self._world.step(values)
        self._publish()

    def run(self, frames: Optional[int] = None) -> None:
        """Simulates, publishes and answers until close(), or until so many frames were played."""
        self._begin()
        next_time, played = time.monotonic(), 0
        while not self._ended.is_set() and (frames is None or played < frames):
            plays = self.state == PLAYING and self._left() > 0
            if self.state == PLAYING and not plays:
                self.state = PAUSED  # at its last frame
            wait = 0.2
            if plays:
                wait = max(0.0, next_time - time.monotonic()) if self._real_time else 0.0
            try:
                work, done = self._asked.get(timeout=wait) if wait > 0 else self._asked.get_nowait()
                try:
                    done.put(work())
                except FloeError as error:
                    done.put(error)
                next_time = max(next_time, time.monotonic())
                continue
            except queue.Empty:
                pass
            if plays:
                next_time = max(next_time, time.monotonic() - self._seconds) + self._seconds
                self._advance()
                played += 1

    def _publish(self) -> None:
        frame, server = self._frame, self.server
        assert frame is not None
        elapsed = (frame.number - self._first) * self._seconds
        stamp = {"sec": int(elapsed + 1e-9), "nanosec": int(round((elapsed - int(elapsed + 1e-9)) * 1e9)) % 10 ** 9}

        def header(frame_id: str) -> Message:
            return {"stamp": stamp, "frame_id": frame_id}

        server.publish("/clock", {"clock": stamp})
        if server.wanted("/tf"):
            server.publish("/tf", {"transforms": [_transform(header(WORLD), *about)
                                                  for about in self._devices.transforms(frame)]})
        if server.wanted(self._points):
            table = table_of(frame)
            assert table.dtype.fields is not None
            server.publish(self._points, {
                "header": header(WORLD), "height": 1, "width": len(table), "fields": [
                    {"name": name, "offset": offset, "datatype": _DATATYPES[kind.str], "count": 1}
                    for name, (kind, offset) in ((n, f[:2]) for n, f in table.dtype.fields.items())],
                "is_bigendian": False, "point_step": table.itemsize, "row_step": table.nbytes,
                "data": _base64(table.tobytes()), "is_dense": True})
        for name, (image, info) in self._images.items():
            if server.wanted(info):
                server.publish(info, self._info(header(optical(name)), name, self._size))
            if server.wanted(image):
                pixels = np.ascontiguousarray(frame.draw(*self._size, camera=name).pixels[:, :, :3])
                server.publish(image, _image(header(optical(name)), pixels, "rgb8"))
        for name, (image, info) in self._depths.items():
            if server.wanted(info):
                server.publish(info, self._info(header(optical(name)), name, self._devices.sizes[name]))
            if server.wanted(image):
                server.publish(image, _image(header(optical(name)), self._devices.depth(frame, name), "32FC1"))

    def _info(self, header: Message, camera: str, size: Tuple[int, int]) -> Message:
        width, height = size
        focal = intrinsics(height, self._devices.views[camera])
        return {"header": header, "width": width, "height": height, "distortion_model": "plumb_bob",
                "d": [0.0] * 5, "k": [focal, 0, width / 2, 0, focal, height / 2, 0, 0, 1],
                "r": [1, 0, 0, 0, 1, 0, 0, 0, 1],
                "p": [focal, 0, width / 2, 0, 0, focal, height / 2, 0, 0, 0, 1, 0]}

    def close(self) -> None:
        """Ends run(), cuts clients off and ends the session."""
        self._ended.set()
        self.server.close()
        self._world.close()

    def __enter__(self) -> "WebBridge":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _result(number: int, text: str = "") -> Message:
    return {"result": number, "error_message": text}


def _image(header: Message, pixels: np.ndarray, encoding: str) -> Message:
    return {"header": header, "height": pixels.shape[0], "width": pixels.shape[1], "encoding": encoding,
            "is_bigendian": 0, "step": pixels.strides[0], "data": _base64(pixels.tobytes())}


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _transform(header: Message, child: str, place: np.ndarray, rotation: np.ndarray) -> Message:
    x, y, z, w = quaternion(rotation)
    return {"header": header, "child_frame_id": child, "transform": {
        "translation": dict(zip("xyz", (float(c) for c in place))), "rotation": {"x": x, "y": y, "z": z, "w": w}}}

