"""A simulation as a node of ROS: clock, points, pictures, depth and tf come out, velocities of robots and of joints go in.

    floe ros scene.floe.json --robot blade --camera camera
    floe ros arm.floe.json --joint shoulder --sensor depth_camera
    floe ros scene.floe.json --robot blade --rosbridge 9090      # for clients of rosbridge; needs no ROS

The first needs rospy of ROS 1 (Debian: python3-rospy python3-sensor-msgs python3-geometry-msgs python3-rosgraph-msgs
python3-tf2-msgs). Axes are those of ROS (REP 103): x forward, y left, z up; Floe's y is up, so what ROS calls (x, y, z)
is Floe's (x, z, -y).

| topic | |
|---|---|
| /clock | rosgraph_msgs/Clock: simulated time |
| NAMESPACE/points | sensor_msgs/PointCloud2: x, y, z, vx, vy, vz, material of the particles |
| NAMESPACE/CAMERA/image, .../camera_info | sensor_msgs/Image (rgb8) and CameraInfo of each camera |
| NAMESPACE/SENSOR/depth, .../camera_info | sensor_msgs/Image (32FC1, metres along the view, NaN where nothing is) of each camera sensor |
| /tf | of each robot, each camera's optical frame, and each body of PBD solvers (SOLVER/body_0, ...), in the frame "world" |
| NAMESPACE/ROBOT/cmd_vel | geometry_msgs/Twist, in: linear.x, linear.y and angular.z of a robot |
| NAMESPACE/joint_command | sensor_msgs/JointState, in: velocities [rad/s] and, where given, largest efforts [N m] of joints by name |

A robot is a collider that stands on the ground: its position and the rotation about the vertical are driven. A velocity
holds until the next one, or until half a second of simulated time has passed. A joint is a hinge of a PBD solver with a motor; what it
is told holds until it is told something else.
"""

import argparse
import math
import sys
import threading
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .driven import Driven
from .errors import FloeError, GraphError
from .graph import Graph
from .manifest import nearest
from .session import Frame

WORLD = "world"
_HOLD_SECONDS = 0.5
_MAX_BODIES = 1000  # of a solver, in tf
#: From Floe's axes to those of ROS.
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])


def to_ros(vectors: np.ndarray) -> np.ndarray:
    """Vectors (..., 3) in the axes of ROS.

    >>> from floe.ros import to_ros
    >>> import numpy as np
    >>> to_ros(np.array([1.0, 2.0, 3.0])).tolist()
    [1.0, -3.0, 2.0]
    """
    return np.asarray(vectors @ AXES.T)


def quaternion(rotation: np.ndarray) -> Tuple[float, float, float, float]:
    """x, y, z, w of a rotation matrix (Shepperd 1978)."""
    m = np.asarray(rotation, float)
    squares = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2],
                        1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + m[0, 0] + m[1, 1] + m[2, 2]])
    largest = int(np.argmax(squares))
    q = {0: (squares[0], m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] - m[1, 2]),
         1: (m[1, 0] + m[0, 1], squares[1], m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]),
         2: (m[0, 2] + m[2, 0], m[2, 1] + m[1, 2], squares[2], m[1, 0] - m[0, 1]),
         3: (m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], squares[3])}[largest]
    length = math.sqrt(sum(c * c for c in q))
    return q[0] / length, q[1] / length, q[2] / length, q[3] / length


