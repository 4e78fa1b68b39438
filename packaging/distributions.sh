#!/usr/bin/env bash
# distributions.sh [--quick] [SUITE ...]: does what a stranger does, on bare Debian systems of its own.
# For each suite (bookworm and trixie unless named): makes a root file system with nothing but apt, in it
# runs the README's two commands, packaging/run.sh and packaging/test.sh, and the package; then makes
# another, installs nothing in it but the package, and runs a graph and the editor there.
# --quick leaves out test.sh. Needs root and mmdebstrap, about 8 GiB of space and an hour a suite; compiler
# results are shared with ccache's folder of whoever runs it. Run it before every release.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."
quick=false
if [[ ${1:-} == --quick ]]; then
    quick=true
    shift
fi
suites=("$@")
[[ $# -gt 0 ]] || suites=(bookworm trixie)
if [[ $(id -u) -ne 0 ]]; then
    echo "error: root file systems are made by root; run it with sudo" >&2
    exit 2
fi
command -v mmdebstrap >/dev/null || "$here/install.sh" mmdebstrap
folder=$PWD/build/distributions
cache=${CCACHE_DIR:-$HOME/.cache/ccache}
mkdir -p "$folder" "$cache"
step() { printf '\n== %s\n' "$*"; }

# make_root FOLDER SUITE: a file system with apt and nothing of Floe.
make_root() {
    rm -rf --one-file-system "$1"
    mmdebstrap --quiet --variant=minbase --include=ca-certificates "$2" "$1"
    mkdir -p "$1/source" "$1/root/.cache/ccache"
}

# inside FOLDER COMMAND: runs it there; what is mounted goes with the command, and its children too.
inside() {
    FLOE_ROOT=$1 FLOE_CACHE=$cache unshare --mount --pid --fork --kill-child bash -euc '
        mount --make-rprivate /
        for mounted in dev sys; do mount --rbind "/$mounted" "$FLOE_ROOT/$mounted"; done
        mount -t proc proc "$FLOE_ROOT/proc"
        mount -t tmpfs tmpfs "$FLOE_ROOT/tmp"
        mount --bind "$FLOE_CACHE" "$FLOE_ROOT/root/.cache/ccache"
        cp /etc/resolv.conf "$FLOE_ROOT/etc/resolv.conf"
        cd /
        exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
            chroot "$FLOE_ROOT" bash -euc "cd /source; $0"' "$2"
}

for suite in "${suites[@]}"; do
    root=$folder/$suite
    step "$suite: a root file system"
    make_root "$root" "$suite"
    git archive HEAD | tar -x -C "$root/source"

    step "$suite: packaging/run.sh graphs/first_snow.floe.json"
    inside "$root" 'packaging/run.sh graphs/first_snow.floe.json --end 4 --output out; ls out'
    if ! $quick; then
        step "$suite: packaging/test.sh"
        inside "$root" 'packaging/test.sh'
    fi
    step "$suite: the package"
    inside "$root" 'cmake --build build --target package'

    bare=$folder/$suite-bare
    step "$suite: the package on a bare system"
    make_root "$bare" "$suite"
    cp "$root"/source/build/floe_*.deb "$bare/source/"
    inside "$bare" '
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            ./floe_*.deb mesa-vulkan-drivers xvfb xauth x11-utils >/dev/null
        cd /tmp
        floe --version
        floe plugin list
        floe run /usr/share/floe/graphs/first_snow.floe.json --end 4 --output out
        ls out
        cp /usr/share/floe/graphs/first_snow.floe.json .
        xvfb-run -a bash -euc "
            floe-editor first_snow.floe.json &
            for second in {1..30}; do
                sleep 1
                xwininfo -root -tree | grep -i first_snow && exit
            done
            echo error: the editor shows no window within 30 s >&2
            exit 1"'
    rm -rf --one-file-system "$bare"
done
step "All passed: ${suites[*]}"
