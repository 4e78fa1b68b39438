#!/usr/bin/env python3
"""The baseline of runtime/python/examples/learn_push_sand.py as a page with a figure.

    tests/bench/agents/learning.py --floe build/bin/floe --work out/learn [settings of the example]

writes learning.md and learning.png beside the other results, from what the example writes into the folder of --work.
`--keep` draws them anew from a folder that is there.
"""

import argparse
import csv
import json
import os
import pathlib
import platform
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESULTS = ROOT / "tests/bench/results"


def figure(rows, result):
    axis = [int(row["generation"]) for row in rows]
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
    for name, label in (("best", "best policy"), ("ofTheMean", "policy in the middle"),
                        ("mean", "mean of all policies")):
        left.plot(axis, [float(row[name]) for row in rows], label=label)
    for who, style in (("random", ":"), ("still", "--")):
        left.axhline(result["played"][who][0], color="grey", linestyle=style, label=who)
    left.set_ylabel("return of an episode")
    left.legend(fontsize=7)
    right.plot(axis, [100 * float(row["success"]) for row in rows])
    right.set_ylabel("episodes that reach the goal [%]")
    right.set_ylim(0, 100)
    for one in (left, right):
        one.set_xlabel("generation")
        one.grid(alpha=0.3)
    plt.tight_layout()
    plt.savefig(RESULTS / "learning.png", dpi=110)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--floe", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--keep", action="store_true")
    options.add_argument("--note", default="", help="a sentence for the page, about the machine for example")
    args, rest = options.parse_known_args()
    work = pathlib.Path(args.work)
    if not args.keep:
        subprocess.run([sys.executable, ROOT / "runtime/python/examples/learn_push_sand.py", "--output", work, *rest],
                       check=True, env={**os.environ, "FLOE_PROGRAM": os.path.abspath(args.floe)})
    with open(work / "learning.csv") as file:
        rows = list(csv.DictReader(file))
    result = json.loads((work / "result.json").read_text())
    figure(rows, result)
    settings = result["settings"]
    episodes = settings["generations"] * settings["policies"] * settings["episodes"]
    head = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%cd, %h", "--date=short"],
                          capture_output=True, text=True).stdout.strip()
    table = "".join(f"| {who} | {mean:.2f} ± {error:.2f} | {success:.0%} |\n"
                    for who, (mean, error, success) in result["played"].items())
    given = " ".join(f"--{name} {settings[name]}" for name in
                     ("generations", "policies", "episodes", "steps", "worlds", "test", "seed"))
    (RESULTS / "learning.md").write_text(f"""# A baseline that learns to push sand

    tests/bench/agents/learning.py --floe build/bin/floe --work out/learn {given}

The cross-entropy method on a linear policy of 8 numbers, NumPy alone
([learn_push_sand.py](../../../runtime/python/examples/learn_push_sand.py)), on the task of `floe/PushSand-v0`: a blade has to push
a heap of sand to a goal 0.35 to 0.5 m away. All {settings["worlds"]} worlds are in one engine.

{head} with the changes that brought this page; {platform.processor() or platform.machine()}, {os.cpu_count()} cores. {episodes} episodes of
{settings["steps"]} actions at most in {float(rows[-1]["minutes"]):.1f} minutes of the clock on the wall, {len(rows)} generations; with the
comparison, {result["processorSeconds"]:.0f} s of processor time. {args.note}

![returns and successes over generations](learning.png)

In the middle is the mean of the policies that were the best of the generation before. The same {settings["test"]} episodes, with seeds that were not learned from; *random* are four policies of the first generation's
distribution:

| policy | return | goal reached |
|---|---|---|
{table}
Standard errors are over episodes. Each generation plays other goals, so that its returns also tell how hard those are. One seed of the
method; others differ.
""")


if __name__ == "__main__":
    main()