class Robot:
    """A driven collider, by velocities in its own axes.

    Args:
        position: of the collider [m], in Floe's axes.
        rotation: of the collider, about x, y and z [degrees]; only that about y changes.
    """

    def __init__(self, name: str, position: Sequence[float], rotation: Sequence[float]) -> None:
        self.name = name
        self.position = np.array(position, float)
        self.rotation = np.array(rotation, float)
        self._velocity = np.zeros(3)  # forward, left, turning to the left [m/s, m/s, 1/s]
        self._left = 0.0  # seconds that it holds

    def command(self, forward: float, left: float, turn: float) -> None:
        """Takes a velocity; one that is not finite stops it."""
        wanted = np.array([forward, left, turn], float)
        self._velocity = wanted if np.all(np.isfinite(wanted)) else np.zeros(3)
        self._left = _HOLD_SECONDS

    def advance(self, seconds: float) -> None:
        """Moves along the arc that its velocity makes."""
        if self._left < seconds - 1e-9:
            self._velocity = np.zeros(3)
        self._left = max(0.0, self._left - seconds)
        turned = float(self._velocity[2]) * seconds
        heading = math.radians(self.rotation[1])
        # The chord of the arc: sin(a/2) / (a/2) of its length, at half the turn.
        chord = math.sin(turned / 2) / (turned / 2) if abs(turned) > 1e-9 else 1.0
        middle = heading + turned / 2
        forward, left = self._velocity[:2] * seconds * chord
        self.position[0] += forward * math.cos(middle) - left * math.sin(middle)
        self.position[2] -= forward * math.sin(middle) + left * math.cos(middle)
        self.rotation[1] += math.degrees(turned)

    def values(self) -> Dict[str, Any]:
        """Of the driven parameters."""
        return {f"{self.name}.position": [float(c) for c in self.position],
                f"{self.name}.rotation": [float(c) for c in self.rotation]}


class Joint:
    """A hinge with a motor.

    Args:
        speed: of the motor [deg/s].
        torque: the most that it has [N m].
    """

    def __init__(self, name: str, speed: float, torque: float) -> None:
        self.name, self.speed, self.torque = name, speed, torque

    def command(self, velocity: Optional[float], effort: Optional[float]) -> None:
        """Takes a velocity [rad/s] and a largest torque [N m]; None leaves what it is, a velocity that is not finite stops."""
        if velocity is not None:
            self.speed = math.degrees(min(max(velocity, -1e6), 1e6)) if math.isfinite(velocity) else 0.0
        if effort is not None and math.isfinite(effort):
            self.torque = min(abs(effort), 1e15)

    def values(self) -> Dict[str, Any]:
        """Of the driven parameters."""
        return {f"{self.name}.speed": self.speed, f"{self.name}.torque": self.torque}


class Devices:
    """What a graph shows to ROS and takes from it.

    Raises:
        GraphError: a node is missing, or is not what it is named as.
    """

    def __init__(self, graph: Graph, robots: Sequence[str], cameras: Sequence[str], sensors: Sequence[str],
                 joints: Sequence[str]) -> None:
        for name in (*robots, *cameras, *sensors, *joints):
            if name not in graph:
                raise GraphError(f"there is no node '{name}'", node=name,
                                 cure=nearest(name, graph.document["nodes"]))
        self._robots = [(name, graph[name]["position"], graph[name]["rotation"]) for name in robots]
        self._joints = [(name, *_motor(graph, name)) for name in joints]
        #: Where each camera and each sensor looks from.
        self.views = {**{name: graph[name].parameters for name in cameras},
                      **{name: graph[_camera_of(graph, name)].parameters for name in sensors}}
        #: Width and height of each sensor's pictures.
        self.sizes = {name: (int(graph[name]["width"]), int(graph[name]["height"])) for name in sensors}
        self._solvers = [node.node_name for node in graph.nodes.values()
                         if node._entry().get("type") == "floe.pbd.solver"]
        self.begin()

    def begin(self) -> None:
        """Puts robots and joints where the graph has them."""
        self.robots = [Robot(*about) for about in self._robots]
        self.joints = {about[0]: Joint(*about) for about in self._joints}

    def advance(self, seconds: float) -> None:
        """Moves the robots."""
        for robot in self.robots:
            robot.advance(seconds)

    def values(self) -> Dict[str, Any]:
        """Of all driven parameters."""
        made: Dict[str, Any] = {}
        for robot in self.robots:
            made.update(robot.values())
        for joint in self.joints.values():
            made.update(joint.values())
        return made

    def command_joints(self, names: Sequence[str], velocities: Sequence[float], efforts: Sequence[float]) -> None:
        """Takes a JointState.

        Raises:
            FloeError: it names no joint, or as many velocities or efforts as names are not there.
        """
        for numbers, word in ((velocities, "velocities"), (efforts, "efforts")):
            if numbers and len(numbers) != len(names):
                raise FloeError(f"{len(numbers)} {word} for {len(names)} joints", cure="one for each name")
        if names and not velocities and not efforts:
            raise FloeError("motors take velocities and efforts, not positions",
                            cure="close the loop over /tf, or send velocities")
        for name in names:
            if name not in self.joints:
                raise FloeError(f"there is no joint '{name}'", cure=nearest(name, self.joints))
        for number, name in enumerate(names):
            self.joints[name].command(velocities[number] if velocities else None,
                                      efforts[number] if efforts else None)

    def transforms(self, frame: Frame) -> List[Tuple[str, np.ndarray, np.ndarray]]:
        """Name, place and rotation of everything that moves, in the world of ROS."""
        made = [(robot.name, to_ros(robot.position), AXES @ rotation_matrix(robot.rotation) @ AXES.T)
                for robot in self.robots]
        made += [(optical(name), to_ros(np.array(about["eye"], float)), looking(about))
                 for name, about in self.views.items()]
        for solver in self._solvers:
            states = frame.value(f"{solver}.states")
            if 0 < states.count <= _MAX_BODIES:
                about = states.fetch("x", "orientation", "id")
                made += [(f"{solver}/body_{int(number)}", to_ros(place.astype(float)),
                          AXES @ turned(turn.astype(float)) @ AXES.T)
                         for place, turn, number in zip(about["x"], about["orientation"], about["id"])]
        return made

    def depth(self, frame: Frame, sensor: str) -> np.ndarray:
        """A sensor's picture: distance along its view [m], NaN where nothing is; (height, width), little-endian."""
        width, height = self.sizes[sensor]
        pixels = frame.value(f"{sensor}.pixels").fetch("pixel", "depth")
        made = np.full(width * height, np.nan, "<f4")
        made[pixels["pixel"]] = pixels["depth"]
        return made.reshape(height, width)


