#pragma once

#include "floe/sdk/node.hpp"

namespace floe::colliders {

/// How fast the surface moves along its normal, -(d phi / dt) grad phi, from two level sets one
/// frame apart; a volume of vectors [m/s] on the voxels of `to`'s band. Zero where either distance
/// is beyond its band, so motion of more than about three voxels a frame is underestimated.
sdk::Value surfaceVelocity(const sdk::Value& from, const sdk::Value& to, double fps);

} // namespace floe::colliders
