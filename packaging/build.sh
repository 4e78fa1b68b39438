#!/usr/bin/env bash
# build.sh PRESET [TARGET ...]: configures a preset of CMakePresets.json and builds it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
preset=$1
shift
# The CUDA Toolkit installs outside PATH.
if ! command -v nvcc >/dev/null && [[ -x /usr/local/cuda/bin/nvcc ]]; then
    export PATH=$PATH:/usr/local/cuda/bin
fi
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
# What uses a precompiled header is kept, too: ccache's manual, "Precompiled headers".
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
folder=$(sed -n 's/^-- Build files have been written to: //p' "$log")
if [[ $# -gt 0 ]]; then
    cmake --build "$folder" --target "$@"
else
    cmake --build "$folder"
fi
