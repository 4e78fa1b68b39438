"""Hands that a device moves grasp bodies by contact."""

import math

import numpy as np

from scene import Case, floe, main
from floe.avatar import pose_values

GRAVITY = 9.81
EDGE = 0.1  # of the box [m]
TIP = 0.02  # radius of a finger [m]


def table(friction=1.0):
    """A box of 0.5 kg on the ground, between two fingers."""
    scene = floe.Graph(end=1)
    scene.add("floe.domain", "floor", center=(0, 2, 0), size=(6, 4, 6), friction=0.5)
    scene.add("floe.pbd.solver", "solver", bodyParticles=True, gravity=(0, -GRAVITY, 0))
    scene.link("floor.domain", "solver.domain")
    scene.add("floe.shape.box", "box_shape", size=[EDGE] * 3, voxelSize=0.01)
    scene.add("floe.pbd.body", "box", voxel=0.02, position=(0, EDGE / 2, 0), friction=friction,
              slidingFriction=0.9 * friction, density=500)
    scene.link("box_shape.mesh", "box.mesh")
    scene.link("box.body", "solver.bodies")
    scene.add("floe.shape.capsule", "finger_shape", radius=TIP, height=0.06, voxelSize=0.005)
    for name, x in (("right_thumb", -0.12), ("right_index", 0.12)):
        scene.add("floe.collider", name, position=(x, EDGE / 2, 0), friction=friction)
        for source, target in (("finger_shape.shape", f"{name}.shape"), ("finger_shape.mesh", f"{name}.mesh"),
                               (f"{name}.collider", "solver.colliders")):
            scene.link(source, target)
    return scene


def fingers(apart, height, turn=0.0):
    """What a device says of two fingers on the x axis, turned about y [rad]."""
    orientation = (0.0, math.sin(turn / 2), 0.0, math.cos(turn / 2))
    made = {name: {"position": (side * apart * math.cos(turn), height, -side * apart * math.sin(turn)),
                   "orientation": orientation}
            for name, side in (("right_thumb", -1), ("right_index", 1))}
    return {**made, "head": {"position": (0.0, 1.7, 0.5)}}  # which the scene does not have


class Grasping(Case):
    CLOSED = EDGE / 2 + TIP - 0.004  # 4 mm into the box

    def lift(self, friction, turn=0.0):
        """Heights and poses of the box: grasped, held up, and let go."""
        scene, values, seen = table(friction), {}, []
        with floe.Driven(scene, settle=4) as world:
            def go(apart, height, turn=0.0, frames=1):
                values.update(pose_values(fingers(apart, height, turn), values, scene))
                return world.step(values, frames)

            values.update(pose_values(fingers(0.12, EDGE / 2), None, scene))
            world.reset(values)
            for part in np.linspace(0.12, self.CLOSED, 7)[1:]:
                frame = go(part, EDGE / 2)
            for step in range(1, 13):
                frame = go(self.CLOSED, EDGE / 2 + 0.02 * step, turn * step / 12)
            frame = go(self.CLOSED, EDGE / 2 + 0.24, turn, 6)
            seen.append({name: array[0].astype(float).copy() for name, array in
                         frame.value("solver.states").fetch("x", "v", "force", "mass", "orientation").items()})
            frame = go(0.14, EDGE / 2 + 0.24, turn, 2)
            frame = go(0.14, EDGE / 2 + 0.24, turn, 10)
            seen.append({name: array[0].astype(float).copy() for name, array in
                         frame.value("solver.states").fetch("x").items()})
        return seen

    def test_two_fingers_lift_a_box_by_friction(self):
        held, dropped = self.lift(1.0)
        self.assertAlmostEqual(held["x"][1], EDGE / 2 + 0.24, delta=0.01)
        self.assertLess(np.abs(held["v"]).max(), 0.01)
        weight = held["mass"] * GRAVITY
        np.testing.assert_allclose(held["force"], (0, weight, 0), atol=0.02 * weight,
                                   err_msg="the fingers carry its weight")
        self.assertAlmostEqual(dropped["x"][1], EDGE / 2, delta=0.005)

    def test_fingers_of_ice_do_not(self):
        held, _ = self.lift(0.05)
        self.assertAlmostEqual(held["x"][1], EDGE / 2, delta=0.01)

    def test_a_hand_that_turns_turns_the_box(self):
        held, _ = self.lift(1.0, math.radians(60))
        self.assertAlmostEqual(held["x"][1], EDGE / 2 + 0.24, delta=0.01)
        turned = 2 * math.atan2(held["orientation"][1], held["orientation"][3])
        # Each finger touches a face along a line, on which it slips a little while it turns.
        self.assertGreater(math.degrees(turned), 45)
        self.assertLess(math.degrees(turned), 61)


class Messages(Case):
    def test_a_running_simulation_follows_poses(self):
        scene = table()
        scene.end = 100000
        with floe.Session() as session:
            with self.assertRaises(floe.FloeError):
                session.pose(fingers(0.12, 0.05))
            run = session.run(scene, progress=False)
            moved = None
            for frame in run:
                if moved is None:
                    answer = session.pose(fingers(0.13, EDGE / 2))
                    self.assertTrue(answer["live"])
                    self.assertEqual((sorted(answer["moved"]), answer["absent"]),
                                     (["right_index", "right_thumb"], ["head"]))
                    # The thumb goes through where the box is and pushes it away, in one frame or in many.
                    session.pose({"right_thumb": {"position": (0.05, EDGE / 2, 0.0)}})
                    moved = frame.number
                # The engine may be many frames ahead of what is heard here.
                place = float(frame.value("solver.states")["x"][0][0])
                if place > 0.08 or frame.number > moved + 5000:
                    break
            self.assertGreater(place, 0.08)
            for poses in ({}, {"right_thumb": {}}, {"right_thumb": {"position": (0, 0)}},
                          {"right_thumb": {"position": (0, 0, 1e9)}},
                          {"right_thumb": {"position": (0, 0, 0), "orientation": (0, 0, 0, 0)}},
                          {"box": {"position": (0, 0, 0)}}):
                with self.assertRaises(floe.RequestError, msg=str(poses)):
                    session.pose(poses)

    def test_what_is_no_message_is_refused(self):
        for poses in ({}, {"head": {}}, {"head": {"position": (0, 0)}}, {"head": {"position": (0, math.nan, 0)}},
                      {"head": {"position": (0, 0, 0), "speed": 1}},
                      {"head": {"position": (0, 0, 0), "orientation": (0, 0, 0)}},
                      {f"part{k}": {"position": (0, 0, 0)} for k in range(65)}):
            with self.assertRaises(floe.FloeError, msg=str(poses)):
                pose_values(poses)

    def test_angles_turn_the_short_way(self):
        """A hand that turns on past half a turn about any axis goes on, instead of back."""
        for axis in range(3):
            values = {}
            for degrees in range(0, 800, 20):
                half = math.radians(degrees) / 2
                orientation = [0.0, 0.0, 0.0, math.cos(half)]
                orientation[axis] = math.sin(half)
                made = pose_values({"hand": {"position": (0, 0, 0), "orientation": orientation}}, values)
                old = values.get("hand.rotation", [0.0] * 3)
                self.assertLess(max(abs(a - b) for a, b in zip(made["hand.rotation"], old)), 20.001)
                values = made
            self.assertAlmostEqual(values["hand.rotation"][axis], 780, places=6)


if __name__ == "__main__":
    main()
