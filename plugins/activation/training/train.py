#!/usr/bin/env python3
"""Trains the activation networks and says how good they are.

    train.py DATA --out FOLDER [--epochs 24] [--seeds 2] [--threads 1] [--minutes 20]

Writes FOLDER/thesis.json (the network of Sirois-Vigneux 2023), FOLDER/physical.json (ours),
FOLDER/network.json (the better one on the validation scenes), results.md and curves.png. Scenes of
the test split are read only after everything is chosen.
"""

import argparse
import json
import pathlib
import subprocess
import time

import numpy as np
import torch
from torch.nn import functional as F

from network import BLOCK_CHANNELS, MEMORY_FRAMES, ActivationNetwork, block_channels
from samples import load

SLEEP_DELAY = 0.25  # [s], of the rule-based baseline
BATCH = 4


class Tensors:
    """All samples of a split, in batches of one scene each, so that a batch is no larger than the
    box around the matter of its scene."""

    def __init__(self, samples):
        self.samples = samples
        self.kept = [None] * len(samples)
        self.scenes = {}
        for i, s in enumerate(samples):
            self.scenes.setdefault(s.scene, []).append(i)

    def one(self, i):
        """Speed, channels, label and mask of a sample, small enough to keep all of them."""
        if self.kept[i] is None:
            s = self.samples[i]
            channels = block_channels(s.max_speed, s.liquid, s.sound, s.rest_time,
                                      MEMORY_FRAMES / s.fps, s.threshold, s.horizon, s.cell_size)
            self.kept[i] = (
                torch.from_numpy(s.dense_speed(s.size, np.float16)),
                torch.from_numpy(np.stack([s.on_blocks(c, s.size) for c in channels])),
                torch.from_numpy(s.on_blocks(s.label, s.size, bool)),
                torch.from_numpy(s.on_blocks(True, s.size, bool)))
        return self.kept[i]

    def batches(self, random=None, share=1):
        """Indices; in order, or a share of each scene's, shuffled inside scenes and among them."""
        result = []
        for indices in self.scenes.values():
            if random:
                count = max(1, round(share * len(indices)))
                indices = random.permutation(indices)[:count].tolist()
            result += [indices[i:i + BATCH] for i in range(0, len(indices), BATCH)]
        return [result[i] for i in random.permutation(len(result))] if random else result

    def batch(self, network, index):
        size = [max(self.samples[i].size[axis] for i in index) for axis in range(3)]
        n = len(index)
        seen = torch.zeros([n, 1] + [4 * s for s in size])
        channels = torch.zeros([n, len(BLOCK_CHANNELS)] + size)
        label = torch.zeros([n] + size, dtype=torch.bool)
        mask = torch.zeros([n] + size, dtype=torch.bool)
        for k, i in enumerate(index):
            sample, (speed, known, truth, holds) = self.samples[i], self.one(i)
            unit = sample.domain_scale if network.unit == "domain" else sample.threshold
            x, y, z = sample.size
            seen[k, 0, :4 * x, :4 * y, :4 * z] = network.compress(speed.float(), 1 / unit)
            channels[k, :, :x, :y, :z] = known
            label[k, :x, :y, :z] = truth
            mask[k, :x, :y, :z] = holds
        return seen, channels, label, mask


def turned(tensors, random):
    """Mirrored or turned about the vertical axis: gravity stays where it is."""
    swap = random.integers(2)
    flips = [axis for axis in (-3, -1) if random.integers(2)]
    out = []
    for t in tensors:
        t = t.transpose(-3, -1) if swap else t
        out.append(t.flip(flips) if flips else t)
    return out


def logits(network, tensors):
    """Of all samples, as arrays over their blocks."""
    result = [None] * len(tensors.samples)
    with torch.no_grad():
        for index in tensors.batches():
            seen, channels, _, _ = tensors.batch(network, index)
            out = network(seen, channels).numpy()
            for k, i in enumerate(index):
                result[i] = tensors.samples[i].of_blocks(out[k])
    return result


