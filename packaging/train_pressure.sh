#!/usr/bin/env bash
# train_pressure.sh [FOLDER]: makes the networks that know the pressure again from nothing, on a CPU, at a reduced
# size: installs what is missing (PyTorch too), builds Floe, simulates random scenes, trains. Under an hour on two cores.
#
# FOLDER (build/pressure) gets data and network; copy its network/correction.safetensors to
# plugins/coupled/weights/pressure.safetensors to ship it. What is larger costs more: SCENES (of each of three
# families), STEPS (of a scene), SIZE (cells along the tank), MINUTES, WIDTH, JOBS; the paper's are 5, 585, 32 and
# 16 for WIDTH. FLOE_PROGRAM may name a built `floe`, PYTHON an interpreter with PyTorch and NumPy; then nothing is
# built, or nothing installed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
folder=${1:-$root/build/pressure}
[[ -n ${PYTHON:-} ]] || "$here/install.sh" python3-torch
[[ -n ${FLOE_PROGRAM:-} ]] || "$here/build.sh" release floe_all
export FLOE_PROGRAM=${FLOE_PROGRAM:-$root/build/bin/floe}
python=${PYTHON:-/usr/bin/python3}
training=$root/plugins/coupled/training
"$python" "$training/dataset.py" --out "$folder/data" --scenes "${SCENES:-2}" --steps "${STEPS:-120}" \
    --size "${SIZE:-32}" --jobs "${JOBS:-2}" --seed "${SEED:-1}"
exec "$python" "$training/train.py" "$folder/data" --out "$folder/network" --minutes "${MINUTES:-20}" \
    --width "${WIDTH:-8}"
