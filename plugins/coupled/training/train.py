#!/usr/bin/env python3
"""Trains networks that know the pressure, and says how good they are on scenes that they have not seen.

    train.py DATA --out FOLDER [--minutes 20] [--threads 1]

Writes FOLDER/correction.safetensors (ours), FOLDER/paper.safetensors (encoder, ConvLSTM, decoder: the paper's, of the
width asked for) and results.md. The last scene of each family is for testing only. Needs PyTorch
and NumPy."""

import argparse
import json
import pathlib
import time

import numpy as np
import torch
from torch.nn import functional as F

from network import compressed, correction_network, initialise, load as load_network, paper_network, reconstruct
from samples import load, scenes_in


def turned(tensors, random):
    """Mirrored or turned about the vertical axis: gravity stays where it is. Not for what has axes."""
    swap = random.integers(2)
    flips = [axis for axis in (-3, -1) if random.integers(2)]
    out = []
    for t in tensors:
        t = t.transpose(-3, -1) if swap else t
        out.append(t.flip(flips) if flips else t)
    return out


def mask_of(step):
    return torch.from_numpy(step.holds.astype(np.float32))[None, None]


# The paper's network: forecasts of whole fields.

def field(step, unit):
    return torch.from_numpy(compressed(step.maps, unit).astype(np.float32))[None]


def slope(x):
    """Forward differences along each axis (the discrete gradient of the losses)."""
    return [x.diff(dim=axis) for axis in (-3, -2, -1)]


def huber_with_slope(x, guess):
    loss = F.huber_loss(guess, x)
    for a, b in zip(slope(x), slope(guess)):
        loss = loss + F.huber_loss(b, a)
    return loss


def paper_loss(network, steps, random=None):
    """Prediction and reconstruction, of fluid, solid and interface alike (equations 12, 14, 15)."""
    masks = [mask_of(s) for s in steps]
    fields = [field(s, network.unit) for s in steps]
    if random is not None:
        together = turned(fields + masks, random)
        fields, masks = together[:len(fields)], together[len(fields):]
    mask = masks[-1]  # the blocks of the coming step, as inference has it
    window = [f * spread(mask, f) for f in fields[:-1]]
    tensors = network({"pressures": window}, mask)
    guess = tensors[network.layers[-1].name][0]
    again = reconstruct(network, tensors["encoder3"], mask)
    loss = huber_with_slope(fields[-1], guess)
    return loss + sum(huber_with_slope(x, y) for x, y in zip(window, again)) / len(window)


