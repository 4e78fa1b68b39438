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
        late = times > 0.16
        # 3 % of g sin a: the elastic block shivers as it meets the nodes of a plane across the grid.
        case.near(f"acceleration, mu = {friction}", np.polyfit(times[late], speed[late], 1)[0], rate,
                  0.03 * GRAVITY * np.sin(SLOPE), "m/s^2", absolute=True)
    for colour, friction in enumerate((0.62, 0.7, 1.2)):
        times, way, speed = slide(simulator, friction, fine)
        axes[1].plot(times, way * 1e3, f"C{colour}.-", label=f"mu = {friction}")
        # A hundredth of a cell a second.
        case.below(f"speed of creep, mu = {friction} [m/s]", (way[-1] - way[12]) / (times[-1] - times[12]),
                   4e-4, known_miss={0.62: 0.175, 0.7: 0.091}.get(friction))
    times, way, _ = slide(simulator, 0.5, fine)
    case.below("speed, mu = 0.5 [m/s]", (way[-1] - way[12]) / (times[-1] - times[12]), 4e-4, control=True)
    for a in axes:
        a.legend()
    axes[0].set(xlabel="t [s]", ylabel="way [m]")
    axes[1].set(xlabel="t [s]", ylabel="way [mm]")