def loss_of(network, batch, weight):
    """Binary cross-entropy of the blocks that hold matter; waking ones count `weight` times."""
    seen, channels, label, mask = batch
    z = network(seen, channels)[mask]
    y = label[mask].float()
    return F.binary_cross_entropy_with_logits(z, y, pos_weight=weight), z, y


def validate(network, tensors, weight):
    total, right, count = 0.0, 0, 0
    with torch.no_grad():
        for index in tensors.batches():
            loss, z, y = loss_of(network, tensors.batch(network, index), weight)
            total += float(loss) * y.numel()
            right += int(((z > 0) == (y > 0.5)).sum())
            count += y.numel()
    return total / count, right / count


def normalise(network, tensors):
    """Mean and deviation of what the first layer sees in the cells of blocks that hold matter."""
    total, square, count = 0.0, 0.0, 0
    for index in tensors.batches():
        seen, _, _, mask = tensors.batch(network, index)
        cells = mask
        for axis in (1, 2, 3):
            cells = cells.repeat_interleave(4, axis)
        values = seen[:, 0][cells].double()
        total, square, count = total + values.sum(), square + (values ** 2).sum(), \
            count + values.numel()
    network.mean.fill_(float(total / count))
    network.deviation.fill_(float((square / count - (total / count) ** 2) ** 0.5))


def train(thesis, seed, data, options, deadline):
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    network = ActivationNetwork(thesis)
    normalise(network, data["train"])
    with torch.no_grad():
        network.layers[0].bias.abs_()  # both channels begin alive where nothing moves
    label = torch.tensor(np.concatenate([s.label for s in data["train"].samples]).mean())
    weight = torch.clamp((1 - label) / label, 0.25, 4)
    optimiser = torch.optim.Adam(network.parameters(), lr=options.rate, betas=(0.9, 0.999))
    decay = torch.optim.lr_scheduler.ExponentialLR(optimiser, options.decay)
    best, best_loss, since, curve = None, float("inf"), 0, []
    began = time.process_time()
    for epoch in range(options.epochs):
        total, seen = 0.0, 0
        for index in data["train"].batches(random, options.share):
            batch = turned(data["train"].batch(network, index), random)
            optimiser.zero_grad()
            loss, _, _ = loss_of(network, batch, weight)
            loss.backward()
            optimiser.step()
            total += float(loss) * len(index)
            seen += len(index)
        decay.step()
        loss, accuracy = validate(network, data["validation"], weight)
        curve.append((total / seen, loss, accuracy))
        if loss < best_loss:
            best_loss, since = loss, 0
            best = {k: v.clone() for k, v in network.state_dict().items()}
        else:
            since += 1
        print(f"{'thesis' if thesis else 'physical'} seed {seed} epoch {epoch}: training "
              f"{total / seen:.4f}  validation {loss:.4f}  accuracy {accuracy:.4%}  "
              f"{time.process_time() - began:.0f} s", flush=True)
        if since >= options.patience or time.monotonic() > deadline:
            break
    network.load_state_dict(best)
    return network, best_loss, curve


def rates(predicted, truth):
    predicted, truth = np.asarray(predicted, bool), np.asarray(truth, bool)
    hit = np.sum(predicted & truth)
    return {"blocks": int(truth.size), "accuracy": float(np.mean(predicted == truth)),
            "precision": float(hit / max(np.sum(predicted), 1)),
            "recall": float(hit / max(np.sum(truth), 1)),
            "share": float(np.mean(predicted)), "missed": int(np.sum(truth & ~predicted)),
            "needless": int(np.sum(predicted & ~truth))}


def dilated(sample):
    grid = np.zeros(tuple(n + 2 for n in sample.size), bool)
    for at in sample.block[sample.moves_now()]:
        grid[tuple(slice(i, i + 3) for i in at)] = True
    return grid[tuple((sample.block + 1).T)]


