"""Attempts of trust.py: what happens to a run from outside, and damaged files."""

import json
import shutil
import signal
import subprocess
import time

from trial import CODES, ERRORS, Failed, ROOT, require


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
    shutil.copytree(trial.reference, output)
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
    for movie in output.rglob("*.mp4"):
        movie.unlink()
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
