#pragma once

#include "set/rotation.hpp"

#include <array>

namespace floe::gaussians {

/// How much of the motion around it a Gaussian follows.
enum class Following {
    Full,  ///< its covariance A becomes F A F^T (Xie et al. 2024, PhysGaussian)
    Rigid, ///< it turns by the rotation R of F = R S
    Fixed  ///< it moves only; its colours can turn all the same
};

struct Deformed {
    std::array<float, 3> scale;    ///< standard deviations along the own axes [m]
    std::array<float, 4> rotation; ///< own axes to the world, x, y, z, w
    std::array<float, 4> turn;     ///< R: by which colours turn
};

/// @param F           deformation gradient around the Gaussian; where it is not finite, nothing
/// changes
/// @param scale       3, at rest [m]
/// @param rotation    4, at rest, of length 1
/// @param maxStretch axes grow to at most so many times the longest at rest, > 0
Deformed deformed(const physics::Mat3<float>& F, Following following, const float* scale,
                  const float* rotation, float maxStretch);

} // namespace floe::gaussians
