"""Footprints and contact heat maps against bodies whose weight and faces are known."""

import itertools

import numpy as np

from scene import Case, floe, main

GRAVITY = 9.81
VOXEL = 0.05


def bodies(end):
    scene = floe.Graph(end=end)
    scene.add("floe.domain", "floor", bounded=True, center=(0, 2, 0), size=(6, 4, 6), friction=0.5)
    scene.add("floe.pbd.solver", "solver", bodyParticles=True, gravity=(0, -GRAVITY, 0))
    scene.link("floor.domain", "solver.domain")
    return scene


def add_body(scene, name, boxes, **settings):
    """A body of boxes (size, center), joined."""
    if len(boxes) == 1:
        shape = f"{name}_shape"
        scene.add("floe.shape.box", shape, size=boxes[0][0], center=boxes[0][1], voxelSize=0.025)
    else:
        shape = f"{name}_shape"
        scene.add("floe.shape.union", shape, voxelSize=0.025)
        for number, (size, center) in enumerate(boxes):
            scene.add("floe.shape.box", f"{name}_{number}", size=size, center=center, voxelSize=0.025)
            scene.link(f"{name}_{number}.shape", f"{shape}.shapes")
    scene.add("floe.pbd.body", name, voxel=VOXEL, merge=0, **settings)
    scene.link(f"{shape}.mesh", f"{name}.mesh")
    scene.link(f"{name}.body", "solver.bodies")


class Footprints(Case):
    @staticmethod
    def rested(scene):
        """The last eight frames."""
        session = floe.Session()
        frames = list(session.run(scene, progress=False))[-8:]
        return session, frames

    def test_a_resting_box_has_its_area_and_its_weight(self):
        scene = bodies(24)
        add_body(scene, "box", [((0.4, 0.2, 0.3), (0, 0, 0))], position=(0.1, 0.1, -0.2), density=700)
        session, frames = self.rested(scene)
        with session:
            weight = float(frames[-1].value("solver.states")["mass"][0]) * GRAVITY
            self.assertAlmostEqual(weight, 0.4 * 0.2 * 0.3 * 700 * GRAVITY, delta=0.03 * weight)
            made = floe.footprint(frames, 0.01, (-0.4, -0.6), (0.6, 0.2))
        self.assertAlmostEqual(made.total, weight, delta=0.02 * weight)
        # Its voxels cover its base; a cell more or less along the edges.
        self.assertAlmostEqual(made.area, 0.4 * 0.3, delta=0.01 * 2 * (0.4 + 0.3))
        np.testing.assert_allclose(made.centre, (0.1, -0.2), atol=0.01)
        self.assertAlmostEqual(made.density.max(), weight / 0.12, delta=0.25 * weight / 0.12)
        made.save(self.folder / "footprint.png")
        seen = floe.picture.decode_png((self.folder / "footprint.png").read_bytes())
        lit = (seen[:, :, 0] > 20).mean()
        self.assertAlmostEqual(lit, made.area / (1.0 * 0.8), delta=0.005)

    def test_an_uneven_body_presses_below_its_centre_of_mass(self):
        """A plate with a tower at one end: all of the base touches, harder below the tower."""
        plate, tower = ((0.6, 0.1, 0.3), (0, 0.05, 0)), ((0.2, 0.4, 0.3), (0.2, 0.3, 0))
        masses = np.array([0.6 * 0.1 * 0.3, 0.2 * 0.4 * 0.3])
        expected = float(masses @ [0, 0.2] / masses.sum())
        self.assertGreater(expected, 0.1)  # outside the middle third, the far end would lift on an elastic bed
        scene = bodies(24)
        add_body(scene, "uneven", [plate, tower], position=(0, 0, 0))
        session, frames = self.rested(scene)
        with session:
            made = floe.footprint(frames, 0.01, (-0.4, -0.3), (0.4, 0.3))
            weight = float(frames[-1].value("solver.states")["mass"][0]) * GRAVITY
        self.assertAlmostEqual(made.total, weight, delta=0.02 * weight)
        np.testing.assert_allclose(made.centre, (expected, 0), atol=0.015)
        self.assertGreater(made.values[:, -20:-10].sum(), 3 * made.values[:, 10:20].sum())

    def test_a_flying_body_has_none(self):
        scene = bodies(2)
        add_body(scene, "box", [((0.2, 0.2, 0.2), (0, 0, 0))], position=(0, 2, 0))
        with floe.Session() as session:
            made = floe.footprint(session.run(scene, progress=False), 0.02, (-1, -1), (1, 1))
            self.assertEqual((made.total, made.area), (0, 0))
            with self.assertRaises(floe.FloeError) as caught:
                floe.footprint([session.frame(2)], 0.02, (-1, -1), (1, 1), body=3)
            self.assertIn("body 3", str(caught.exception))


