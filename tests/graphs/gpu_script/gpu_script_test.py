"""packaging/gpu.sh from its command line to its summary: with the emulator in the place of the card, and
with stand-ins for a card, its tools and Floe's programs, some of which fail.

Usage: gpu_script_test.py SOURCE_FOLDER BUILD_FOLDER"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "packaging/gpu"))
import checks as gpu_checks  # noqa: E402

BENCHMARK = {"name": "MpmStep/cuda/liquid/1M", "real_time": 2.0, "particle_steps_per_second": 4.5e9,
             "bytes_per_particle": 140.0}
DRAWING = {"name": "RenderGaussians/500000/4/2/real_time", "upload_s": 0.002, "draw_s": 0.003, "label": "a card"}
NCU = '''==PROF== Connected to process 7
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","void floe::mpm::cuda::moveParticles<(int)1>(Particles)","gpu__time_duration.sum","ms","1.25"
"1","void floe::mpm::cuda::moveParticles<(int)1>(Particles)","gpu__time_duration.sum","us","750"
"1","void floe::mpm::cuda::moveParticles<(int)1>(Particles)","dram__bytes.sum","Mbyte","1,200"
'''
STAND_INS = {
    "bin/nvidia-smi": '''case "$1" in
        --query*) echo "NVIDIA H200, 580.1, 143771 MiB, 9.0, 1980 MHz, Enabled";;
        *) echo "| Driver Version: 580.1   CUDA Version: 13.0 |";; esac''',
    "bin/nvcc": 'echo "Cuda compilation tools, release 13.0, V13.0.88"',
    "bin/compute-sanitizer": '''case "$2" in
        racecheck) echo "========= RACECHECK SUMMARY: 2 hazards displayed (2 errors, 0 warnings)"; exit 86;;
        esac
        shift 6; "$@"; echo "========= ERROR SUMMARY: 0 errors"''',
    "bin/ncu": f"cat <<'END'\n{NCU}END",
    "build/tests/floe_bench": f'''measured='{json.dumps({"benchmarks": [BENCHMARK]})}'
        for word; do case $word in
        --benchmark_filter=Render*) measured='{json.dumps({"benchmarks": [DRAWING]})}';;
        --benchmark_list_tests) echo MpmStep/cpu/liquid/16thread;;
        --benchmark_out=*) echo "$measured" > "${{word#*=}}";; esac; done''',
    "build/tests/gpu_mpm": 'echo "[  PASSED  ] 5 tests."',
    "build/tests/gpu_mpm_kernels": 'echo "[  PASSED  ] 3 tests."',
    "build/tests/gpu_network": 'echo "x.cpp:9: Skipped"; echo "no card here"; echo "[  PASSED  ] 0 tests."',
    "build/bin/floe": 'echo "error: no CUDA device" >&2; exit 8',
}


class Script(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def run_script(self, *options, path=""):
        """@return exit code, what was printed, checks by name, summary"""
        environment = dict(os.environ, PATH=path + os.environ["PATH"])
        done = subprocess.run([SOURCE / "packaging/gpu.sh", "--output", self.folder / "results", *options],
                              capture_output=True, text=True, env=environment)
        checks, summary = {}, ""
        for file in (self.folder / "results").glob("*/*.json"):
            for check in json.loads(file.read_text()).get("checks", []):
                checks[check["name"]] = (check["status"], check["detail"])
            summary = (file.parent / "summary.md").read_text()
        return done.returncode, done.stdout + done.stderr, checks, summary

    def stand_ins(self):
        for name, text in STAND_INS.items():
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("#!/bin/sh\n" + text + "\n")
            file.chmod(0o755)
        return f"{self.folder}/bin:"

    def test_the_emulator_in_the_place_of_the_card(self):
        code, said, checks, summary = self.run_script(
            "--emulator", "--build", BUILD, "--steps", "profile,bench,tests,sanitizer",
            "--only", "parity.CudaCore|parity.NetworkOnDevice")
        self.assertEqual(code, 0, said)
        self.assertEqual(checks["ctest -L parity -R 'parity.CudaCore|parity.NetworkOnDevice'"],
                         ("passed", "8 passed, 0 failed, 0 skipped"))
        self.assertEqual(checks["emulator-gpu_mpm_kernels"], ("passed", "8 tests"))
        self.assertEqual(checks["emulator-gpu_network"][0], "passed")
        self.assertEqual(checks["emulator-gpu_compute"][0], "passed")
        self.assertEqual(checks["profile-stages"][0], "passed")
        laws = json.loads(next(self.folder.glob("results/*/bench.json")).read_text())["laws"]
        self.assertEqual(len(laws), 10)
        for law, of in laws.items():
            self.assertGreater(of["device-1k"]["stepsPerSecond"], 0, law)
            self.assertIn(f"| {law} |", summary)
        self.assertNotIn(str(SOURCE), "".join(
            file.read_text() for file in self.folder.rglob("logs/*") if file.is_file()))

    def test_what_fails_on_a_card_is_said_and_the_rest_goes_on(self):
        code, said, checks, summary = self.run_script(
            "--build", self.folder / "build", "--steps", "sanitizer,bench,profile", "--commit", "abc1234",
            path=self.stand_ins())
        self.assertEqual(code, 1, said)
        self.assertEqual(len(list(self.folder.glob("results/*-abc1234-nvidia-h200/summary.md"))), 1)
        self.assertEqual(checks["memcheck-gpu_mpm"], ("passed", "5 tests, 0 errors"))
        self.assertEqual(checks["memcheck-gpu_network"], ("failed", "no test ran: no card here"))
        self.assertEqual(checks["memcheck-gpu_compute"], ("failed", "gpu_compute is not built"))
        self.assertEqual(checks["racecheck-gpu_mpm"],
                         ("failed", "2 hazards displayed (2 errors, 0 warnings)"))
        self.assertEqual(checks["synccheck-gpu_mpm_kernels"][0], "passed")
        self.assertEqual(checks["bench-device-1M"], ("passed", "1 benchmarks"))
        self.assertEqual(checks["bench-draw-gaussians"], ("passed", "1 benchmarks"))
        self.assertIn("| 500,000 | 4 | yes | 2 | 3 |", summary)
        self.assertEqual(checks["bench-moving-gaussians"], ("failed", "exit code 8: error: no CUDA device"))
        self.assertEqual(checks["bench-live"][0], "failed")
        self.assertEqual(checks["profile-stages"], ("failed", "exit code 8: error: no CUDA device"))
        self.assertIn("NVIDIA H200, 143771 MiB, sm_90", summary)
        self.assertIn("| liquid | 4,500 |", summary)
        self.assertIn("| moveParticles<1> | 2 | 1,000 | 1.2e+09 |", summary)

    def test_the_whole_ends_in_time(self):
        path = self.stand_ins()
        (self.folder / "bin/compute-sanitizer").write_text("#!/bin/sh\nsleep 100\n")
        begin = time.monotonic()
        code, said, checks, _ = self.run_script("--build", self.folder / "build", "--steps",
                                                "sanitizer,bench", "--minutes", "0.05", path=path)
        self.assertLess(time.monotonic() - begin, 30)
        self.assertEqual(code, 1, said)
        self.assertIn("stopped at its limit of", checks["memcheck-gpu_mpm_kernels"][1])
        self.assertEqual(checks["synccheck-gpu_mpm"], ("failed", "no time was left"))
        self.assertEqual(checks["bench-device-1M"], ("failed", "no time was left"))

    def test_without_a_card_nothing_is_tried(self):
        path = self.stand_ins()
        (self.folder / "bin/nvidia-smi").write_text("#!/bin/sh\nexit 9\n")
        code, said, checks, _ = self.run_script("--steps", "bench", path=path)
        self.assertEqual(code, 2)
        self.assertIn("nvidia-smi finds no card", said)
        self.assertFalse(checks)

    def test_results_of_tests_that_were_cut_off(self):
        text = """    Start 1: gpu.A.B
1/3 Test #1: gpu.A.B ..............   Passed    0.25 sec
2/3 Test  #92: gpu.C/D.E/0 ........***Skipped   0.01 sec
3/3 Test #7: gpu.F ................***Failed    1.50 sec
4/3 Test #8: gpu.G ................***Exception: SegFault  0.10 sec
"""
        self.assertEqual([(result["name"], result["status"], result["seconds"]) for result in gpu_checks.read_log(text)],
                         [("gpu.A.B", "passed", 0.25), ("gpu.C/D.E/0", "skipped", 0.01),
                          ("gpu.F", "failed", 1.5), ("gpu.G", "failed", 0.1)])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
