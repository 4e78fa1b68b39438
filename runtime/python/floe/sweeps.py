"""Sweeps: many variants of one graph, simulated side by side, as a table, a contact sheet, a movie and a page.

Variants are simulated by `floe run`, each in a folder of its own that is named by the hash of its content:
the graph with its changes, the files it reads, the last frame, the chosen device and the version of Floe. What
this leaves in the output folder:

    variants/HASH/graph.floe.json   what is simulated
    variants/HASH/state.json        written whole or not at all, when an attempt begins and when it ends
    variants/HASH/out/              as `floe run` writes it
    variants/HASH/log.txt           what the newest attempt said
    sweep.json                      which variants the newest sweep has, in order, and how they are run
    table.csv, contact.png, movie.mp4, index.html

A variant is *done* when its state.json says so, and is not simulated again; *failed* when it says so, and is
repeated by the next sweep into this folder; anything else was *in flight*, when the sweep was killed for
example, and goes on from its newest checkpoint. As the name is a hash, other values, another graph or another
version are other variants: results never mix. One sweep at a time writes into a folder; the tasks of a farm
share it, and each has its variant for itself.
"""

import contextlib
import csv
import ctypes
import fcntl
import io
import json
import math
import os
import pathlib
import signal
import subprocess
import time
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

from . import farm, program
from .errors import FloeError
from .graph import Graph, Path
from .picture import encode_png, write_whole
from .progress import progress as make_progress
from .sweep_pages import contact_sheet, page, write_movie
from .variants import Choices, Variant, combinations, content_hash, standing_alone

_POLL_SECONDS = 0.02
_NOT_RETRIED = (2, 3)  # command line and graph: the next attempt would fail alike
_OUT_OF_MEMORY = 6
_FIRST_JOB_BYTES = 1 << 30  # expected of a job while none has ended


class Sweep:
    """The variants of a sweep, in order, with its table, sheet, movie and page.

    Args:
        fps: of the movie.
    """

    def __init__(self, folder: pathlib.Path, variants: List[Variant], *, threads: int = 1,
                 retries: int = 1, devices: Sequence[str] = (), fps: float = 24,
                 version: str = "", cache: bool = False) -> None:
        self.folder = folder
        self.variants = variants
        self.threads = threads
        self.retries = retries
        self.devices = list(devices)
        self.fps = fps
        self.version = version  #: of Floe, as `floe --version` says it
        self.cache = cache  #: runs keep the particles of their frames, to be looked at later

    @classmethod
    def open(cls, folder: Path) -> "Sweep":
        """The newest sweep of an output folder, as it stands.

        Raises:
            FloeError: there is none.
        """
        place = pathlib.Path(folder).resolve()
        try:
            about = json.loads((place / "sweep.json").read_text())
            found = cls(place, [Variant(dict(entry["values"]), None, str(entry["name"]),
                                        place / "variants" / str(entry["name"]))
                                for entry in about["variants"]],
                        threads=int(about["threads"]), retries=int(about["retries"]),
                        devices=[str(device) for device in about["devices"]],
                        fps=float(about["fps"]), version=str(about["floe"]),
                        cache=bool(about.get("cache", False)))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FloeError(f"{place}: is no folder of a sweep: {error}", file=str(place),
                            cure="give the output folder of 'floe sweep'") from error
        for variant in found.variants:
            if len(variant.name) != 16 or not variant.name.isalnum():
                raise FloeError(f"{place / 'sweep.json'}: '{variant.name}' is no name of a variant",
                                file=str(place / "sweep.json"), cure="begin the sweep anew")
            variant.read_state()
        return found

    @property
    def done(self) -> List[Variant]:
        """Those that were simulated to their last frame."""
        return [variant for variant in self.variants if variant.state == "done"]

    @property
    def failed(self) -> List[Variant]:
        """Those that were not, after all attempts."""
        return [variant for variant in self.variants if variant.state == "failed"]

    def rows(self) -> List[Dict[str, Any]]:
        """The table: one row a variant, its values, result and statistics."""
        rows = []
        for number, variant in enumerate(self.variants, 1):
            values = {name: value if isinstance(value, (int, float, str)) else json.dumps(value)
                      for name, value in variant.values.items()}
            rows.append({"number": number, "variant": variant.name, **values,
                         "state": variant.state, "attempts": variant.attempts,
                         "runSeconds": round(variant.seconds, 3), "message": variant.message,
                         **{name: number for name, number in variant.statistics.items()
                            if name not in values}})
        return rows

    def describe(self) -> None:
        """Writes sweep.json, from which tasks of a farm and open() know the variants."""
        write_whole(self.folder / "sweep.json", json.dumps({
            "floe": self.version, "threads": self.threads, "retries": self.retries,
            "devices": self.devices, "fps": self.fps, "cache": self.cache,
            "variants": [{"name": variant.name, "values": variant.values}
                         for variant in self.variants]}, indent=1).encode())

    def write(self) -> None:
        """Writes table.csv, contact.png, movie.mp4 and index.html, each whole or not at all."""
        rows = self.rows()
        columns = list(dict.fromkeys(name for row in rows for name in row))
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, restval="")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(self.folder / "table.csv", text.getvalue().encode())
        self._write_parquet(rows, columns)
        write_whole(self.folder / "contact.png", encode_png(contact_sheet(self.variants)))
        no_movie = write_movie(self.variants, self.folder / "movie.mp4", self.fps)
        if no_movie:
            with contextlib.suppress(FileNotFoundError):
                (self.folder / "movie.mp4").unlink()
        write_whole(self.folder / "index.html",
                    page(self.folder, self.variants, rows, columns, no_movie).encode())

    def _write_parquet(self, rows: List[Dict[str, Any]], columns: List[str]) -> None:
        """The table once more, where pyarrow is installed."""
        try:
            import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
            from pyarrow import parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
        except ImportError:
            return
        kept = {}
        for name in columns:
            values = [row.get(name) for row in rows]
            if len({type(value) for value in values if value is not None} - {int, float}) and \
                    not all(isinstance(value, str) or value is None for value in values):
                values = [None if value is None else str(value) for value in values]
            kept[name] = values
        content = io.BytesIO()
        parquet.write_table(pyarrow.table(kept), content)
        write_whole(self.folder / "table.parquet", content.getvalue())

    def __repr__(self) -> str:
        return (f"<sweep of {len(self.variants)} variants: {len(self.done)} done, "
                f"{len(self.failed)} failed>")


