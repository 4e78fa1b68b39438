#!/usr/bin/env python3
"""Writes what PyTorch's forward pass gives, for the test of the inference in C++.

    reference.py OUT.json

Both kinds of network with random weights, on fields of several sizes whose numbers come from a
formula that the test repeats.
"""

import json
import sys

import numpy as np
import torch

from network import ActivationNetwork, block_channels

SIZES = [(1, 1, 1), (2, 1, 3), (5, 4, 7), (16, 3, 2), (16, 16, 16)]  # blocks of 4 cells


def hashed(index, salt):
    """A whole number below 2^24 for each index; exact in any language."""
    value = (index.astype(np.uint64) + np.uint64(1)) * np.uint64(2654435761 + 2 * salt)
    value &= np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(15)
    value = (value * np.uint64(2246822519)) & np.uint64(0xFFFFFFFF)
    value ^= value >> np.uint64(13)
    return (value & np.uint64(0xFFFFFF)).astype(np.float64) / 2 ** 24


def main():
    torch.manual_seed(7)
    cases, models = [], {}
    for thesis in (True, False):
        network = ActivationNetwork(thesis)
        network.mean.fill_(0.03)
        network.deviation.fill_(0.11)
        for size in SIZES:
            x, y, z = (4 * s for s in size)
            cells = np.arange(x * y * z)
            blocks = np.arange(np.prod(size))
            # Half of the blocks are still, a third of the others hold no matter.
            block_of = ((np.arange(x)[:, None, None] // 4 * size[1] +
                         np.arange(y)[None, :, None] // 4) * size[2] +
                        np.arange(z)[None, None, :] // 4)
            moving = hashed(blocks, 1) < 0.5
            occupied = ~(hashed(blocks, 2) < 1 / 3)
            speed = (hashed(cells, 3) ** 4 * 8).reshape(x, y, z) * moving[block_of]
            domain, threshold, horizon, cell_size, gain = 10.0, 0.025, 0.04, 0.1, 1.5
            scale = gain / (domain if thesis else threshold)
            max_speed, liquid, sound, rest = (hashed(blocks, s) * f for s, f in
                                              ((4, 8), (5, 1), (6, 120), (7, 1)))
            channels = block_channels(gain * max_speed, liquid, sound, rest, 0.3, threshold, horizon,
                                      cell_size)
            channels = (channels * occupied).reshape((1, -1) + size)
            with torch.no_grad():
                seen = network.compress(torch.tensor(speed, dtype=torch.float32), scale)
                asked = seen[None, None], torch.tensor(channels, dtype=torch.float32)
                logits = network.reference(*asked)[0]
                # The form that is trained is the same function.
                torch.testing.assert_close(network(*asked)[0], logits, rtol=1e-5, atol=1e-5)
            kept = logits.flatten().tolist()
            cases.append({"thesis": thesis, "size": list(size),
                          "logits": [float(f"{v:.8g}") for v in kept]})
        models["thesis" if thesis else "physical"] = network.to_json()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump({"cases": cases, "models": models}, file)
        file.write("\n")


if __name__ == "__main__":
    main()
