#!/usr/bin/env bash
# validate.sh [DIR] [--fine] [--only A1,E3] [--device cpu|cuda|cuda:N]: holds the built Floe against
# formulas and measurements and writes DIR/index.html (default: validation) with plots of ours against
# the reference. Without --device on the CPU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=validation
if [[ $# -gt 0 && $1 != -* ]]; then
    out=$1
    shift
fi
python=python3
"$python" -c 'import numpy, matplotlib' 2>/dev/null || python=/usr/bin/python3
exec "$python" "$root/tests/validation/page.py" --floe "${FLOE:-$root/build/bin/floe}" --out "$out" "$@"
