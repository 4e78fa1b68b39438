"""Runs commands under a time limit, with their output in a file."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field


@dataclass
class Check:
    """One thing that was tried, as the summary lists it."""
    name: str
    status: str            # "passed", "failed" or "skipped"
    seconds: float = 0
    detail: str = ""       # why, or what came out, in a line
    log: str = ""          # file in the folder of results

    def __post_init__(self):
        print(f"   {self.status:8}{self.name} ({self.seconds:.0f} s) {self.detail}", flush=True)


@dataclass
class Finished:
    code: int
    seconds: float
    text: str
    timed_out: bool
    log: str

    def why(self):
        """In a line, for a command that did not end well."""
        if self.timed_out:
            return f"stopped at its limit of {self.seconds:.0f} s" if self.seconds else "no time was left"
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        said = next((line for line in reversed(lines) if "rror" in line), lines[-1] if lines else "")
        return f"exit code {self.code}: {said[:200]}"


@dataclass
class Place:
    """Where everything happens: shared by all steps."""
    root: object           # of the sources (pathlib.Path)
    build: object          # the build folder
    results: object        # the folder of results
    end: float             # when the whole must be over (time.monotonic)
    emulator: bool
    environment: dict = field(default_factory=lambda: dict(os.environ))

    def left(self):
        return self.end - time.monotonic()

    def run(self, name, command, limit, folder=None):
        """Runs a command until `limit` seconds from now or the end of the whole, with all that it
        started; its output goes into logs/NAME.log."""
        log = self.results / "logs" / f"{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        if self.left() <= 0:
            return Finished(124, 0, "", True, "")
        begin = time.monotonic()
        timed_out = False
        with open(log, "w") as output:
            output.write("$ " + " ".join(str(word) for word in command) + "\n")
            output.flush()
            try:
                process = subprocess.Popen(
                    [str(word) for word in command], stdout=output, stderr=subprocess.STDOUT,
                    stdin=subprocess.DEVNULL, cwd=folder or self.root, env=self.environment,
                    start_new_session=True)  # a group of its own, so that all of it can be ended
            except OSError as error:
                output.write(f"error: {error}\n")
                return Finished(127, 0, f"error: {error}", False, f"logs/{name}.log")
            try:
                code = process.wait(min(limit, self.left()))
            except (subprocess.TimeoutExpired, KeyboardInterrupt) as stop:
                timed_out = isinstance(stop, subprocess.TimeoutExpired)
                os.killpg(process.pid, signal.SIGKILL)
                code = process.wait()
                if not timed_out:
                    raise
        # Results are for others to read: where the sources lay here is nothing to them.
        text = log.read_text(errors="replace")
        for path, word in ((self.results, "results"), (self.build, "build"), (self.root, ".")):
            text = text.replace(str(path), word)
        log.write_text(text)
        return Finished(code, time.monotonic() - begin, text, timed_out, f"logs/{name}.log")


def say(text):
    print(text, flush=True)


def give_up(text):
    print(f"gpu.sh: {text}", file=sys.stderr)
    sys.exit(2)
