"""Driven simulations, and the environment of Gymnasium over them."""

import csv
import importlib
import importlib.util
import json
import math
import subprocess
import sys
import unittest

import numpy as np

from scene import SOURCE, Case, ball, floe, main

GYMNASIUM = importlib.util.find_spec("gymnasium") is not None
needs_gymnasium = unittest.skipUnless(GYMNASIUM, "Gymnasium is not installed: pip install gymnasium")


def in_the_wind():
    scene = ball(end=1)
    scene.remove("down")
    scene.add("floe.force.wind", "wind", strength=1, velocity=(0, 0, 0))
    scene.link("wind.force", "solver.forces")
    return scene


class DrivenSimulations(Case):
    def test_a_driven_wind_accelerates_as_drag_does(self):
        """A wind of speed u and strength k gives dv/dt = k (u - v); u grows linearly within the step."""
        with floe.Driven(in_the_wind(), settle=2) as world:
            world.reset({"wind.velocity": [0, 0, 0]})
            frame = world.step({"wind.velocity": [6, 0, 0]}, frames=6)
            seconds = 6 / 24
            # u = 24 t: v = 24 (t - 1 + e^-t) with k = 1
            expected = 24 * (seconds - 1 + math.exp(-seconds))
            # The wind is taken once a frame, at its end or beginning: half a frame's difference of 6 m/s / 6.
            self.assertAlmostEqual(frame.particles["v"][:, 0].mean(), expected, delta=0.6 * seconds)
            self.assertEqual(frame.number, 8)

    def test_resets_go_back_and_the_same_controls_give_the_same_bits(self):
        def episode(world, speed):
            world.reset({"wind.velocity": [0, 0, 0]})
            for step in range(4):
                world.step({"wind.velocity": [speed * (step + 1), 0, 0]})
            return {name: array.copy() for name, array in world.frame.particles.fetch("x", "v").items()}

        with floe.Driven(in_the_wind(), settle=2) as world:
            one, other, again = episode(world, 2.0), episode(world, -2.0), episode(world, 2.0)
            for name in one:
                np.testing.assert_array_equal(one[name], again[name])
            self.assertLess(other["v"][:, 0].mean(), 0)
            # A run of the graph with its keys, from its first frame on, is the same.
            with floe.Session() as session:
                last = session.run(world.graph, progress=False).wait()
                self.assertEqual(last.number, 6)
                np.testing.assert_array_equal(last.particles["x"], one["x"])
            world.save(self.folder / "demonstration.floe.json")
            self.assertEqual(floe.Graph.open(self.folder / "demonstration.floe.json").validate(), [])

    def test_what_cannot_be_driven_is_refused(self):
        with floe.Driven(in_the_wind(), settle=1, limit=2) as world:
            with self.assertRaises(floe.FloeError):
                world.step({})
            for values in ({"wind.velosity": [0, 0, 0]}, {"wind.velocity": [0, 0]},
                           {"wind.velocity": [0, math.nan, 0]}, {"wind": 1}, {"solver.cellSize": -1}):
                with self.assertRaises(floe.GraphError):
                    world.reset(values)
            world.reset({"wind.velocity": [0, 0, 0]})
            with self.assertRaises(floe.FloeError):
                world.step({"wind.strength": 2})
            world.step({}, frames=2)
            with self.assertRaises(floe.FloeError) as caught:
                world.step({})
            self.assertIn("last that can be driven", str(caught.exception))


@needs_gymnasium
class PushSand(Case):
    @classmethod
    def setUpClass(cls):
        cls.gymnasium = importlib.import_module("gymnasium")
        importlib.import_module("floe.gym")
        cls.environment = cls.gymnasium.make("floe/PushSand-v0", render_mode="rgb_array")

    @classmethod
    def tearDownClass(cls):
        cls.environment.close()

    def test_gymnasiums_checker_has_nothing_to_say(self):
        from gymnasium.utils.env_checker import check_env
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(self.environment.unwrapped)

    def play(self, policy, seed):
        observation, _ = self.environment.reset(seed=seed)
        total, steps = 0.0, [observation]
        for _ in range(60):
            observation, reward, terminated, truncated, info = self.environment.step(policy(observation))
            total += reward
            steps.append(observation)
            if terminated or truncated:
                break
        return total, np.array(steps), info

    def test_pushing_behind_the_heap_toward_the_goal_succeeds(self):
        def straight(observation):
            way = observation[4:6] - observation[:2]
            way = way / np.linalg.norm(way)
            face = np.array([observation[3], -observation[2]])
            off = math.atan2(face[0] * way[1] - face[1] * way[0], float(face @ way))
            return np.clip([*way, -off / math.radians(90 / 12)], -1, 1).astype(np.float32)

        total, one, info = self.play(straight, 1)
        self.assertTrue(info["is_success"])
        self.assertGreater(total, 5)
        np.testing.assert_array_equal(one, self.play(straight, 1)[1], "the same seed and actions")
        still, _, info = self.play(lambda _: np.zeros(3, np.float32), 1)
        self.assertFalse(info["is_success"])
        self.assertLess(abs(still), 0.2)  # the heap's slow creep

    def test_the_baseline_runs(self):
        """A generation of two policies; what it learns in ten takes minutes."""
        example = SOURCE / "runtime/python/examples/learn_push_sand.py"
        subprocess.run([sys.executable, example, "--output", self.folder, "--generations", "1", "--policies",
                        "2", "--steps", "2", "--jobs", "1"], check=True, stdout=subprocess.DEVNULL)
        with open(self.folder / "learning.csv") as file:
            row, = csv.DictReader(file)
        self.assertTrue(math.isfinite(float(row["mean"])))
        self.assertEqual(np.array(json.loads((self.folder / "policy.json").read_text())).shape, (3, 6))
        self.assertIn("svg", (self.folder / "curve.html").read_text())

    def test_several_run_side_by_side(self):
        worlds = self.gymnasium.make_vec("floe/PushSand-v0", 2, vectorization_mode="sync", max_steps=2)
        try:
            one, _ = worlds.reset(seed=[1, 2])
            self.assertFalse(np.array_equal(one[0], one[1]))
            for _ in range(3):
                _, _, _, truncated, _ = worlds.step(worlds.action_space.sample())
            self.assertFalse(truncated.any(), "they were reset after the second step")
        finally:
            worlds.close()


@unittest.skipIf(GYMNASIUM, "Gymnasium is installed")
class WithoutGymnasium(Case):
    def test_what_is_missing_is_said(self):
        with self.assertRaises(floe.FloeError) as caught:
            importlib.import_module("floe.gym")
        self.assertIn("pip install", str(caught.exception))


if __name__ == "__main__":
    main()
