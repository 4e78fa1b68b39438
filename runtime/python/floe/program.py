"""Finds the program `floe`, which does all the work, and runs its commands."""

import json
import os
import pathlib
import shutil
import subprocess
from typing import Any, List, Optional

from .errors import FloeError, ProgramNotFound


def find(program: Optional[str] = None) -> str:
    """The path of the program: `program`, else $FLOE_PROGRAM, else that of the installation or build
    tree which this package lies in, else the first on $PATH.

    Raises:
        ProgramNotFound: it is in none of these places.
    """
    for name, source in ((program, "the argument 'program'"),
                         (os.environ.get("FLOE_PROGRAM"), "FLOE_PROGRAM")):
        if name:
            found = shutil.which(name)
            if not found:
                raise ProgramNotFound(f"{source} is '{name}', where there is no program",
                                      file=name, cure="give the path of Floe's program 'floe'")
            return found
    here = pathlib.Path(__file__).resolve()
    # PREFIX/share/floe/python/floe/program.py, SOURCE/runtime/python/floe/program.py
    for folder in (here.parents[4] / "bin" if len(here.parents) > 4 else None,
                   here.parents[3] / "build" / "bin" if len(here.parents) > 3 else None):
        candidate = folder / "floe" if folder else None
        if candidate and candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    found = shutil.which("floe")
    if not found:
        raise ProgramNotFound("the program 'floe' was not found",
                              cure="install Floe, or set FLOE_PROGRAM to the path of its program")
    return os.path.abspath(found)


def command(arguments: List[str], program: Optional[str] = None, accept: Any = (0,)) -> str:
    """Runs `floe ARGUMENTS` and returns what it prints.

    Raises:
        FloeError: its exit code is not one of `accept`; the text is what it said.
    """
    done = subprocess.run([find(program), *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in accept:
        said = done.stderr.decode(errors="replace").strip() or done.stdout.decode(errors="replace")
        said = said.strip()
        if said.startswith("error: "):
            said = said[len("error: "):]
        raise FloeError(said or f"'floe {arguments[0]}' ended with exit code {done.returncode}")
    return done.stdout.decode()


def command_json(arguments: List[str], program: Optional[str] = None, accept: Any = (0,)) -> Any:
    """The same for a command that prints one JSON value."""
    return json.loads(command(arguments, program, accept))
