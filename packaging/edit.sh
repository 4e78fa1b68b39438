#!/usr/bin/env bash
# edit.sh [GRAPH]: installs what is missing, builds Floe and its editor, opens the graph or the start page.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/install.sh"
"$here/build.sh" release installable
exec "$here/../build/bin/floe-editor" "$@"
