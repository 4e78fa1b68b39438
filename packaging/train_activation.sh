#!/bin/sh
# Makes the activation networks again from nothing, on a CPU, at a reduced size: random scenes, then
# training. Takes under an hour on two cores.
#
#     packaging/train_activation.sh [FOLDER]        (build/activation)
#
# FOLDER/network holds the weights, results.md and curves.png; copy the .json files to
# plugins/activation/weights to ship them. What is larger costs more: SCENES, FRAMES, SIZE (cells along
# the domain), STIFFNESS (1 for the full one), EPOCHS, JOBS. Needs PyTorch, NumPy and Matplotlib for PYTHON
# (Debian: python3-torch, python3-numpy, python3-matplotlib) and a built `floe` (FLOE).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/build/activation}
"${FLOE:-$root/build/bin/floe}" dataset activation --out "$folder/data" --scenes "${SCENES:-40}" \
    --frames "${FRAMES:-70}" --size "${SIZE:-32}" --stiffness "${STIFFNESS:-0.1}" \
    --jobs "${JOBS:-2}" --seed "${SEED:-1}" --limit 300
exec "${PYTHON:-/usr/bin/python3}" "$root/plugins/activation/training/train.py" "$folder/data" \
    --out "$folder/network" --epochs "${EPOCHS:-24}" --minutes "${MINUTES:-30}"
