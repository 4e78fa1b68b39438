"""The node of ROS: its geometry anywhere, and with a real master what a listener hears and a robot does."""

import math
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

import numpy as np

from scene import Case, ball, floe, main
from floe import ros

try:
    import rospy
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


@unittest.skipUnless(rospy and MASTER, "ROS is not installed: apt-get install python3-rospy "
                     "python3-rosmaster python3-sensor-msgs python3-tf2-msgs")
class WithAMaster(Case):
    def test_a_listener_hears_and_a_robot_moves(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_HOSTNAME="127.0.0.1",
                          ROS_LOG_DIR=str(self.folder), ROS_HOME=str(self.folder))
        scene = ball(end=1, height=30.0)
        for name, turn in (("one", 90), ("other", 0)):
            scene.add("floe.shape.box", f"{name}_shape", size=(0.2, 0.2, 0.2), voxelSize=0.05)
            scene.add("floe.collider", name, position=(2, 0.1, 0), rotation=(0, turn, 0))
            scene.link(f"{name}_shape.shape", f"{name}.shape")
            scene.link(f"{name}.collider", "solver.colliders")
        scene.save(self.folder / "scene.floe.json")
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(
            [str(pathlib.Path(floe.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])}
        command = [sys.executable, "-m", "floe.ros", str(self.folder / "scene.floe.json"), "--robot", "one",
                   "--robot", "other", "--camera", "front", "--namespace", "/lab", "--size", "64x48"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("start roscore", done.stderr)

        master = subprocess.Popen([MASTER, "--core", "-p", str(port)], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(master.wait)
        self.addCleanup(master.send_signal, signal.SIGINT)
        import rosgraph
        from geometry_msgs.msg import Twist
        from rosgraph_msgs.msg import Clock
        from sensor_msgs.msg import CameraInfo, Image, PointCloud2
        from tf2_msgs.msg import TFMessage
        end = time.monotonic() + 30
        while not rosgraph.is_master_online() and time.monotonic() < end:
            time.sleep(0.05)
        rospy.init_node("listener", disable_signals=True)
        self.addCleanup(rospy.signal_shutdown, "done")
        heard = {}
        for topic, kind in (("/clock", Clock), ("/tf", TFMessage), ("/lab/points", PointCloud2),
                            ("/lab/front/image", Image), ("/lab/front/camera_info", CameraInfo)):
            rospy.Subscriber(topic, kind, lambda message, topic=topic: heard.setdefault(topic, []).append(
                message))
        velocity = rospy.Publisher("/lab/one/cmd_vel", Twist, queue_size=1, latch=True)
        forward = Twist()
        forward.linear.x = 0.48
        velocity.publish(forward)
        node = subprocess.Popen([*command, "--frames", "48"], env=environment)
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


if __name__ == "__main__":
    main()
