#!/usr/bin/env python3
"""Writes what PyTorch gives for small networks with random weights, which a test holds the inference against.

    reference.py FOLDER

FOLDER/block_paper.safetensors and block_correction.safetensors are networks; block_reference.json names, for each,
blocks, inputs and results. Numbers are rounded to what a float holds."""

import json
import pathlib
import sys

import numpy as np
import torch

from network import MAPS, SYSTEM_CHANNELS, BlockNetwork, correction_network, initialise, paper_network


def case(network, size, seed):
    """Of blocks at random places in a box of `size` blocks, two thirds of it."""
    random = np.random.default_rng(seed)
    holds = random.random(size) < 0.67
    blocks = np.argwhere(holds)
    mask = torch.from_numpy(holds.astype(np.float32))[None, None]
    given, flat = {}, {}
    for name, channels, steps in network.inputs:
        given[name], flat[name] = [], []
        for _ in range(steps):
            values = random.standard_normal((len(blocks), 4, 4, 4, channels)).astype(np.float32).round(3)
            dense = np.zeros((channels, *(4 * n for n in size)), np.float32)
            for (x, y, z), block in zip(4 * blocks, values):
                dense[:, x:x + 4, y:y + 4, z:z + 4] = block.transpose(3, 0, 1, 2)
            given[name].append(torch.from_numpy(dense)[None])
            flat[name].append([float(f"{v:.4g}") for v in values.ravel()])
    with torch.no_grad():
        dense = network.result(given, mask)[0].numpy()
    result = np.stack([dense[:, x:x + 4, y:y + 4, z:z + 4].transpose(1, 2, 3, 0) for x, y, z in 4 * blocks])
    return {"blocks": (blocks - 1).tolist(), "inputs": flat,
            "result": [float(f"{v:.9g}") for v in result.ravel()]}


def main():
    folder = pathlib.Path(sys.argv[1])
    networks = {"block_paper": (paper_network(steps=2, width=3), (4, 3, 3)),
                "block_correction": (correction_network(width=5), (4, 2, 4))}
    cases = {}
    for seed, (name, (network, size)) in enumerate(networks.items()):
        initialise(network, seed)
        network.save(folder / f"{name}.safetensors", {"seed": seed})
        cases[name] = case(network, size, seed + 10)
    (folder / "block_reference.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
