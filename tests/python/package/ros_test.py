"""The node of ROS: its geometry anywhere, and with a real master what a listener hears and a robot does."""

import math
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

from scene import Case, arm, ball, floe, main
from floe import ros

try:
    import rospy
    from geometry_msgs.msg import Twist
    from rosgraph_msgs.msg import Clock
    from sensor_msgs.msg import CameraInfo, Image, JointState, PointCloud2
    from tf2_msgs.msg import TFMessage
except ImportError:
    rospy = None
MASTER = shutil.which("rosmaster")


class Geometry(Case):
    def test_robots_drive_along_arcs(self):
        robot = ros.Robot("r", [1.0, 0.0, 2.0], [0.0, 0.0, 0.0])
        for _ in range(24):  # half a circle to the left, with a radius of 1 m
            robot.command(math.pi, 0.0, math.pi)
            robot.advance(1 / 24)
        # Floe's -z is left of +x.
        np.testing.assert_allclose(robot.position, [1.0, 0.0, 0.0], atol=1e-12)
        self.assertAlmostEqual(robot.rotation[1], 180.0)
        robot.command(0.0, 1.0, 0.0)  # sideways; it looks along -x now, so its left is +z
        robot.advance(0.25)
        np.testing.assert_allclose(robot.position, [1.0, 0.0, 0.25], atol=1e-12)
        robot.advance(0.25)
        robot.advance(0.25)  # half a second is over
        np.testing.assert_allclose(robot.position, [1.0, 0.0, 0.5], atol=1e-12)
        robot.command(math.nan, 0.0, 0.0)
        robot.advance(0.25)
        np.testing.assert_allclose(robot.position, [1.0, 0.0, 0.5], atol=1e-12)

    def test_quaternions_turn_as_their_matrices_do(self):
        source = np.random.default_rng(1)
        for _ in range(50):
            matrix = ros.rotation_matrix(source.uniform(-400, 400, 3))
            x, y, z, w = ros.quaternion(matrix)
            vector, axis = source.standard_normal(3), np.array([x, y, z])
            turned = vector + 2 * np.cross(axis, np.cross(axis, vector) + w * vector)
            np.testing.assert_allclose(turned, matrix @ vector, atol=1e-12)

    def test_a_cameras_optical_axes(self):
        axes = ros.looking({"eye": [0, 0, 4], "target": [0, 0, 0], "up": [0, 1, 0]})
        # It looks along Floe's -z, which is left (+y) in ROS; its right is +x, its down is -z.
        np.testing.assert_allclose(axes, [[1, 0, 0], [0, 0, 1], [0, -1, 0]], atol=1e-12)


class Devices(Case):
    def test_nodes_that_are_something_else_are_refused(self):
        scene = arm()
        for robots, cameras, sensors, joints, said in (
                (["bra"], [], [], [], "there is no node 'bra'; did you mean 'bar'?"),
                ([], [], ["above"], [], "'above' is no camera sensor"), ([], [], [], ["bar"], "'bar' is no joint")):
            with self.assertRaises(floe.GraphError) as caught:
                ros.Devices(scene, robots, cameras, sensors, joints)
            self.assertIn(said, str(caught.exception))
        scene["axle"].motor = False
        with self.assertRaisesRegex(floe.GraphError, "has no motor"):
            ros.Devices(scene, [], [], [], ["axle"])
        scene.unlink("above.camera", "eye.camera")
        with self.assertRaisesRegex(floe.GraphError, "link a camera"):
            ros.Devices(scene, [], [], ["eye"], [])

    def test_commands_of_joints(self):
        devices = ros.Devices(arm(speed=10.0), [], [], [], ["axle"])
        self.assertEqual(devices.values(), {"axle.speed": 10.0, "axle.torque": 1000.0})
        devices.command_joints(["axle"], [math.pi], [])
        self.assertEqual(devices.values(), {"axle.speed": 180.0, "axle.torque": 1000.0})
        devices.command_joints(["axle"], [], [20.0])
        self.assertEqual(devices.values(), {"axle.speed": 180.0, "axle.torque": 20.0})
        for names, velocities, efforts, said in ((["axel"], [1.0], [], "no joint 'axel'"), (["axle"], [], [], "not positions"),
                                                 (["axle"], [1.0, 2.0], [], "2 velocities for 1 joints")):
            with self.assertRaisesRegex(floe.FloeError, said):
                devices.command_joints(names, velocities, efforts)
        devices.command_joints(["axle"], [math.nan], [math.inf])
        self.assertEqual(devices.values(), {"axle.speed": 0.0, "axle.torque": 20.0})
        devices.begin()
        self.assertEqual(devices.values(), {"axle.speed": 10.0, "axle.torque": 1000.0})


