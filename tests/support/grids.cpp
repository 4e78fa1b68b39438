#include "grids.hpp"

#include <cstring>
#include <nanovdb/util/Primitives.h>

namespace floe::test {

std::vector<std::byte> sphereGrid(double radius, double voxelSize, double center)
{
    const auto handle = nanovdb::createLevelSetSphere<float>(
        static_cast<float>(radius), nanovdb::Vec3f(static_cast<float>(center)), voxelSize);
    std::vector<std::byte> bytes(handle.size());
    std::memcpy(bytes.data(), handle.data(), handle.size());
    return bytes;
}

} // namespace floe::test
