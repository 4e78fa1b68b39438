"""Environments of Gymnasium and PettingZoo over driven simulations."""

import importlib
import importlib.util
import math
import unittest

import numpy as np

from scene import Case, floe, main

GYMNASIUM = importlib.util.find_spec("gymnasium") is not None
needs_gymnasium = unittest.skipUnless(GYMNASIUM, "Gymnasium is not installed: pip install gymnasium")


class Task:
    """An environment that every test of its class plays in."""

    @classmethod
    def setUpClass(cls):
        cls.gymnasium = importlib.import_module("gymnasium")
        importlib.import_module("floe.gym")
        cls.environment = cls.gymnasium.make(cls.NAME, render_mode="rgb_array")

    @classmethod
    def tearDownClass(cls):
        cls.environment.close()

    def test_gymnasiums_checker_has_nothing_to_say(self):
        from gymnasium.utils.env_checker import check_env
        import warnings
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(self.environment.unwrapped)

    def play(self, policy, seed, steps=60):
        observation, _ = self.environment.reset(seed=seed)
        total, seen = 0.0, [observation]
        for _ in range(steps):
            observation, reward, terminated, truncated, info = self.environment.step(policy(observation))
            total += reward
            seen.append(observation)
            if terminated or truncated:
                break
        return total, np.array(seen), info


@needs_gymnasium
class PushSand(Task, Case):
    NAME = "floe/PushSand-v0"

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


class ScriptedTask(Task):
    """A task with a scripted policy, which reaches what standing still and random actions do not."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.scripted = staticmethod(importlib.import_module(cls.MODULE).scripted)

    def test_the_scripted_policy_reaches_the_goal_and_random_actions_do_not(self):
        random = np.random.default_rng(4)
        total, seen, info = self.play(self.scripted, 1)
        self.assertTrue(info["is_success"], info)
        chance, _, without = self.play(
            lambda _: random.uniform(-1, 1, self.environment.action_space.shape).astype(np.float32), 1,
            len(seen) - 1)
        self.assertFalse(without["is_success"], without)
        self.assertGreater(total, chance + 5)
        again = self.play(self.scripted, 1, 3)[1]
        np.testing.assert_array_equal(seen[:4], again, "the same seed and actions")
        self.assertTrue(np.any(self.play(self.scripted, 2, 1)[1][0] != seen[0]), "another seed")


@needs_gymnasium
class PourWater(ScriptedTask, Case):
    NAME, MODULE = "floe/PourWater-v0", "floe.pour_water"

    def test_water_is_somewhere(self):
        """The jug keeps its water while it stands still; shares of jug, cup and ground add up to all that rests."""
        _, seen, info = self.play(lambda _: np.zeros(3, np.float32), 3, 4)
        np.testing.assert_array_equal(seen[-1][9:], [1, 0, 0])
        self.assertEqual(info["spilled"], 0)


@needs_gymnasium
class DriveRover(ScriptedTask, Case):
    NAME, MODULE = "floe/DriveRover-v0", "floe.drive_rover"

    def test_wheels_drive_and_turn_it_as_they_should(self):
        """Slower than wheels that roll without slip: 0.63 m/s at most. Left wheels faster: it turns to the right."""
        _, seen, _ = self.play(lambda _: np.array([1, 1], np.float32), 1, 6)
        self.assertGreater(seen[-1][8], 0.2)
        self.assertLess(seen[-1][8], 0.13 * math.radians(360))
        _, seen, _ = self.play(lambda _: np.array([1, -1], np.float32), 1, 4)
        self.assertGreater(seen[-1][10], 0.3)
        self.assertGreater(seen[-1][2], 0.1)


@needs_gymnasium
class Vectors(Case):
    """The vector environment against Gymnasium's own, over environments of one world each."""

    SEEDS = [11, 22]

    @classmethod
    def setUpClass(cls):
        cls.gymnasium = importlib.import_module("gymnasium")
        importlib.import_module("floe.gym")
        cls.expected = cls.gymnasium.make_vec("floe/PushSand-v0", 2, vectorization_mode="sync", max_steps=2)

    @classmethod
    def tearDownClass(cls):
        cls.expected.close()

    def same(self, one, other):
        self.assertEqual(type(one), type(other))
        if isinstance(one, dict):
            self.assertEqual(set(one), set(other))
            for name in one:
                self.same(one[name], other[name])
        elif isinstance(one, tuple) or isinstance(one, np.ndarray) and one.dtype == object:
            self.assertEqual(len(one), len(other))
            for a, b in zip(one, other):
                self.same(a, b)
        else:
            np.testing.assert_array_equal(one, other)

    def test_it_gives_the_same_bits_in_every_mode(self):
        modes = self.gymnasium.vector.AutoresetMode
        for mode in modes:
            with self.subTest(mode):
                self.expected.autoreset_mode = mode
                vector = self.gymnasium.make_vec("floe/PushSand-v0", 2, max_steps=2,
                                                 autoreset_mode=mode.value)
                try:
                    self.assertEqual(type(vector.unwrapped).__name__, "TaskVector")
                    self.assertEqual(vector.metadata["autoreset_mode"], mode)
                    both = [vector, self.expected]
                    random = np.random.default_rng(3)
                    self.same(*(worlds.reset(seed=self.SEEDS) for worlds in both))
                    for step in range(4):
                        actions = random.uniform(-1, 1, (2, 3)).astype(np.float32)
                        results = [worlds.step(actions) for worlds in both]
                        self.same(*results)
                        ended = results[0][2] | results[0][3]
                        self.assertEqual(ended.any(), step in (
                            (1,) if mode == modes.NEXT_STEP else (1, 3)))
                        if mode == modes.DISABLED and ended.any():
                            # One by a mask, the other by another.
                            for mask in ([True, False], [False, True]):
                                self.same(*(worlds.reset(options={"reset_mask": np.array(mask)})
                                            for worlds in both))
                finally:
                    vector.close()

    def test_what_cannot_be_reset_or_stepped_is_refused(self):
        vector = self.gymnasium.make_vec("floe/PushSand-v0", 2, max_steps=1,
                                         autoreset_mode="Disabled")
        try:
            with self.assertRaises(floe.FloeError):
                vector.step(np.zeros((2, 3), np.float32))
            for mask in ([True, False], np.array([1, 0]), np.array([True]), np.zeros(2, bool)):
                with self.assertRaises(floe.FloeError):
                    vector.reset(options={"reset_mask": mask})
            with self.assertRaises(floe.FloeError):
                vector.reset(seed=[1])
            vector.reset(seed=1)
            with self.assertRaises(ValueError):
                vector.step(np.full((2, 3), np.nan))
            vector.step(np.zeros((2, 3), np.float32))
            with self.assertRaises(floe.FloeError) as caught:
                vector.step(np.zeros((2, 3), np.float32))
            self.assertIn("reset_mask", caught.exception.cure)
        finally:
            vector.close()


