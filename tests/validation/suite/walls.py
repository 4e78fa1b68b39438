"""Walls of a domain: planes of symmetry, and no-slip floors under viscous films."""

import numpy as np

from .case import case


@case("V1", "Taylor bar on a frictionless wall",
      "Copper, 227 m/s, linear hardening: face radius 7.11 to 7.23 mm, length 21.42 to 21.44 mm after "
      "80 microseconds (Simo 1992; Zienkiewicz 1998; Foulk et al. 2021).")
def taylor_bar(simulator, case, fine):
    h = 0.0002 if fine else 0.0004
    def strike(wall):
        run = simulator.run("taylor_bar", {"solver.cellSize": h, "bar.voxelSize": h / 2,
                                           "quarter.voxelSize": h / 2, "cut.voxelSize": h / 2,
                                           "domain.yMin": wall, "domain.friction": 0})
        x = run.last()["x"] * 1e3
        radius = np.hypot(x[:, 0], x[:, 2])
        # A particle fills a cube of half a cell's edge about its place, more where it is stretched.
        face = np.sort(radius[x[:, 1] < 0.5])[-8:].mean() + 1e3 * h / 4
        return x, face, x[:, 1].max() + 1e3 * h / 4
    x, face, length = strike("slip")
    axes = case.figure("Half a section through the axis after 80 microseconds.")
    thin = x[:, 2] < 1e3 * h
    axes.plot(x[thin, 0], x[thin, 1], ".", ms=2)
    axes.set(xlabel="r [mm]", ylabel="z [mm]", aspect="equal")
    case.near("radius of the face, slip", face, 7.17, 0.04, "mm")
    case.near("length, slip", length, 21.43, 0.015, "mm")
    _, face, length = strike("separate")
    case.near("radius of the face, separate without friction", face, 7.17, 0.04, "mm")
    _, face, _ = strike("stick")
    case.near("radius of the face on a wall that holds it", face, 7.17, 0.04, "mm", control=True)


def mean_speed(simulator, cells, limit, floor="stick"):
    """@return times, and mean speeds of the middle of the film [m/s]"""
    h = 0.1 / cells
    run = simulator.run("film", {
        "solver.cellSize": h, "shape.voxelSize": h, "solver.materialLimit": limit,
        "shape.size": [1, 0.1, 4 * h], "shape.center": [0, 0.05, 2 * h],
        "domain.size": [10, 1, 4 * h], "domain.center": [0, 0.5, 2 * h], "domain.yMin": floor})
    times, speeds = [], []
    for number in run.numbers():
        frame = run.frame(number)
        x = frame["x"][:, 0]
        times.append(run.time(number))
        speeds.append(frame["v"][np.abs(x - x.mean()) < 0.15, 0].mean())
    return np.array(times), np.array(speeds)


@case("V3", "Film on an incline without slip",
      "Navier and Stokes: the mean speed is g H^2/(3 nu) (1 - 96 sum exp(-nu (k pi/2H)^2 t)/(k pi)^4), "
      "k odd.")
def film(simulator, case, fine):
    along, depth, viscosity = 2, 0.1, 0.05
    odd = np.arange(1, 40, 2)[:, None]
    def exact(t):
        decay = np.exp(-viscosity * (odd * np.pi / (2 * depth)) ** 2 * t)
        return along * depth ** 2 / (3 * viscosity) * (1 - 96 * (decay / (odd * np.pi) ** 4).sum(axis=0))
    axes = case.figure("Mean speed of the film; line: Navier and Stokes.")
    fines = np.linspace(0, 0.24, 100)
    axes.plot(fines, exact(fines), "k-", lw=1)
    # Finer in space, and in time: the error falls with the cell and not with shorter steps.
    for cells, limit, tolerance in ((4, 0.5, 0.12), (8, 0.5, 0.05), (8, 0.1, 0.05),
                                    *(((16, 0.5, 0.03),) if fine else ())):
        times, speeds = mean_speed(simulator, cells, limit)
        axes.plot(times, speeds, "o", ms=4, label=f"{cells} cells, material limit {limit}")
        case.near(f"mean speed after {times[-1]:.2f} s, {cells} cells, material limit {limit}",
                  speeds[-1], exact(times)[-1], tolerance, "m/s")
    _, speeds = mean_speed(simulator, 4, 0.5, "slip")
    case.near("mean speed on a floor that slips", speeds[-1], exact(times)[-1], 0.12, "m/s", control=True)
    axes.set(xlabel="t [s]", ylabel="mean speed [m/s]")
    axes.legend()


@case("V15", "Water turns in a ring",
      "Between two round walls without friction nothing slows it: a ring of water that turns as one goes on to.")
def ring(simulator, case, fine):
    h, spin = 0.0125 if fine else 0.025, 2.0
    def turn(changes=None):
        """@return angular momentum over that at first, and what layers turn by, inside first [1/s]"""
        run = simulator.run("turning_ring", {
            "solver.cellSize": h, "domain.size": [0.9, 0.9, 2 * h], "domain.center": [0, 0, h],
            "slab.size": [2, 2, 2 * h], "slab.center": [0, 0, h], **(changes or {})})
        kept = []
        for number in (run.numbers()[0], run.numbers()[-1]):
            frame = run.frame(number)
            x, v = frame["x"], frame["v"]
            kept.append((x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]).mean())
        square = x[:, 0] ** 2 + x[:, 1] ** 2
        rates = (x[:, 0] * v[:, 1] - x[:, 1] * v[:, 0]) / square
        layer = np.digitize(np.sqrt(square), np.linspace(0.2, 0.3, 5)[1:-1])
        return kept[1] / kept[0], np.array([rates[layer == n].mean() for n in range(4)])
    axes = case.figure("What layers of the ring turn by after a quarter of a turn, the innermost first.")
    axes.axhline(spin, color="k", lw=1)
    # Fine voxels store distances near the surface only; nodes that matter lie deeper.
    for name, voxel in (("voxels of half a cell", h / 2), ("voxels of a sixth of a cell", h / 6)):
        kept, rates = turn({f"{shape}.voxelSize": voxel for shape in ("outer", "inner", "block")})
        axes.plot(rates, "o-", label=name)
        case.near(f"angular momentum kept, {name}", kept, 1, 0.01)
        case.near(f"rate of the outermost layer, {name}", rates[-1], spin, 0.05, "1/s")
        case.near(f"rate of the innermost layer, {name}", rates[0], spin, 0.05, "1/s")
    kept, _ = turn({"wall.contact": "stick"})
    case.near("angular momentum kept between walls that stick", kept, 1, 0.01, control=True)
    axes.set(xlabel="layer", ylabel="rate [1/s]")
    axes.legend()
