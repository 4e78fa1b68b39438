"""plugins/activation/training/dataset.py, as a person runs it.

Usage: dataset_test.py SOURCE_FOLDER FLOE [unittest's own arguments]"""

import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

TRAINING = pathlib.Path(sys.argv[1]) / "plugins/activation/training"
FLOE = sys.argv[2]
sys.path.insert(0, str(TRAINING))
sys.dont_write_bytecode = True

from scenes import Random, SceneSettings, activation_scene  # noqa: E402


def command(folder, *more):
    return [sys.executable, TRAINING / "dataset.py", "--floe", FLOE, "--out", folder, "--frames", "2", "--size", "32",
            "--stiffness", "0.02", "--jobs", "2", "--limit", "600", *more]


def dataset(folder, *more):
    return subprocess.run(command(folder, *more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=1200)


def samples_in(folder):
    """The samples of a data set by name, whole."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.safetensors")}


class Dataset(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def test_is_a_function_of_its_seed_and_goes_on_where_it_stopped(self):
        data = self.folder / "a"
        first = dataset(data, "--scenes", "2")
        self.assertEqual(first.returncode, 0, first.stdout)
        plan = json.loads((data / "dataset.json").read_text())
        self.assertEqual(plan["scenes"] + plan["failed"], 2, first.stdout)
        samples = samples_in(data)
        # Two frames after the first each; fewer where obstacles or walls leave nothing.
        self.assertGreaterEqual(len(samples), 2)
        for name, data_of in samples.items():
            (length,) = struct.unpack("<Q", data_of[:8])
            header = json.loads(data_of[8:8 + length])
            self.assertGreater(header["label"]["shape"][0], 0, name)
            self.assertEqual(header["__metadata__"]["domain_scale"], "10")

        # One scene lost, two more wanted: what is there stays, the rest is made as it was.
        shutil.rmtree(data / "scene_00000")
        again = dataset(data, "--scenes", "3")
        self.assertEqual(again.returncode, 0, again.stdout)
        more = samples_in(data)
        for name in samples:
            self.assertEqual(more.get(name), samples[name], name)

        other = dataset(data, "--scenes", "3", "--seed", "2")
        self.assertEqual(other.returncode, 3)
        self.assertIn("another seed", other.stdout)

    def test_says_what_is_wrong_with_its_options(self):
        data = self.folder / "b"
        self.assertEqual(dataset(data, "--size", "8").returncode, 2)
        self.assertEqual(dataset(data, "--look-ahead", "year").returncode, 2)
        self.assertEqual(dataset(data, "--shapes", self.folder / "none").returncode, 3)
        self.assertEqual(dataset(data, "--floe", self.folder / "none").returncode, 5)
        (self.folder / "file").write_text("x")
        self.assertEqual(dataset(self.folder / "file" / "c").returncode, 5)

    def test_a_signal_ends_it_and_leaves_nothing_half_done(self):
        data = self.folder / "c"
        running = subprocess.Popen(command(data, "--scenes", "50"), stdout=subprocess.DEVNULL)
        while not list(data.glob(".scene_*/scene.floe.json")):
            self.assertIsNone(running.poll())
            time.sleep(0.05)
        running.send_signal(signal.SIGTERM)
        self.assertEqual(running.wait(60), 130)
        self.assertEqual(list(data.glob(".*")), [])


class Scenes(unittest.TestCase):
    # What the C++ standard says of std::mt19937_64: older data sets were made with it.
    def test_random_numbers_are_those_of_the_standard_library(self):
        random = Random(5489)
        for _ in range(9999):
            random.bits()
        self.assertEqual(random.bits(), 9981545732273789042)

    # Scenes of any number keep to the manifests of the nodes that they use.
    def test_are_graphs_without_faults(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for seed in range(20):
                files.append(os.path.join(folder, f"{seed}.floe.json"))
                with open(files[-1], "w") as file:
                    json.dump(activation_scene(SceneSettings(seed=seed), f"scene_{seed}"), file)
            checked = subprocess.run([FLOE, "validate", *files], stdout=subprocess.PIPE, text=True)
            self.assertEqual(checked.returncode, 0, checked.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
