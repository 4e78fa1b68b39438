"""Reading what dataset.py writes. See README.md for the format."""

import json
import pathlib
import struct

import numpy as np

TYPES = {"F32": np.float32, "I32": np.int32, "U8": np.uint8}


def read_safetensors(path):
    """Arrays by name, and the notes of the file."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    notes = header.pop("__metadata__", {})
    body = memoryview(data)[8 + length:]
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(body[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return arrays, notes


class Sample:
    """One evaluation: the blocks that held matter, in a box with one corner at the origin."""

    def __init__(self, path):
        a, notes = read_safetensors(path)
        self.scene, self.split = notes["scene"], notes["split"]
        self.frame = int(float(notes["frame"]))
        self.threshold = float(notes["threshold"])
        self.domain_scale = float(notes["domain_scale"])
        self.fps = float(notes["fps"])
        self.cell_size = float(notes["cell_size"])
        self.horizon = float(notes["horizon"])
        # Motion further than three blocks from all matter is not seen.
        block = a["block"]
        field = a.get("field_block", np.zeros((0, 3), np.int32))
        speed = a.get("field_speed", np.zeros((0, 4, 4, 4), np.float32))
        near = ((field >= block.min(0) - 3) & (field <= block.max(0) + 3)).all(1)
        field, speed = field[near], speed[near]
        both = np.concatenate([block, field])
        corner = both.min(0)
        self.size = tuple(int(n) for n in both.max(0) - corner + 1)
        self.block, self.field, self.speed = block - corner, field - corner, speed
        self.max_speed, self.future_speed = a["max_speed"], a["future_speed"]
        self.rest_time, self.push_speed = a["rest_time"], a["push_speed"]
        self.sound, self.liquid = a["sound_speed"], a["liquid_share"]
        self.awake_before = a["state"] == 1
        self.label = np.maximum(self.max_speed, self.future_speed) > self.threshold

    def moves_now(self):
        """Of the blocks: the part of the label that needs no network."""
        return self.max_speed > self.threshold

    def dense_speed(self, size, dtype=np.float32):
        """[m/s], cell by cell, in a box of `size` blocks."""
        grid = np.zeros((size[0], 4, size[1], 4, size[2], 4), dtype)
        x, y, z = self.field.T
        grid[x, :, y, :, z, :] = self.speed.reshape(-1, 4, 4, 4)
        return grid.reshape([4 * n for n in size])

    def on_blocks(self, values, size, dtype=np.float32):
        grid = np.zeros(size, dtype)
        grid[tuple(self.block.T)] = values
        return grid

    def of_blocks(self, grid):
        return grid[tuple(self.block.T)]


def load(folder):
    """{"train": [...], "validation": [...], "test": [...]}; each in order of scene and frame.

    The first evaluation of a scene is left out: no step has measured how fast the particles are.
    """
    splits = {"train": [], "validation": [], "test": []}
    for samples in sorted(pathlib.Path(folder).glob("scene_*/samples")):
        for path in sorted(samples.glob("*.safetensors"))[1:]:
            sample = Sample(path)
            splits[sample.split].append(sample)
    return splits
