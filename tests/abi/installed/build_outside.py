#!/usr/bin/env python3
"""Builds one example plugin, or a fresh skeleton, in a temporary folder against an installed Floe,
as a third party would; checks it with `floe plugin check` and runs its graphs.

usage: build_outside.py --prefix DIR (--example NAME | --new c|cpp) [-- CMAKE_OPTION ...]
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # what CTest counts as skipped


def run(command, **options):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True, **options)


def graphs_of(folder):
    """The graphs in a folder that run by themselves: not those made to be part of others."""
    for path in sorted(folder.glob("*.floe.json")):
        if "promote" not in json.loads(path.read_text()):
            yield path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefix", type=pathlib.Path, required=True)
    parser.add_argument("--example")
    parser.add_argument("--new", choices=["c", "cpp"])
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()

    floe = arguments.prefix / "bin" / "floe"
    with tempfile.TemporaryDirectory(prefix="floe-outside-") as temporary:
        work = pathlib.Path(temporary)
        environment = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"),
                           XDG_DATA_HOME=str(work / "data"), HOME=str(work))
        source = work / "plugin"
        if arguments.example:
            shutil.copytree(arguments.prefix / "share/floe/examples" / arguments.example, source)
        else:
            if not floe.exists():
                print("the program is not part of this build")
                return SKIPPED
            language = ["--c"] if arguments.new == "c" else []
            run([floe, "plugin", "new", "studio.waves", "--folder", source, *language],
                env=environment)

        build = work / "build"
        run(["cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={arguments.prefix}",
             *arguments.options], env=environment)
        run(["cmake", "--build", build], env=environment)
        folders = sorted((build / "floe-plugins").iterdir())
        assert len(folders) == 1, f"one plugin folder was expected, not {folders}"
        assert (folders[0] / "plugin.json").exists()

        if not floe.exists():
            print("the program is not part of this build: the plugin was built, not run")
            return 0
        run([floe, "plugin", "check", folders[0]], env=environment)
        environment["FLOE_PLUGIN_PATH"] = str(build / "floe-plugins")
        for graph in graphs_of(source):
            run([floe, "validate", graph], env=environment)
            output = work / "out" / graph.stem
            run([floe, "run", graph, "--end", "3", "--device", "cpu", "--progress", "quiet",
                 "--output", output], env=environment)
            frames = json.loads((output / "run.json").read_text())["frames"]
            assert len(frames) == 3, f"{graph.name}: 3 frames were expected, not {len(frames)}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
