#!/usr/bin/env python3
"""Tries to make Floe lose work, hang, crash or blame the wrong thing, and writes a page of it.

    trust.py --build build [--hours H | --attempts N] [--seed S] [--only KIND,...] [--page FILE]

Kinds of attempts, in turn until the time is over, or N of each:

  kill         SIGKILL at a random time, then --resume
  cancel       Ctrl-C at a random time, then --resume
  power        the power fails at a random time: only what was synchronised is left; then --resume
  call         a call of the system fails: open, write, fsync, rename, mkdir; once or from then on
  disk         the disk fills up, or the output folder is removed or moved, in mid-run
  address      the address space is limited (ulimit -v): the run ends well, or names that
  checkpoint   checkpoints are damaged, cut, emptied, misnamed, swapped, then --resume
  weights      a damaged network file
  graph        a damaged graph
  hostile      a plugin ends the process, hangs, gives NaN or nothing, writes past its arrays
  protocol     changed requests to floe serve, and strangers at its door
  inputs, documents, values, plugins, scenes
               the programs of tests/fuzz and tests/abi, each with its own hostile files
  guided       changed inputs of twelve kinds, led by the code that they reach (tests/fuzz/guided), where
               `packaging/build.sh guided guided_fuzz` was run: that needs Clang

Of every run must be true: it ends by itself, in time, with one of the documented exit codes and,
unless that is 0, a sentence; 0 means that every file is there and is the one of an undisturbed run,
byte for byte; no file is torn, whatever the exit code; and --resume leads to the undisturbed run's
files. What fails is kept for a closer look. Attempts follow from the seed, though where a kill hits
depends on the machine. The exit code is 0 when nothing failed.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
LIMIT = 120  # seconds of one run; an undisturbed one takes about two
CODES = {0, 1, 2, 3, 4, 5, 6, 7, 8, 130}
CRASHED = 9  # only plugins may
FRAMES = 4
ERRORS = {"ENOSPC": 28, "EIO": 5, "EMFILE": 24, "EACCES": 13, "EROFS": 30, "EDQUOT": 122}


class Failed(Exception):
    pass


def require(condition, text):
    if not condition:
        raise Failed(text)


class Trial:
    """What the attempts share: the program, a scene, and what an undisturbed run of it gives."""

    def __init__(self, build, scratch):
        self.build, self.scratch = build, scratch
        self.floe = build / "bin" / "floe"
        self.random = random.Random()
        self.scene = ROOT / "graphs" / "first_snow.floe.json"
        started = time.monotonic()
        finished = self.run(scratch / "whole")
        self.seconds = time.monotonic() - started
        require(finished.returncode == 0, "the undisturbed run failed: " + finished.stdout)
        self.whole = self.files(scratch / "whole")

    def command(self, output, *options):
        return [str(self.floe), "run", str(self.scene), "--set", "solver.cellSize=0.1",
                "--set", "render.width=64", "--set", "render.height=36", "--device", "cpu",
                "--progress", "quiet", "--end", str(FRAMES), "--cache", "--checkpoint-every", "1",
                "-o", str(output), *options]

    def start(self, output, *options, environment=None, shell=""):
        command = self.command(output, *options)
        if shell:
            command = ["bash", "-c", shell + ' exec "$@"', "bash", *command]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace", env={**os.environ, **(environment or {})})

    def end(self, process):
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed(f"did not end within {LIMIT} s") from None
        return subprocess.CompletedProcess(process.args, process.returncode, said)

    def run(self, output, *options, **settings):
        return self.end(self.start(output, *options, **settings))

    def files(self, output):
        """Name and content of what a run left, without what differs from run to run."""
        found = {}
        for path in sorted(output.rglob("*")):
            name = str(path.relative_to(output))
            if not path.is_file() or path.name.startswith("."):
                continue
            content = path.read_bytes()
            if path.name == "run.json":  # who resumes cooks some nodes again
                report = json.loads(content)
                content = json.dumps([report["result"], report.get("exitCode"), report["nodes"],
                                      [frame["frame"] for frame in report["frames"]]]).encode()
            found[name] = content
        return found

    def check_end(self, finished):
        """What must be true of the end of any run."""
        code = finished.returncode
        require(code >= 0, f"was ended by signal {-code}: {finished.stdout[-300:]}")
        require(code in CODES, f"exit code {code}: {finished.stdout[-300:]}")
        require(code in (0, 130) or "error: " in finished.stdout, f"exit code {code} without a word")

    def check_files(self, output, complete):
        """No file is torn; and where `complete`, all are there."""
        there = self.files(output) if output.exists() else {}
        for name, content in there.items():
            if name == "run.json" and not complete:
                continue
            if name.endswith(".mp4") and not complete:
                continue  # of fewer frames
            require(name in self.whole, f"{name} is not a file of the undisturbed run")
            require(content == self.whole[name], f"{name} is not that of the undisturbed run")
        if complete:
            missing = sorted(set(self.whole) - set(there))
            require(not missing, f"exit code 0, and these are not there: {', '.join(missing)}")

    def resume(self, output, *options):
        finished = self.run(output, "--resume", *options)
        self.check_end(finished)
        require(finished.returncode == 0, f"--resume failed: {finished.stdout[-300:]}")
        self.check_files(output, True)


def kill(trial, output, how=signal.SIGKILL):
    process = trial.start(output)
    time.sleep(trial.random.uniform(0, 1.05 * trial.seconds))
    process.send_signal(how)
    finished = trial.end(process)
    begun = (output / "run.json").exists()
    # Before it begins, any of these ends it; and a kill may come when it has ended.
    if finished.returncode != -how or (how != signal.SIGKILL and begun):
        trial.check_end(finished)
    trial.check_files(output, False)
    if trial.random.random() < 0.3 and output.exists():  # what a power cut leaves
        (output / ".beauty.1-0.part.png").write_bytes(b"torn")
    trial.resume(output)


def cancel(trial, output):
    kill(trial, output, trial.random.choice([signal.SIGINT, signal.SIGTERM]))


def rebuild(disk, item, folder):
    """Makes a folder of what a disk without power holds (power.c)."""
    folder.mkdir()
    names = disk / "names" / item
    for line in names.read_text().splitlines() if names.exists() else []:
        kind, other, name = line.split(" ", 2)
        if kind == "folder":
            rebuild(disk, other, folder / name)
        else:
            content = disk / "content" / other
            (folder / name).write_bytes(content.read_bytes() if content.exists() else b"")


def power(trial, output):
    output = output.resolve()
    disk = output.with_name(output.name + ".disk")
    for part in ("names", "content"):
        (disk / part).mkdir(parents=True)
    process = trial.start(output, environment={
        "LD_PRELOAD": str(trial.build / "tests" / "libtrust_power.so"),
        "FLOE_POWER_FOLDER": str(output), "FLOE_POWER_DISK": str(disk)})
    if trial.random.random() < 0.5:  # else the power fails just after the end
        time.sleep(trial.random.uniform(0, trial.seconds))
        process.kill()
    finished = trial.end(process)
    shutil.rmtree(output, ignore_errors=True)
    left = output.with_name(output.name + ".left")
    rebuild(disk, "root", left)
    shutil.rmtree(disk)
    if (left / output.name).exists():
        (left / output.name).rename(output)
    shutil.rmtree(left)
    trial.check_files(output, finished.returncode == 0)
    trial.resume(output)


def call(trial, output):
    name = trial.random.choice(["open", "write", "fsync", "rename", "mkdir"])
    error = trial.random.choice(sorted(ERRORS))
    first = int(trial.random.expovariate(1 / 12))
    count = trial.random.choice([1, 1, 3, 1000000])
    fault = f"{name} {first} {count} {ERRORS[error]}"
    finished = trial.run(output, environment={
        "LD_PRELOAD": str(trial.build / "tests" / "libtrust_faults.so"),
        "FLOE_FAULT": fault, "FLOE_FAULT_FOLDER": str(output)})
    try:
        trial.check_end(finished)
        trial.check_files(output, finished.returncode == 0)
        trial.resume(output)
    except Failed as failure:
        raise Failed(f"{name} call {first}, {count} times {error}: {failure}") from None


def disk(trial, output):
    how = trial.random.choice(["full", "limit", "removed", "moved", "images"])
    if how == "full":
        fault = f"write {int(trial.random.expovariate(1 / 25))} 100000000 {ERRORS['ENOSPC']}"
        finished = trial.run(output, environment={
            "LD_PRELOAD": str(trial.build / "tests" / "libtrust_faults.so"),
            "FLOE_FAULT": fault, "FLOE_FAULT_FOLDER": str(output)})
        trial.check_end(finished)
        trial.check_files(output, finished.returncode == 0)
        trial.resume(output)
        return
    if how == "limit":
        finished = trial.run(output, shell=f"ulimit -f {trial.random.randrange(0, 300)};")
        trial.check_end(finished)
        trial.check_files(output, finished.returncode == 0)
        trial.resume(output)
        return
    process = trial.start(output)
    time.sleep(trial.random.uniform(0, trial.seconds))
    gone = output / "images" if how == "images" else output
    hit = gone.exists() and process.poll() is None
    if hit and how == "moved":
        gone.rename(output.with_name(output.name + ".elsewhere"))
    elif hit:
        shutil.rmtree(gone, ignore_errors=True)
    running = process.poll() is None
    finished = trial.end(process)
    trial.check_end(finished)
    if finished.returncode == 0 and hit and running:
        trial.check_files(output, True)  # it went before anything was in it


def address(trial, output):
    mebibytes = trial.random.randrange(200, 1100)
    finished = trial.run(output, "--set", f"render.width={trial.random.choice([64, 1920])}",
                         shell=f"ulimit -v {mebibytes * 1024};")
    trial.check_end(finished)
    require(finished.returncode in (0, 6), f"{mebibytes} MiB: exit code {finished.returncode}: "
            f"{finished.stdout[-300:]}")
    require(finished.returncode == 0 or "ulimit -v" in finished.stdout,
            f"{mebibytes} MiB: no word of the limit: {finished.stdout[-300:]}")


def damage(generator, content):
    """A damaged copy: bits, cuts, blocks of other bytes, repetitions."""
    content = bytearray(content)
    for _ in range(generator.randint(1, 4)):
        if not content:
            break
        at = generator.randrange(len(content))
        what = generator.randrange(5)
        if what == 0:
            content[at] ^= 1 << generator.randrange(8)
        elif what == 1:
            del content[at:]
        elif what == 2:
            content[at:at + 8] = generator.randbytes(8)
        elif what == 3:
            content[at:at] = content[at:at + generator.randrange(1, 200)]
        else:
            del content[at:at + generator.randrange(1, 200)]
    return bytes(content)


def checkpoint(trial, output):
    shutil.copytree(trial.scratch / "whole", output)
    folder = output / "checkpoints"
    paths = sorted(folder.iterdir())
    for _ in range(trial.random.randint(1, 3)):
        path, other = trial.random.choice(paths), trial.random.choice(paths)
        how = trial.random.choice(["damage", "empty", "copy", "far", "folder", "remove"])
        content = path.read_bytes() if path.is_file() else b""
        if how == "folder" and path.is_file():
            path.unlink()
            path.mkdir()
        elif not path.is_file() or not other.is_file():
            continue
        elif how == "damage":
            path.write_bytes(damage(trial.random, content))
        elif how == "empty":
            path.write_bytes(b"")
        elif how == "copy":
            other.write_bytes(content)
        elif how == "far":
            (folder / f"frame.{trial.random.randint(0, 9999):04d}.checkpoint").write_bytes(content)
        else:
            path.unlink()
        paths = sorted(folder.iterdir())
    (output / "images" / "first_snow.mp4").unlink(missing_ok=True)
    finished = trial.run(output, "--resume")
    trial.check_end(finished)
    if finished.returncode == 5 and any(path.is_dir() for path in folder.iterdir()):
        return  # a folder in a checkpoint's place: it is named
    require(finished.returncode == 0, f"--resume failed: {finished.stdout[-300:]}")
    there = trial.files(output)
    for name, content in trial.whole.items():
        if not name.startswith("checkpoints/"):
            require(there.get(name) == content, f"{name} is not that of the undisturbed run")


def run_graph(trial, output, path):
    output.mkdir(parents=True, exist_ok=True)
    process = subprocess.Popen(
        [str(trial.floe), "run", str(path), "--end", "1", "--device", "cpu", "--memory", "2",
         "--progress", "quiet", "-o", str(output / "out")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    trial.check_end(trial.end(process))


def weights(trial, output):
    output.mkdir()
    source = trial.random.choice(sorted((ROOT / "plugins" / "activation").rglob("*.json")))
    (output / "network.json").write_bytes(damage(trial.random, source.read_bytes()))
    graph = {"floe": 1, "nodes": {"n": {"type": "floe.activation.network", "version": 1,
                                        "parameters": {"network": "network.json"}}}}
    (output / "graph.floe.json").write_text(json.dumps(graph))
    run_graph(trial, output, output / "graph.floe.json")


def graph(trial, output):
    output.mkdir()
    source = trial.random.choice(sorted((ROOT / "graphs" / "validation").glob("*.floe.json")))
    (output / "graph.floe.json").write_bytes(damage(trial.random, source.read_bytes()))
    process = subprocess.Popen([str(trial.floe), "validate", str(output / "graph.floe.json")],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace")
    finished = trial.end(process)
    require(finished.returncode in CODES, f"exit code {finished.returncode}")


class Program:
    """A test program. It says how many inputs it made of the seed, or makes one per test."""

    def __init__(self, name, rounds=None):
        self.name, self.rounds = name, rounds

    def __call__(self, trial, output):
        program = trial.build / "tests" / self.name
        if not program.exists():
            return 0
        seed = trial.random.randrange(1 << 30)
        environment = dict(os.environ, FLOE_FUZZ_SEED=str(seed))
        if self.rounds:
            environment["FLOE_FUZZ_ROUNDS"] = str(self.rounds)
        finished = subprocess.run([str(program)], text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, errors="replace", env=environment,
                                  check=False)
        require(finished.returncode == 0, f"FLOE_FUZZ_SEED={seed}: {finished.stdout[-2000:]}")
        made = re.search(r"^(\d+) inputs$", finished.stdout, re.MULTILINE) or re.search(
            r"(\d+) tests? from .* ran", finished.stdout)
        require(made, f"made nothing: {finished.stdout[-300:]}")
        return int(made.group(1))


class Script:
    """A script of tests/fuzz, which takes a seed."""

    def __init__(self, path, made, *options):
        self.path, self.made, self.options = path, made, options

    def __call__(self, trial, output):
        finished = subprocess.run(
            [sys.executable, str(ROOT / "tests/fuzz" / self.path), "--floe", str(trial.floe),
             "--seed", str(trial.random.randrange(1 << 30)), *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        require(finished.returncode == 0, finished.stdout[-2000:])
        return self.made


class Guided:
    """A minute of a coverage-guided fuzzer with one kind of input after the other. What it found worth
    keeping is kept until the end of this run; tests/fuzz/guided/corpus is what it starts from."""

    SECONDS = 60

    def __init__(self):
        self.corpus = ROOT / "tests/fuzz/guided/corpus"
        self.kinds = sorted(each.name for each in self.corpus.iterdir())
        self.turn = 0

    def __call__(self, trial, output):
        program = ROOT / "build-guided" / "tests" / "guided_fuzz"
        if not program.exists():
            return 0
        kind = self.kinds[self.turn % len(self.kinds)]
        self.turn += 1
        output.mkdir()
        found = trial.scratch / "corpus" / kind
        found.mkdir(parents=True, exist_ok=True)
        finished = subprocess.run(
            [str(program), f"-max_total_time={self.SECONDS}", "-timeout=20", "-rss_limit_mb=3000",
             "-malloc_limit_mb=1500", "-max_len=12000", "-print_final_stats=1",
             f"-seed={trial.random.randrange(1, 1 << 30)}", f"-artifact_prefix={output}/",
             str(found), str(self.corpus / kind)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            check=False, env={**os.environ, "FLOE_FUZZ_KIND": kind,
                              "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=0"})
        require(finished.returncode == 0, f"{kind}: {finished.stdout[-2000:]}")
        return int(re.search(r"number_of_executed_units: (\d+)", finished.stdout).group(1))


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


KINDS = {
    "kill": (kill, "killed (SIGKILL) at a random time, resumed"),
    "cancel": (cancel, "Ctrl-C or SIGTERM at a random time, resumed"),
    "power": (power, "power cut at a random time: only what was synchronised is left; resumed"),
    "call": (call, "calls of the system fail, once or for good, then resumed"),
    "disk": (disk, "disk full, file size limited, output removed or moved in mid-run"),
    "address": (address, "the address space limited to 200 to 1100 MiB"),
    "checkpoint": (checkpoint, "checkpoints damaged, cut, emptied, misnamed, swapped"),
    "weights": (weights, "damaged network weights"),
    "graph": (graph, "damaged graphs"),
    "hostile": (hostile, "plugins that crash, exit, hang, lie or overrun arrays in mid-run"),
    "plugins": (Program("abi_scan"), "plugins that crash, hang, lie or flood when they are looked at"),
    "protocol": (Script("protocol/protocol_fuzz.py", 300, "--requests", "200", "--strangers", "100"),
                 "changed requests to floe serve, strangers at its door"),
    "inputs": (Program("fuzz_io", rounds=30), "damaged OBJ, PLY, STL, VDB, NVDB, BGEO, caches"),
    "documents": (Program("fuzz_graph"), "hostile graphs, manifests, expressions"),
    "values": (Program("fuzz_data"), "hostile values and grids"),
    "guided": (Guided(), "inputs of nine kinds, guided by the code that they reach"),
    "scenes": (Script("scenes/scenes_fuzz.py", 4, "--scenes", "4"),
               "random scenes at the ends of what nodes accept"),
}


def machine():
    name = platform.processor() or platform.machine()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{name}, {os.cpu_count()} processors, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def commit():
    told = subprocess.run(["git", "-C", str(ROOT), "describe", "--always", "--dirty"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return told.stdout.strip() or "unknown"


def write_page(path, counts, failures, seconds, seed):
    lines = ["# Attempts to break Floe", "",
             f"{datetime.date.today().isoformat()}, commit {commit()}, {machine()}; "
             f"{seconds / 3600:.2f} hours, seed {seed}. Made by `packaging/trust.sh`.", "",
             "| attempts | of which failed | what was tried |", "|---:|---:|---|"]
    for kind, (_, text) in KINDS.items():
        if counts.get(kind):
            lines.append(f"| {counts[kind]} | {len(failures.get(kind, []))} | {text} |")
    total = sum(len(each) for each in failures.values())
    lines += [f"| **{sum(counts.values())}** | **{total}** | |", "",
              "An attempt fails when a run does not end, ends by a signal or without a word, leaves a "
              "torn file, says that it has finished and something is missing or not that of an "
              "undisturbed run, or cannot be resumed to the same files, byte for byte.", ""]
    for kind, each in failures.items():
        lines += [f"## {kind}", ""]
        lines += ["* " + " ".join(text.split())[:600] for text in each[:50]] + [""]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--hours", type=float)
    parser.add_argument("--attempts", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="where what failed is kept")
    asked = parser.parse_args()
    kinds = asked.only.split(",") if asked.only else list(KINDS)
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        parser.error(f"no kind '{unknown[0]}'; there are {', '.join(KINDS)}")
    begin = time.monotonic()
    counts, failures = {}, {}
    with tempfile.TemporaryDirectory(prefix="floe-trust-") as scratch:
        trial = Trial(asked.build.resolve(), pathlib.Path(scratch))
        number = 0
        while (time.monotonic() - begin < asked.hours * 3600) if asked.hours else (
                number < asked.attempts):
            for kind in kinds:
                seed = f"{asked.seed} {kind} {number}"
                trial.random.seed(seed)
                output = pathlib.Path(scratch) / f"{kind}-{number}"
                try:
                    made = KINDS[kind][0](trial, output)
                    counts[kind] = counts.get(kind, 0) + (1 if made is None else made)
                except Failed as failure:
                    counts[kind] = counts.get(kind, 0) + 1
                    failures.setdefault(kind, []).append(f"seed '{seed}': {failure}")
                    print(f"FAILED {kind}, seed '{seed}': {failure}", flush=True)
                    if asked.keep and output.exists():
                        asked.keep.mkdir(parents=True, exist_ok=True)
                        shutil.copytree(output, asked.keep / output.name, dirs_exist_ok=True)
                shutil.rmtree(output, ignore_errors=True)
                for suffix in (".elsewhere", ".disk", ".left"):
                    shutil.rmtree(output.with_name(output.name + suffix), ignore_errors=True)
            number += 1
    if asked.page:
        write_page(asked.page, counts, failures, time.monotonic() - begin, asked.seed)
    failed = sum(len(each) for each in failures.values())
    print(f"{sum(counts.values())} attempts, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
