#!/usr/bin/env bash
# distributions.sh [--quick] [--clang] [--package FILE.deb] [SUITE ...]: does what a stranger does, on bare Debian
# systems of its own. For each suite (bookworm and trixie unless named): makes a root file system with nothing
# but apt, in it runs the README's commands, packaging/run.sh and packaging/test.sh, installs what they left, and makes
# the package; then makes another, installs nothing in it but the package, and runs a graph and the editor there.
# --quick leaves out test.sh; --clang builds the program, its plugins and the editor with Clang too, warnings as errors
# (the tests' emulator needs what Clang 14 lacks: std::source_location); --package does the last step alone, with a
# package that is there (packaging/test.sh --all does this). Needs root, mmdebstrap and a mirror of Debian, about 8 GiB
# of space and an hour a suite; compiler results are shared with ccache's folder of whoever runs it. Run it before
# every release. The exit code is 77 where this machine cannot make or enter a root file system.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."
quick=false clang=false package=
while [[ ${1:-} == --* ]]; do
    case $1 in
    --quick) quick=true ;;
    --clang) clang=true ;;
    --package)
        package=$(realpath "${2:?--package needs a file}")
        shift
        ;;
    *)
        echo "error: unknown option $1; see the head of $0" >&2
        exit 2
        ;;
    esac
    shift
done
suites=("$@")
[[ $# -gt 0 ]] || suites=(bookworm trixie)
if [[ $(id -u) -ne 0 ]] || ! unshare --mount --pid --fork true; then
    echo "error: root file systems are made and entered by root; run it with sudo, outside of a container" >&2
    exit 77
fi
command -v mmdebstrap >/dev/null || "$here/install.sh" mmdebstrap
folder=$PWD/build/distributions
cache=${CCACHE_DIR:-$HOME/.cache/ccache}
mkdir -p "$folder" "$cache"
step() { printf '\n== %s\n' "$*"; }

# make_root FOLDER SUITE: a file system with apt and nothing of Floe.
make_root() {
    rm -rf --one-file-system "$1"
    if ! mmdebstrap --quiet --variant=minbase --include=ca-certificates "$2" "$1"; then
        echo "error: $2 could not be installed from its mirror" >&2
        exit 77
    fi
    mkdir -p "$1/source" "$1/root/.cache/ccache"
}

# inside FOLDER COMMAND: runs it there; what is mounted goes with the command, and its children too. The shell
# stays the first process (`exit`): Xvfb would not tell a parent of that number that it is ready.
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
            chroot "$FLOE_ROOT" bash -euc "cd /source; $0
            exit"' "$2"
}

# build SUITE: the README's commands, and what follows from the states that they leave. Makes `package`.
build() {
    local suite=$1 root=$folder/$1
    step "$suite: a root file system"
    make_root "$root" "$suite"
    git archive HEAD | tar -x -C "$root/source"

    step "$suite: packaging/run.sh graphs/first_snow.floe.json"
    inside "$root" 'packaging/run.sh graphs/first_snow.floe.json --end 4 --output out; ls out'
    step "$suite: cmake --install, as run.sh left it"
    inside "$root" 'cmake --install build --prefix /opt/floe >/dev/null
        test -x /opt/floe/bin/floe-editor
        /opt/floe/bin/floe plugin list'
    if ! $quick; then
        step "$suite: packaging/test.sh"
        inside "$root" 'packaging/test.sh'
    fi
    if $clang; then
        step "$suite: the program with Clang, warnings as errors"
        inside "$root" 'packaging/install.sh clang
            cmake --preset ci -B build-clang -D FLOE_TESTS=OFF -D CMAKE_C_COMPILER=clang \
                -D CMAKE_CXX_COMPILER=clang++ >/dev/null
            cmake --build build-clang'
    fi
    step "$suite: the package"
    inside "$root" 'cmake --build build --target package'
    package=$(echo "$root"/source/build/floe_*.deb)
}

# try_package SUITE FILE: installs a package on a bare system, runs a graph there, and starts the editor.
try_package() {
    local suite=$1 bare=$folder/$1-bare
    step "$suite: the package on a bare system"
    make_root "$bare" "$suite"
    cp "$2" "$bare/source/"
    inside "$bare" '
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            ./floe_*.deb mesa-vulkan-drivers xvfb xauth x11-utils >/dev/null
        cd /tmp
        floe --version
        floe plugin list
        floe run /usr/share/floe/graphs/first_snow.floe.json --end 4 --output out --set render.width=320 \
            --set render.height=180
        ls out
        cp /usr/share/floe/graphs/first_snow.floe.json .
        xvfb-run -a bash -euc "
            floe-editor first_snow.floe.json &
            for second in {1..60}; do
                sleep 1
                xwininfo -root -tree | grep -i first_snow && exit
            done
            echo error: the editor shows no window within 60 s >&2
            exit 1"'
    rm -rf --one-file-system "$bare"
}

for suite in "${suites[@]}"; do
    made=$package
    if [[ -z $made ]]; then
        build "$suite"
        made=$package
        package=
    fi
    try_package "$suite" "$made"
done
step "All passed: ${suites[*]}"
