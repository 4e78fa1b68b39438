"""Demonstrations as a data set in the layout of LeRobot, version 3.0.

    meta/info.json                               what there is: features, rate, numbers of episodes and frames
    meta/stats.json                              minimum, maximum, mean and deviation of each feature
    meta/tasks.parquet                           sentences that say what is done, by number
    meta/episodes/chunk-000/file-000.parquet     where the data of each episode are
    data/chunk-000/file-000.parquet              frames of an episode
    videos/KEY/chunk-000/file-000.mp4            its pictures, where it has some

LeRobot itself is not needed. Each episode is a file of its own; those that are complete stay readable, whatever happens to the
program.
"""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import parquet
from .driven import recorded
from .errors import FloeError
from .graph import Graph
from .picture import write_whole
from .session import Frame, Session

VERSION = "v3.0"
_CHUNK = 1000  # files of a folder
_DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
_VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
_EPISODES = "meta/episodes/chunk-000/file-000.parquet"
_TASKS = "meta/tasks.parquet"
#: Features that every data set has.
_OWN = {"timestamp": "float32", "frame_index": "int64", "episode_index": "int64", "index": "int64",
        "task_index": "int64"}
_STATS = ("min", "max", "mean", "std", "count")

Path = Union[str, pathlib.Path]


class Demonstrations:
    """A data set that episodes are added to.

    >>> import numpy as np, tempfile
    >>> from floe import lerobot
    >>> folder = tempfile.mkdtemp()
    >>> with lerobot.Demonstrations(folder, fps=12, robot="blade") as demonstrations:
    ...     demonstrations.add("push the sand to the goal", {
    ...         "observation.state": np.zeros((5, 4), np.float32), "action": np.ones((5, 3), np.float32)})
    0
    >>> [episode.task for episode in lerobot.read(folder)]
    ['push the sand to the goal']
    >>> lerobot.read(folder)[0].frames["action"].shape
    (5, 3)

    Args:
        folder: of the data set; one that is there is added to.
        fps: frames per second of the episodes, a whole number.
        robot: what acts.
        names: of the components of features, by feature.

    Raises:
        FloeError: the folder has something else, or data of another rate or robot.
    """

    def __init__(self, folder: Path, fps: int, robot: str = "floe",
                 names: Optional[Mapping[str, Sequence[str]]] = None) -> None:
        if int(fps) != fps or fps < 1:
            raise FloeError(f"{fps} frames per second cannot be stored", cure="take a whole number from 1 on")
        self.folder = pathlib.Path(folder).resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._names = {name: list(labels) for name, labels in (names or {}).items()}
        self._lock = open(self.folder / ".lock", "w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise FloeError(f"{self.folder}: another program writes into this folder",
                            cure="wait for its end, or choose another folder") from None
        try:
            self._info, self._tasks, self._episodes, self._stats = self._there(int(fps), robot)
        except BaseException:
            self._lock.close()
            raise

    def _there(self, fps: int, robot: str) -> Tuple[Any, Any, Any, Any]:
        if not (self.folder / "meta/info.json").exists():
            left = [path for path in self.folder.iterdir() if path.name != ".lock"]
            if any(path.name not in ("data", "videos", "meta") for path in left):
                raise FloeError(f"{self.folder}: has other files", cure="choose an empty folder")
            return {"codebase_version": VERSION, "robot_type": robot, "total_episodes": 0, "total_frames": 0,
                    "total_tasks": 0, "chunks_size": _CHUNK, "data_files_size_in_mb": 100,
                    "video_files_size_in_mb": 200, "fps": fps, "splits": {}, "data_path": _DATA,
                    "video_path": None, "features": {}}, [], [], {}
        info = _read_info(self.folder)
        for name, wanted in (("fps", fps), ("robot_type", robot)):
            if info.get(name) != wanted:
                raise FloeError(f"{self.folder}: has demonstrations with {name} {info.get(name)}",
                                cure="choose another folder")
        tasks = list(parquet.read(self.folder / _TASKS)["task"])
        table = parquet.read(self.folder / _EPISODES)
        episodes = [{name: column[row] for name, column in table.items()}
                    for row in range(info["total_episodes"])]
        return info, tasks, episodes, json.loads((self.folder / "meta/stats.json").read_text())

    def __len__(self) -> int:
        return len(self._episodes)

    def add(self, task: str, frames: Mapping[str, np.ndarray],
            pictures: Optional[Mapping[str, Iterable[np.ndarray]]] = None) -> int:
        """Adds an episode, whole or not at all.

        Args:
            task: what is done, as a sentence.
            frames: by feature, such as "observation.state" and "action": (frames, n) or (frames,).
            pictures: by feature, such as "observation.images.front": (height, width, 3) of bytes for each frame. They are
                stored as a movie (with ffmpeg, H.264), which loses a little.

        Returns:
            Its number.

        Raises:
            FloeError: features differ from those that are there, numbers are not finite, or no movie can be written.
        """
        if not task or "\n" in task:
            raise FloeError("a task is a sentence in one line")
        if not frames:
            raise FloeError("an episode needs features", cure="give 'observation.state' and 'action'")
        arrays = {name: np.ascontiguousarray(array) for name, array in frames.items()}
        count = len(next(iter(arrays.values())))
        features: Dict[str, Any] = {}
        for name, array in arrays.items():
            features[name] = self._feature(name, array, count)
            if not np.all(np.isfinite(array)):
                raise FloeError(f"'{name}' has numbers that are not finite")
        for name in pictures or {}:
            if name in arrays or name in _OWN or "/" in name:
                raise FloeError(f"'{name}' cannot be pictures", cure="name them observation.images.VIEW")
        number = len(self._episodes)
        work = pathlib.Path(tempfile.mkdtemp(prefix=".work-", dir=self.folder))
        try:
            movies: Dict[str, pathlib.Path] = {}
            for name, images in (pictures or {}).items():
                movies[name] = work / f"{len(movies)}.mp4"
                features[name] = _write_movie(movies[name], images, count, self._info["fps"])
            known = self._info["features"]
            if known and {n: f for n, f in known.items() if n not in _OWN} != features:
                raise FloeError("features differ from those of the episodes that are there: "
                                + ", ".join(sorted(features)), cure="give the same, in the same shapes")
            self._keep(number, task, arrays, features, movies, count)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        return number

    def add_recording(self, task: str, graph: Graph, driven: Sequence[str],
                      observe: Callable[[Frame], Union[np.ndarray, Sequence[float]]], *,
                      cameras: Sequence[str] = (), size: Tuple[int, int] = (320, 240), **options: Any) -> int:
        """Adds an episode that somebody drove: in the editor's viewport, or a graph of Driven.save().

        It is simulated anew, which gives the same bits. Each row is what was seen in a frame ("observation.state") and where
        the driven parameters went until the next ("action"); the last frame has no action and no row.

        Args:
            task: as of add().
            graph: with the keys that driving has made.
            driven: names of its parameters, "node.parameter".
            observe: numbers that an agent would see of a frame.
            cameras: nodes of the graph; what they see are pictures, "observation.images.NODE".
            size: width and height of these [pixels].
            options: of Session.run(), such as device.

        Returns:
            Its number.

        Raises:
            FloeError: as of add(); the graph has another rate.
            GraphError: the graph has errors, or a parameter was not driven.
        """
        if graph.fps != self._info["fps"]:
            raise FloeError(f"the graph has {graph.fps} frames per second, the data set {self._info['fps']}",
                            cure="choose a folder for each rate")
        if not driven:
            raise FloeError("an episode needs actions", cure="name the parameters that were driven")
        actions = np.concatenate([recorded(graph, name) for name in driven], 1)[1:]
        seen: List[np.ndarray] = []
        drawn: Dict[str, List[np.ndarray]] = {name: [] for name in cameras}
        with Session() as session:
            for frame in session.run(graph, len(actions), **{"progress": False, **options}):
                seen.append(np.ravel(np.asarray(observe(frame), np.float32)).copy())
                for name, pictures in drawn.items():
                    picture = frame.draw(*size, camera=name, show={"legend": False})
                    pictures.append(picture.pixels[:, :, :3].copy())
        return self.add(task, {"observation.state": np.array(seen), "action": actions.astype(np.float32)},
                        {f"observation.images.{name}": pictures for name, pictures in drawn.items()})

    def _feature(self, name: str, array: np.ndarray, count: int) -> Dict[str, Any]:
        if name in _OWN or "/" in name or array.ndim not in (1, 2) or len(array) != count or count < 1 or \
                array.dtype.name not in ("float32", "float64", "int64", "bool"):
            raise FloeError(f"'{name}' has {array.dtype.name} of {array.shape}",
                            cure="give (frames, n) numbers, as many frames in each, under a name of your own")
        size = array.shape[1] if array.ndim == 2 else 1
        names = self._names.get(name)
        if names is not None and len(names) != size:
            raise FloeError(f"'{name}' has {size} components and {len(names)} names")
        return {"dtype": array.dtype.name, "shape": [size], "names": names}

    def _keep(self, number: int, task: str, arrays: Dict[str, np.ndarray], features: Dict[str, Any],
              movies: Dict[str, pathlib.Path], count: int) -> None:
        fps, first = self._info["fps"], self._info["total_frames"]
        tasks = self._tasks if task in self._tasks else [*self._tasks, task]
        # A feature of one component is a number, not a list.
        columns: Dict[str, Any] = {name: array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
                                   for name, array in arrays.items()}
        columns["timestamp"] = (np.arange(count) / fps).astype(np.float32)
        columns["frame_index"] = np.arange(count)
        columns["episode_index"] = np.full(count, number)
        columns["index"] = first + np.arange(count)
        columns["task_index"] = np.full(count, tasks.index(task))
        place = {"chunk_index": number // _CHUNK, "file_index": number % _CHUNK}
        data = self.folder / _DATA.format(**place)
        data.parent.mkdir(parents=True, exist_ok=True)
        parquet.write(data, columns)
        episode: Dict[str, Any] = {
            "episode_index": number, "tasks": [task], "length": count,
            "data/chunk_index": place["chunk_index"], "data/file_index": place["file_index"],
            "dataset_from_index": first, "dataset_to_index": first + count,
            "meta/episodes/chunk_index": 0, "meta/episodes/file_index": 0}
        for name, movie in movies.items():
            target = self.folder / _VIDEO.format(video_key=name, **place)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(movie, target)
            episode.update({f"videos/{name}/chunk_index": place["chunk_index"],
                            f"videos/{name}/file_index": place["file_index"],
                            f"videos/{name}/from_timestamp": 0.0, f"videos/{name}/to_timestamp": count / fps})
        own = {name: _statistics(column) for name, column in columns.items()}
        for name, values in own.items():
            for what in _STATS:
                episode[f"stats/{name}/{what}"] = values[what]
        stats = {name: _joined(self._stats[name], values) if name in self._stats else values
                 for name, values in own.items()}
        episodes = [*self._episodes, episode]
        info = {**self._info, "total_episodes": number + 1, "total_frames": first + count,
                "total_tasks": len(tasks), "splits": {"train": f"0:{number + 1}"},
                "video_path": _VIDEO if movies else None,
                "features": {**features, **{name: {"dtype": kind, "shape": [1], "names": None}
                                            for name, kind in _OWN.items()}}}
        (self.folder / "meta/episodes/chunk-000").mkdir(parents=True, exist_ok=True)
        named = {"task_index": np.arange(len(tasks)), "task": tasks}
        parquet.write(self.folder / _TASKS, named, parquet.with_index(named, "task"))
        parquet.write(self.folder / _EPISODES, {name: _column(name, episodes) for name in episode})
        write_whole(self.folder / "meta/stats.json", json.dumps(
            {name: {what: np.asarray(value).tolist() for what, value in values.items()}
             for name, values in stats.items()}, indent=1).encode())
        # The last: until then, the data set is what it was.
        write_whole(self.folder / "meta/info.json", json.dumps(info, indent=1).encode())
        self._info, self._tasks, self._episodes, self._stats = info, tasks, episodes, stats

    def close(self) -> None:
        """Lets other programs add to it."""
        self._lock.close()

    def __enter__(self) -> "Demonstrations":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class Episode:
    """An episode that was read."""

    def __init__(self, task: str, frames: Dict[str, np.ndarray], movies: Dict[str, pathlib.Path]) -> None:
        self.task = task
        self.frames = frames  #: by feature; timestamp, index and so on too
        self.movies = movies  #: files, by feature

    def __len__(self) -> int:
        return len(self.frames["timestamp"])


def read(folder: Path) -> List[Episode]:
    """The episodes of a data set that Demonstrations has written.

    Raises:
        FloeError: it is damaged, of another version, or written by something else in a way that is not read here.
    """
    place = pathlib.Path(folder).resolve()
    info = _read_info(place)
    if info["total_episodes"] == 0:
        return []
    table, tasks = parquet.read(place / _EPISODES), parquet.read(place / _TASKS)["task"]
    episodes = []
    try:
        for row in range(info["total_episodes"]):
            at = {"chunk_index": int(table["data/chunk_index"][row]),
                  "file_index": int(table["data/file_index"][row])}
            frames = parquet.read(place / _DATA.format(**at))
            first, last = int(table["dataset_from_index"][row]), int(table["dataset_to_index"][row])
            if not np.array_equal(frames["index"], np.arange(first, last)):
                raise ValueError(f"frames of episode {row} are missing")
            movies = {name: place / _VIDEO.format(
                video_key=name, chunk_index=int(table[f"videos/{name}/chunk_index"][row]),
                file_index=int(table[f"videos/{name}/file_index"][row]))
                for name, feature in info["features"].items() if feature["dtype"] == "video"}
            episodes.append(Episode(tasks[int(frames["task_index"][0])], frames, movies))
    except (KeyError, IndexError, ValueError, TypeError) as error:
        raise FloeError(f"{place}: is damaged, or was not written here: {error}", file=str(place)) from error
    return episodes


def _read_info(folder: pathlib.Path) -> Dict[str, Any]:
    path = folder / "meta/info.json"
    try:
        info = json.loads(path.read_text(encoding="utf-8"))
        good = isinstance(info, dict) and isinstance(info["features"], dict) and \
            isinstance(info["total_episodes"], int) and isinstance(info["total_frames"], int)
    except (OSError, ValueError, KeyError) as error:
        raise FloeError(f"{path}: cannot be read: {error}", file=str(path)) from error
    if not good or info.get("codebase_version") != VERSION:
        raise FloeError(f"{path}: is no data set of LeRobot {VERSION}", file=str(path))
    return dict(info)


def _statistics(column: np.ndarray) -> Dict[str, Any]:
    table = np.asarray(column, float).reshape(len(column), -1)
    return {"min": table.min(axis=0), "max": table.max(axis=0), "mean": table.mean(axis=0),
            "std": table.std(axis=0), "count": np.array([len(table)])}


def _joined(one: Mapping[str, Any], other: Mapping[str, Any]) -> Dict[str, Any]:
    """Statistics of two sets together (Chan et al. 1979)."""
    n, m = int(one["count"][0]), int(other["count"][0])
    a, b = np.asarray(one["mean"], float), np.asarray(other["mean"], float)
    mean = (n * a + m * b) / (n + m)
    squares = n * np.square(one["std"]) + m * np.square(other["std"]) + n * m / (n + m) * np.square(a - b)
    return {"min": np.minimum(one["min"], other["min"]), "max": np.maximum(one["max"], other["max"]),
            "mean": mean, "std": np.sqrt(squares / (n + m)), "count": np.array([n + m])}


def _column(name: str, episodes: Sequence[Mapping[str, Any]]) -> Any:
    values = [episode[name] for episode in episodes]
    if name == "tasks":
        return [list(value) for value in values]
    return np.array(values)


def _write_movie(path: pathlib.Path, images: Iterable[np.ndarray], count: int, fps: int) -> Dict[str, Any]:
    """Encodes pictures. Returns the feature that describes them."""
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise FloeError("no movie can be written", cure="install ffmpeg, or leave the pictures out")
    size: Optional[Tuple[int, ...]] = None
    process: Optional[subprocess.Popen] = None  # type: ignore[type-arg]
    written = 0
    with tempfile.TemporaryFile() as said:
        try:
            for image in images:
                pixels = np.ascontiguousarray(image)
                if size is None:
                    size = pixels.shape
                    if pixels.ndim != 3 or size[2] != 3 or size[0] % 2 or size[1] % 2 or 0 in size:
                        raise FloeError(f"pictures of {size} cannot be written",
                                        cure="give (height, width, 3), with even numbers of pixels")
                    process = subprocess.Popen(
                        [ffmpeg, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
                         f"{size[1]}x{size[0]}", "-r", str(fps), "-i", "-", "-c:v", "libx264", "-g", "2",
                         "-pix_fmt", "yuv420p", "-crf", "18", str(path)],
                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
                if pixels.shape != size or pixels.dtype != np.uint8:
                    raise FloeError(f"a picture has {pixels.dtype.name} of {pixels.shape}",
                                    cure="give bytes, of one size")
                assert process is not None and process.stdin is not None
                process.stdin.write(pixels.tobytes())
                written += 1
            if written != count or process is None or size is None:
                raise FloeError(f"there are {written} pictures for {count} frames")
            assert process.stdin is not None
            process.stdin.close()
            failed = process.wait() != 0
        except BrokenPipeError:
            failed = True
        finally:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait()
            if process is not None and process.stdin is not None and not process.stdin.closed:
                try:
                    process.stdin.close()
                except BrokenPipeError:
                    pass
        if failed or process is None or size is None:
            said.seek(0)
            raise FloeError("ffmpeg: " + said.read(2000).decode(errors="replace").strip())
    return {"dtype": "video", "shape": list(size), "names": ["height", "width", "channels"],
            "info": {"video.height": size[0], "video.width": size[1], "video.codec": "h264",
                     "video.pix_fmt": "yuv420p", "video.is_depth_map": False, "video.fps": fps,
                     "video.channels": 3, "has_audio": False}}
