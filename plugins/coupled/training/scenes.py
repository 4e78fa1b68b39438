"""Random scenes of three families, as graphs: liquid and elastic solids in a tank of one metre.

dam      a block of water collapses on solids that stand on the floor
falling  solids fall into a pool
dropping water falls on solids that lie in a shallow pool

Solids are cubes, balls and rings (for the paper's bears, which are not ours to give) of random size, density and
stiffness. A scene is a function of its family, number, seed and size alone."""

import random

import floe

FAMILIES = ("dam", "falling", "dropping")
KINDS = ("cube", "ball", "ring")
FPS = 48


def scene(family, number, seed, size, steps, tolerance):
    """The graph of a scene.

    Args:
        size: cells along the edge of the tank.
        steps: that its recorder writes.
        tolerance: of the pressures.
    """
    chance = random.Random(f"{seed}/{family}/{number}")
    graph = floe.Graph(end=1000000, fps=FPS)
    cell = 1.0 / size
    graph.add("floe.domain", "tank", center=(0.5, 0.5, 0.5), size=(1, 1, 1), xMin="slip", xMax="slip", yMin="slip",
              yMax="open", zMin="slip", zMax="slip")
    graph.add("floe.coupled.solver", "solver", cellSize=cell, tolerance=tolerance)
    graph.add("floe.coupled.record", "recorder", maximumSteps=steps)
    graph.link("tank.domain", "solver.domain")
    graph.link("recorder.pressure", "solver.pressure")
    water(graph, chance, family, cell)
    floor, height = {"dam": (True, 0.5), "falling": (False, 0.5), "dropping": (True, 0.2)}[family]
    solids(graph, chance, chance.randint(1, 4), floor, height, family == "dam", cell)
    return graph


def body(graph, name, kind, material, parameters, cell, velocity=(0, 0, 0)):
    """A shape of one material, with its emitter."""
    graph.add(f"floe.shape.{kind}", name, voxelSize=0.5 * cell, **parameters)
    graph.add("floe.material", f"{name}_matter").set(**material)
    graph.add("floe.emitter", f"{name}_source", velocity=velocity, avoidOverlap=True)
    graph.link(f"{name}.shape", f"{name}_source.shape")
    graph.link(f"{name}_matter.material", f"{name}_source.material")
    graph.link(f"{name}_source.emitter", "solver.emitters")


def box(graph, name, low, high, cell, velocity=(0, 0, 0)):
    """Water between two corners."""
    body(graph, name, "box", {"law": "liquid", "name": "Water", "density": 1000, "viscosity": 0.001},
         {"size": [b - a for a, b in zip(low, high)], "center": [0.5 * (a + b) for a, b in zip(low, high)]}, cell,
         velocity)


def water(graph, chance, family, cell):
    if family == "dam":
        width, height = chance.uniform(0.25, 0.45), chance.uniform(0.35, 0.6)
        depth = chance.choice((1.0, chance.uniform(0.5, 1)))
        box(graph, "block", (0, 0, 0), (width, height, depth), cell)
    elif family == "falling":
        box(graph, "pool", (0, 0, 0), (1, chance.uniform(0.2, 0.4), 1), cell)
    else:
        box(graph, "pool", (0, 0, 0), (1, chance.uniform(0.08, 0.2), 1), cell)
        low = [chance.uniform(0.1, 0.5), chance.uniform(0.5, 0.6), chance.uniform(0.1, 0.5)]
        edge = chance.uniform(0.25, 0.4)
        box(graph, "block", low, [a + edge for a in low], cell,
            (chance.uniform(-1, 1), chance.uniform(-2, 0), chance.uniform(-1, 1)))


def solids(graph, chance, count, floor, height, away, cell):
    """Solids that do not touch: one in each quarter of the tank."""
    quarters = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)]
    if away:  # where the dam is not
        quarters = [(0.65, 0.2), (0.65, 0.5), (0.65, 0.8), (0.88, 0.5)]
    chance.shuffle(quarters)
    for n, (x, z) in enumerate(quarters[:count]):
        kind = chance.choice(KINDS)
        radius = chance.uniform(0.07, 0.11)
        low = radius + cell if floor else height + radius
        center = (x, low + (0 if floor else chance.uniform(0, 0.25)), z)
        parameters = {"cube": {"size": [1.6 * radius] * 3, "rotation": [0, chance.uniform(0, 90), 0]},
                      "ball": {"radius": radius},
                      "ring": {"radius": 0.68 * radius, "tubeRadius": 0.32 * radius}}[kind]
        shape = {"cube": "box", "ball": "sphere", "ring": "torus"}[kind]
        body(graph, f"solid{n}", shape,
             {"law": "fixedCorotated", "name": kind.capitalize(), "density": chance.uniform(300, 1600),
              "youngModulus": 10 ** chance.uniform(4, 4.7), "poissonRatio": chance.uniform(0.3, 0.4)},
             {"center": center, **parameters}, cell)
