#!/usr/bin/env python3
"""A baseline for pushing sand to a goal: the cross-entropy method on a linear policy (Mannor et al. 2003).

    runtime/python/examples/learn_push_sand.py --output out/learn

needs nothing but this package. Each generation draws policies around a mean, plays episodes with all of them at once, as
worlds of one engine, and moves the mean to the best. The policy sees where the blade is and which way it faces,
from the sand's middle and along the way to the goal, so that one policy serves all goals. At the end, the mean, policies
of the first generation and a blade that stands still play the same episodes, with seeds that were not learned from. Writes
curve.html, policy.json, the returns of every generation as learning.csv, and result.json.
"""

import argparse
import csv
import functools
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402

from floe import Worlds, charts  # noqa: E402
from floe.picture import write_whole  # noqa: E402
from floe.push_sand import Episode, sand_and_blades  # noqa: E402
from floe.reports import page  # noqa: E402

NUMBERS = 8  # of a policy


def action(policy, observation):
    """What a policy (NUMBERS,) does: speeds along and across the way to the goal, and turning.

    A scene and its mirror image want mirrored actions: the speed along is a function of what a mirror leaves alone, the
    others of what it turns round.
    """
    blade, turn, goal, sand = observation[:2], observation[2:4], observation[4:6], observation[6:8]
    along = (goal - sand) / max(1e-6, float(np.linalg.norm(goal - sand)))
    across = np.array([-along[1], along[0]])
    face = np.array([turn[1], -turn[0]])
    rest = 3.0 * (blade - sand)  # of the order of 1, like the rest
    even = np.array([1.0, rest @ along, face @ along, float(np.linalg.norm(goal - sand))])
    odd = np.array([rest @ across, face @ across])
    wanted = np.clip([policy[:4] @ even, policy[4:6] @ odd, policy[6:] @ odd], -1, 1)
    way = wanted[0] * along + wanted[1] * across
    return np.array([way[0], way[1], wanted[2]], np.float32)


class Field:
    """Plays episodes, as many at once as there are worlds."""

    def __init__(self, worlds, steps, threads=0):
        self._worlds = Worlds(sand_and_blades(), worlds, Episode.SETTLE, threads=threads)
        self._steps = steps

    def play(self, jobs):
        """(jobs, 2): return and success of each (policy, seed)."""
        results = [self._together(jobs[at:at + len(self._worlds)])
                   for at in range(0, len(jobs), len(self._worlds))]
        return np.concatenate(results)

    def _together(self, jobs):
        worlds, count = self._worlds, len(jobs)
        jobs = jobs + [jobs[-1]] * (len(worlds) - count)  # spare worlds play the last once more
        episodes = [Episode() for _ in jobs]
        worlds.reset([episode.begin(np.random.default_rng(seed))
                      for episode, (_, seed) in zip(episodes, jobs)])
        for k, episode in enumerate(episodes):
            episode.look(functools.partial(worlds.value, k), first=True)
        returns, reached = np.zeros(len(jobs)), np.zeros(len(jobs), bool)
        for _ in range(self._steps):
            worlds.step([episode.act(action(policy, episode.observation())[None])
                         for episode, (policy, _) in zip(episodes, jobs)], Episode.FRAMES)
            for k, episode in enumerate(episodes):
                if not reached[k]:  # what is done goes on without counting
                    episode.look(functools.partial(worlds.value, k))
                    returns[k] += episode.reward
                    reached[k] = episode.done
            if reached.all():
                break
        return np.stack([returns, reached], 1)[:count]

    def close(self):
        self._worlds.close()


def learn(field, generations, policies, episodes, seed=0, told=None):
    """Returns the rows of learning.csv and the mean policy.

    Args:
        told: called with the rows so far after each generation.
    """
    random = np.random.default_rng(seed)
    mean, deviation = np.zeros(NUMBERS), np.ones(NUMBERS)
    elite = max(2, policies // 4)
    rows, begun = [], time.monotonic()
    for generation in range(generations):
        drawn = mean + deviation * random.standard_normal((policies, NUMBERS))
        drawn[0] = mean
        seeds = random.integers(1 << 30, size=episodes)
        played = field.play([(policy, int(seed)) for policy in drawn for seed in seeds])
        played = played.reshape(policies, episodes, 2)
        returns = played[:, :, 0].mean(axis=1)
        best = drawn[np.argsort(-returns)[:elite]]
        mean = best.mean(axis=0)
        deviation = best.std(axis=0) + 0.3 * 0.8 ** generation  # not too soon too sure
        rows.append({"generation": generation + 1, "minutes": (time.monotonic() - begun) / 60,
                     "mean": returns.mean(), "best": returns.max(), "ofTheMean": returns[0],
                     "success": played[:, :, 1].mean()})
        if told:
            told(rows)
    return rows, mean


def compare(field, policy, seeds, random_policies, seed=1):
    """Plays the same episodes with a policy, with random ones, and standing still. Returns
    {who: [mean return, its standard error, share of successes]}."""
    random = np.random.default_rng(seed)
    players = {"learned": [policy], "still": [np.zeros(NUMBERS)],
               "random": list(random.standard_normal((random_policies, NUMBERS)))}
    jobs = [(one, int(s)) for who in players for one in players[who] for s in seeds]
    played = field.play(jobs)
    results, at = {}, 0
    for who, ones in players.items():
        own = played[at:at + len(ones) * len(seeds)]
        at += len(own)
        results[who] = [float(own[:, 0].mean()), float(own[:, 0].std() / np.sqrt(len(own))),
                        float(own[:, 1].mean())]
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default="out/learn", help="folder (out/learn)")
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--policies", type=int, default=16, help="of a generation")
    parser.add_argument("--episodes", type=int, default=3, help="of a policy")
    parser.add_argument("--steps", type=int, default=24, help="of an episode, at most")
    parser.add_argument("--worlds", type=int, default=48, help="at once")
    parser.add_argument("--test", type=int, default=16, help="episodes to compare on")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    field = Field(options.worlds, options.steps, options.threads)

    def told(rows):
        print(" ".join(f"{name} {value:.3g}" for name, value in rows[-1].items()), flush=True)
        _write(folder, rows)

    try:
        before = os.times()
        rows, mean = learn(field, options.generations, options.policies, options.episodes, options.seed, told)
        write_whole(folder / "policy.json", json.dumps(mean.tolist(), indent=1).encode())
        results = compare(field, mean, range(10 ** 6, 10 ** 6 + options.test), 4)
    finally:
        field.close()
    after = os.times()
    seconds = sum(after[:4]) - sum(before[:4])
    write_whole(folder / "result.json", json.dumps(
        {"settings": vars(options), "minutes": rows[-1]["minutes"], "processorSeconds": seconds,
         "played": results}, indent=1).encode())
    for who, (mean_return, error, success) in results.items():
        print(f"{who}: {mean_return:.2f} +- {error:.2f}, goal reached in {success:.0%}")


def _write(folder, rows):
    with open(folder / "learning.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
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
