"""The activation network in PyTorch, and its JSON form. See README.md."""

import json
import math

import torch
from torch import nn
from torch.nn import functional as F

BLOCK_CHANNELS = ("occupied", "speed", "liquid", "reach", "recent")
MEMORY_FRAMES = 6


class ActivationNetwork(nn.Module):
    """Four 3x3x3 convolutions: cells -> half -> blocks -> blocks -> logit of each block.

    thesis: speeds over the domain's scale, normalised; nothing else (Sirois-Vigneux 2023, 3.2).
    otherwise: speeds over the threshold through log(1 + s), kernels centred on the block, and
    what is known of whole blocks beside the features of layer 2.
    """

    def __init__(self, thesis, hidden=2, features=5, inner=2):
        super().__init__()
        self.thesis = thesis
        self.unit = "domain" if thesis else "threshold"
        self.logarithm = not thesis
        self.padding = (1, 1) if thesis else (1, 0)
        self.block_channels = () if thesis else BLOCK_CHANNELS
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("deviation", torch.ones(()))
        self.layers = nn.ModuleList([
            nn.Conv3d(1, hidden, 3, stride=2), nn.Conv3d(hidden, features, 3, stride=2),
            nn.Conv3d(features + len(self.block_channels), inner, 3), nn.Conv3d(inner, 1, 3)])

    def compress(self, speed, scale):
        """What the first layer sees, before it is normalised: 0 where nothing moves."""
        return torch.log1p(speed * scale) if self.logarithm else speed * scale

    def forward(self, seen, channels=None):
        """Logits of blocks (batch, x, y, z) from compressed speeds (batch, 1, 4x, 4y, 4z) and block
        channels (batch, channel, x, y, z), as if the world were empty and endless around them.

        Layers 1 to 3 are computed as what they differ from the values that they have where nothing
        moves, so that padding with zeros is exact. One ring of blocks is added for the kernels that
        see the matter from outside.
        """
        first, second, third, last = self.layers
        seen = F.pad(seen, (4,) * 6)
        still = -self.mean / self.deviation
        normal = seen / self.deviation  # 0 at rest
        bias = first.bias + still * first.weight.sum((1, 2, 3, 4))
        low, high = self.padding[0], 1 - self.padding[0]
        middle = F.conv3d(F.pad(normal, (low, high) * 3), first.weight, bias, stride=2)
        rest = F.relu(bias)
        middle = F.relu(middle) - rest.view(1, -1, 1, 1, 1)
        bias = second.bias + second.weight.sum((2, 3, 4)) @ rest
        low, high = self.padding[1], 1 - self.padding[1]
        features = F.conv3d(F.pad(middle, (low, high) * 3), second.weight, bias, stride=2)
        rest = F.relu(bias)
        features = F.relu(features) - rest.view(1, -1, 1, 1, 1)
        bias = third.bias + third.weight[:, :rest.numel()].sum((2, 3, 4)) @ rest
        if self.block_channels:
            features = torch.cat([features, F.pad(channels, (1,) * 6)], 1)
        inner = F.relu(F.conv3d(F.pad(features, (1,) * 6), third.weight, bias))
        return last(inner)[:, 0]  # of the blocks without the ring

    def reference(self, seen, channels=None):
        """The same by nothing but PyTorch's own layers, on a field with a wide empty rim."""
        rim = 3  # blocks; what padding with zeros does to the layers inside stays within it
        x = (F.pad(seen, (4 * rim,) * 6) - self.mean) / self.deviation
        for layer, side in zip(self.layers[:2], self.padding):
            x = F.relu(layer(F.pad(x, (side, 1 - side) * 3)))
        if self.block_channels:
            x = torch.cat([x, F.pad(channels, (rim,) * 6)], 1)
        x = F.relu(self.layers[2](F.pad(x, (1,) * 6)))
        x = self.layers[3](F.pad(x, (1,) * 6))[:, 0]
        return x[:, rim:-rim, rim:-rim, rim:-rim]

    def parameter_count(self):
        return sum(p.numel() for p in self.parameters())

    def to_json(self, record=None):
        numbers = lambda tensor: [float(f"{v:.9g}") for v in tensor.detach().flatten().tolist()]
        return {
            "format": 1,
            "input": {"unit": self.unit,
                      "compression": "logarithm" if self.logarithm else "none",
                      "mean": float(self.mean), "deviation": float(self.deviation)},
            "blockChannels": list(self.block_channels),
            "padding": list(self.padding),
            "layers": [{"in": layer.in_channels, "out": layer.out_channels,
                        "weight": numbers(layer.weight), "bias": numbers(layer.bias)}
                       for layer in self.layers],
            "record": record or {},
        }

    def save(self, path, record=None):
        """Lists of numbers stay on one line."""
        text = json.dumps(self.to_json(record), indent=1)
        flat, depth = [], 0
        for line in text.split("\n"):
            stripped = line.strip()
            if stripped.endswith("["):
                depth += 1
                if stripped.startswith(('"weight"', '"bias"')):
                    flat.append(line)
                    depth = 100
                    continue
            if depth >= 100:
                if stripped.startswith("]"):
                    flat[-1] += stripped
                    depth = 0
                else:
                    flat[-1] += stripped + (" " if stripped.endswith(",") else "")
                continue
            flat.append(line)
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(flat) + "\n")


def block_channels(max_speed, liquid, sound, rest_time, memory, threshold, horizon, cell_size):
    """The channels of BLOCK_CHANNELS, one row each, for numpy arrays over blocks."""
    import numpy as np
    reach = np.log1p(sound * (horizon / (4 * cell_size)))
    return np.stack([np.ones_like(max_speed), np.log1p(max_speed / threshold), liquid, reach,
                     np.exp(-rest_time / memory)])
