"""Demonstrations in LeRobot's layout: what is written, read by others where they are installed, and what is damaged."""

import importlib.util
import json
import shutil
import subprocess
import unittest

import numpy as np

from scene import Case, ball, floe, main
from floe import lerobot, parquet

PYARROW = importlib.util.find_spec("pyarrow") is not None


def pushes(count, start=0.0):
    rise = start + np.arange(count, dtype=np.float32)
    return {"observation.state": np.stack([rise, -rise], 1), "action": np.stack([rise, rise, 2 * rise], 1),
            "next.reward": rise, "next.done": np.arange(count) == count - 1}


class Tables(Case):
    COLUMNS = {"t": np.arange(20, dtype=np.float32), "n": np.arange(20) << 40,
               "x": np.arange(60, dtype=np.float64).reshape(20, 3), "b": np.arange(20) % 3 == 0,
               "who": [f"é{k}" for k in range(20)], "tasks": [["a", "bc"][:1 + k % 2] for k in range(20)]}

    @staticmethod
    def plain(column):
        return [value.tolist() if hasattr(value, "tolist") else value for value in column]

    def test_tables_come_back(self):
        parquet.write(self.folder / "a.parquet", self.COLUMNS)
        back = parquet.read(self.folder / "a.parquet")
        self.assertEqual(list(back), list(self.COLUMNS))
        for name, column in self.COLUMNS.items():
            self.assertEqual(self.plain(back[name]), self.plain(column), name)

    @unittest.skipUnless(PYARROW, "pyarrow is not installed")
    def test_pyarrow_reads_them(self):
        import pyarrow.parquet
        parquet.write(self.folder / "a.parquet", self.COLUMNS, {"said": "so"})
        table = pyarrow.parquet.read_table(self.folder / "a.parquet")
        self.assertEqual(table.schema.metadata, {b"said": b"so"})
        for name, column in self.COLUMNS.items():
            self.assertEqual(table[name].to_pylist(), self.plain(column), name)

    def test_what_cannot_be_stored_is_refused(self):
        for columns in ({}, {"a": np.zeros(2), "b": np.zeros(3)}, {"a": [["x"], []]}, {"a": [1, 2]},
                        {"a": np.zeros((2, 0))}, {"a": np.zeros(2, np.complex64)}):
            with self.assertRaises(floe.FloeError):
                parquet.write(self.folder / "a.parquet", columns)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_damaged_tables_are_refused_in_words(self):
        path = self.folder / "a.parquet"
        parquet.write(path, self.COLUMNS)
        whole = path.read_bytes()
        random = np.random.default_rng(5)
        for _ in range(400):
            data = bytearray(whole)
            if random.random() < 0.3:
                data = data[:random.integers(len(data))]
            else:
                for at in random.integers(len(data), size=3):
                    data[at] = random.integers(256)
            path.write_bytes(data)
            try:
                parquet.read(path)
            except floe.FloeError as error:
                self.assertIn(str(path), str(error))