def _motor(graph: Graph, name: str) -> Tuple[float, float]:
    if graph[name]._entry().get("type") != "floe.pbd.joint":
        raise GraphError(f"'{name}' is no joint", node=name, cure="name a node floe.pbd.joint")
    if graph[name]["kind"] != "hinge" or not graph[name]["motor"]:
        raise GraphError(f"joint '{name}' has no motor", node=name, field="motor",
                         cure="make it a hinge, and switch its motor on")
    if isinstance(graph[name]["speed"], dict) or isinstance(graph[name]["torque"], dict):
        raise GraphError(f"the motor of joint '{name}' has keys", node=name, field="speed",
                         cure="give it plain numbers, which commands then change")
    return float(graph[name]["speed"]), float(graph[name]["torque"])


def _camera_of(graph: Graph, sensor: str) -> str:
    if graph[sensor]._entry().get("type") != "floe.sensor.camera":
        raise GraphError(f"'{sensor}' is no camera sensor", node=sensor, cure="name a node floe.sensor.camera")
    for source, target in graph.links:
        if target == f"{sensor}.camera":
            return source.rpartition(".")[0]
    raise GraphError(f"sensor '{sensor}' has no camera", node=sensor, field="camera", cure="link a camera to it")


class Bridge:
    """Runs a graph as a node of ROS.

    Args:
        graph: with a solver, and the robots' colliders.
        robots: names of colliders that cmd_vel drives.
        cameras: names of cameras whose pictures are published.
        sensors: names of camera sensors whose depth is published.
        joints: names of hinges with a motor that joint_command drives.
        namespace: of the topics.
        size: of pictures, width and height.
        settle: frames before the first that is published.
        limit: frames that can be published.

    Raises:
        FloeError: rospy is missing, or no ROS master answers.
        GraphError: one of them is not in the graph, or is something else.
    """

    def __init__(self, graph: Graph, robots: Sequence[str] = (), cameras: Sequence[str] = (), *,
                 sensors: Sequence[str] = (), joints: Sequence[str] = (), namespace: str = "/floe", size: Tuple[int, int] = (320, 240), settle: int = 1,
                 limit: int = 1000, program: Optional[str] = None) -> None:
        try:
            import rospy  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from geometry_msgs.msg import TransformStamped, Twist  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from rosgraph_msgs.msg import Clock  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from sensor_msgs.msg import CameraInfo, Image, JointState, PointCloud2, PointField  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from tf2_msgs.msg import TFMessage  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError as error:
            raise FloeError(f"a node of ROS needs rospy: {error}", cure="apt-get install python3-rospy "
                            "python3-sensor-msgs python3-geometry-msgs python3-rosgraph-msgs "
                            "python3-tf2-msgs") from error
        self._types = {"clock": Clock, "image": Image, "info": CameraInfo, "cloud": PointCloud2,
                       "field": PointField, "tf": TFMessage, "transform": TransformStamped}
        self._ros = rospy
        self._size = size
        self._seconds = 1.0 / graph.fps
        self._devices = Devices(graph, robots, cameras, sensors, joints)
        self._cameras = cameras
        self._lock = threading.Lock()
        self._world = Driven(graph, settle, limit, program=program)
        self._first = graph.start + settle - 1
        try:
            self._join(namespace.rstrip("/"), Twist, JointState)
        except BaseException:
            self._world.close()
            raise

    def _join(self, namespace: str, twist: Any, joint_state: Any) -> None:
        import rosgraph  # type: ignore[import-not-found,import-untyped,unused-ignore]
        if not rosgraph.is_master_online():
            raise FloeError("no ROS master answers", cure="start roscore, or set ROS_MASTER_URI")
        rospy = self._ros
        if not rospy.core.is_initialized():
            rospy.init_node("floe", anonymous=True, disable_signals=True)

        def publisher(topic: str, kind: str) -> Any:
            return rospy.Publisher(topic, self._types[kind], queue_size=2)

        self._clock, self._tf = publisher("/clock", "clock"), publisher("/tf", "tf")
        self._points = publisher(f"{namespace}/points", "cloud")
        self._images = {name: (publisher(f"{namespace}/{name}/image", "image"),
                               publisher(f"{namespace}/{name}/camera_info", "info"))
                        for name in self._cameras}
        self._depths = {name: (publisher(f"{namespace}/{name}/depth", "image"),
                               publisher(f"{namespace}/{name}/camera_info", "info"))
                        for name in self._devices.sizes}
        self._subscribers = [rospy.Subscriber(f"{namespace}/{robot.name}/cmd_vel", twist, self._heard,
                                              robot) for robot in self._devices.robots]
        if self._devices.joints:
            self._subscribers.append(rospy.Subscriber(f"{namespace}/joint_command", joint_state, self._told))

    def _heard(self, message: Any, robot: Robot) -> None:
        with self._lock:
            robot.command(message.linear.x, message.linear.y, message.angular.z)

    def _told(self, message: Any) -> None:
        try:
            with self._lock:
                self._devices.command_joints(message.name, message.velocity, message.effort)
        except FloeError as error:
            self._ros.logerr("joint_command: %s", error)

    def run(self, frames: int, real_time: bool = False) -> None:
        """Simulates and publishes frames, the first without any motion.

        Args:
            real_time: no faster than the clock on the wall.
        """
        frame = self._world.reset(self._devices.values())
        begun = time.monotonic()
        for number in range(frames):
            if number > 0:
                with self._lock:
                    self._devices.advance(self._seconds)
                    values = self._devices.values()
                frame = self._world.step(values)
            self.publish(frame)
            if real_time:
                time.sleep(max(0.0, begun + (number + 1) * self._seconds - time.monotonic()))
            if self._ros.is_shutdown():
                return

    def publish(self, frame: Frame) -> None:
        """Sends everything about a frame, the clock first."""
        stamp = self._ros.Time.from_sec((frame.number - self._first) * self._seconds)
        self._clock.publish(self._types["clock"](clock=stamp))
        self._tf.publish(self._types["tf"](transforms=[
            self._transform(stamp, *about) for about in self._devices.transforms(frame)]))
        self._points.publish(self._cloud(frame, stamp))
        for name, (image, info) in self._images.items():
            if image.get_num_connections() or info.get_num_connections():
                pixels = np.ascontiguousarray(frame.draw(*self._size, camera=name).pixels[:, :, :3])
                image.publish(self._image(pixels, "rgb8", stamp, name))
                info.publish(self._info(stamp, name, self._size))
        for name, (image, info) in self._depths.items():
            if image.get_num_connections() or info.get_num_connections():
                image.publish(self._image(self._devices.depth(frame, name), "32FC1", stamp, name))
                info.publish(self._info(stamp, name, self._devices.sizes[name]))

    def _header(self, message: Any, stamp: Any, frame_id: str) -> Any:
        message.header.stamp, message.header.frame_id = stamp, frame_id
        return message

    def _transform(self, stamp: Any, child: str, place: np.ndarray, rotation: np.ndarray) -> Any:
        message = self._header(self._types["transform"](), stamp, WORLD)
        message.child_frame_id = child
        target = message.transform.translation
        target.x, target.y, target.z = (float(c) for c in place)
        turn = message.transform.rotation
        turn.x, turn.y, turn.z, turn.w = quaternion(rotation)
        return message

    def _cloud(self, frame: Frame, stamp: Any) -> Any:
        table = table_of(frame)
        row = table.dtype
        message = self._header(self._types["cloud"](), stamp, WORLD)
        field = self._types["field"]
        message.fields = [field(name, row.fields[name][1],  # type: ignore[index]
                                field.UINT32 if name == "material" else field.FLOAT32, 1)
                          for name in row.names or ()]
        message.height, message.width = 1, len(table)
        message.point_step, message.row_step = row.itemsize, row.itemsize * len(table)
        message.is_dense, message.data = True, table.tobytes()
        return message

    def _image(self, pixels: np.ndarray, encoding: str, stamp: Any, camera: str) -> Any:
        message = self._header(self._types["image"](), stamp, optical(camera))
        message.height, message.width = pixels.shape[:2]
        message.encoding, message.step, message.data = encoding, pixels.strides[0], pixels.tobytes()
        return message

    def _info(self, stamp: Any, camera: str, size: Tuple[int, int]) -> Any:
        width, height = size
        focal = intrinsics(height, self._devices.views[camera])
        message = self._header(self._types["info"](), stamp, optical(camera))
        message.width, message.height, message.distortion_model = width, height, "plumb_bob"
        message.D = [0.0] * 5
        message.K = [focal, 0, width / 2, 0, focal, height / 2, 0, 0, 1]
        message.R = [1, 0, 0, 0, 1, 0, 0, 0, 1]
        message.P = [focal, 0, width / 2, 0, 0, focal, height / 2, 0, 0, 0, 1, 0]
        return message

    def close(self) -> None:
        """Ends the session and the subscriptions; the node remains until the process ends."""
        for subscriber in self._subscribers:
            subscriber.unregister()
        self._world.close()

    def __enter__(self) -> "Bridge":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def table_of(frame: Frame) -> np.ndarray:
    """The particles as rows of a PointCloud2."""
    arrays = frame.particles.fetch("x", "v", "material")
    names = ("x", "y", "z", "vx", "vy", "vz")
    table = np.empty(len(arrays["x"]), [*((name, "<f4") for name in names), ("material", "<u4")])
    for name, column in zip(names, np.concatenate(
            [to_ros(arrays["x"]), to_ros(arrays["v"])], axis=1).T):
        table[name] = column
    table["material"] = arrays["material"]
    return table