def baselines(samples):
    """What simple rules say: name -> one array over all blocks of all samples."""
    rules = {"(a) moves now": [], "(b) moves now, or is beside what does": [],
             "(c) threshold with sleep delay": [], "(d) moves now, or the guard's push": []}
    for s in samples:
        now = s.moves_now()
        push = s.push_speed > s.threshold
        keeps = ~((s.max_speed < s.threshold) & (s.rest_time >= SLEEP_DELAY))
        for rule, value in zip(rules, (now, dilated(s), np.where(s.awake_before, keeps, push),
                                       now | push)):
            rules[rule].append(value)
    return {rule: np.concatenate(values) for rule, values in rules.items()}


def at_share(scores, now, share):
    """Active is what moves now, and of the rest what scores highest, up to a share of all blocks."""
    ranked = np.where(now, np.inf, scores)
    count = int(round(share * ranked.size))
    order = np.argsort(-ranked, kind="stable")
    active = np.zeros(ranked.size, bool)
    active[order[:count]] = True
    return active


def report(samples, networks):
    """Rows of figures for a split."""
    truth = np.concatenate([s.label for s in samples])
    now = np.concatenate([s.moves_now() for s in samples])
    push = np.concatenate([s.push_speed > s.threshold for s in samples])
    differ = now != truth
    rows = []

    def row(name, predicted):
        rows.append({"rule": name, "all": rates(predicted, truth),
                     "disagreement": rates(predicted[differ], truth[differ])})

    rules = baselines(samples)
    for name, predicted in rules.items():
        row(name, predicted)
    equal = []
    for name, scores in networks.items():
        scores = np.concatenate(scores)
        row(f"{name} network alone", scores > 0)
        row(f"{name} network, or moves now (the node)", now | (scores > 0))
        row(f"{name} network, or moves now, or the guard's push", now | push | (scores > 0))
        for rule, predicted in rules.items():
            share = float(np.mean(predicted))
            mine = rates(at_share(scores, now, share), truth)
            equal.append({"network": name, "rule": rule, "share": share,
                          "missed_by_rule": rates(predicted, truth)["missed"] / truth.sum(),
                          "missed_by_network": mine["missed"] / truth.sum()})
    return {"rows": rows, "equal": equal, "active": float(np.mean(truth)),
            "disagreement": float(np.mean(differ)), "blocks": int(truth.size)}


def markdown(figures, record):
    lines = ["# How good the activation networks are", "",
             f"Test scenes: {figures['blocks']} blocks of {record['scenes']['test']} scenes that "
             "neither training nor choice has seen. "
             f"{figures['active']:.1%} are active; {figures['disagreement']:.2%} are in the "
             "disagreement set: blocks that are slow now and move before the next evaluation.", "",
             "| rule | accuracy | precision | recall | active | disagreement: found |",
             "|---|---:|---:|---:|---:|---:|"]
    for row in figures["rows"]:
        a, d = row["all"], row["disagreement"]
        lines.append(f"| {row['rule']} | {a['accuracy']:.2%} | {a['precision']:.2%} | "
                     f"{a['recall']:.2%} | {a['share']:.1%} | {d['recall']:.1%} |")
    lines += ["", "All blocks of the disagreement set are active in truth, so that accuracy and "
              "recall on it are one number and precision says nothing.", "",
              "At the active share of each rule, the wake-ups missed:", "",
              "| rule | active | missed by the rule | " +
              " | ".join(dict.fromkeys(e["network"] for e in figures["equal"])) + " |",
              "|---|---:|---:|" + "---:|" * len({e["network"] for e in figures["equal"]})]
    for rule in dict.fromkeys(e["rule"] for e in figures["equal"]):
        same = [e for e in figures["equal"] if e["rule"] == rule]
        lines.append(f"| {rule} | {same[0]['share']:.1%} | {same[0]['missed_by_rule']:.2%} | " +
                     " | ".join(f"{e['missed_by_network']:.2%}" for e in same) + " |")
    lines += ["", "Made with:", "", "```json", json.dumps(record, indent=1), "```", ""]
    return "\n".join(lines)