class Demonstrations(Case):
    def write(self, *lengths):
        with lerobot.Demonstrations(self.folder / "set", 12, "blade",
                                    {"action": ["x", "z", "turn"]}) as demonstrations:
            for number, length in enumerate(lengths):
                demonstrations.add("push it" if number % 2 == 0 else "pull it", pushes(length, number))
        return self.folder / "set"

    def test_episodes_come_back(self):
        folder = self.write(5, 3)
        self.write(4)  # added to it
        episodes = lerobot.read(folder)
        self.assertEqual([(episode.task, len(episode)) for episode in episodes],
                         [("push it", 5), ("pull it", 3), ("push it", 4)])
        np.testing.assert_array_equal(episodes[1].frames["action"], pushes(3, 1.0)["action"])
        np.testing.assert_array_equal(episodes[2].frames["index"], np.arange(8, 12))
        np.testing.assert_allclose(episodes[0].frames["timestamp"], np.arange(5) / 12, rtol=1e-6)

    def test_the_layout_is_the_published_one(self):
        """Names and types of huggingface/lerobot's LeRobotDatasetMetadata, version 3.0."""
        folder = self.write(5, 3)
        info = json.loads((folder / "meta/info.json").read_text())
        self.assertEqual(info["codebase_version"], "v3.0")
        self.assertEqual((info["total_episodes"], info["total_frames"], info["total_tasks"], info["splits"]),
                         (2, 8, 2, {"train": "0:2"}))
        self.assertEqual(info["features"]["action"],
                         {"dtype": "float32", "shape": [3], "names": ["x", "z", "turn"]})
        self.assertEqual(info["features"]["episode_index"], {"dtype": "int64", "shape": [1], "names": None})
        self.assertEqual(set(info["features"]) - {"observation.state", "action", "next.reward", "next.done"},
                         {"timestamp", "frame_index", "episode_index", "index", "task_index"})
        for row in range(2):
            data = parquet.read(folder / info["data_path"].format(chunk_index=0, file_index=row))
            self.assertEqual(set(data), set(info["features"]))
            for name, feature in info["features"].items():
                self.assertEqual(data[name].dtype.name, feature["dtype"], name)
        episodes = parquet.read(folder / "meta/episodes/chunk-000/file-000.parquet")
        self.assertEqual(episodes["tasks"], [["push it"], ["pull it"]])
        self.assertEqual(list(episodes["dataset_from_index"]), [0, 5])
        self.assertEqual(list(episodes["dataset_to_index"]), [5, 8])
        self.assertEqual(parquet.read(folder / "meta/tasks.parquet")["task"], ["push it", "pull it"])
        stats = json.loads((folder / "meta/stats.json").read_text())
        together = np.concatenate([pushes(5)["action"], pushes(3, 1.0)["action"]])
        np.testing.assert_allclose(stats["action"]["mean"], together.mean(axis=0))
        np.testing.assert_allclose(stats["action"]["std"], together.std(axis=0))
        self.assertEqual(stats["action"]["count"], [8])

    @unittest.skipUnless(PYARROW and importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_pandas_finds_tasks_by_their_sentences(self):
        import pandas
        folder = self.write(5, 3)
        tasks = pandas.read_parquet(folder / "meta/tasks.parquet")
        self.assertEqual(tasks.iloc[1].name, "pull it")
        self.assertEqual(int(tasks.loc["pull it"].task_index), 1)

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_a_recording_becomes_an_episode(self):
        """A plate that was driven in the editor, which leaves these keys."""
        scene = ball(end=6, height=0.3)
        scene.add("floe.shape.box", "plate_shape", size=(2, 0.2, 2), voxelSize=0.05)
        scene.add("floe.collider", "plate", position=[
            {"keys": [[1, 0, "linear"], [2, 0, "linear"], *([n, 0.05 * (n - 2), "linear"] for n in range(3, 7))]},
            {"keys": [[n, 0, "linear"] for n in range(1, 7)]}, 0])
        for source, target in (("plate_shape.shape", "plate.shape"), ("plate.collider", "solver.colliders")):
            scene.link(source, target)
        scene.save(self.folder / "recorded.floe.json")
        recording = floe.Graph.open(self.folder / "recorded.floe.json")
        with lerobot.Demonstrations(self.folder / "set", 24) as written:
            for wrong, driven in ((recording, []), (recording, ["solver.cellSize"]), (recording, ["plate.friktion"])):
                with self.assertRaises(floe.FloeError):
                    written.add_recording("carry the ball", wrong, driven, lambda frame: frame.particles["x"].mean(0))
            slow = recording.copy()
            slow.fps = 25
            with self.assertRaises(floe.FloeError):
                written.add_recording("carry the ball", slow, ["plate.position"], lambda frame: [0])
            written.add_recording("carry the ball", recording, ["plate.position"],
                                  lambda frame: frame.particles["x"].mean(axis=0), cameras=["front"], size=(64, 48))
        episode, = lerobot.read(self.folder / "set")
        self.assertEqual((episode.task, len(episode)), ("carry the ball", 5))
        np.testing.assert_allclose(episode.frames["action"][:, 0], [0, 0.05, 0.1, 0.15, 0.2], rtol=1e-6)
        np.testing.assert_array_equal(episode.frames["action"][:, 1:], 0)
        with floe.Session() as session:
            seen = [frame.particles["x"].mean(axis=0) for frame in session.run(recording, 5)]
        np.testing.assert_array_equal(episode.frames["observation.state"], np.array(seen, np.float32))
        self.assertTrue(episode.movies["observation.images.front"].exists())

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_pictures_become_movies(self):
        shades = [np.full((32, 48, 3), 40 * k, np.uint8) for k in range(5)]
        with lerobot.Demonstrations(self.folder / "set", 12) as demonstrations:
            for wrong in (shades[:4], [shades[0][:31]] * 5, [shades[0].astype(float)] * 5,
                          [*shades[:4], shades[0][:16]]):
                with self.assertRaises(floe.FloeError):
                    demonstrations.add("push it", pushes(5), {"observation.images.front": wrong})
            demonstrations.add("push it", pushes(5), {"observation.images.front": iter(shades)})
        self.assertEqual([p.name for p in self.folder.joinpath("set").iterdir() if p.name.startswith(".work")], [])
        info = json.loads((self.folder / "set/meta/info.json").read_text())
        self.assertEqual(info["features"]["observation.images.front"]["shape"], [32, 48, 3])
        movie = lerobot.read(self.folder / "set")[0].movies["observation.images.front"]
        self.assertEqual(movie, self.folder.resolve() / "set" / info["video_path"].format(
            video_key="observation.images.front", chunk_index=0, file_index=0))
        raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", movie, "-f", "rawvideo", "-pix_fmt",
                              "gray", "-"], stdout=subprocess.PIPE, check=True).stdout
        means = np.frombuffer(raw, np.uint8).reshape(-1, 32 * 48).mean(axis=1)
        np.testing.assert_allclose(means, 40 * np.arange(5), atol=6)  # coding and its range lose a little

    def test_what_does_not_fit_is_refused_and_changes_nothing(self):
        folder = self.write(5)
        before = (folder / "meta/info.json").read_bytes()
        with lerobot.Demonstrations(folder, 12, "blade", {"action": ["x", "z", "turn"]}) as demonstrations:
            with self.assertRaises(floe.FloeError):  # its lock
                lerobot.Demonstrations(folder, 12, "blade")
            bad = pushes(5)
            bad["action"][2, 1] = np.nan
            for task, frames in (("", pushes(5)), ("a\nb", pushes(5)), ("push", {}), ("push", bad),
                                 ("push", {"action": np.zeros((5, 3), np.float32)}),
                                 ("push", {**pushes(5), "index": np.arange(5)}),
                                 ("push", {**pushes(5), "action": np.zeros((4, 3), np.float32)}),
                                 ("push", {**pushes(5), "action": np.zeros((5, 2), np.float32)})):
                with self.assertRaises(floe.FloeError):
                    demonstrations.add(task, frames)
        self.assertEqual((folder / "meta/info.json").read_bytes(), before)
        for settings in ((24, "blade"), (12, "arm"), (0, "blade"), (12.5, "blade")):
            with self.assertRaises(floe.FloeError):
                lerobot.Demonstrations(folder, *settings)
        (folder / "meta/info.json").write_text('{"codebase_version": "v2.1", "features": {}}')
        with self.assertRaises(floe.FloeError):
            lerobot.read(folder)
        (self.folder / "mine.txt").write_text("mine")
        with self.assertRaises(floe.FloeError):
            lerobot.Demonstrations(self.folder, 12)


if __name__ == "__main__":
    main()
