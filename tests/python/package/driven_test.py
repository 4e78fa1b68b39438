"""Driven simulations: one, many in one engine, and what learns from them."""

import csv
import importlib.util
import json
import math
import subprocess
import sys
import unittest.mock

import numpy as np

from scene import SOURCE, Case, ball, floe, main


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
            saved = floe.Graph.open(self.folder / "demonstration.floe.json")
            self.assertEqual(saved.validate(), [])
            np.testing.assert_array_equal(floe.recorded(saved, "wind.velocity")[:, 0], [0, 0, 2, 4, 6, 8])
            with self.assertRaises(floe.GraphError):
                floe.recorded(saved, "solver.nothing")

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


def mean_speed(particles):
    return float(particles["v"][:, 0].mean())


class ManyWorlds(Case):
    @classmethod
    def setUpClass(cls):
        cls.worlds = floe.Worlds(in_the_wind(), 3, settle=2)

    @classmethod
    def tearDownClass(cls):
        cls.worlds.close()

    @staticmethod
    def wind(speed):
        return {"wind.velocity": [speed, 0, 0]}

    def test_a_world_among_others_has_the_bits_that_it_has_alone(self):
        speeds = np.array([[1, 2, 3, 1], [-1, 0, -4, 2], [0, 5, 0, 5]], float)
        expected = []
        with floe.Driven(in_the_wind(), settle=2) as alone:
            for controls in speeds:
                alone.reset(self.wind(0))
                for step, speed in enumerate(controls):
                    frame = alone.step(self.wind(speed), frames=1 + step % 2)
                expected.append({name: frame.particles[name].copy() for name in ("x", "v")})
        self.worlds.reset(self.wind(0))
        for step in range(4):
            self.worlds.step([self.wind(speed) for speed in speeds[:, step]], frames=1 + step % 2)
        for world in range(3):
            for name in ("x", "v"):
                np.testing.assert_array_equal(self.worlds.particles(world)[name], expected[world][name])

    def test_one_is_reset_while_the_others_go_on(self):
        worlds = self.worlds
        worlds.reset(self.wind(0))
        start = worlds.particles(1)["x"].copy()
        worlds.step([self.wind(3)] * 3)
        once = worlds.particles(0)["x"].copy()
        worlds.reset(self.wind(0), [False, True, False])
        np.testing.assert_array_equal(worlds.particles(1)["x"], start)
        np.testing.assert_array_equal(worlds.particles(0)["x"], once)
        worlds.step([self.wind(3), None, self.wind(3)])  # the second waits
        np.testing.assert_array_equal(worlds.particles(1)["x"], start)
        worlds.step([self.wind(3)] * 3)
        np.testing.assert_array_equal(worlds.particles(1)["x"], once)
        self.assertGreater(mean_speed(worlds.particles(0)), 1.5 * mean_speed(worlds.particles(1)))

    def test_what_nothing_drives_is_there_once(self):
        self.worlds.reset(self.wind(0))
        nodes = self.worlds._all.document["nodes"]
        self.assertEqual([name for name in nodes if "ball" in name], ["ball"])
        self.assertEqual(len([name for name in nodes if name.endswith("solver")]), 3)

    def test_what_cannot_be_done_is_refused(self):
        worlds = self.worlds
        worlds.reset(self.wind(0))
        worlds.step([self.wind(1)] * 3)
        for wrong in (lambda: worlds.step([None] * 3), lambda: worlds.step([self.wind(1)]),
                      lambda: worlds.step([{"wind.strength": 1}] * 3),
                      lambda: worlds.step([self.wind(math.nan)] * 3),
                      lambda: worlds.step([self.wind(1)] * 3, frames=0),
                      lambda: worlds.reset({"wind.strength": 2}), lambda: worlds.reset(self.wind(0), [True]),
                      lambda: worlds.particles(3), lambda: worlds.reset([self.wind(0), None, None]),
                      lambda: floe.Worlds(in_the_wind(), 0), lambda: floe.Worlds(floe.Graph(), 1)):
            with self.assertRaises(floe.FloeError):
                wrong()
        worlds.step([self.wind(1)] * 3)  # nothing was lost

    def test_after_a_failure_all_are_reset(self):
        worlds = self.worlds
        worlds.reset(self.wind(0))
        worlds.step([self.wind(1)] * 3)
        once = worlds.particles(2)["x"].copy()

        def fails(*_, **__):
            raise floe.RunError("node 'world1_solver' is out of steps", node="world1_solver")

        with unittest.mock.patch.object(worlds.session, "run", fails):
            with self.assertRaises(floe.RunError) as caught:
                worlds.step([self.wind(1)] * 3)
        self.assertEqual((caught.exception.node, caught.exception.cure), ("world1_solver", "reset all of them"))
        for wrong in (lambda: worlds.step([self.wind(1)] * 3),
                      lambda: worlds.reset(self.wind(0), [False, True, False])):
            with self.assertRaises(floe.FloeError):
                wrong()
        worlds.reset(self.wind(0))
        worlds.step([self.wind(1)] * 3)
        np.testing.assert_array_equal(worlds.particles(2)["x"], once)


class Learning(Case):
    """The baseline, small: it has to beat policies that were drawn as its first generation was, in the same episodes."""

    def test_the_cross_entropy_method_learns_to_push_sand(self):
        place = SOURCE / "runtime/python/examples/learn_push_sand.py"
        spec = importlib.util.spec_from_file_location("learn_push_sand", place)
        example = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(example)
        field = example.Field(16, 16)
        try:
            _, mean = example.learn(field, 3, 8, 2)
            result = example.compare(field, mean, range(1000, 1005), 1)
        finally:
            field.close()
        learned, luck, still = (result[who][0] for who in ("learned", "random", "still"))
        self.assertAlmostEqual(still, 0, delta=0.1)  # the heap's slow creep
        # Pushed all the way, a heap earns its 0.35 to 0.5 m times 10, and 5 at the goal.
        self.assertGreater(learned, luck + 2)
        self.assertGreater(learned, 2)

    def test_the_command_writes_its_curve(self):
        example = SOURCE / "runtime/python/examples/learn_push_sand.py"
        subprocess.run([sys.executable, example, "--output", self.folder, "--generations", "1", "--policies", "2",
                        "--episodes", "1", "--worlds", "2", "--steps", "1", "--test", "1"],
                       check=True, stdout=subprocess.DEVNULL)
        with open(self.folder / "learning.csv") as file:
            row, = csv.DictReader(file)
        self.assertTrue(math.isfinite(float(row["mean"])))
        self.assertEqual(np.array(json.loads((self.folder / "policy.json").read_text())).shape, (8,))
        self.assertIn("svg", (self.folder / "curve.html").read_text())
        self.assertEqual(set(json.loads((self.folder / "result.json").read_text())["played"]),
                         {"learned", "random", "still"})


if __name__ == "__main__":
    main()
