#!/usr/bin/env bash
# run.sh GRAPH [option ...]: installs what is missing, builds Floe, runs the graph.
# Options go to `floe run` (see `floe run --help`).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [[ $# -lt 1 ]]; then
    echo "usage: packaging/run.sh GRAPH.floe.json [options of floe run]" >&2
    exit 2
fi
"$here/install.sh"
"$here/build.sh" release floe_all
exec "$here/../build/bin/floe" run "$@"
