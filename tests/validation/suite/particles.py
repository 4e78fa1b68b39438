"""Position-based dynamics: rigid bodies and liquids of particles."""

import numpy as np

from .case import case

GRAVITY, SLOPE = 9.81, np.radians(30)


def center(frame):
    """Centre of mass of particles of one density."""
    return np.average(frame["x"], axis=0, weights=frame["volume"].astype(float))


@case("P1", "Rigid crate on an incline of 30 degrees",
      "Coulomb: the crate accelerates at g (sin a - mu cos a) while mu < tan a = 0.577, and stays above.")
def crate_on_incline(simulator, case, fine):
    down = np.array([-np.cos(SLOPE), -np.sin(SLOPE), 0])
    def slide(friction):
        run = simulator.run("sliding_crate", {"slope.friction": friction})
        frames = [run.frame(n) for n in run.numbers()]
        way = np.array([(center(f) - center(frames[0])) @ down for f in frames])
        speed = np.array([np.average(f["v"], axis=0, weights=f["volume"].astype(float)) @ down
                          for f in frames])
        return np.array([run.time(n) for n in run.numbers()]), way, speed
    axes = case.figure("Way down the slope; lines: Coulomb.")
    for colour, friction in enumerate((0.0, 0.1, 0.3, 0.5)):
        times, way, speed = slide(friction)
        rate = GRAVITY * (np.sin(SLOPE) - friction * np.cos(SLOPE))
        axes.plot(times, rate * times ** 2 / 2, f"C{colour}-", lw=1)
        axes.plot(times, way, f"C{colour}.", label=f"mu = {friction}")
        case.near(f"acceleration, mu = {friction}", np.polyfit(times, speed, 1)[0], rate, 0.01,
                  "m/s^2")
    _, way, _ = slide(0.6)
    case.below("way in 1 s, mu = 0.6 [m]", way[-1], 0.002)
    _, way, _ = slide(0.57)
    case.below("way in 1 s, mu = 0.57 [m]", way[-1], 0.002, control=True)
    axes.set(xlabel="t [s]", ylabel="way [m]")
    axes.legend()


@case("P2", "Free rod that spins and precesses",
      "Euler: without torque the axis of a square rod goes round its angular momentum L at |L| / I, I "
      "the moment across the rod, at a constant angle.")
def free_rod(simulator, case, fine):
    length, width = 0.6, 0.2
    across, along = length ** 2 + width ** 2, 2 * width ** 2  # times m / 12
    def precession(changes, spin=(344, 1146)):
        """@return times, angle gone round [rad], angle of the cone [rad], |L| / I for this spin"""
        run = simulator.run("spinning_rod", changes)
        frames = [run.frame(n) for n in run.numbers()]
        rest = frames[0]["x"] - center(frames[0])
        weight = frames[0]["volume"].astype(float)[:, None]
        tops = []
        for frame in frames:
            u, _, v = np.linalg.svd((frame["x"] - center(frame)).T @ (weight * rest))
            tops.append(u @ np.diag([1, 1, np.linalg.det(u @ v)]) @ v @ np.array([0, 1, 0]))
        momentum = np.radians([spin[0] * across, spin[1] * along, 0])
        size = np.linalg.norm(momentum)
        up = momentum / size
        east = tops[0] - tops[0] @ up * up
        east /= np.linalg.norm(east)
        north = np.cross(up, east)
        gone = np.unwrap([np.arctan2(top @ north, top @ east) for top in tops])
        cone = np.arccos([top @ up for top in tops])
        return np.array([run.time(n) for n in run.numbers()]), gone, cone, size / across
    times, gone, cone, rate = precession({})
    axes = case.figure("Angle of the axis about the angular momentum; line: Euler.")
    axes.plot(times, rate * times, "k-", lw=1)
    axes.plot(times, gone, ".")
    axes.set(xlabel="t [s]", ylabel="angle [rad]")
    case.near("rate of precession", np.polyfit(times, gone, 1)[0], rate, 0.005, "rad/s")
    case.below("change of the angle between axis and L in 2 s [rad]",
               np.abs(cone - cone[0]).max(), 0.005)
    _, gone, _, _ = precession({"rod.spin": [344, 1200, 0]})
    case.near("rate of precession, rod spun 5 % faster", np.polyfit(times, gone, 1)[0], rate, 0.005,
              "rad/s", control=True)


@case("P3", "Ten crates on each other", "They rest: crate k stays at a height of 0.2 m + 0.4 m k.")
def stack(simulator, case, fine):
    def crates(changes):
        run = simulator.run("crate_stack", changes)
        def centers(frame):
            return np.array([center({"x": x, "volume": volume}) for x, volume in zip(
                np.split(frame["x"], 10), np.split(frame["volume"], 10))])
        last = run.last()
        return centers(last) - centers(run.frame(1)), np.linalg.norm(last["v"], axis=1).max()
    moved, speed = crates({})
    axes = case.figure("How far the crates have sunk after 3 s.")
    axes.plot(-1e3 * moved[:, 1], np.arange(10), "o-")
    axes.set(xlabel="sunk [mm]", ylabel="crate")
    # The overlap that contacts leave is a hundredth of a radius of 5 cm, in each of ten joints.
    case.below("sunk at the top [m]", moved[:, 1].min(), 0.01)
    case.below("moved aside [m]", np.abs(moved[:, [0, 2]]).max(), 0.005)
    case.below("top speed after 3 s [m/s]", speed, 0.01)
    moved, _ = crates({"solver.gravity": [3, -9.35, 0]})
    case.below("moved aside where the ground is tilted by 18 degrees [m]",
               np.abs(moved[:, [0, 2]]).max(), 0.005, control=True)


@case("P4", "Column of liquid particles at rest",
      "Hydrostatics of an incompressible liquid: the density is that at rest at every depth.")
def column(simulator, case, fine):
    wide = 0.05  # of the Gaussian that measures: a wall is four away
    def densities(changes):
        """@return heights, densities there on the axis, root of the mean square of speeds"""
        frame = simulator.run("particle_column", changes).last()
        heights = np.arange(0.2, 0.56, 0.02)
        mass = 1000 * frame["volume"].astype(float)
        x = frame["x"]
        square = (x[:, 0] - 0.2) ** 2 + (x[:, 2] - 0.2) ** 2
        density = [mass @ np.exp(-(square + (x[:, 1] - y) ** 2) / (2 * wide ** 2)) /
                   (2 * np.pi * wide ** 2) ** 1.5 for y in heights]
        return heights, np.array(density), np.sqrt(np.mean(np.sum(frame["v"] ** 2, axis=1)))
    heights, density, speed = densities({})
    axes = case.figure("Density after 3 s over height; line: at rest. Grey: 4 substeps a frame, not 20.")
    axes.plot(density, heights, "o-")
    axes.axvline(1000, color="k", lw=1)
    axes.set(xlabel="density [kg/m^3]", ylabel="y [m]")
    case.near("mean density", density.mean(), 1000, 0.02, "kg/m^3")
    case.near("density at the depth where it is farthest off",
              density[np.abs(density - 1000).argmax()], 1000, 0.02, "kg/m^3")
    case.below("root of the mean square of speeds [m/s]", speed, 0.07)
    heights, soft, _ = densities({"solver.substeps": 4})
    axes.plot(soft, heights, "o-", color="0.7")
    case.near("the same with 4 substeps a frame, not 20",
              soft[np.abs(soft - 1000).argmax()], 1000, 0.02, "kg/m^3", control=True)
