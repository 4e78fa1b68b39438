"""Data sets of scenes: simulated, validated, written as WebDataset shards with a datasheet and a viewer.

    instances/NNNNNN/    an instance that was accepted: what its shard holds, as files
    rejected.jsonl       one line per attempt that was rejected: instance, attempt, verb, reason
    shards/scenes-NNNNNN.tar
    datasheet.md, index.html, settings.json

Instance N of a seed is always the same: each attempt at it has a source of random numbers of its own, named by
seed, instance and attempt. A folder that appears under `instances` is whole, so a stopped command goes on where
it was. Files have neither times nor paths of this machine in them.
"""

import concurrent.futures
import fcntl
import hashlib
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import tarfile
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..errors import FloeError, RunError, ServerDied
from ..graph import Path
from ..picture import write_whole
from ..progress import progress as make_progress
from ..session import Session
from . import pages
from .constraints import ConflictError
from .grammar import VIEWS, Scene, Shape, sample
from .sentences import sentences
from .simulation import graph, is_rigid
from .validation import Motion, judge
from .verbs import VERBS, act

_MAX_ATTEMPTS = 60
_REWRITE_SECONDS = 300
_SENTENCES = 4
_SHAPE_FILES = (".obj", ".ply", ".stl")


class Settings:
    """What decides about a data set, beside the number of its instances.

    Args:
        seed: of all random numbers.
        physics: "any", "mpm" or "pbd".
        views: of VIEWS; one movie each.
        size: of the movies, width and height.
        verbs: of VERBS; empty: all.
        meshes: folder with further shapes; a file's name is the noun.
        rewrite: command that reads sentences, a line each, and writes as many lines.
    """

    def __init__(self, seed: int = 0, physics: str = "any", views: Sequence[str] = ("front", "side"),
                 size: Tuple[int, int] = (320, 180), verbs: Sequence[str] = (),
                 meshes: Optional[Path] = None, rewrite: str = "") -> None:
        for name, table, what in ((views, VIEWS, "view"), (verbs, VERBS, "verb")):
            for word in name:
                if word not in table:
                    raise FloeError(f"there is no {what} '{word}'",
                                    cure=f"take some of {', '.join(table)}")
        if not views or len(set(views)) != len(views):
            raise FloeError("a scene needs a view, and none twice", cure=f"take some of {', '.join(VIEWS)}")
        if not all(16 <= edge <= 4096 and edge % 2 == 0 for edge in size):
            raise FloeError(f"movies of {size[0]} x {size[1]} pixels cannot be written",
                            cure="take even numbers from 16 to 4096")
        self.seed, self.physics, self.rewrite = seed, physics, rewrite
        self.views, self.verbs = list(views), sorted(set(verbs))
        self.size = (int(size[0]), int(size[1]))
        self.shapes: List[Shape] = []
        if meshes is not None:
            folder = pathlib.Path(meshes).resolve()
            files = sorted(path for path in folder.iterdir()
                           if path.suffix.lower() in _SHAPE_FILES) if folder.is_dir() else []
            if not files:
                raise FloeError(f"{folder}: has no meshes", file=str(folder),
                                cure=f"put files {', '.join(_SHAPE_FILES)} there, named by their nouns")
            self.shapes = [Shape(str(path), path.stem.replace("_", " ")) for path in files]

    def as_json(self, version: str) -> Dict[str, Any]:
        return {"floe": version, "seed": self.seed, "physics": self.physics, "views": self.views,
                "size": list(self.size), "verbs": self.verbs, "rewrite": self.rewrite,
                "shapes": {pathlib.Path(shape.path).name: hashlib.sha256(
                    pathlib.Path(shape.path).read_bytes()).hexdigest() for shape in self.shapes}}