def intrinsics(height: int, camera: Mapping[str, Any]) -> float:
    """The focal length of a camera [pixels]."""
    return float(height / 2 / math.tan(math.radians(camera["fieldOfView"]) / 2))


def optical(camera: str) -> str:
    """The frame of a camera: x right, y down, z ahead."""
    return f"{camera}_optical_frame"


def rotation_matrix(degrees: np.ndarray) -> np.ndarray:
    """A collider's: about x, then y, then z."""
    made = np.eye(3)
    for axis, angle in enumerate(np.radians(degrees)):
        c, s = math.cos(angle), math.sin(angle)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        one = np.eye(3)
        one[i, i] = one[j, j] = c
        one[i, j], one[j, i] = -s, s
        made = one @ made
    return made


def turned(quaternion: np.ndarray) -> np.ndarray:
    """The rotation matrix of x, y, z, w."""
    axis, w = quaternion[:3], quaternion[3]
    cross = np.array([[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]])
    return np.asarray(np.eye(3) + 2 * (w * cross + cross @ cross))


def looking(camera: Mapping[str, Any]) -> np.ndarray:
    """A camera's optical axes (x right, y down, z ahead) as columns, in the world of ROS."""
    eye, target, up = (to_ros(np.array(camera[name], float)) for name in ("eye", "target", "up"))
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, up)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(ahead, right), ahead], axis=1)


