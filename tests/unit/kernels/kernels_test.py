#!/usr/bin/env python3
"""kernels_test.py SOURCE_DIR LIBRARY: the kernels of the MPM step have no more instructions, bytes and stack than is written down,
and the program that counts them notices."""

import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE, LIBRARY = pathlib.Path(sys.argv[1]), sys.argv[2]
HELD = SOURCE / "tests/bench/results/kernels.json"


def count(*arguments):
    return subprocess.run([sys.executable, SOURCE / "tests/bench/kernels/count.py", *arguments], capture_output=True, text=True)


done = count(LIBRARY, "--check", HELD)
if done.returncode == 77:
    print(done.stdout)
    sys.exit(77)
assert done.returncode == 0, done.stderr

with tempfile.TemporaryDirectory() as folder:
    changed = pathlib.Path(folder) / "held.json"

    def fault(change):
        held = json.loads(HELD.read_text())
        change(held["kernels"])
        changed.write_text(json.dumps(held))
        checked = count(LIBRARY, "--check", changed)
        assert checked.returncode == 1, checked
        return checked.stderr

    kernel = "moveParticles<Scheme<3, false>, false, Liquid>"
    assert f"{kernel}: is gone" not in done.stdout
    for column in ("instructions", "read", "written"):
        before = json.loads(HELD.read_text())["kernels"][kernel][column]

        def less(kernels):
            kernels[kernel][column] = int(before / 1.1)

        assert f"{kernel}: {column} {before}" in fault(less), column
    assert "noSuchKernel: is gone" in fault(lambda kernels: kernels.update(noSuchKernel=kernels[kernel]))
    assert count(__file__).returncode == 77
    part = pathlib.Path(folder) / "part.a"
    whole = pathlib.Path(LIBRARY).read_bytes()
    part.write_bytes(whole[:len(whole) // 2])
    for broken in (part, pathlib.Path(folder) / "none.a"):
        refused = count(broken)
        assert refused.returncode == 1 and refused.stderr.startswith("error: ") and refused.stderr.count("\n") == 1, refused
print("passed")
