#!/usr/bin/env bash
# test.sh [--all] [ctest option ...]: installs what is missing, builds Floe and its tests, runs them.
# --all adds what CI checks besides: formatting, that the tests of a card (tests/gpu) compile, the unit tests
# under the address, undefined behaviour and thread sanitizers, and the package on a bare Debian where this
# machine can make one.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/.."
all=false
if [[ ${1:-} == --all ]]; then
    all=true
    shift
fi
step() { printf '\n== %s\n' "$*"; }

step "Packages"
"$here/install.sh"

if $all; then
    step "Formatting"
    git ls-files '*.cpp' '*.hpp' '*.h' '*.c' '*.cu' '*.cuh' '*.inl' | xargs -r clang-format --dry-run --Werror
fi

step "Build"
"$here/build.sh" ci
if $all; then
    step "Tests of a card compile"
    "$here/build.sh" ci gpu_tests
    for preset in asan tsan; do
        step "Unit tests under the $preset preset: build"
        "$here/build.sh" "$preset" unit_tests
        step "Unit tests under the $preset preset"
        TSAN_OPTIONS="suppressions=$here/tsan.supp halt_on_error=1 second_deadlock_stack=1" \
        ASAN_OPTIONS="detect_leaks=0" UBSAN_OPTIONS="print_stacktrace=1 halt_on_error=1" \
            ctest --test-dir "build-$preset" -L unit -j2 --output-on-failure --no-tests=error
    done
fi

# Memory that nobody has written must not happen to be zero: a test that needs that fails at once.
export MALLOC_PERTURB_=165

step "Tests"
ctest --test-dir build -j2 --output-on-failure --no-tests=error "$@"

if $all; then
    step "Package"
    cmake --build build --target package
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    code=0
    "$here/distributions.sh" --package build/floe_*.deb "$suite" || code=$?
    if [[ $code -eq 77 ]]; then
        echo "warning: the package was not tried on a bare $suite"
    elif [[ $code -ne 0 ]]; then
        exit "$code"
    fi
fi
