"""What the attempts of trust.py share: the program, a scene, and what must be true of every run."""

import json
import os
import pathlib
import random
import subprocess
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
        self.undisturbed = {}

    def use(self, scene):
        """The attempts that follow run this scene. The first use makes the undisturbed run."""
        self.scene, self.reference = scene, self.scratch / f"whole-{scene.name}"
        if scene.name not in self.undisturbed:
            self.graph = scene.write(self.scratch)
            started = time.monotonic()
            finished = self.run(self.reference)
            seconds = time.monotonic() - started
            require(finished.returncode == 0, "the undisturbed run failed: " + finished.stdout)
            self.undisturbed[scene.name] = self.graph, seconds, self.files(self.reference)
        self.graph, self.seconds, self.whole = self.undisturbed[scene.name]

    def command(self, output, *options):
        return [str(self.floe), "run", str(self.graph), "--device", "cpu", "--progress", "quiet",
                "--end", str(FRAMES), "--cache", "--checkpoint-every", "1", "-o", str(output),
                *self.scene.options, *options]

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
