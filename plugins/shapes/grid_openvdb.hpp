#pragma once

// Shared by grid*.cpp; includes OpenVDB.

#include "grid.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <openvdb/openvdb.h>
#pragma GCC diagnostic pop

namespace floe::shapes {

class Grid {
public:
    explicit Grid(openvdb::FloatGrid::Ptr given) : vdb(std::move(given)) {}
    openvdb::FloatGrid::Ptr vdb;
};

/// Returns a transform with voxels centred on whole multiples of the voxel size, so that shapes
/// with equal voxels align.
inline openvdb::math::Transform::Ptr latticeOf(double voxelSize)
{
    return openvdb::math::Transform::createLinearTransform(voxelSize);
}

} // namespace floe::shapes
