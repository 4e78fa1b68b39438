"""Recorder, data set, predictor and training of pressures, as a person runs them.

Usage: pressure_test.py SOURCE_FOLDER FLOE [unittest's own arguments]"""

import ast
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile

SOURCE = pathlib.Path(sys.argv[1])
FLOE = sys.argv[2]
TRAINING = SOURCE / "plugins/coupled/training"
os.environ["FLOE_PROGRAM"] = FLOE
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = True
sys.path[:0] = [str(TRAINING), str(SOURCE / "runtime/python")]

from scenes import FAMILIES, scene  # noqa: E402

SIZE, STEPS = 10, 8
TYPES = {"<f4": "f", "<f8": "d", "<i4": "i", "|u1": "B"}


def arrays_of(path):
    """Shape and flat values by name; the archive's sums are checked."""
    out = {}
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            data = archive.read(name)
            assert data[:8] == b"\x93NUMPY\x01\x00", name
            (length,) = struct.unpack("<H", data[8:10])
            assert (10 + length) % 64 == 0, name
            header = ast.literal_eval(data[10:10 + length].decode())
            count = 1
            for extent in header["shape"]:
                count *= extent
            values = struct.unpack(f"<{count}{TYPES[header['descr']]}", data[10 + length:])
            out[name[:-len(".npy")]] = (header["shape"], values)
    return out


