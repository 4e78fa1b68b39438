"""Every header compiles by itself, with warnings as errors. One that is the first thing that a source includes does so
whenever that source is built; the others are compiled here. (Those of the SDK: tests/abi/headers.)

Usage: headers_test.py SOURCE_FOLDER BUILD_FOLDER"""

import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys

FIRST = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


def built_first(header, sources):
    """Whether a source includes it before anything else."""
    return any(str(header).endswith("/" + first) and (
        "/include/" in str(header) or header.parent in (source.parent, source.parent.parent))
        for source, first in sources)


def command_for(header, commands):
    """How the nearest source in the tree is compiled, for this header alone."""
    def shared(command):
        parts = zip(header.parts, pathlib.Path(command["file"]).parts)
        count = 0
        for a, b in parts:
            if a != b:
                break
            count += 1
        return count

    nearest = max(commands, key=shared)
    words = shlex.split(nearest["command"])
    while "ccache" in pathlib.Path(words[0]).name:
        words.pop(0)
    kept, skip = [], False
    for word in words:
        if skip or word in ("-c", nearest["file"]):
            skip = False
        elif word in ("-o", "-include", "-MF", "-MT"):
            skip = True
        elif word not in ("-Winvalid-pch", "-MD"):
            kept.append(word)
    return nearest["directory"], [*kept, "-Werror", "-fsyntax-only", "-x", "c++", "-include", str(header), "/dev/null"]


def main():
    root, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    everything = json.loads((build / "compile_commands.json").read_text())
    compiled = {pathlib.Path(command["file"]) for command in everything}
    commands = [command for command in everything
                if command["file"].endswith(".cpp") and pathlib.Path(command["file"]).is_relative_to(root)
                and not pathlib.Path(command["file"]).is_relative_to(build)]
    built = {pathlib.Path(command["file"]) for command in commands}
    sources = []
    for source in built:
        first = FIRST.search(source.read_text())
        if first:
            sources.append((source, first.group(1)))
    headers = [path for part in ("runtime", "editor", "plugins") for path in sorted((root / part).rglob("*.hpp"))
               if root / "runtime/sdk" not in path.parents
               # Parts of what this build leaves out, and texts that only a kernel's compiler reads.
               and any(source.is_relative_to(path.parent.parent) for source in built)
               and (not path.with_suffix(".cu").exists() or path.with_suffix(".cu") in compiled)]
    rest = [header for header in headers if not built_first(header, sources)]

    def compile_alone(header):
        folder, command = command_for(header, commands)
        return subprocess.run(command, cwd=folder, capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(compile_alone, rest))
    faults = [(header, result.stderr) for header, result in zip(rest, results) if result.returncode]
    for header, text in faults:
        print(f"{header.relative_to(root)}:\n{text}")
    print(f"{len(headers)} headers: {len(rest)} compiled here, {len(faults)} faults")
    if len(headers) < 100:
        sys.exit("hardly any headers were found")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
