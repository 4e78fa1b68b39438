"""Contact: a block on an incline."""

import numpy as np

from .case import case

GRAVITY, SLOPE = 9.81, np.radians(30)


def slide(simulator, friction, fine, changes=None):
    """@return times, way and speed down the slope"""
    run = simulator.run("sliding_block", {
        "slope.friction": friction, **({"solver.cellSize": 0.02} if fine else {}),
        **(changes or {})})
    down = np.array([-np.cos(SLOPE), -np.sin(SLOPE), 0])
    numbers = run.numbers()
    start = run.frame(numbers[0])["x"].mean(axis=0)
    way = np.array([(run.frame(n)["x"].mean(axis=0) - start) @ down for n in numbers])
    speed = np.array([run.frame(n)["v"].mean(axis=0) @ down for n in numbers])
    return np.array([run.time(n) for n in numbers]), way, speed


@case("A6", "Block on an incline of 30 degrees",
      "Coulomb: x = g (sin a - mu cos a) t^2 / 2 while mu < tan a = 0.577; at and above it the "
      "block stays.")
def incline(simulator, case, fine):
    axes = case.figure("Way down the slope; lines: Coulomb.", 2)
    for colour, friction in enumerate((0.0, 0.1, 0.3, 0.5)):
        times, way, speed = slide(simulator, friction, fine)
        rate = GRAVITY * (np.sin(SLOPE) - friction * np.cos(SLOPE))
        axes[0].plot(times, rate * times ** 2 / 2, f"C{colour}-", lw=1)
        axes[0].plot(times, way, f"C{colour}.", label=f"mu = {friction}")
        late = times > 0.3
        # 3 % of g sin a: the elastic block shivers as it meets the nodes of a plane across the grid.
        case.near(f"acceleration, mu = {friction}", np.polyfit(times[late], speed[late], 1)[0], rate,
                  0.03 * GRAVITY * np.sin(SLOPE), "m/s^2", absolute=True)
    def creep(friction, changes=None):
        times, way, speed = slide(simulator, friction, fine, changes)
        return times, way, (way[-1] - way[12]) / (times[-1] - times[12])
    # A hundredth of a cell a second.
    for colour, friction in enumerate((0.6, 0.7)):
        times, way, speed = creep(friction)
        axes[1].plot(times, way * 1e3, f"C{colour}.-", label=f"mu = {friction}")
        case.below(f"speed of creep, mu = {friction} [m/s]", speed, 4e-4)
    times, way, speed = creep(0.7, {"rubber.damping": 0})
    axes[1].plot(times, way * 1e3, "C3--", lw=1, label="mu = 0.7, no damping")
    case.below("speed of creep without damping, mu = 0.7 [m/s]", speed, 4e-4, known_miss=0.095)
    case.note("The block is rubber whose stress lags by 3 ms. An elastic body without any damping "
              "cannot be held by Coulomb friction a little above tan a: sliding feeds its "
              "vibrations, whose peaks carry it on. That is a property of the equations, not of the "
              "grid (Adams 1995; Martins, Guimaraes and Faria 1995): smaller cells creep as fast.")
    times, way, _ = slide(simulator, 0.5, fine)
    case.below("speed, mu = 0.5 [m/s]", (way[-1] - way[12]) / (times[-1] - times[12]), 4e-4, control=True)
    for a in axes:
        a.legend()
    axes[0].set(xlabel="t [s]", ylabel="way [m]")
    axes[1].set(xlabel="t [s]", ylabel="way [mm]")


@case("V4", "Two cubes half a cell apart, one thrown up",
      "It rises v^2 / 2g = 1.226 m above its start in half a second, the other stays.")
def cubes(simulator, case, fine):
    size = 0.025 if fine else 0.05
    def throw(bodies):
        run = simulator.run("two_cubes", {"solver.cellSize": size, "solver.bodies": bodies})
        upper = run.frame(1)["x"][:, 1] > 0.41
        heights = np.array([[run.frame(n)["x"][part, 1].mean() for part in (~upper, upper)]
                            for n in run.numbers()])
        return np.array([run.time(n) for n in run.numbers()]), heights
    times, heights = throw("emitters")
    _, welded = throw("together")
    axes = case.figure("Mean heights; line: free flight.")
    axes.plot(times, 0.625 + 4.905 * times - GRAVITY / 2 * times ** 2, "k-", lw=1)
    axes.plot(times, heights, ".", label=["lower", "upper"])
    axes.plot(times, welded[:, 1], "C3--", lw=1, label="upper, moving as one")
    axes.set(xlabel="t [s]", ylabel="y [m]", ylim=(0, 2))
    axes.legend()
    case.near("rise", heights[:, 1].max() - 0.625, 1.226, 0.01, "m")
    case.near("rise, moving as one", welded[:, 1].max() - 0.625, 1.226, 0.01, "m", control=True)
    flight = times < 0.9
    case.below("way of the lower one meanwhile [cells]",
               np.abs(heights[flight, 0] - heights[0, 0]).max() / size, 0.1)
    least = heights[:, 1].min()
    case.true("it bounces off the lower one", 0.5 < least < 0.61 < heights[-1, 1],
              f"down to {least:.3f} m")


@case("V5", "Two blocks on one slope",
      "Coulomb for each pair: ice on stone 0.1, wood on stone sqrt(0.25 * 0.64) = 0.4; a block stays "
      "while mu > tan a, and then accelerates at g (sin a - mu cos a).")
def pairs(simulator, case, fine):
    axes = case.figure("Speed down the slope; lines: Coulomb.", 2)
    friction = {"ice": 0.1, "wood": 0.4}
    def speeds(slope, changes=None):
        run = simulator.run("two_slides", {
            "solver.bodies": "materials",
            "solver.gravity": [GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope), 0],
            **({"solver.cellSize": 0.03} if fine else {}), **(changes or {})})
        numbers = run.numbers()
        first = run.frame(numbers[0])["x"]
        blocks = {"ice": (first[:, 1] > 0) & (first[:, 2] < 0), "wood": (first[:, 1] > 0) & (first[:, 2] > 0)}
        times = np.array([run.time(n) for n in numbers])
        return times, {name: np.array([run.frame(n)["v"][which, 0].mean() for n in numbers])
                       for name, which in blocks.items()}
    def rate(times, speed):
        late = times > 0.2
        return np.polyfit(times[late], speed[late], 1)[0]
    # Slopes a little less and a little more steep than each pair holds: tan a = 0.1 and 0.4.
    for colour, slope in enumerate((0.06, 0.15, 0.34, 0.43)):
        times, found = speeds(slope)
        for axis, (name, speed) in zip(axes, found.items()):
            mu = friction[name]
            coulomb = max(GRAVITY * (np.sin(slope) - mu * np.cos(slope)), 0)
            axis.plot(times, coulomb * times, f"C{colour}-", lw=1)
            axis.plot(times, speed, f"C{colour}.", label=f"slope {slope} rad")
            axis.set(title=f"{name}, mu = {mu}", xlabel="t [s]", ylabel="v [m/s]")
            case.near(f"acceleration of {name}, slope {slope} rad", rate(times, speed), coulomb,
                      0.15 if coulomb else 0.03, "m/s^2", absolute=True)
    times, found = speeds(0.34, {"stone.friction": 0})
    case.below("acceleration of wood on stone without friction, slope 0.34 rad [m/s^2]",
               rate(times, found["wood"]), 0.03, control=True)
    for axis in axes:
        axis.legend()
