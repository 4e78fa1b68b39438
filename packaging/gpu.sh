#!/usr/bin/env bash
# gpu.sh [option ...] [-- cmake option ...]: everything there is to know of Floe on this machine's NVIDIA
# card, in one command: builds for it, runs `ctest -L gpu`, compute-sanitizer, the benchmarks and a
# profile, and leaves a folder of results with a summary.md. From a checkout or an unpacked source bundle
# (packaging/bundle.sh), as root or not, without a network.
#
#   --steps build,tests,sanitizer,bench,profile    some of the five (all); results of several calls
#                                                  on one day gather in one folder
#   --minutes N          of all steps together (60)
#   --packages FOLDER    .deb files to unpack into the build folder, for what this machine lacks
#   --fetch FOLDER       gathers these, in a machine like it that has a network, and ends
#   --emulator           the emulator in the place of the card, with small sizes
#   --help               the other options
#
# Exit code 0: everything that ran passed, and something did; 1: not; 2: nothing could be run here.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# The CUDA Toolkit and its profilers install outside PATH.
for folder in /usr/local/cuda/bin /opt/cuda/bin /opt/nvidia/nsight-systems/*/bin /opt/nvidia/nsight-compute/*; do
    [[ -d $folder ]] && PATH=$PATH:$folder
done
export PATH
if ! command -v python3 >/dev/null; then
    echo "gpu.sh: python3 is missing" >&2
    exit 2
fi
exec python3 -B "$here/gpu/main.py" "$@"
