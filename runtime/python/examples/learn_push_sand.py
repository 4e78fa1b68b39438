#!/usr/bin/env python3
"""A baseline for pushing sand to a goal: the cross-entropy method on a linear policy (Mannor et al. 2003).

    pip install "gymnasium>=1.1"
    runtime/python/examples/learn_push_sand.py --output out/learn

Each generation draws policies around a mean, plays episodes with each, and moves the mean to the best of them. The
policy sees where the blade is and which way it faces, from the sand's middle and along the way to the goal, so that one
policy serves all goals. Writes curve.html, policy.json, and the returns of every generation as learning.csv.
"""

import argparse
import csv
import json
import multiprocessing
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402

from floe import charts  # noqa: E402
from floe.picture import write_whole  # noqa: E402
from floe.reports import page  # noqa: E402

FEATURES = 6
_environment = None  # of a worker


def features(observation):
    """(FEATURES,), and the unit vectors along and across the way of the sand to the goal."""
    blade, turn, goal, sand = observation[:2], observation[2:4], observation[4:6], observation[6:8]
    along = (goal - sand) / max(1e-6, float(np.linalg.norm(goal - sand)))
    across = np.array([-along[1], along[0]])
    face = np.array([turn[1], -turn[0]])
    rest = 3.0 * (blade - sand)  # of the order of 1, like the rest
    return np.array([1.0, rest @ along, rest @ across, face @ along, face @ across,
                     float(np.linalg.norm(goal - sand))]), along, across


def action(policy, observation):
    """What a policy (3, FEATURES) does: speeds along and across, and turning."""
    seen, along, across = features(observation)
    wanted = np.clip(policy @ seen, -1, 1)
    way = wanted[0] * along + wanted[1] * across
    return np.array([way[0], way[1], wanted[2]], np.float32)


def episode(job):
    """Plays one. Returns its return, and whether the goal was reached."""
    global _environment
    policy, seed, steps = job
    if _environment is None:
        import gymnasium
        import floe.gym  # noqa: F401
        _environment = gymnasium.make("floe/PushSand-v0", max_steps=steps)
    observation, _ = _environment.reset(seed=seed)
    total, info = 0.0, {}
    for _ in range(steps):
        observation, reward, terminated, truncated, info = _environment.step(action(policy, observation))
        total += reward
        if terminated or truncated:
            break
    return total, bool(info["is_success"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default="out/learn", help="folder (out/learn)")
    parser.add_argument("--generations", type=int, default=12)
    parser.add_argument("--policies", type=int, default=16, help="of a generation")
    parser.add_argument("--episodes", type=int, default=3, help="of a policy")
    parser.add_argument("--steps", type=int, default=24, help="of an episode, at most")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(options.seed)
    mean, deviation = np.zeros((3, FEATURES)), np.ones((3, FEATURES))
    elite = max(2, options.policies // 4)
    rows, begun = [], time.monotonic()
    with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
        for generation in range(options.generations):
            policies = mean + deviation * random.standard_normal((options.policies, 3, FEATURES))
            policies[0] = mean
            seeds = random.integers(1 << 30, size=options.episodes)
            jobs = [(policy, int(seed), options.steps) for policy in policies for seed in seeds]
            played = np.array(pool.map(episode, jobs, 1), float).reshape(options.policies, -1, 2)
            returns = played[:, :, 0].mean(axis=1)
            best = policies[np.argsort(-returns)[:elite]]
            mean = best.mean(axis=0)
            deviation = best.std(axis=0) + 0.3 * 0.8 ** generation  # not too soon too sure
            rows.append({"generation": generation + 1, "minutes": (time.monotonic() - begun) / 60,
                         "mean": returns.mean(), "best": returns.max(), "ofTheMean": returns[0],
                         "success": played[:, :, 1].mean()})
            print(" ".join(f"{name} {value:.3g}" for name, value in rows[-1].items()), flush=True)
            _write(folder, rows, mean)


def _write(folder, rows, mean):
    with open(folder / "learning.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    write_whole(folder / "policy.json", json.dumps(mean.tolist(), indent=1).encode())
    axis = [row["generation"] for row in rows]
    drawn = charts.chart("Return of an episode, over generations", "", {
        "mean of all policies": (axis, [row["mean"] for row in rows]),
        "best policy": (axis, [row["best"] for row in rows])})
    drawn += charts.chart("Share of episodes that reach the goal", "%", {
        "all policies": (axis, [100 * row["success"] for row in rows])})
    text = f"<h1>PushSand, cross-entropy method, {rows[-1]['minutes']:.1f} minutes</h1>" \
           f'<div class="charts">{drawn}</div>'
    write_whole(folder / "curve.html", page(text, "Learning to push sand").encode())


if __name__ == "__main__":
    main()
