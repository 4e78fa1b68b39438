#!/usr/bin/env bash
# wheel.sh [FOLDER]: makes the wheel of the Python package (runtime/python) in FOLDER, by default dist/.
# Needs no network: NumPy, pip, setuptools and wheel are Debian's (packages.txt). $PYTHON selects a Python.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(realpath -m "${1:-dist}")
python=${PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import numpy, setuptools, wheel' 2>/dev/null || ! "$python" -c 'import pip' 2>/dev/null; then
    echo "wheel.sh: $python lacks numpy, pip, setuptools or wheel; run packaging/install.sh first" >&2
    exit 1
fi
mkdir -p "$folder"
# Built from a copy: setuptools leaves folders beside the sources.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/floe/scenes"
cp "$here"/../runtime/python/{pyproject.toml,README.md} "$work/"
cp "$here"/../runtime/python/floe/{*.py,py.typed} "$work/floe/"
cp "$here"/../runtime/python/floe/scenes/*.py "$work/floe/scenes/"
PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1 "$python" -m floe.stubs --manifests "$here/../plugins" >/dev/null
"$python" -m pip --quiet --disable-pip-version-check wheel --no-index --no-deps --no-build-isolation \
    --wheel-dir "$folder" "$work"
ls "$folder"/floe-*.whl
