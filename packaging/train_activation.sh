#!/usr/bin/env bash
# train_activation.sh [FOLDER]: makes the activation networks again from nothing, on a CPU, at a reduced size:
# installs what is missing (PyTorch too), builds Floe, simulates random scenes, trains. Data and training take
# under an hour on two cores.
#
# FOLDER (build/activation) gets data and network, the latter with weights, results.md and curves.png; copy its
# .json files to plugins/activation/weights to ship them. What is larger costs more: SCENES, FRAMES, SIZE (cells
# along the domain), STIFFNESS (1 for the full one), EPOCHS, MINUTES, JOBS. FLOE may name a built `floe`, PYTHON an
# interpreter with PyTorch, NumPy and Matplotlib; then nothing is built, or nothing installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
folder=${1:-$root/build/activation}
[[ -n ${PYTHON:-} ]] || "$here/install.sh" python3-torch
[[ -n ${FLOE:-} ]] || "$here/build.sh" release floe_all
python=${PYTHON:-/usr/bin/python3}
training=$root/plugins/activation/training
"$python" "$training/dataset.py" --floe "${FLOE:-$root/build/bin/floe}" --out "$folder/data" \
    --scenes "${SCENES:-40}" --frames "${FRAMES:-70}" --size "${SIZE:-32}" --stiffness "${STIFFNESS:-0.1}" \
    --jobs "${JOBS:-2}" --seed "${SEED:-1}" --limit 300
exec "$python" "$training/train.py" "$folder/data" \
    --out "$folder/network" --epochs "${EPOCHS:-24}" --minutes "${MINUTES:-30}"