class _Rejected(Exception):
    """An attempt that is not kept, and why."""

    def __init__(self, reason: str, scene: Optional[Scene] = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.verb = scene.verb if scene else ""
        self.relations = list(scene.relations) if scene else []


def draw_scene(settings: Settings, index: int, attempt: int) -> Tuple[Scene, random.Random, Any]:
    """The scene of an attempt, the source after it, and what its repair did.

    Raises:
        ConflictError: its constraints contradict each other.
    """
    source = random.Random(f"{settings.seed}/{index}/{attempt}")
    scene = sample(source, settings.physics, settings.shapes, settings.views)
    verb = source.choice(settings.verbs) if settings.verbs else ""
    repairs, violated = act(scene, source, verb)
    return scene, source, {"repairs": repairs, "violatedBefore": violated}


def _simulate(session: Session, scene: Scene, settings: Settings, folder: pathlib.Path) -> Motion:
    """Runs it, with its movies in the folder."""
    made = graph(scene, *settings.size)
    made.save(folder / "graph.floe.json")
    motion = Motion(scene)
    for frame in session.run(made, output=str(folder / "run"), progress=False, fresh=True):
        arrays = frame.particles.fetch("x", "v", "id")
        motion.add(arrays["x"], arrays["v"], arrays["id"])
    return motion


def rewritten(command: str, texts: Sequence[str]) -> Tuple[List[str], str]:
    """What a command makes of texts, a line each.

    Returns:
        The new texts, or none and why.
    """
    try:
        done = subprocess.run(command, shell=True, input="\n".join(texts) + "\n", text=True,
                              capture_output=True, timeout=_REWRITE_SECONDS)
    except subprocess.TimeoutExpired:
        return [], "it did not end in time"
    except UnicodeDecodeError:
        return [], "it wrote no UTF-8"
    lines = [line.strip() for line in done.stdout.splitlines() if line.strip()]
    if done.returncode != 0:
        return [], f"exit code {done.returncode}"
    if len(lines) != len(texts):
        return [], f"{len(lines)} lines for {len(texts)}"
    return lines, ""


def _keep(scene: Scene, motion: Motion, checks: Sequence[Any], source: random.Random, repair: Any,
          settings: Settings, folder: pathlib.Path) -> None:
    """Writes what an instance is, beside its graph and movies."""
    said = sentences(scene, source, _SENTENCES)
    text: Dict[str, Any] = {"original": [sentence.as_json() for sentence in said]}
    if settings.rewrite:
        lines, why = rewritten(settings.rewrite, [sentence.text for sentence in said])
        text["rewritten"] = lines
        if why:
            text["notRewritten"] = why
    labels = {**scene.labels(), "physics": "pbd" if is_rigid(scene) else "mpm", "repair": repair,
              "measured": [check.as_json() for check in checks]}
    for view in settings.views:
        movie = next((folder / "run" / view).glob("*.mp4"), None)
        if movie is None:
            raise FloeError("no movies are written here", cure="install ffmpeg")
        os.replace(movie, folder / f"{view}.mp4")
    shutil.rmtree(folder / "run")
    for name, value in (("label", labels), ("value", scene.values()), ("text", text)):
        (folder / f"{name}.json").write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")
    arrays = {"x": np.stack(motion.positions), "v": np.stack(motion.velocities).astype(np.float16),
              "object": motion.owner}
    with open(folder / "particles.npz", "wb") as file:
        np.savez_compressed(file, **arrays)


class _Worker:
    """A session, and the attempts at instances in it."""

    def __init__(self, settings: Settings, folder: pathlib.Path, note: Callable[[Dict[str, Any]], None],
                 stop: threading.Event) -> None:
        self.settings, self.folder, self.note, self.stop = settings, folder, note, stop
        self._session: Optional[Session] = None

    def make(self, index: int) -> float:
        """Makes an instance. Returns the seconds that its accepted attempt took."""
        for attempt in range(_MAX_ATTEMPTS):
            begun = time.monotonic()
            work = pathlib.Path(tempfile.mkdtemp(prefix=f"{index:06d}-", dir=self.folder / "work"))
            try:
                self._attempt(index, attempt, work)
            except _Rejected as rejected:
                if self.stop.is_set():
                    raise FloeError("the command was stopped") from rejected
                self.note({"instance": index, "attempt": attempt, "verb": rejected.verb,
                           "relations": rejected.relations, "reason": rejected.reason})
                continue
            finally:
                shutil.rmtree(work, ignore_errors=True)
            return time.monotonic() - begun
        raise FloeError(f"instance {index}: {_MAX_ATTEMPTS} attempts were rejected",
                        cure="see rejected.jsonl for the reasons, and allow more verbs or shapes")

    def _attempt(self, index: int, attempt: int, work: pathlib.Path) -> None:
        try:
            scene, source, repair = draw_scene(self.settings, index, attempt)
        except ConflictError as error:
            raise _Rejected(f"conflict: {error}") from error
        if self._session is None:
            self._session = Session(threads=1)
        if self.stop.is_set():
            raise _Rejected("stopped")
        try:
            motion = _simulate(self._session, scene, self.settings, work)
            self._session.connection.call("cache.clear")
        except ServerDied as error:
            self._session.close()
            self._session = None
            raise _Rejected(f"engine: {error.args[0]}", scene) from error
        except (RunError, ValueError) as error:
            raise _Rejected(f"simulation: {error.args[0]}", scene) from error
        checks = judge(scene, motion)
        wrong = [check.name for check in checks if not check.holds]
        if wrong:
            raise _Rejected(f"{scene.verb}: {wrong[0]}", scene)
        _keep(scene, motion, checks, source, repair, self.settings, work)
        (work / "instance.json").write_text(json.dumps({"instance": index, "attempt": attempt}) + "\n")
        os.chmod(work, 0o755)
        os.rename(work, self.folder / "instances" / f"{index:06d}")

    def close(self) -> None:
        if self._session is not None:
            self._session.close()


def generate(output: Path, count: int, settings: Optional[Settings] = None, *, jobs: int = 1,
             shard_size: int = 100, progress: Optional[bool] = None) -> pathlib.Path:
    """Makes a data set, or the rest of one.

    Args:
        output: folder of the data set.
        count: of instances.
        jobs: that are made at a time.
        shard_size: instances of a shard.

    Returns:
        The viewer's page.

    Raises:
        FloeError: the folder has instances of other settings, or an instance cannot be made.
    """
    chosen = settings or Settings()
    if count < 1 or jobs < 1 or shard_size < 1:
        raise FloeError("a data set needs an instance, a job and a shard of one at least")
    folder = pathlib.Path(output).resolve()
    for name in ("instances", "work", "shards"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise FloeError(f"{folder}: another command writes into this folder",
                            cure="wait for its end, or choose another folder") from None
        for left in (folder / "work").iterdir():  # of a command that was stopped
            shutil.rmtree(left, ignore_errors=True)
        _check_settings(folder, chosen)
        _make_all(folder, count, chosen, jobs, progress)
        rejected = _read_lines(folder / "rejected.jsonl")
        instances = [read_instance(folder, index) for index in range(count)]
        _write_shards(folder, count, shard_size)
        about = json.loads((folder / "settings.json").read_text())
        write_whole(folder / "datasheet.md", pages.datasheet(
            about, instances, [line for line in rejected if line.get("instance", 0) < count],
            [line for line in _read_lines(folder / "times.jsonl")
             if line.get("instance", 0) < count]).encode())
        write_whole(folder / "index.html", pages.viewer(instances, chosen.views).encode())
    return folder / "index.html"


def _check_settings(folder: pathlib.Path, settings: Settings) -> None:
    with Session(threads=1) as session:
        wanted = settings.as_json(session.version)
    path = folder / "settings.json"
    if not path.exists():
        write_whole(path, json.dumps(wanted, indent=1).encode())
        return
    there = json.loads(path.read_text())
    different = sorted(name for name in wanted if wanted[name] != there.get(name))
    if different:
        raise FloeError(f"{folder}: has instances of another {', '.join(different)}", file=str(folder),
                        cure="choose another folder, or the settings of settings.json")


def _make_all(folder: pathlib.Path, count: int, settings: Settings, jobs: int,
              shown: Optional[bool]) -> None:
    missing = [index for index in range(count) if not (folder / "instances" / f"{index:06d}").is_dir()]
    # Attempts at an instance that was not finished are made, and noted, again.
    kept = [line for line in _read_lines(folder / "rejected.jsonl")
            if line.get("instance") not in set(missing)]
    write_whole(folder / "rejected.jsonl", "".join(json.dumps(line) + "\n" for line in kept).encode())
    guard, stop = threading.Lock(), threading.Event()
    local = threading.local()
    workers: List[_Worker] = []
    bar = make_progress(count, shown)
    done = count - len(missing)

    def append(name: str, line: Dict[str, Any]) -> None:
        with guard, open(folder / name, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def make(index: int) -> None:
        nonlocal done
        if not hasattr(local, "worker"):
            local.worker = _Worker(settings, folder, lambda line: append("rejected.jsonl", line),
                                   stop)
            with guard:
                workers.append(local.worker)
        append("times.jsonl", {"instance": index, "seconds": round(local.worker.make(index), 3)})
        with guard:
            done += 1
            bar.update(done, f"{done} instances")

    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        for future in concurrent.futures.as_completed([pool.submit(make, index)
                                                       for index in missing]):
            future.result()
    except BaseException:  # of a worker, or Ctrl-C: what the others do is given up
        stop.set()
        for worker in list(workers):
            worker.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for worker in workers:
            worker.close()
        bar.close()


def _read_lines(path: pathlib.Path) -> List[Dict[str, Any]]:
    """The lines of JSON; the last may be cut off, after a power cut."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def read_instance(output: Path, index: int) -> Dict[str, Any]:
    """Labels ("label"), values ("value") and sentences ("text") of an instance."""
    folder = pathlib.Path(output) / "instances" / f"{index:06d}"
    return {"index": index, **{name: json.loads((folder / f"{name}.json").read_text())
                               for name in ("label", "value", "text")}}


def _write_shards(folder: pathlib.Path, count: int, size: int) -> None:
    """Tar files as WebDataset reads them: files of one sample follow each other, and share the name up to
    the first dot."""
    wanted = set()
    for first in range(0, count, size):
        path = folder / "shards" / f"scenes-{first // size:06d}.tar"
        wanted.add(path)
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for index in range(first, min(count, first + size)):
                for file in sorted((folder / "instances" / f"{index:06d}").iterdir()):
                    if file.name == "instance.json":
                        continue
                    data = file.read_bytes()
                    entry = tarfile.TarInfo(f"{index:06d}.{file.name}")
                    entry.size = len(data)
                    tar.addfile(entry, io.BytesIO(data))
        write_whole(path, content.getvalue())
    for path in (folder / "shards").glob("scenes-*.tar"):
        if path not in wanted:
            path.unlink()