class ContactMaps(Case):
    def test_a_box_on_a_turned_one_touches_its_own_area(self):
        """The lower box is turned about y by a quarter: the map lies in its own axes."""
        scene = bodies(16)
        add_body(scene, "lower", [((0.6, 0.2, 0.4), (0, 0, 0))], position=(1, 0.1, 0), rotation=(0, 90, 0))
        # In the lower one's axes, turned by 90 degrees about y, it is at x = 0.15, and as long along z as here along x.
        add_body(scene, "upper", [((0.3, 0.2, 0.2), (0, 0, 0))], position=(1, 0.3, -0.15))
        with floe.Session() as session:
            frames = list(session.run(scene, progress=False))[-4:]
            made = floe.contact_map(frames, 0.01, (-0.4, -0.4), (0.4, 0.4), body=0)
            np.testing.assert_allclose(made.centre, (0.15, 0), atol=0.02)
            # Whole voxels of the lower one count as touched: half a voxel more on each side at most, a contact of two
            # spheres beside each other may add as much again.
            self.assertGreater(made.area, 0.3 * 0.2 - 0.005)
            self.assertLess(made.area, (0.3 + 2 * VOXEL) * (0.2 + 2 * VOXEL))
            for by, expected in (((0,), 0.0), ((1,), made.total)):  # itself does not count
                self.assertEqual(floe.contact_map(frames, 0.01, (-0.4, -0.4), (0.4, 0.4), by=by).total, expected)


class Maps(Case):
    def test_the_force_spreads_with_its_moment_and_pulls_nowhere(self):
        points = np.array(list(itertools.product(np.linspace(-1, 1, 21), (-0.5, 0, 0.5))))
        areas = np.full(len(points), 0.1)
        for at in (0.0, 0.2, 0.3):  # inside the middle third
            forces = floe.contacts.pressed(points, areas, 10.0, (10.0 * at, 0))
            self.assertAlmostEqual(forces.sum(), 10, places=9)
            self.assertAlmostEqual(forces @ points[:, 0], 10 * at, places=9)
            self.assertTrue(np.all(forces >= 0))
        beyond = floe.contacts.pressed(points, areas, 10.0, (8.0, 0))
        self.assertTrue(np.all(beyond >= 0))
        self.assertAlmostEqual(beyond.sum(), 10, places=9)
        self.assertEqual(beyond[points[:, 0] < 0].sum(), 0)

    def test_means_and_what_is_refused(self):
        one, other = floe.HeatMap((0, 0), (1, 1), 0.25), floe.HeatMap((0, 0), (1, 1), 0.25)
        one.add([[0.5, 0.5]], [4.0], 0.5)
        other.add([[2.0, 2.0]], [4.0])  # outside
        mean = floe.HeatMap.mean([one, other])
        self.assertEqual((one.total, other.total, mean.total), (4, 0, 2))
        for low, high, cell in (((0, 0), (0, 1), 0.1), ((0, 0), (1, 1), 0), ((0, 0), (1, 1), 1e-9),
                                ((0, 0), (1, np.nan), 0.1)):
            with self.assertRaises(floe.FloeError):
                floe.HeatMap(low, high, cell)
        with self.assertRaises(floe.FloeError):
            floe.HeatMap.mean([one, floe.HeatMap((0, 0), (1, 1), 0.5)])


if __name__ == "__main__":
    main()
