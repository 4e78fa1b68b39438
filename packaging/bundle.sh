#!/bin/bash
# Makes one archive from which Floe's runtime, tests and benchmarks build where there is only a C++
# compiler, CMake and, for GPUs, the CUDA Toolkit: no network, no other package.
#
#     packaging/bundle.sh [ARCHIVE]          (default: floe-bundle.tar.xz)
#
# What is committed goes in, with the libraries that it needs: headers of this machine's packages
# (packages.txt) and sources from Debian's archive. There:
#
#     tar xf floe-bundle.tar.xz && cd floe && ./build.sh
#
# The editor, OpenVDB and Vulkan are left out of such a build, and with them the nodes that read
# meshes and volumes, combine shapes, or draw.
set -euo pipefail
cd "$(dirname "$0")/.."
archive=$(realpath -m "${1:-floe-bundle.tar.xz}")
mkdir -p "$(dirname "$archive")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/floe
third=$root/third_party
mkdir -p "$root" "$third/include" "$work/apt/lists/partial" "$work/apt/parts" "$work/sources"

git archive HEAD | tar x -C "$root"
rm -rf "$root/editor" "$root/tests/editor" "$root/graphs/pictures"

# Libraries that are headers only.
include=/usr/include
for item in asio asio.hpp nlohmann spdlog fmt CLI nanovdb xxhash.h; do
    if [ ! -e "$include/$item" ]; then
        echo "bundle.sh: $include/$item is missing; run packaging/install.sh first" >&2
        exit 1
    fi
    cp -r "$include/$item" "$third/include/"
done
# NanoVDB's bridges to other libraries and its examples are not used.
rm -rf "$third"/include/nanovdb/{examples,unittest,docs,cmd}

# Sources, in the versions that Debian ships, through a list of our own beside apt's.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.{list,sources}; do
    [ -f "$list" ] || continue
    sed -e 's/^deb /deb-src /' -e 's/^Types: .*/Types: deb-src/' "$list" \
        > "$work/apt/parts/$(basename "$list" .list | sed 's/sources$/list/').${list##*.}"
done
apt=(-q -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts"
     -o "Dir::State::lists=$work/apt/lists" -o APT::Sandbox::User=root)
apt-get "${apt[@]}" update > /dev/null
for package in onetbb muparser googletest benchmark; do
    (cd "$work/sources" && apt-get "${apt[@]}" source --download-only "$package" > /dev/null)
    mkdir -p "$third/$package"
    tar xf "$work"/sources/"$package"_*.orig.tar.* -C "$third/$package" --strip-components 1
    # Debian's corrections
    patches=$(mktemp -d -p "$work")
    tar xf "$work"/sources/"$package"_*.debian.tar.* -C "$patches"
    if [ -f "$patches/debian/patches/series" ]; then
        sed -e 's/#.*//' -e '/^\s*$/d' "$patches/debian/patches/series" | while read -r patch; do
            patch -s -p1 -d "$third/$package" < "$patches/debian/patches/$patch"
        done
    fi
done
# What only their own tests and documents need.
rm -rf "$third"/onetbb/{doc,examples,test,python,third-party-programs.txt} \
       "$third"/googletest/{docs,googletest/test,googlemock/test,googletest/samples} \
       "$third"/benchmark/{docs,test,bindings,tools,.github} "$third"/muparser/samples

git rev-parse HEAD > "$root/third_party/revision.txt"
cat > "$root/build.sh" <<'SCRIPT'
#!/bin/sh
# Builds the runtime, the tests and the benchmarks from what lies in this folder, without a network.
# Needed are a C++20 compiler (GCC 12 or later), CMake 3.24 or later, make or ninja, and for CUDA
# kernels the CUDA Toolkit (nvcc on PATH, in CUDACXX, or in /usr/local/cuda).
#
#   ./build.sh [cmake options]      e.g. -DFLOE_CUDA_ARCHITECTURES=90
set -e
cd "$(dirname "$0")"
if ! command -v nvcc > /dev/null && [ -x /usr/local/cuda/bin/nvcc ]; then
    PATH=$PATH:/usr/local/cuda/bin
    export PATH
fi
cmake -S . -B build -D CMAKE_BUILD_TYPE=Release -D FLOE_BENCH=ON "$@"
cmake --build build --parallel "$(nproc)"
cat <<'NEXT'

Built. From here:
    build/bin/floe --version
    ctest --test-dir build --output-on-failure -j4               all tests; none needs a GPU
    build/bin/floe run graphs/validation/free_fall.floe.json     a first simulation; --device cuda on a GPU
    build/tests/floe_bench --benchmark_filter=MpmStep            particle steps a second, CPU and CUDA
    packaging/gpu.sh                                             tests and measures everything on an NVIDIA GPU
NEXT
SCRIPT
chmod +x "$root/build.sh"

tar c -C "$work" --owner 0 --group 0 --sort name floe | xz -T0 -6 > "$archive.part"
mv "$archive.part" "$archive"
bytes=$(stat -c %s "$archive")
echo "$archive: $((bytes / 1024)) KiB"
if [ "$bytes" -gt $((60 * 1024 * 1024)) ]; then
    echo "bundle.sh: larger than 60 MiB" >&2
    exit 1
fi