def plot(curves, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
    colours = {"thesis": "#c05a1a", "physical": "#1a6cc0"}
    for (name, seed), curve in curves.items():
        training, validation, accuracy = np.array(curve).T
        shown = f"{name}, seed {seed}"
        style = dict(color=colours[name], alpha=1 if seed == 0 else 0.45)
        left.plot(training, linestyle=":", **style)
        left.plot(validation, label=shown, **style)
        right.plot(100 * accuracy, label=shown, **style)
    left.set(xlabel="epoch", ylabel="loss", title="Validation (training dotted)", yscale="log")
    right.set(xlabel="epoch", ylabel="blocks right [%]", title="Validation accuracy")
    for axes in (left, right):
        axes.grid(alpha=0.25)
        axes.legend(frameon=False)
    figure.savefig(path, dpi=110)


def commit():
    try:
        return subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "HEAD"],
                              capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--patience", type=int, default=10, help="epochs without improvement")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rate", type=float, default=0.004)
    parser.add_argument("--decay", type=float, default=0.9)
    parser.add_argument("--share", type=float, default=0.5,
                        help="of a scene's frames in an epoch; neighbours are much alike")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e9, help="for all training together")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    splits = load(options.data)
    for name, samples in splits.items():
        if not samples:
            raise SystemExit(f"{options.data} has no scenes for {name}")
    data = {name: Tensors(splits[name]) for name in ("train", "validation")}

    begin = time.monotonic()
    runs, curves, done = {}, {}, 0
    for thesis in (True, False):
        name = "thesis" if thesis else "physical"
        for seed in range(options.seeds):
            done += 1
            deadline = begin + 60 * options.minutes * done / (2 * options.seeds)
            network, loss, curves[name, seed] = train(thesis, seed, data, options, deadline)
            if name not in runs or loss < runs[name][1]:
                runs[name] = network, loss, seed

    # Chosen on the validation scenes: the fewest wrong decisions of the node that asks it.
    chosen, fewest = None, None
    for name, (network, _, _) in runs.items():
        scores = np.concatenate(logits(network, data["validation"]))
        now = np.concatenate([s.moves_now() for s in splits["validation"]])
        truth = np.concatenate([s.label for s in splits["validation"]])
        wrong = float(np.mean((now | (scores > 0)) != truth))
        if fewest is None or wrong < fewest:
            chosen, fewest = name, wrong
    count = lambda key: {name: len({s.scene for s in splits[name]}) for name in splits} \
        if key == "scenes" else {name: len(splits[name]) for name in splits}
    dataset = json.loads((options.data / "dataset.json").read_text())
    record = {"commit": commit(), "dataset": dataset, "scenes": count("scenes"),
              "samples": count("samples"), "epochs": options.epochs, "batch": BATCH,
              "share": options.share, "rate": options.rate, "decay": options.decay, "torch": torch.__version__,
              "seeds": {name: run[2] for name, run in runs.items()}, "chosen": chosen}
    tensors = Tensors(splits["test"])
    figures = report(splits["test"], {name: logits(run[0], tensors) for name, run in runs.items()})

    options.out.mkdir(parents=True, exist_ok=True)
    for name, (network, loss, seed) in runs.items():
        rows = {row["rule"]: row["all"] for row in figures["rows"] if row["rule"].startswith(name)}
        kept = dict(record, network=name, seed=seed, parameters=network.parameter_count(),
                    validationLoss=loss, test=rows)
        network.save(options.out / f"{name}.json", kept)
        if name == chosen:
            network.save(options.out / "network.json", kept)
    (options.out / "results.md").write_text(markdown(figures, record), encoding="utf-8")
    plot(curves, options.out / "curves.png")
    print(f"chosen: {chosen}; see {options.out / 'results.md'}")


if __name__ == "__main__":
    main()
