"""Random scenes for the activation network, as graphs.

Up to 20 bodies of liquid, snow and elastic material fly into up to 40 obstacles in a box of 10 m
(Sirois-Vigneux 2023, table 3.1); the scene's activation writes samples into `samples/` of the output folder.

Unlike the table, so that much comes to rest in few frames: six scenes of ten have a bed of material on the
ground that begins passive, and bodies hit it one after another; few bodies and obstacles are as likely as many,
and slow ones as fast ones; materials lose energy inside; stiffness varies by a factor of 30 downwards. One
obstacle of five moves."""

import dataclasses
import math

DOMAIN = 10.0  # [m]
SHAPE_KINDS = 17


@dataclasses.dataclass
class SceneSettings:
    """What a scene is made from; it is a function of this and its name alone."""
    seed: int = 1  # of 64 bits
    size: int = 64  # cells along each edge of the domain
    frames: int = 48
    stiffness: float = 1.0  # of the table's; below 1 steps are longer and scenes faster
    split: str = "train"  # or validation, or test; written into the samples
    look_ahead: str = "evaluation"  # or step
    shapes: tuple = ()  # paths of level sets and meshes beside the seventeen kinds


def activation_scene(settings, name):
    """The graph of a scene, as JSON has it."""
    return SceneMaker(settings, name).make()


class Random:
    """The 64-bit Mersenne twister (Matsumoto and Nishimura 2004), `std::mt19937_64` of C++: data sets made by
    older versions of Floe go on with the same scenes."""

    SIZE, MIDDLE, MASK = 312, 156, (1 << 64) - 1

    def __init__(self, seed):
        self.state = [seed & self.MASK]
        for i in range(1, self.SIZE):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ last >> 62) + i) & self.MASK)
        self.index = self.SIZE

    def _twist(self):
        state, size = self.state, self.SIZE
        for i in range(size):
            x = state[i] & ~0x7FFFFFFF & self.MASK | state[(i + 1) % size] & 0x7FFFFFFF
            state[i] = state[(i + self.MIDDLE) % size] ^ x >> 1 ^ (0xB5026F5AA96619E9 if x & 1 else 0)
        self.index = 0

    def bits(self):
        if self.index == self.SIZE:
            self._twist()
        x = self.state[self.index]
        self.index += 1
        x ^= x >> 29 & 0x5555555555555555
        x ^= x << 17 & 0x71D67FFFEDA60000
        x ^= x << 37 & 0xFFF7EEE000000000
        return (x ^ x >> 43) & self.MASK

    def uniform(self, low, high):
        return low + (high - low) * ((self.bits() >> 11) * 2.0**-53)

    def whole(self, low, high):
        return low + self.bits() % (high - low + 1)

    def many(self, most):
        """From 1 to `most`, evenly on a logarithmic scale: what is crowded takes the most time."""
        return int(math.exp(self.uniform(0, math.log(most + 1.0))))

    def chance(self, share):
        return self.uniform(0, 1) < share

    def vector(self, low, high):
        return [self.uniform(low, high) for _ in range(3)]


