"""Reading what the recorder writes: one .npz file a step. See README.md for its arrays."""

import pathlib

import numpy as np

EDGE = 4


class Step:
    """A step's system and solution, on a dense box of blocks with one corner at the origin."""

    def __init__(self, path, corner, size):
        with np.load(path) as file:
            a = {name: file[name] for name in file.files}
        self.corner, self.size = corner, size
        self.dt = float(a["dt"])
        self.holds = np.zeros(size, bool)
        block = a["block"] - corner
        self.holds[tuple(block.T)] = True
        self.maps = np.zeros((3, *(EDGE * n for n in size)), np.float32)  # [Pa]
        for (x, y, z), values in zip(EDGE * block, a["maps"]):
            self.maps[:, x:x + EDGE, y:y + EDGE, z:z + EDGE] = values.transpose(3, 0, 1, 2)
        walls = a["kind"] == 2
        self.walls = (a["axis"][walls], *(a["cell"][walls] - EDGE * np.asarray(corner)).T)
        cells = a["kind"] < 2  # solid and fluid pressures
        self.at = tuple((a["cell"][cells] - EDGE * np.asarray(corner)).T)
        self.channel = np.where(a["kind"][cells] == 0, 1, 0)
        self.jacobi = (a["residual"] / a["diagonal"])[cells]  # [Pa]
        self.missing = (a["pressure"] - a["start"])[cells]  # [Pa]

    def scale(self):
        return float(np.sqrt(np.mean(self.jacobi.astype(np.float64) ** 2)))

    def dense(self, values, channels):
        out = np.zeros((channels, *(EDGE * n for n in self.size)), np.float32)
        out[(self.channel, *self.at)] = values
        return out

    def faces(self):
        """1 on the lower faces of cells, by axis, across which the pressure of the fluid counts: not on walls."""
        fluid = np.zeros([EDGE * n for n in self.size], bool)
        fluid[tuple(a[self.channel == 0] for a in self.at)] = True
        out = np.stack([fluid | np.roll(fluid, 1, axis) for axis in range(3)])
        out[self.walls] = False
        return out.astype(np.float32)

    def system(self):
        """What a correction network sees, and what it should say; both relative to scale()."""
        scale = max(self.scale(), 1e-30)
        there = self.dense(np.ones_like(self.jacobi), 2)
        return np.concatenate([self.dense(self.jacobi / scale, 2), there]), self.dense(self.missing / scale, 2)


def box_of(paths):
    """The smallest box of blocks around those of all files: corner and size, in blocks."""
    low, high = np.full(3, 10 ** 9), np.full(3, -10 ** 9)
    for path in paths:
        with np.load(path) as file:
            block = file["block"]
        low, high = np.minimum(low, block.min(0)), np.maximum(high, block.max(0))
    return low, tuple(int(n) for n in high - low + 1)


def scenes_in(folder):
    """The files of each scene in order, by name."""
    return {scene.parent.name: sorted(scene.glob("step.*.npz"))
            for scene in sorted(pathlib.Path(folder).glob("[a-z]*/pressures"))}


def load(paths):
    corner, size = box_of(paths)
    return [Step(path, corner, size) for path in paths]
