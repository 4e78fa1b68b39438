#pragma once

// What grid*.cpp share; includes OpenVDB.

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

/// Voxels centred on whole multiples of the voxel size, so that shapes with equal voxels match.
inline openvdb::math::Transform::Ptr latticeOf(double voxelSize)
{
    return openvdb::math::Transform::createLinearTransform(voxelSize);
}

} // namespace floe::shapes
