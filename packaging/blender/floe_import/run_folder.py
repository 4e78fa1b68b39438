"""What lies in the output folder of a run: sequences of files, frame range and rate. Needs no Blender."""

import json
import os
import re

_NUMBER = re.compile(r"^(.*?)(\d+)(\.(?:ply|vdb))$", re.IGNORECASE)
_NOT_LOOKED_AT = {"checkpoints", "cache"}
_MAX_REPORT = 1 << 30


class Sequence:
    """Files of one output node, a frame each.

    Attributes:
        name: for the object.
        files: frame: path.
        kind: "particles", "mesh" or "volume".
    """

    def __init__(self, name, files, kind):
        self.name = name
        self.files = files
        self.kind = kind

    def at(self, frame):
        """The file of a frame; of the last before it where it has none (a node may write every second
        frame); None before the first."""
        earlier = [number for number in self.files if number <= frame]
        return self.files[max(earlier)] if earlier else None


def sequences(folder):
    """The sequences in a folder, by name. Files without a number are sequences of one frame."""
    groups = {}
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders
                            if not (place == folder and name in _NOT_LOOKED_AT))
        for name in sorted(files):
            match = _NUMBER.match(name)
            if name.startswith(".") or not name.lower().endswith((".ply", ".vdb")):
                continue
            key = (place, match.group(1), match.group(3)) if match else (place, name, "")
            groups.setdefault(key, {})[int(match.group(2)) if match else 0] = os.path.join(place, name)
    found = []
    for (place, word, _), files in sorted(groups.items()):
        found.append(Sequence(word.rstrip("._- ") or os.path.basename(place), files,
                              _kind(next(iter(files.values())))))
    return found


def _kind(path):
    if path.lower().endswith(".vdb"):
        return "volume"
    with open(path, "rb") as file:
        header = file.read(1 << 16).partition(b"end_header")[0]
    faces = re.search(rb"^element face (\d+)", header, re.MULTILINE)
    return "mesh" if faces else "particles"


def frame_range(folder):
    """First frame, last frame and frames a second of the run; None where there is no run.json."""
    path = os.path.join(folder, "run.json")
    try:
        if os.path.getsize(path) > _MAX_REPORT:
            return None
        with open(path, encoding="utf-8") as file:
            span = json.load(file)["range"]
        return int(span["start"]), int(span["end"]), float(span["fps"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


