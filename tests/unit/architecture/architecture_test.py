"""Reads the #include lines of the tree and holds them against the arrows between libraries:

    app --> serve --> view --> session --> plugin, io --> data --> compute --> base
                        |         |          plugin --> sdk          compute --> sdk (what kernels
                        |         +------> ranks --> base, sdk                   are made of)
                        |         +------> graph --> base, sdk
                        +----> render --> data
    editor -------------> graph, base
    plugins ------------> sdk

Usage: architecture_test.py SOURCE_FOLDER"""

import pathlib
import re
import sys

ARROWS = {
    "base": [],
    "sdk": [],
    "ranks": ["base", "sdk"],
    "compute": ["base", "sdk"],
    "data": ["compute"],
    "graph": ["base", "sdk"],
    "plugin": ["data", "sdk"],
    "io": ["data"],
    "render": ["data"],
    "session": ["plugin", "io", "graph", "ranks"],
    "view": ["session", "render"],
    "serve": ["view"],
    "app": ["serve"],
    "editor": ["graph"],
    "plugins": ["sdk"],
}

# What a part must not know, whoever provides it.
FOREIGN = {
    "Qt": re.compile(r"^(Q[A-Z][A-Za-z]*|Qt[A-Z][A-Za-z]*/.*)$"),
    "Vulkan": re.compile(r"^(vulkan/|volk|vk_)"),
    "CUDA": re.compile(r"^(cuda|cub/|thrust/|nvrtc)"),
    "MPI": re.compile(r"^mpi"),
    "Asio": re.compile(r"^(asio(/|\.hpp)|boost/asio)"),
}
FORBIDDEN = {part: ["Qt", "Asio", "MPI"] for part in ARROWS}
FORBIDDEN["graph"] += ["Vulkan", "CUDA"]
FORBIDDEN["base"] += ["Vulkan", "CUDA"]
FORBIDDEN["data"] += ["Vulkan"]
FORBIDDEN["editor"] = ["Vulkan", "CUDA", "Asio", "MPI"]
FORBIDDEN["serve"] = ["Qt", "MPI"]
FORBIDDEN["ranks"] = ["Qt", "Asio", "CUDA", "Vulkan"]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)
SUFFIXES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".inl"}


def reachable(part):
    """The parts that `part` may include: itself and all that arrows lead to."""
    found = {part}
    for other in ARROWS[part]:
        found |= reachable(other)
    return found


def faults_in(part, path, text):
    """What is wrong with the includes of one file of `part`."""
    faults = []
    allowed = reachable(part)
    for included in INCLUDE.findall(text):
        names = re.match(r"floe/([a-z_]+)/", included)
        if names and names.group(1) not in allowed:
            faults.append(f"{path}: {part} must not include {included}")
        if re.search(r"\.\./.*\b(runtime|editor|plugins)/", included):
            faults.append(f"{path}: {included} reaches into another part by path")
        for what in FORBIDDEN[part]:
            if FOREIGN[what].match(included):
                faults.append(f"{path}: {part} must not know {what} ({included})")
    return faults


def part_of(relative):
    parts = relative.parts
    if parts[0] == "runtime":
        return parts[1] if len(parts) > 2 else None
    return parts[0] if parts[0] in ("editor", "plugins") else None


def self_check():
    """A test that cannot fail is none."""
    for part, text in [
        ("base", '#include "floe/graph/check.hpp"'),
        ("sdk", "#include <floe/base/error.hpp>"),
        ("graph", '  #  include "floe/data/value.hpp"'),
        ("graph", "#include <cuda_runtime.h>"),
        ("session", "#include <QString>"),
        ("app", "#include <asio/ip/tcp.hpp>"),
        ("editor", "#include <asio.hpp>"),
        ("session", '#include "floe/render/scene.hpp"'),
        ("session", '#include "floe/view/picture.hpp"'),
        ("view", '#include "floe/serve/server.hpp"'),
        ("plugins", '#include "floe/compute/device.hpp"'),
        ("plugins", '#include "../../runtime/base/include/x.hpp"'),
        ("editor", '#include "floe/session/session.hpp"'),
        ("plugin", '#include "floe/ranks/ranks.hpp"'),
        ("session", "#include <mpi.h>"),
    ]:
        assert faults_in(part, "x", text), f"{part}: {text} was let through"
    for part, text in [
        ("session", '#include "floe/base/error.hpp"\n#include "floe/sdk/abi.h"'),
        ("editor", "#include <QString>\n#include <floe/graph/document.hpp>"),
        ("serve", '#include "floe/view/viewport.hpp"\n#include "floe/session/session.hpp"'),
        ("render", "#include <vulkan/vulkan.h>"),
        ("serve", "#include <asio/ip/tcp.hpp>"),
        ("data", '// #include "floe/io/x.hpp"'),
        ("ranks", "#include <mpi.h>"),
        ("app", '#include "floe/ranks/ranks.hpp"'),
    ]:
        assert not faults_in(part, "x", text), f"{part}: {text} was refused"


def main():
    self_check()
    source = pathlib.Path(sys.argv[1])
    faults, files = [], 0
    for folder in ("runtime", "editor", "plugins"):
        for path in sorted((source / folder).rglob("*")):
            relative = path.relative_to(source)
            part = part_of(relative)
            if path.suffix not in SUFFIXES or part is None:
                continue
            if part not in ARROWS:
                faults.append(f"{relative}: {part} is not a part that the architecture knows")
                continue
            files += 1
            faults += faults_in(part, relative, path.read_text(errors="replace"))
    if not files:
        faults.append(f"{source} has no sources")
    print("\n".join(faults) or f"{files} files keep to the arrows")
    sys.exit(1 if faults else 0)


main()
