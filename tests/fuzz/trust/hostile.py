"""Attempts of trust.py: a plugin that ends the process, hangs, lies or writes past its arrays."""

import json
import signal
import subprocess
import sys
import time

from trial import CRASHED, Failed, LIMIT, ROOT, require

ENDINGS = ["exit", "quick_exit", "_exit", "abort", "terminate", "null", "bus", "divide", "stack",
           "thread", "kill", "hang"]
LIES = {"number": ["pool", "unset"], "sink": [], "emitter": ["nan", "flat", "volume", "throw"],
        "material": ["silent", "nanSound", "nan", "unset", "over", "under", "gradient", "fail",
                     "stiff", "turn"],
        "activation": ["third", "over"], "force": ["nan", "unset", "over", "input", "field"],
        "collider": ["nan", "word"]}


def hostile(trial, output):
    """A node breaks the rules of the plugin interface in one way, from some frame on."""
    sys.path.insert(0, str(ROOT / "tests/abi/hostile"))
    import hostile_plugin
    library = trial.build / "tests/hostile_plugin/libhostile.so"
    if not library.exists():
        return 0
    plugin = hostile_plugin.WithHostilePlugin
    plugin.FLOE, plugin.LIBRARY = trial.floe, str(library)
    node = trial.random.choice(sorted(LIES))
    way = trial.random.choice(ENDINGS + 2 * LIES[node])
    at = trial.random.choice([0, 2, 3])
    case = plugin()
    case.setUp()
    try:
        if node in ("number", "sink"):
            path = case.graph({"bad": ("test.hostile.number", {"way": way, "at": at} if node == "number" else {}),
                               "end": ("test.hostile.sink", {"way": way, "at": at} if node == "sink" else {})},
                              [("bad.number", "end.number")])
        elif node in ("emitter", "material", "activation"):
            path = case.block(**{node: way}, at=at)
        else:
            path = case.block(more={"bad": (f"test.hostile.{node}", {"way": way})},
                              links=[(f"bad.{node}", f"solver.{node}s")])
        try:
            check_hostile(trial, case, path, way)
        except Failed as failure:
            raise Failed(f"{node} {way} from frame {at}: {failure}") from None
    finally:
        case.doCleanups()
    return 1


def check_hostile(trial, case, path, way):
    process = subprocess.Popen(
        case.command("run", path, "--output", case.output, "--device", "cpu", "--progress", "quiet",
                     "--checkpoint-every", "1"),
        env=case.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace")
    if way == "hang":
        time.sleep(trial.random.uniform(0.5, 3))
        process.send_signal(trial.random.choice([signal.SIGINT, signal.SIGTERM]))
        begin = time.monotonic()
        finished = trial.end(process)
        require(time.monotonic() - begin < 30, "one signal does not end it")
        # A node that nothing reads is never cooked; a signal may come before the run begins.
        require(finished.returncode in (0, 130, -signal.SIGINT, -signal.SIGTERM),
                f"exit code {finished.returncode}: {finished.stdout[-300:]}")
    else:
        finished = trial.end(process)
        if finished.returncode != CRASHED:
            trial.check_end(finished)
            require(way not in ENDINGS,
                    f"exit code {finished.returncode}: {finished.stdout[-300:]}")
        else:
            require("plugin 'test.hostile'" in finished.stdout or "node '" in finished.stdout,
                    f"no culprit: {finished.stdout[-300:]}")
    if not (case.output / "run.json").exists():
        require(way == "hang", "no run.json")
        return
    report = case.report()
    ends = {0: "finished", 130: "cancelled"}
    if finished.returncode >= 0:
        require((report["result"], report["exitCode"]) ==
                (ends.get(finished.returncode, "failed"), finished.returncode),
                f"run.json says {report['result']}, {report['exitCode']}")
    # Once the plugin keeps the rules, the newest checkpoint leads on.
    frames = sorted(int(each.name.split(".")[1])
                    for each in (case.output / "checkpoints").glob("frame.*.checkpoint"))
    if frames and way in ENDINGS:
        graph = json.loads(path.read_text())
        for each in graph["nodes"].values():
            each["parameters"].pop("way", None)
        path.write_text(json.dumps(graph))
        resumed = case.run_graph(path, "--resume-from", str(frames[-1]), timeout=LIMIT)
        require(resumed.returncode == 0, f"from frame {frames[-1]}: {resumed.stderr[-300:]}")