def _available_bytes() -> int:
    with open("/proc/meminfo") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return 1 << 62


_libc = ctypes.CDLL(None)


def _end_with_parent() -> None:
    """In a new process: a killed sweep must not leave runs behind."""
    _libc.prctl(1, int(signal.SIGTERM), 0, 0, 0)


class _Job:
    """An attempt at a variant: `floe run` in a process."""

    def __init__(self, variant: Variant, path: str, threads: int, device: str,
                 cache: bool) -> None:
        self.variant = variant
        self.device = device
        self.begun = time.monotonic()
        variant.prepare()
        variant.attempts += 1
        variant.state = "running"
        variant.write_state()
        command = [path, "run", str(variant.folder / "graph.floe.json"), "--output",
                   str(variant.output), "--threads", str(threads), "--progress", "quiet"]
        if device:
            command += ["--device", device]
        resumes = any(variant.output.glob("checkpoints/*.checkpoint"))
        if cache:
            command.append("--cache")
            resumes = resumes and (variant.output / "cache").is_dir()
        if resumes:
            command.append("--resume")
        with open(variant.folder / "log.txt", "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log, preexec_fn=_end_with_parent)

    def finish(self) -> bool:
        """Returns whether it has ended, and notes how."""
        code = self.process.poll()
        if code is None:
            return False
        variant = self.variant
        variant.exit_code = code
        variant.seconds = time.monotonic() - self.begun
        variant.state = "done" if code == 0 else "failed"
        variant.message = ""
        if code != 0:
            log = (variant.folder / "log.txt").read_text(errors="replace")
            lines = [line for line in log.splitlines() if line.strip()]
            said = [line[len("error: "):] for line in lines if line.startswith("error: ")]
            variant.message = (said or lines or [f"it ended with exit code {code}"])[-1][:1000]
        variant.write_state()
        return True

    def again(self, retries: int) -> bool:
        """After a failure: whether it is worth another attempt."""
        return self.variant.attempts <= retries and self.variant.exit_code not in _NOT_RETRIED


def sweep(scene: Graph, vary: Mapping[str, Choices], output: Path, *, mode: str = "grid",
          samples: int = 0, seed: int = 0, frames: Optional[int] = None,
          jobs: Optional[int] = None, threads: int = 1, retries: int = 1, keep_going: bool = True,
          devices: Sequence[str] = (), cache: bool = False, program_path: Optional[str] = None,
          progress: Optional[bool] = None) -> Sweep:
    """Simulates variants of a graph; those that are done in `output` already are kept.

    Args:
        vary: values by "node.parameter"; a Range for random sweeps.
        output: folder for everything; see floe.sweeps for what is where.
        mode, samples, seed: see floe.variants.combinations().
        frames: how many; without it, all of the graph.
        jobs: runs at a time, where memory permits; without it, as many as cores have threads.
        threads: of each run.
        retries: further attempts after a failure that may pass.
        keep_going: simulate the others after a failure.
        devices: such as ["cuda:0", "cuda:1"]: each run takes the one with the fewest runs, so that
            `jobs` = 4 are two for each card; without it, each run takes its own default.
        cache: keep the particles of all frames, with which the editor compares variants; those that
            were done without are simulated again.

    Raises:
        GraphError: a value is refused; nothing was simulated then.
        FloeError: another sweep writes into the folder.
    """
    result = prepare(scene, vary, output, mode=mode, samples=samples, seed=seed, frames=frames,
                     jobs=jobs, threads=threads, retries=retries, devices=devices, cache=cache,
                     program_path=program_path)
    with _writing(result.folder, fcntl.LOCK_EX):
        result.describe()
        _simulate(result, program.find(program_path), jobs or _default_jobs(threads), keep_going,
                  progress)
        result.write()
    return result


def submit_later(scene: Graph, vary: Mapping[str, Choices], output: Path, *,
                 jobs: Optional[int] = None, program_path: Optional[str] = None,
                 **options: Any) -> List[pathlib.Path]:
    """Prepares a sweep for a farm, and simulates nothing: all variants' graphs, an array job for Slurm,
    and a job template for OpenJD. They may be submitted again and again: what is done is kept.

    Args:
        jobs: tasks at a time; without it, as many as the farm permits.
        options: as those of sweep(), without `keep_going` and `progress`.

    Returns:
        The paths of the Slurm script and of the template.
    """
    result = prepare(scene, vary, output, jobs=jobs, program_path=program_path, **options)
    with _writing(result.folder, fcntl.LOCK_EX):
        result.describe()
        for variant in result.variants:
            variant.prepare()
        return farm.write_jobs(result.folder, len(result.variants), result.threads, jobs,
                               program.find(program_path), any(d.startswith("cuda")
                                                               for d in result.devices))


def prepare(scene: Graph, vary: Mapping[str, Choices], output: Path, *, mode: str = "grid",
            samples: int = 0, seed: int = 0, frames: Optional[int] = None,
            jobs: Optional[int] = None, threads: int = 1, retries: int = 1,
            devices: Sequence[str] = (), cache: bool = False,
            program_path: Optional[str] = None) -> Sweep:
    """The checked variants of a sweep; nothing is written but the output folder."""
    if threads < 1 or (jobs is not None and jobs < 1) or retries < 0:
        raise FloeError("a sweep needs a job with a thread at least, and no fewer than 0 retries")
    version = program.command(["--version"], program_path).strip()
    base, _ = standing_alone(scene)
    if frames is not None:
        if frames < 1:
            raise FloeError(f"'frames' is {frames}", cure="must be at least 1")
        base.end = base.start + frames - 1
    folder = pathlib.Path(output).resolve()
    hashes: Dict[str, str] = {}
    variants: Dict[str, Variant] = {}
    kinds = {device.partition(":")[0] for device in devices} - {"auto"}
    if len(kinds) > 1:
        raise FloeError(f"a sweep on {' and '.join(sorted(kinds))} would mix their results",
                        cure="name devices of one kind")
    for values in combinations(vary, mode, samples, seed):
        graph = base.copy()
        for name, value in values.items():
            node, dot, parameter = name.rpartition(".")
            if not dot:
                raise FloeError(f"'{name}' is no parameter", cure="write 'node.parameter'")
            graph[node][parameter] = value
        graph, files = standing_alone(graph)
        digest = content_hash(graph, files, version, hashes, "".join(kinds))
        variants.setdefault(digest, Variant(values, graph, digest,
                                            folder / "variants" / digest))
    (folder / "variants").mkdir(parents=True, exist_ok=True)
    return Sweep(folder, list(variants.values()), threads=threads, retries=retries,
                 devices=devices, fps=base.fps if math.isfinite(base.fps) and base.fps > 0 else 24,
                 version=version, cache=cache)


@contextlib.contextmanager
def _writing(folder: pathlib.Path, mode: int) -> Iterator[None]:
    """Holds the lock of an output folder; LOCK_SH is a task's, which others may share."""
    with open(folder / ".lock", "w") as lock:
        try:
            fcntl.flock(lock, mode | fcntl.LOCK_NB)
        except OSError:
            raise FloeError(f"{folder}: another sweep writes into this folder",
                            cure="wait for its end, or choose another folder") from None
        yield


def _default_jobs(threads: int) -> int:
    return max(1, (os.cpu_count() or 1) // threads)


def _simulate(result: Sweep, path: str, jobs: int, keep_going: bool,
              shown: Optional[bool]) -> None:
    waiting = []
    for variant in result.variants:
        variant.read_state()
        if variant.state != "done" or _lacks_frames(variant, result):
            variant.state, variant.attempts = "waiting", 0
            waiting.append(variant)
    waiting.reverse()
    running: List[_Job] = []
    job_bytes = _FIRST_JOB_BYTES
    bar = make_progress(len(result.variants), shown)
    try:
        while waiting or running:
            while waiting and len(running) < jobs and (
                    not running or _available_bytes() > job_bytes):
                running.append(_Job(waiting.pop(), path, result.threads,
                                    _freest(result.devices, running), result.cache))
            ended = [job for job in running if job.finish()]
            if not ended:
                time.sleep(_POLL_SECONDS)
                continue
            for job in ended:
                running.remove(job)
                variant = job.variant
                if variant.state == "done":
                    job_bytes = max(job_bytes, int(variant.statistics.get("residentBytes", 0)))
                elif variant.exit_code == _OUT_OF_MEMORY:
                    jobs = max(1, len(running))
                if variant.state == "failed":
                    if job.again(result.retries):
                        waiting.insert(0, variant)
                    elif not keep_going:
                        waiting.clear()
            done, failed = len(result.done), len(result.failed)
            bar.update(done + failed, f"{done} done" + (f", {failed} failed" if failed else ""))
    finally:
        for job in running:  # interrupted: what they have done remains, and goes on next time
            job.process.terminate()
        for job in running:
            job.process.wait()
        bar.close()


def _lacks_frames(variant: Variant, result: Sweep) -> bool:
    return result.cache and not (variant.output / "cache").is_dir()


def _freest(devices: Sequence[str], running: Sequence[_Job]) -> str:
    """The device with the fewest runs; empty: no device was named."""
    if not devices:
        return ""
    return min(devices, key=lambda device: sum(job.device == device for job in running))


def run_task(folder: Path, number: int, program_path: Optional[str] = None) -> Variant:
    """A task of a farm: simulates the variant with this number, from 1 on, of a sweep that
    submit_later() has prepared. The task that ends last also writes the table, the sheet, the movie
    and the page.

    Raises:
        FloeError: there is no such variant, another process simulates it, or this is another
            version of Floe than the one that prepared the sweep.
    """
    result = Sweep.open(folder)
    if not 1 <= number <= len(result.variants):
        raise FloeError(f"there is no variant {number}",
                        cure=f"take one of 1 to {len(result.variants)}")
    version = program.command(["--version"], program_path).strip()
    if version != result.version:
        raise FloeError(f"this is {version}, and the sweep was prepared by {result.version}",
                        cure="run that version, or prepare the sweep again")
    variant = result.variants[number - 1]
    variant.folder.mkdir(parents=True, exist_ok=True)
    with _writing(result.folder, fcntl.LOCK_SH), _writing(variant.folder, fcntl.LOCK_EX):
        variant.read_state()
        if variant.state != "done" or _lacks_frames(variant, result):
            variant.attempts = 0
            _attempt(variant, program.find(program_path), result)
    ended = Sweep.open(folder)
    if len(ended.done) + len(ended.failed) == len(ended.variants):
        ended.write()
    return variant


def _attempt(variant: Variant, path: str, result: Sweep) -> None:
    # On a farm, the scheduler gives each task its card, which is then the only one to be seen.
    device = result.devices[0].partition(":")[0] if result.devices else ""
    while True:
        job = _Job(variant, path, result.threads, device, result.cache)
        try:
            job.process.wait()
        finally:
            if job.process.poll() is None:
                job.process.terminate()
                job.process.wait()
        job.finish()
        if variant.state == "done" or not job.again(result.retries):
            return
