"""Debian packages that were carried here as files: unpacked into a folder, and the variables by which
compilers, CMake, loaders and Python find what is in it."""

import os
import re
import shutil
import subprocess

# Of all that Floe's libraries depend on, what not every system has. The C library, say, must be the
# machine's own.
CARRIED = re.compile(r"(glslc|googletest|nlohmann|zlib1g|lib(asio|benchmark|blosc|boost|bz2|cli11|fmt|gmock|"
                     r"gtest|hwloc|icu|imath|log4cplus|lz4|lzma|muparser|nanovdb|openexr|openvdb|png|shaderc|snappy|"
                     r"spdlog|tbb|vulkan|xxhash|zstd))")


def fetch(root, folder):
    """Downloads, with what they depend on, the libraries of packages.txt that the runtime and its tests
    are built with. @return exit code"""
    listed = (root / "packaging" / "packages.txt").read_text().split("\n")
    wanted = [name for name in listed if CARRIED.match(name)]
    without = [f"--no-{kind}" for kind in
               ("recommends", "suggests", "conflicts", "breaks", "replaces", "enhances")]
    depends = subprocess.run(["apt-cache", "depends", "--recurse", *without, *wanted], text=True,
                             check=True, stdout=subprocess.PIPE).stdout
    names = sorted(name for name in set(re.findall(r"^(\S+)$", depends, re.M)) if CARRIED.match(name))
    folder.mkdir(parents=True, exist_ok=True)
    return subprocess.run(["apt-get", "download", "-qq", *names], cwd=folder).returncode


def unpack(folder, prefix):
    """Unpacks the .deb files of a folder. @return what went wrong, in a line; empty: nothing"""
    files = sorted(folder.glob("*.deb"))
    if not files:
        return f"no .deb file lies in {folder}"
    prefix.mkdir(parents=True, exist_ok=True)
    if not shutil.which("dpkg-deb"):
        return "dpkg-deb, which unpacks .deb files, is missing"
    for file in files:
        done = subprocess.run(["dpkg-deb", "-x", str(file), str(prefix)], capture_output=True, text=True)
        if done.returncode != 0:
            return f"{file.name} cannot be unpacked: {done.stderr.strip()}"
    return ""


def use(environment, prefix):
    """Makes what lies in a prefix found before the machine's own."""
    usr = prefix / "usr"
    libraries = [usr / "lib" / "x86_64-linux-gnu", usr / "lib", prefix / "lib" / "x86_64-linux-gnu"]

    def before(name, *folders):
        there = [str(folder) for folder in folders if folder.is_dir()]
        if there:
            environment[name] = os.pathsep.join(there + [old for old in [environment.get(name)] if old])

    before("PATH", usr / "bin")
    before("CMAKE_PREFIX_PATH", usr)
    before("CPATH", usr / "include", usr / "include" / "x86_64-linux-gnu")
    before("LIBRARY_PATH", *libraries)
    before("LD_LIBRARY_PATH", *libraries)
    before("PYTHONPATH", usr / "lib" / "python3" / "dist-packages")