def _serve(options: argparse.Namespace, size: Tuple[int, int]) -> int:
    from .ros_web import WebBridge
    with WebBridge(Graph.open(options.graph), options.robot, options.camera, sensors=options.sensor,
                   joints=options.joint, namespace=options.namespace,
                   size=size, settle=options.settle, limit=options.frames, real_time=not options.fast,
                   paused=options.paused, origins=options.origin) as bridge:
        for address, framed, scheme in ((options.rosbridge, True, "ws"), (options.rosbridge_tcp, False, "tcp")):
            if address:
                where = bridge.server.listen(address, framed)
                print(f"{scheme}://{where}", flush=True)
                if not where.startswith(("127.", "[::1]")):
                    print(f"warning: whoever reaches {where} can read and drive this simulation",
                          file=sys.stderr)
        bridge.run()
    return 0


def main(arguments: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="floe ros", description="Runs a graph as a node of ROS: clock, points, pictures, depth and "
        "tf out, velocities of robots and joints in.")
    parser.add_argument("graph", help="graph file (*.floe.json)")
    parser.add_argument("--robot", action="append", default=[], metavar="NODE",
                        help="collider that NAMESPACE/NODE/cmd_vel drives; may be given many times")
    parser.add_argument("--camera", action="append", default=[], metavar="NODE",
                        help="camera whose pictures are published; may be given many times")
    parser.add_argument("--sensor", action="append", default=[], metavar="NODE",
                        help="camera sensor whose depth is published; may be given many times")
    parser.add_argument("--joint", action="append", default=[], metavar="NODE",
                        help="hinge with a motor that NAMESPACE/joint_command drives; may be given many times")
    parser.add_argument("--namespace", default="/floe")
    parser.add_argument("--frames", type=int, default=1000, help="how many (1000)")
    parser.add_argument("--settle", type=int, default=1, help="frames before the first that is published")
    parser.add_argument("--size", default="320x240", metavar="WxH", help="of pictures (320x240)")
    parser.add_argument("--fast", action="store_true", help="as fast as it can, not in real time")
    parser.add_argument("--rosbridge", metavar="[HOST:]PORT",
                        help="serve clients of rosbridge over WebSocket instead, without ROS on this machine; "
                        "without a host, on this machine only")
    parser.add_argument("--rosbridge-tcp", metavar="[HOST:]PORT", help="the same over TCP")
    parser.add_argument("--paused", action="store_true", help="rosbridge: begin paused")
    parser.add_argument("--origin", action="append", default=[], metavar="URL",
                        help="rosbridge: pages of this place may connect, beside those of this machine")
    options = parser.parse_args(arguments)
    try:
        width, cross, height = options.size.partition("x")
        if not (cross and width.isdigit() and height.isdigit()):
            raise FloeError(f"'{options.size}' is no size", cure="write WIDTHxHEIGHT")
        if options.rosbridge or options.rosbridge_tcp:
            return _serve(options, (int(width), int(height)))
        with Bridge(Graph.open(options.graph), options.robot, options.camera, sensors=options.sensor,
                    joints=options.joint, namespace=options.namespace, size=(int(width), int(height)),
                    settle=options.settle, limit=options.frames) as bridge:
            bridge.run(options.frames, not options.fast)
    except (FloeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 3 if isinstance(error, ValueError) else 1
    except KeyboardInterrupt:
        return 130
    finally:
        if "rospy" in sys.modules:  # its threads would keep the process
            sys.modules["rospy"].signal_shutdown("done")
    return 0


if __name__ == "__main__":
    sys.exit(main())
