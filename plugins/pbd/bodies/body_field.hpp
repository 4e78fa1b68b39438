/// Signed distances to a body's mesh, for what is not made of particles.
#pragma once

#include "rest_body.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <vector>

namespace floe::pbd {

/// Distances on the centres of voxels, in the space of the body at rest with its centre of mass at
/// the origin; linear between them. Within two voxels of the surface they are those to the
/// triangles, elsewhere those of a distance transform, right to a voxel.
class BodyField {
public:
    /// @throws std::invalid_argument  as makeRestBody()
    BodyField(const RestBody& body, sdk::parallel::Executor& executor);

    /// @param gradient  of the interpolated distance, not of unit length; 0 outside the grid
    /// @return negative inside [m]; outside the grid a lower bound
    float at(const Vec3f& x, Vec3f& gradient) const;

private:
    std::array<float, 3> origin_; ///< centre of the first voxel [m]
    float edge_;                  ///< of a voxel [m]
    std::array<int, 3> size_;
    std::vector<float> distance_; ///< x fastest [m]
};

} // namespace floe::pbd