@unittest.skipUnless(importlib.util.find_spec("pettingzoo"), "PettingZoo is not installed: pip install pettingzoo")
class SeveralAgents(Case):
    def make(self, **settings):
        return importlib.import_module("floe.zoo").push_sand(**{"max_steps": 3, **settings})

    def test_pettingzoos_checkers_have_nothing_to_say(self):
        import contextlib
        import io
        import warnings
        from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
        from pettingzoo.utils import parallel_to_aec
        world = self.make()
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            parallel_api_test(world, num_cycles=6)
            api_test(parallel_to_aec(world), num_cycles=8)
            parallel_seed_test(self.make, num_cycles=4)
        world.close()

    def test_two_blades_push_one_heap(self):
        """Each blade goes to the goal; the agents see each other and the same sand."""
        world = self.make(max_steps=14)
        try:
            seen, _ = world.reset(seed=2)
            np.testing.assert_array_equal(seen["blade_1"][:4], seen["blade_2"][-4:])
            np.testing.assert_array_equal(seen["blade_1"][4:155], seen["blade_2"][4:155])
            self.assertGreater(np.linalg.norm(seen["blade_1"][:2] - seen["blade_2"][:2]), 0.3, "apart")
            total, before = 0.0, np.linalg.norm(seen["blade_1"][6:8] - seen["blade_1"][4:6])
            while world.agents:
                ways = {agent: seen[agent][4:6] - seen[agent][:2] for agent in world.agents}
                seen, rewards, _, _, _ = world.step(
                    {agent: np.array([*way / np.linalg.norm(way), 0], np.float32)
                     for agent, way in ways.items()})
                self.assertEqual(rewards["blade_1"], rewards["blade_2"])
                total += rewards["blade_1"]
            after = np.linalg.norm(seen["blade_1"][6:8] - seen["blade_1"][4:6])
            self.assertLess(after, before - 0.1, "they move the sand's middle to the goal")
            self.assertGreater(total, 1)
            with self.assertRaises(floe.FloeError):
                world.step({})
        finally:
            world.close()


@unittest.skipIf(GYMNASIUM, "Gymnasium is installed")
class WithoutGymnasium(Case):
    def test_what_is_missing_is_said(self):
        with self.assertRaises(floe.FloeError) as caught:
            importlib.import_module("floe.gym")
        self.assertIn("pip install", str(caught.exception))


if __name__ == "__main__":
    main()
