#!/usr/bin/env bash
# trust.sh [PAGE] [--hours H] [--seed S] [--only kill,call,...]: tries for H hours (1) to make the built
# Floe lose work, hang, crash or blame the wrong thing, and writes a page of the attempts (default:
# trust/trust.md; a page that is there has the totals so far); what failed is kept beside it. tests/fuzz/trust/trust.py says what is tried.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
page=trust/trust.md
if [[ $# -gt 0 && $1 != -* ]]; then
    page=$1
    shift
fi
exec python3 "$root/tests/fuzz/trust/trust.py" --build "${FLOE_BUILD:-$root/build}" --page "$page" \
    --keep "$(dirname "$page")/kept" --hours 1 "$@"