def torch_python():
    """An interpreter with PyTorch and NumPy, or None."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            done = subprocess.run([python, "-c", "import torch, numpy"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, timeout=120)
        except OSError:
            continue
        if done.returncode == 0:
            return python
    return None


class Pressure(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def dataset(self, folder, *more):
        return subprocess.run([sys.executable, str(TRAINING / "dataset.py"), "--out", str(folder), "--scenes", "1",
                               "--steps", str(STEPS), "--size", str(SIZE), "--jobs", "2", *more],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=900)

    def run_floe(self, graph, folder, *more):
        return subprocess.run([FLOE, "run", str(graph), "--output", str(folder), "--progress", "quiet", "--device",
                               "cpu", "--cache", *more], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, universal_newlines=True, timeout=900)

    def small_scene(self, network=None, recorder=True):
        graph = scene("dropping", 0, 7, SIZE, STEPS, 1e-4)
        if not recorder:
            graph.remove("recorder")
        if network is not None:
            graph.add("floe.coupled.predictor", "predictor", network=str(network))
            graph.link("predictor.pressure", "solver.pressure")
        path = self.folder / f"scene{len(list(self.folder.iterdir()))}.floe.json"
        graph.save(path)
        return path

    def solver_frames(self, folder):
        return [frame["nodes"]["solver"] for frame in json.loads((folder / "run.json").read_text())["frames"]]

    def test_a_data_set_holds_systems_and_solutions_and_goes_on(self):
        data = self.folder / "data"
        first = self.dataset(data)
        self.assertEqual(first.returncode, 0, first.stdout)
        scenes = sorted(path.name for path in data.iterdir() if path.is_dir())
        self.assertEqual(scenes, sorted(f"{family}_00" for family in FAMILIES))
        for name in scenes:
            files = sorted((data / name / "pressures").iterdir())
            self.assertEqual([f.name for f in files], [f"step.{i:07d}.npz" for i in range(STEPS)], name)
            arrays = arrays_of(files[-1])
            rows = arrays["pressure"][0][0]
            self.assertGreater(rows, 100)
            self.assertEqual(arrays["cell"][0], (rows, 3))
            self.assertEqual(arrays["step"], ((), (float(STEPS - 1),)))
            self.assertAlmostEqual(arrays["cellSize"][1][0], 1 / SIZE)
            self.assertEqual(set(arrays["kind"][1]), {0, 1, 2}, name)  # solids, fluid, walls
            self.check_maps(arrays)
            # The residual of the start is less than the right side, and more than nothing.
            right, left = (sum(v * v for v in arrays[n][1]) for n in ("right", "residual"))
            self.assertGreater(left, 1e-12 * right)
        before = {p: p.stat().st_mtime_ns for p in data.rglob("*.npz")}
        self.assertEqual(self.dataset(data).returncode, 0)
        self.assertEqual({p: p.stat().st_mtime_ns for p in data.rglob("*.npz")}, before)
        other = self.dataset(data, "--seed", "2")
        self.assertEqual(other.returncode, 3, other.stdout)
        self.assertIn("other settings", other.stdout)

        python = torch_python()
        if python is None:
            print("no Python with PyTorch: training is not tested")
            return
        self.check_training(python, data)

    def check_maps(self, arrays):
        block = arrays["block"][1]
        index = {block[3 * b:3 * b + 3]: b for b in range(len(block) // 3)}
        cell, kind, pressure = (arrays[n][1] for n in ("cell", "kind", "pressure"))
        (blocks, x, y, z, maps), values = arrays["maps"]
        self.assertEqual((blocks, x, y, z, maps), (len(index), 4, 4, 4, 3))
        told = 0
        for row, what in enumerate(kind):
            at = cell[3 * row:3 * row + 3]
            if what == 2:
                continue
            place = 0
            for a in at:
                place = 4 * place + a % 4
            value = values[(index[tuple(a // 4 for a in at)] * 64 + place) * 3 + (1 if what == 0 else 0)]
            self.assertEqual(value, pressure[row])
            told += 1
        self.assertGreater(told, 50)

    def check_training(self, python, data):
        done = subprocess.run([python, str(TRAINING / "train.py"), str(data), "--out", str(self.folder / "net"),
                               "--minutes", "0.05", "--width", "2", "--steps", "2", "--batch", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("| scene |", (self.folder / "net/results.md").read_text())
        for name in ("paper", "correction"):
            out = self.folder / name
            ran = self.run_floe(self.small_scene(self.folder / f"net/{name}.safetensors"), out, "--end", "4")
            self.assertEqual(ran.returncode, 0, ran.stdout)
            self.assertGreater(sum(f["guesses"] for f in self.solver_frames(out)), 0)

    def test_a_resumed_run_records_the_same_and_recording_changes_nothing(self):
        graph = self.small_scene()
        whole, parts, without = (self.folder / n for n in ("whole", "parts", "without"))
        for folder, more in ((whole, ["--end", "8", "--threads", "2"]), (parts, ["--end", "4", "--threads", "1"]),
                             (parts, ["--end", "8", "--resume"])):
            ran = self.run_floe(graph, folder, "--checkpoint-every", "4", *more)
            self.assertEqual(ran.returncode, 0, ran.stdout)
        files = sorted((whole / "pressures").iterdir())
        self.assertGreater(len(files), 4)
        self.assertEqual([f.name for f in files], sorted(f.name for f in (parts / "pressures").iterdir()))
        for file in files:
            self.assertEqual(file.read_bytes(), (parts / "pressures" / file.name).read_bytes(), file.name)
        ran = self.run_floe(self.small_scene(recorder=False), without, "--end", "8")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.same_particles(whole, without)

    def same_particles(self, one, other):
        name = "cache/solver.particles.0008.floe"
        self.assertGreater((one / name).stat().st_size, 1000)
        self.assertEqual((one / name).read_bytes(), (other / name).read_bytes())

    def test_the_predictor_is_asked_every_step_and_resumes_bit_for_bit(self):
        graph = self.small_scene(network="", recorder=False)
        whole, parts = self.folder / "whole", self.folder / "parts"
        for folder, more in ((whole, ["--end", "8", "--threads", "2"]), (parts, ["--end", "4", "--threads", "1"]),
                             (parts, ["--end", "8", "--resume", "--threads", "1"])):
            ran = self.run_floe(graph, folder, "--checkpoint-every", "4", *more)
            self.assertEqual(ran.returncode, 0, ran.stdout)
        self.same_particles(whole, parts)
        frames = self.solver_frames(whole)
        self.assertEqual(sum(f["guesses"] for f in frames), sum(f["substeps"] for f in frames))
        for frame in frames:
            self.assertLessEqual(frame["guessResidual"], frame["startResidual"])
            self.assertLessEqual(frame["residual"], 1e-4)
        self.assertLess(sum(f["droppedGuesses"] for f in frames), sum(f["guesses"] for f in frames))

    def test_what_is_no_network_is_refused_by_name(self):
        nothing = self.folder / "nothing.safetensors"
        nothing.write_bytes(b"x" * 100)
        for network in (nothing, self.folder / "absent.safetensors", TRAINING.parents[2] /
                        "tests/unit/network/block_reference.json"):
            ran = self.run_floe(self.small_scene(network=network), self.folder / "out", "--end", "1")
            self.assertNotEqual(ran.returncode, 0)
            self.assertIn(network.name, ran.stdout)
            self.assertIn("network", ran.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