@unittest.skipUnless(rospy and MASTER, "ROS is not installed: apt-get install python3-rospy "
                     "python3-rosmaster python3-sensor-msgs python3-tf2-msgs")
class WithAMaster(Case):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory(prefix="floe-ros-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_HOSTNAME="127.0.0.1",
                          ROS_LOG_DIR=cls.place.name, ROS_HOME=cls.place.name)
        cls.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(
            [str(pathlib.Path(floe.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])}
        scene = ball()
        scene.save(pathlib.Path(cls.place.name) / "scene.floe.json")
        alone = subprocess.run([sys.executable, "-m", "floe.ros", f"{cls.place.name}/scene.floe.json"],
                               env=cls.environment, capture_output=True, text=True)
        cls.without_a_master = (alone.returncode, alone.stderr)
        cls.master = subprocess.Popen([MASTER, "--core", "-p", str(port)], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL)
        import rosgraph
        end = time.monotonic() + 30
        while not rosgraph.is_master_online() and time.monotonic() < end:
            time.sleep(0.05)
        rospy.init_node("listener", disable_signals=True)

    @classmethod
    def tearDownClass(cls):
        rospy.signal_shutdown("done")
        cls.master.send_signal(signal.SIGINT)
        cls.master.wait()
        cls.place.cleanup()

    def bridge(self, scene, *options):
        """`floe ros` of a graph, as a process."""
        scene.save(self.folder / "scene.floe.json")
        return subprocess.Popen([sys.executable, "-m", "floe.ros", str(self.folder / "scene.floe.json"),
                                 "--namespace", "/lab", *options], env=self.environment)

    def listen(self, **topics):
        """What is heard from now on, by topic."""
        heard = {}
        for topic, kind in topics.items():
            topic = "/" + topic.replace("__", "/")
            heard[topic] = []
            subscriber = rospy.Subscriber(topic, kind, heard[topic].append)
            self.addCleanup(subscriber.unregister)
        return heard

    def test_it_says_that_no_master_answers(self):
        self.assertEqual(self.without_a_master[0], 1)
        self.assertIn("start roscore", self.without_a_master[1])

    def test_a_listener_hears_and_a_robot_moves(self):
        scene = ball(end=1, height=30.0)
        for name, turn in (("one", 90), ("other", 0)):
            scene.add("floe.shape.box", f"{name}_shape", size=(0.2, 0.2, 0.2), voxelSize=0.05)
            scene.add("floe.collider", name, position=(2, 0.1, 0), rotation=(0, turn, 0))
            scene.link(f"{name}_shape.shape", f"{name}.shape")
            scene.link(f"{name}.collider", "solver.colliders")
        heard = self.listen(clock=Clock, tf=TFMessage, lab__points=PointCloud2, lab__front__image=Image,
                            lab__front__camera_info=CameraInfo)
        velocity = rospy.Publisher("/lab/one/cmd_vel", Twist, queue_size=1, latch=True)
        forward = Twist()
        forward.linear.x = 0.48
        velocity.publish(forward)
        node = self.bridge(scene, "--robot", "one", "--robot", "other", "--camera", "front", "--size", "64x48",
                           "--frames", "48")
        self.assertEqual(node.wait(120), 0)
        time.sleep(0.3)

        cloud = heard["/lab/points"][-1]
        self.assertEqual([f.name for f in cloud.fields], ["x", "y", "z", "vx", "vy", "vz", "material"])
        table = np.frombuffer(cloud.data, np.dtype([*((f.name, "<f4") for f in cloud.fields[:6]),
                                                    ("material", "<u4")]), cloud.width)
        seconds = cloud.header.stamp.to_sec()
        self.assertGreater(seconds, 0.5)
        # Free fall, downward in z; a hundredth for the solver's steps.
        self.assertAlmostEqual(table["vz"].mean(), -9.81 * seconds, delta=0.1)
        self.assertAlmostEqual(table["z"].mean(), 30 - 9.81 / 2 * seconds ** 2, delta=0.1)
        self.assertLess(abs(table["vy"].mean()), 0.01)
        places = {name: [(t.transform.translation.x, t.transform.translation.y, t.transform.translation.z)
                         for message in heard["/tf"] for t in message.transforms
                         if t.child_frame_id == name] for name in ("one", "other")}
        # It looks along y, and one command holds for half a second: 0.24 m; the other stands still.
        np.testing.assert_allclose(places["one"][-1], (2, 0.24, 0.1), atol=0.0201)  # a frame's way
        self.assertEqual(set(places["other"]), {(2.0, 0.0, 0.1)})
        picture, info = heard["/lab/front/image"][0], heard["/lab/front/camera_info"][0]
        self.assertEqual((picture.width, picture.height, picture.encoding), (64, 48, "rgb8"))
        self.assertGreater(np.frombuffer(picture.data, np.uint8).std(), 5)
        self.assertAlmostEqual(2 * math.degrees(math.atan(24 / info.K[4])), 40, places=4)
        self.assertEqual(picture.header.frame_id, "front_optical_frame")
        clocks = [message.clock.to_sec() for message in heard["/clock"]]
        self.assertEqual(clocks, sorted(clocks))

    def test_depth_is_heard_and_a_joint_turns(self):
        heard = self.listen(tf=TFMessage, lab__eye__depth=Image, lab__eye__camera_info=CameraInfo)
        commands = rospy.Publisher("/lab/joint_command", JointState, queue_size=1, latch=True)
        commands.publish(JointState(name=["axle"], velocity=[math.pi / 2]))
        node = self.bridge(arm(), "--joint", "axle", "--sensor", "eye", "--frames", "24")
        self.assertEqual(node.wait(120), 0)
        time.sleep(0.3)
        picture, info = heard["/lab/eye/depth"][0], heard["/lab/eye/camera_info"][0]
        self.assertEqual((picture.width, picture.height, picture.encoding, picture.step), (40, 30, "32FC1", 160))
        depth = np.frombuffer(picture.data, "<f4").reshape(30, 40)
        # The bar's upper side is at y = 0.05, straight below; beside it there is nothing.
        self.assertAlmostEqual(float(depth[15, 20]), 1.95, places=4)
        self.assertTrue(np.isnan(depth[0]).all() and np.isnan(depth[:, 0]).all())
        # Its width in the picture, by the focal length of the camera's matrix.
        self.assertAlmostEqual(np.isfinite(depth[15]).sum(), info.K[0] * 0.6 / 1.95, delta=2)
        turns = [t.transform.rotation for message in heard["/tf"] for t in message.transforms
                 if t.child_frame_id == "arms/body_0"]
        angle = math.degrees(2 * math.atan2(turns[-1].z, turns[-1].w))  # about the vertical of ROS
        # 90 degrees a second for less than a second: by how much depends on when the command was heard.
        self.assertGreater(angle, 20)
        self.assertLess(angle, 90)
        self.assertLess(abs(turns[-1].x) + abs(turns[-1].y), 1e-3)


if __name__ == "__main__":
    main()
