"""Attempts of trust.py that are programs of their own."""

import os
import re
import subprocess
import sys

from trial import ROOT, require


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
        self.turn = -1

    def next(self):
        """@return the name and text of the attempt that is called next"""
        self.turn = (self.turn + 1) % len(self.kinds)
        kind = self.kinds[self.turn]
        return f"guided {kind}", f"{kind} inputs, led by the code that they reach"

    def __call__(self, trial, output):
        program = ROOT / "build-guided" / "tests" / "guided_fuzz"
        if not program.exists():
            return 0
        kind = self.kinds[self.turn]
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
