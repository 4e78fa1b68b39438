"""Networks on blocks in PyTorch, and their files. See README.md and floe/sdk/network/block_model.hpp."""

import json
import math
import pathlib
import struct

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

EDGE = 4  # cells of a block
SYSTEM_CHANNELS = 4
MAPS = 3


class Layer(nn.Module):
    """One layer: `kind` convolution, down, up or lstm, as floe/sdk/network/block_model.hpp has them."""

    def __init__(self, name, kind, sees, channels, out, slope=1.0):
        super().__init__()
        self.name, self.kind, self.sees, self.out, self.slope = name, kind, sees, out, slope
        if kind == "up":
            self.inner = nn.ConvTranspose3d(channels, out, 4, stride=2, padding=1)
        elif kind == "lstm":
            self.inner = nn.Conv3d(channels + out, 4 * out, 3, padding=1)
        else:
            self.inner = nn.Conv3d(channels, out, 3, stride=2 if kind == "down" else 1, padding=1)

    def forward(self, steps, mask):
        """`steps`: tensors (batch, channel, x, y, z); `mask`: of blocks, (batch, 1, x, y, z). Returns steps."""
        if self.kind != "lstm":
            results = []
            for x in steps:
                y = self.inner(x)
                if self.slope != 1:
                    y = F.leaky_relu(y, self.slope)
                results.append(y * at_resolution(mask, y))
            return results
        state = cell = torch.zeros_like(steps[0][:, :1]).repeat(1, self.out, 1, 1, 1)
        here = at_resolution(mask, state)
        for x in steps:
            i, f, o, g = self.inner(torch.cat([x, state], 1)).chunk(4, 1)
            cell = (torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)) * here
            state = torch.sigmoid(o) * torch.tanh(cell)
        return [state]


def at_resolution(mask, x):
    """The mask of blocks at the resolution of x."""
    factor = x.shape[-1] // mask.shape[-1]
    for axis in (2, 3, 4):
        mask = mask.repeat_interleave(factor, axis)
    return mask


class BlockNetwork(nn.Module):
    """Layers after one another; each sees inputs and layers by name.

    inputs: [(name, channels, steps)]; layers: [(name, kind, [names], out, slope)]."""

    def __init__(self, purpose, inputs, layers, unit=1.0):
        super().__init__()
        self.purpose, self.inputs, self.unit = purpose, inputs, unit
        channels = {name: count for name, count, _ in inputs}
        made = []
        for name, kind, sees, out, slope in layers:
            made.append(Layer(name, kind, sees, sum(channels[n] for n in sees), out, slope))
            channels[name] = out
        self.layers = nn.ModuleList(made)

    def forward(self, given, mask):
        """`given`: by name, lists of steps. Returns all tensors by name; the last layer's is the result."""
        tensors = dict(given)
        for layer in self.layers:
            seen = [tensors[name] for name in layer.sees]
            steps = [torch.cat(parts, 1) if len(parts) > 1 else parts[0] for parts in zip(*seen)]
            tensors[layer.name] = layer(steps, mask)
        return tensors

    def result(self, given, mask):
        return self(given, mask)[self.layers[-1].name][0]

    def parameter_count(self):
        return sum(p.numel() for p in self.parameters())

    def about(self, record):
        return {
            "format": 1, "purpose": self.purpose, "unit": self.unit,
            "inputs": [{"name": n, "channels": c, "steps": s} for n, c, s in self.inputs],
            "layers": [{"name": layer.name, "kind": layer.kind, "from": layer.sees, "out": layer.out,
                        "slope": layer.slope} for layer in self.layers],
            "record": record}

    def save(self, path, record=None):
        """A safetensors file, whole or not at all."""
        tensors = {}
        for layer in self.layers:
            tensors[layer.name + ".weight"] = layer.inner.weight
            tensors[layer.name + ".bias"] = layer.inner.bias
        write_safetensors(path, {name: t.detach().numpy() for name, t in tensors.items()},
                          {"model": json.dumps(self.about(record or {}))})


