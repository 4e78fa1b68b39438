#pragma once

#include <cstddef>
#include <cstring>
#include <nanovdb/util/Primitives.h>
#include <vector>

namespace floe::test {

/// The bytes of a NanoVDB level set of a sphere around the origin.
/// @param radius, voxelSize  [m]
inline std::vector<std::byte> sphereGrid(double radius, double voxelSize)
{
    const auto handle = nanovdb::createLevelSetSphere<float>(static_cast<float>(radius),
                                                             nanovdb::Vec3f(0), voxelSize);
    std::vector<std::byte> bytes(handle.size());
    std::memcpy(bytes.data(), handle.data(), handle.size());
    return bytes;
}

} // namespace floe::test