def spread(mask, x):
    for axis in (2, 3, 4):
        mask = mask.repeat_interleave(x.shape[axis] // mask.shape[axis], axis)
    return mask


def signal_to_noise(network, steps):
    """Of fluid, solid and interface pressures in Pa, as the paper defines it (equation 18)."""
    with torch.no_grad():
        mask = mask_of(steps[-1])
        window = [field(s, network.unit) for s in steps[:-1]]
        window = [f * spread(mask, f) for f in window]
        y = network.result({"pressures": window}, mask)[0].numpy()
    guess = np.copysign(10.0 ** np.abs(y) - 1, y) * network.unit
    out = []
    for x, p in zip(steps[-1].maps, guess):
        there = x != 0
        if there.any():
            out.append(10 * np.log10(np.abs(x).max() / np.mean((x - p)[there].astype(np.float64) ** 2)))
        else:
            out.append(np.nan)
    return out


# Ours: what the start lacks.

def system(step):
    seen, missing = step.system()
    return [torch.from_numpy(a)[None] for a in (seen, missing, step.faces())] + [mask_of(step)]


def product(a, b, faces):
    """Of the energy: differences across faces. What is outside has pressure 0."""
    total = 0
    for axis in range(3):
        da, db = (x - x.roll(1, axis + 2) for x in (a, b))
        weight = torch.stack([faces[:, axis], torch.ones_like(faces[:, axis])], 1)
        total = total + (da * db * weight).sum((1, 2, 3, 4))
    return total


def correction_loss(network, step):
    """The share of the error's energy that is left after going towards the guess as far as that lowers it."""
    seen, missing, faces, mask = system(step)
    guess = network.result({"system": [seen]}, mask) * seen[:, 2:]
    along = product(missing, guess, faces)
    return (1 - along ** 2 / (product(missing, missing, faces) * product(guess, guess, faces) + 1e-20)).mean()


def train(network, sequences, loss_of, rate, seconds, batch, seed, say):
    """Adam for a time; the rate falls to nothing towards its end."""
    random = np.random.default_rng(seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=rate)
    begin, updates, smooth = time.monotonic(), 0, None
    while (spent := time.monotonic() - begin) < seconds:
        for group in optimiser.param_groups:
            group["lr"] = rate * max(0.02, 1 - spent / seconds)
        optimiser.zero_grad()
        for _ in range(batch):
            loss = loss_of(network, sequences[random.integers(len(sequences))]) / batch
            loss.backward()
            value = float(loss.detach()) * batch
            smooth = value if smooth is None else 0.98 * smooth + 0.02 * value
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        updates += 1
        if updates % 20 == 0:
            say(f"{updates} updates, {spent:.0f} s, loss {smooth:.4f}")
    return updates


def windows(files, length, stride):
    """Runs of `length` files that follow one another."""
    return [files[i:i + length] for i in range(0, len(files) - length + 1, stride)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("data", type=pathlib.Path)
    add("--out", type=pathlib.Path, required=True)
    add("--networks", nargs="+", choices=("correction", "paper"), default=["correction", "paper"])
    add("--minutes", type=float, default=20, help="of training in all: two thirds for ours, if both (%(default)s)")
    add("--threads", type=int, default=1)
    add("--width", type=int, default=8, help="channels of the paper's network; 16 for its own (%(default)s)")
    add("--steps", type=int, default=4, help="of the past, for the paper's network (%(default)s)")
    add("--batch", type=int, default=4)
    add("--seed", type=int, default=1)
    add("--every", type=int, default=1, help="every so many of the recorded steps for ours (%(default)s)")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    scenes = scenes_in(options.data)
    if not scenes:
        parser.error(f"{options.data} holds no scenes; make some with dataset.py")
    last = {}
    for name in scenes:
        last[name.rsplit("_", 1)[0]] = name
    testing = set(last.values()) if len(scenes) > len(last) else set()
    steps = {name: load(files) for name, files in scenes.items()}
    train_ours = [s for name, all_ in steps.items() if name not in testing for s in all_[1::options.every]]
    length = options.steps + 1
    train_paper = [w for name, all_ in steps.items() if name not in testing for w in windows(all_, length, 1)]
    print(f"{len(train_ours)} steps to train with; {', '.join(sorted(testing)) or 'none'} to test", flush=True)
    record = {"data": json.loads((options.data / "dataset.json").read_text()), "scenes": len(scenes),
              "testing": sorted(testing), "steps": len(train_ours), "minutes": options.minutes,
              "threads": options.threads, "batch": options.batch, "seed": options.seed,
              "torch": torch.__version__}

    seconds = {"correction": 40 * options.minutes, "paper": 20 * options.minutes}
    if len(options.networks) == 1:
        seconds[options.networks[0]] = 60 * options.minutes
    if "correction" in options.networks:
        ours = initialise(correction_network(), options.seed)
        updates = train(ours, train_ours, correction_loss, 3e-3, seconds["correction"], options.batch, options.seed,
                        lambda text: print("correction:", text, flush=True))
        ours.save(options.out / "correction.safetensors", {**record, "updates": updates})
    if "paper" in options.networks:
        paper = initialise(paper_network(options.steps, options.width), options.seed)
        random = np.random.default_rng(options.seed + 1)
        updates = train(paper, train_paper, lambda n, w: paper_loss(n, w, random), 1e-3, seconds["paper"],
                        options.batch, options.seed, lambda text: print("paper:", text, flush=True))
        paper.save(options.out / "paper.safetensors", {**record, "updates": updates})
    evaluate(options.out, options.networks, steps, testing, length)


def evaluate(folder, names, steps, testing, length):
    """results.md, from the files as they are."""
    lines = ["# How well pressures are guessed", "",
             f"On scenes that are not trained with: {', '.join(sorted(testing)) or 'none'}."]
    for name in names:
        network, record = load_network(folder / f"{name}.safetensors")
        ours = name == "correction"
        lines += ["", f"## {name}.safetensors", "",
                  f"{network.parameter_count()} parameters, {record['updates']} updates of {record['batch']}.", "",
                  "| scene | share of the error's energy that is left |" if ours else
                  "| scene | PSNR of fluid | solid | interface pressures |", "|---|---:|" if ours else "|---|---:|---:|---:|"]
        for scene in sorted(testing):
            if ours:
                with torch.no_grad():
                    left = np.mean([float(correction_loss(network, s)) for s in steps[scene][1::5]])
                lines.append(f"| {scene} | {left:.3f} |")
            else:
                psnr = np.array([signal_to_noise(network, w) for w in windows(steps[scene], length, 5)])
                means = [p[np.isfinite(p)].mean() if np.isfinite(p).any() else np.nan for p in psnr.T]
                lines.append(f"| {scene} | " + " | ".join(f"{m:.2f}" for m in means) + " |")
        lines += ["", "```json", json.dumps(record, indent=1), "```"]
    (folder / "results.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
