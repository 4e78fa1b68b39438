#!/usr/bin/env bash
# install.sh [PACKAGE ...]: installs the Debian packages that Floe needs (packaging/packages.txt), and those
# named, where this machine lacks them. Quiet and quick when nothing is missing. Needs root or sudo only
# when something is.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

missing=()
while read -r package; do
    [[ -z $package || $package == \#* ]] && continue
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done < <(cat "$here/packages.txt"; [[ $# -eq 0 ]] || printf '%s\n' "$@")
[[ ${#missing[@]} -eq 0 ]] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "error: this script installs with apt-get (Debian 12 or a relative); install by hand: ${missing[*]}" >&2
    exit 1
fi
as_root=()
if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || { echo "error: run as root, or install sudo; missing: ${missing[*]}" >&2; exit 1; }
    as_root=(sudo)
fi
echo "Installing packages: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