def write_safetensors(path, arrays, notes):
    header, data = {"__metadata__": notes}, b""
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = pathlib.Path(path)
    part = path.with_name(f".{path.name}.part")
    part.write_bytes(struct.pack("<Q", len(text)) + text + data)
    part.replace(path)


def load(path):
    """A network from its file, and the record of how it was made."""
    data = pathlib.Path(path).read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    about = json.loads(header["__metadata__"]["model"])
    network = BlockNetwork(about["purpose"], [(i["name"], i["channels"], i["steps"]) for i in about["inputs"]],
                           [(e["name"], e["kind"], e["from"], e["out"], e["slope"]) for e in about["layers"]],
                           about["unit"])
    with torch.no_grad():
        for layer in network.layers:
            for part in ("weight", "bias"):
                entry = header[f"{layer.name}.{part}"]
                begin, end = entry["data_offsets"]
                values = np.frombuffer(data[8 + length + begin:8 + length + end], "<f4").reshape(entry["shape"])
                getattr(layer.inner, part).copy_(torch.from_numpy(values.copy()))
    return network, about["record"]


def paper_network(steps=4, width=16, unit=100.0):
    """Encoder of three convolutions to 4 * width channels a block, ConvLSTM and a convolution, decoder of four;
    what the paper leaves open (kernels, inner channels) as its stated numbers allow. `unit` [Pa]."""
    w = width
    return BlockNetwork("pressures", [("pressures", MAPS, steps)], [
        ("encoder1", "convolution", ["pressures"], w, 0.2),
        ("encoder2", "down", ["encoder1"], 2 * w, 0.2),
        ("encoder3", "down", ["encoder2"], 4 * w, 1.0),
        ("memory", "lstm", ["encoder3"], 4 * w, 1.0),
        ("next", "convolution", ["memory"], 4 * w, 1.0),
        *decoder("", "next", w)], unit)


def decoder(suffix, latent, w):
    return [("decoder1" + suffix, "up", [latent], 4 * w, 0.2),
            ("decoder2" + suffix, "up", ["decoder1" + suffix], 2 * w, 0.2),
            ("decoder3" + suffix, "convolution", ["decoder2" + suffix], w, 0.2),
            ("decoder4" + suffix, "convolution", ["decoder3" + suffix], MAPS, 1.0)]


def reconstruct(network, latents, mask):
    """The decoder of a paper_network on latents that its encoder made: X from C, without the forecast."""
    steps = latents
    for layer in network.layers[-4:]:
        steps = layer(steps, mask)
    return steps


def correction_network(width=16):
    """Ours: from what the start leaves, at three resolutions, what it lacks. Few layers: it has to be cheaper than
    the iterations that it saves."""
    w = width
    return BlockNetwork("correction", [("system", SYSTEM_CHANNELS, 1)], [
        ("half", "down", ["system"], w, 0.2),
        ("block", "down", ["half"], 2 * w, 0.2),
        ("wide1", "convolution", ["block"], 2 * w, 0.2),
        ("wide2", "convolution", ["wide1"], 2 * w, 0.2),
        ("back", "up", ["wide2"], w, 0.2),
        ("cells", "up", ["back", "half"], 2, 1.0)])


def compressed(x, unit):
    """Signed lg of pressures in a unit (equation 6 of the paper)."""
    return np.copysign(np.log10(1 + np.abs(x) / unit), x)


def expanded(y, unit):
    return np.copysign(10 ** np.abs(y) - 1, y) * unit


def initialise(network, seed):
    """Weights from a seed, independent of the order in which networks were made."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for layer in network.layers:
            fan = layer.inner.weight.shape[0 if layer.kind == "up" else 1] * (8 if layer.kind == "up" else 27)
            for tensor in (layer.inner.weight, layer.inner.bias):
                tensor.copy_((2 * torch.rand(tensor.shape, generator=generator) - 1) / math.sqrt(fan))
    return network
