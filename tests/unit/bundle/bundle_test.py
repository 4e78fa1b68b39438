"""An archive of packaging/bundle.sh holds what is committed, without some folders, and the libraries
that FloeBundled.cmake knows. So every file that this build compiles must be committed and outside of
those folders, and what a build without OpenVDB and Vulkan looks for must be bundled, or not required.

Usage: bundle_test.py SOURCE_FOLDER BUILD_FOLDER"""

import json
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1]).resolve()
build = pathlib.Path(sys.argv[2]).resolve()
bundle = (source / "packaging/bundle.sh").read_text()
removed = re.search(r'rm -rf "\$root/editor"[^\n]*', bundle).group()
without = re.findall(r"\$root/([\w/]+)", removed)
faults = []


def left_out(path):
    return any(path == folder or path.startswith(folder + "/") for folder in without)


# 1. Files that are compiled.
listed = subprocess.run(["git", "-C", source, "-c", "safe.directory=*", "ls-files", "-z"],
                        capture_output=True, text=True)
if listed.returncode != 0:
    print("not a git checkout: nothing is archived from here")
    sys.exit(77)
committed = set(listed.stdout.split("\0"))
compiled = 0
for entry in json.loads((build / "compile_commands.json").read_text()):
    file = pathlib.Path(entry["directory"], entry["file"]).resolve()
    if build in file.parents or source not in file.parents:
        continue
    path = file.relative_to(source).as_posix()
    compiled += not left_out(path)
    if path not in committed:
        faults.append(f"{path} is compiled, but not committed")
if compiled < 100:
    faults.append(f"only {compiled} compiled files were found: is compile_commands.json whole?")

# 2. Folders that CMake enters, and nothing outside of the editor may need what is left out.
scripts = [f for f in committed
           if f.endswith(("CMakeLists.txt", ".cmake")) and not left_out(f) and (source / f).exists()
           and not f.startswith("plugins/examples/")]
for name in scripts:
    folder = pathlib.PurePosixPath(name).parent
    for entered in re.findall(r"^\s*add_subdirectory\(([\w/]+)\)", (source / name).read_text(), re.M):
        path = (folder / entered).as_posix()
        if path != "editor" and f"{path}/CMakeLists.txt" not in committed:
            faults.append(f"{name} enters {path}, which is not committed")

# 3. Packages. A file that has asked for an option before needs its packages only with that.
bundled = {name.lower() for name in
           re.findall(r"(?:floe_bundled|set)\((\w+) ",
                      (source / "packaging/cmake/FloeBundled.cmake").read_text())}
for name in ("nlohmann_json", "spdlog", "cli11", "tbb", "muparser", "gtest", "benchmark"):
    if name not in bundled:
        faults.append(f"FloeBundled.cmake does not bundle {name}")
bundled |= {"threads", "cudatoolkit"}  # of CMake and the CUDA Toolkit
for name in scripts:
    text = re.sub(r"#.*", "", (source / name).read_text())
    for found in re.finditer(r"find_(package|program|path)\((\w+)([^)]*)\)", text):
        before = text[:found.start()]
        if "REQUIRED" not in found.group(3) or found.group(2).lower() in bundled:
            continue
        if not re.search(r"FLOE_(OPENVDB|VULKAN|EDITOR|HAVE_EDITOR)", before):
            faults.append(f"{name} requires {found.group(2)}, which a bundle does not hold")

for fault in faults:
    print(fault)
print(f"{compiled} compiled files, {len(scripts)} CMake files")
sys.exit(1 if faults else 0)
