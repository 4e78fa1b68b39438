#pragma once

#include "floe/sdk/node.hpp"

namespace floe::colliders {

/// Returns the normal velocity of the surface, -(d phi / dt) grad phi, from two level sets one
/// frame apart; a volume of vectors [m/s] on the voxels of `to`'s narrow band. Zero where either
/// distance is beyond its band, so motion of more than about three voxels per frame is
/// underestimated.
sdk::Value surfaceVelocity(const sdk::Value& from, const sdk::Value& to, double fps);

} // namespace floe::colliders