class SceneMaker:
    def __init__(self, settings, name):
        self.settings, self.name = settings, name
        self.cell = DOMAIN / settings.size
        self.random = Random(settings.seed)
        self.nodes, self.links = {}, []
        self.prefix, self.parts, self.voxel = "", 0, 0.0

    def make(self):
        self.add("domain", "floe.domain", size=[DOMAIN] * 3, friction=0.5)
        self.add("world", "floe.shape.box", size=[DOMAIN] * 3, voxelSize=0.5 * self.cell)
        bed = self.random.chance(0.6)
        self.add("record", "floe.activation.record", folder="samples", scene=self.name,
                 split=self.settings.split, lookAhead=self.settings.look_ahead, startsPassive=bed)
        self.add("solver", "floe.mpm.solver", cellSize=self.cell)
        self.link("domain.domain", "solver.domain")
        self.link("record.activation", "solver.activation")
        if bed:
            self.add_bed()
        bodies, obstacles = self.random.many(8 if bed else 20), self.random.many(40)
        for i in range(bodies):
            self.add_body(f"body{i}", at_once=i == 0 and not bed)
        for i in range(obstacles):
            self.add_obstacle(f"obstacle{i}")
        return {"floe": 1, "range": {"start": 1, "end": self.settings.frames + 1, "fps": 24},
                "nodes": self.nodes, "links": self.links}

    def add(self, name, type, /, **parameters):
        version = 2 if type == "floe.activation.record" else 1
        self.nodes[name] = {"type": type, "version": version, "parameters": parameters}

    def link(self, source, target):
        self.links.append({"from": source, "to": target})

    # ------------------------------------------------------------------------------------ shapes

    def part(self, type, /, **parameters):
        """A simple shape in the unit box; gives its node, as all that make shapes do."""
        name = f"{self.prefix}_{self.parts}"
        self.parts += 1
        self.add(name, "floe.shape." + type, **parameters, voxelSize=self.voxel)
        return name

    def combined(self, type, shapes, smooth=0.0):
        name = self.part(type, smooth=smooth)
        for shape in shapes:
            self.link(shape + ".shape", name + ".shapes")
        return name

    def without(self, shape, cuts):
        name = self.part("difference")
        self.link(shape + ".shape", name + ".shape")
        for cut in cuts:
            self.link(cut + ".shape", name + ".cut")
        return name

    def box(self, x, y, z, rounding=0.0, center=(0, 0, 0), rotation=(0, 0, 0)):
        return self.part("box", size=[x, y, z], rounding=rounding, center=list(center),
                         rotation=list(rotation))

    def cylinder(self, radius, height, rounding=0.0, center=(0, 0, 0), rotation=(0, 0, 0)):
        return self.part("cylinder", radius=radius, height=height, rounding=rounding, center=list(center),
                         rotation=list(rotation))

    def capsule(self, radius, height, rotation=(0, 0, 0), center=(0, 0, 0)):
        return self.part("capsule", radius=radius, height=height, center=list(center),
                         rotation=list(rotation))

    def sphere(self, radius, center=(0, 0, 0)):
        return self.part("sphere", radius=radius, center=list(center))

    def torus(self, radius, tube, center=(0, 0, 0), rotation=(0, 0, 0)):
        return self.part("torus", radius=radius, tubeRadius=tube, center=list(center),
                         rotation=list(rotation))

    def unit_shape(self, kind):
        """One of the seventeen kinds, about one unit long."""
        random = self.random
        if kind == 0:
            return self.sphere(0.5)
        if kind == 1:
            return self.box(1, 0.7, 0.8, 0.1)
        if kind == 2:
            return self.torus(0.36, 0.14)
        if kind == 3:
            return self.cylinder(0.3, 1, 0.05)
        if kind == 4:
            return self.capsule(0.22, 0.56)
        if kind == 5:  # a slab
            return self.box(1, 0.2, 1)
        if kind == 6:  # a block with holes
            holes = [self.cylinder(0.22, 1.2), self.cylinder(0.22, 1.2, 0, rotation=(90, 0, 0))]
            return self.without(self.box(0.9, 0.9, 0.9, 0.05), holes)
        if kind == 7:  # a stack of rings
            return self.combined("union", [self.torus(0.36, 0.13, (0, -0.24, 0)), self.torus(0.3, 0.13),
                                           self.torus(0.36, 0.13, (0, 0.24, 0))])
        if kind == 8:  # a jack
            return self.combined("union", [self.capsule(0.14, 0.7), self.capsule(0.14, 0.7, (90, 0, 0)),
                                           self.capsule(0.14, 0.7, (0, 0, 90))])
        if kind == 9:  # a star
            return self.combined("union", [self.box(1, 0.35, 0.28, rotation=(0, angle, 0))
                                           for angle in (0, 60, 120)])
        if kind == 10:  # a bowl
            hollow = [self.sphere(0.36), self.box(1.2, 0.5, 1.2, 0, (0, 0.4, 0))]
            return self.without(self.sphere(0.5), hollow)
        if kind == 11:  # a lens
            return self.combined("intersection",
                                 [self.sphere(0.62, (0, -0.36, 0)), self.sphere(0.62, (0, 0.36, 0))])
        if kind == 12:  # a tube
            hollow = self.cylinder(0.25, 1.2)
            return self.without(self.cylinder(0.4, 0.9), [hollow])
        if kind == 13:  # drops that flow into each other
            drops = []
            for _ in range(5):
                center = random.vector(-0.28, 0.28)
                drops.append(self.sphere(random.uniform(0.14, 0.24), center))
            return self.combined("union", drops, 0.12)
        if kind == 14:  # a rock
            ball = self.sphere(0.42)
            rock = self.part("noise", amount=0.1, wavelength=0.4, octaves=3, seed=random.whole(0, 1000000))
            self.link(ball + ".shape", rock + ".shape")
            return rock
        if kind == 15:  # a mug
            hollow = self.cylinder(0.24, 0.8, 0, (0, 0.12, 0))
            return self.combined("union", [self.without(self.cylinder(0.34, 0.8), [hollow]),
                                           self.torus(0.2, 0.06, (0.36, 0, 0), (90, 0, 0))])
        return self.combined("union", [self.capsule(0.12, 0.6), self.sphere(0.27, (0, -0.34, 0)),
                                       self.sphere(0.27, (0, 0.34, 0))])  # a dumbbell

    def file_shape(self, path):
        if path.endswith((".vdb", ".nvdb")):
            return self.part("file", path=path)
        return self.part("mesh", path=path, fit=1)

    def place(self, prefix, clipped):
        """A shape somewhere, inside the domain."""
        self.prefix, self.parts = prefix, 0
        scale = self.random.uniform(0.7, 3.8)
        self.voxel = 0.5 * self.cell / scale
        kind = self.random.whole(0, SHAPE_KINDS + len(self.settings.shapes) - 1)
        shape = (self.unit_shape(kind) if kind < SHAPE_KINDS
                 else self.file_shape(self.settings.shapes[kind - SHAPE_KINDS]))
        rotation = self.random.vector(0, 360)
        translation = self.random.vector(-DOMAIN / 2, DOMAIN / 2)
        self.voxel = 0.5 * self.cell
        placed = self.part("transform", translation=translation, rotation=rotation, uniformScale=scale)
        self.link(shape + ".shape", placed + ".shape")
        return self.combined("intersection", [placed, "world"]) if clipped else placed

    # ------------------------------------------------------------------------ what is made of them

    def add_material(self, name):
        """Waves of about 100 m/s in the stiffest, whatever the density."""
        random = self.random
        density = random.uniform(100, 2000)
        young = (self.settings.stiffness * 1e4 * density * random.uniform(0.9, 1.1) *
                 math.pow(30.0, -random.uniform(0, 1)))
        self.add(name, "floe.material",
                 law=("liquid", "snow", "fixedCorotated")[random.whole(0, 2)],
                 name=name, density=density, youngModulus=young,
                 poissonRatio=random.uniform(0.1, 0.3), damping=random.uniform(0, 0.03),
                 viscosity=density * math.pow(10.0, random.uniform(-4, -0.7)),
                 bulkModulus=young / 7, exponent=7, snowHardening=random.uniform(5, 15))

    def add_emitter(self, name, shape, velocity, start_frame):
        self.add_material(name + "_material")
        self.add(name, "floe.emitter", velocity=velocity, avoidOverlap=True, startFrame=start_frame,
                 seed=self.random.whole(0, 1000000))
        self.link(shape + ".shape", name + ".shape")
        self.link(name + "_material.material", name + ".material")
        self.link(name + ".emitter", "solver.emitters")

    def add_body(self, name, at_once):
        shape = self.place(name, clipped=True)
        speed = 10 * math.pow(20.0, -self.random.uniform(0, 1))
        first = 1 if at_once else 1 + int(self.random.uniform(0, 0.6) * self.settings.frames)
        self.add_emitter(name, shape, self.random.vector(-speed, speed), first)

    def add_bed(self):
        """Material that rests on the ground until something hits it."""
        self.prefix, self.parts, self.voxel = "bed", 0, 0.5 * self.cell
        depth = self.random.uniform(0.4, 1.6)
        shape = self.box(DOMAIN, depth, DOMAIN, 0, (0, 0.5 * (depth - DOMAIN), 0))
        self.add_emitter("bed", shape, [0, 0, 0], 1)

    def add_obstacle(self, name):
        shape = self.place(name, clipped=False)
        parameters = {"friction": self.random.uniform(0, 1), "particles": "delete"}
        if self.random.chance(0.2):  # to and fro by up to 2 m, in one to four seconds
            period = 24 * self.random.uniform(1, 4)
            parameters["position"] = [
                {"expr": f"{self.random.uniform(-2, 2):.6g} * sin({2 * math.pi / period:.6g} * (frame - 1))"}
                for _ in range(3)]
            parameters["particles"] = "bounce"
        self.add(name, "floe.collider", **parameters)
        self.link(shape + ".shape", name + ".shape")
        self.link(name + ".collider", "solver.colliders")
