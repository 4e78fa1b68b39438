/// Applying a key of a transform to vectors, on the host and in kernels. See floe/sdk/motion.hpp.
#pragma once

#include "floe/sdk/floe.h"
#include "floe/sdk/physics/vec.hpp"

namespace floe::sdk::world {

using Vec3f = physics::Vec3<float>;
using Vec3d = physics::Vec3<double>;

/// @param q  a unit quaternion: x, y, z, w
FLOE_HD Vec3d rotate(const double* q, const Vec3d& v)
{
    // v + 2 w (u x v) + 2 u x (u x v), u the vector part
    const Vec3d t{2 * (q[1] * v.z - q[2] * v.y), 2 * (q[2] * v.x - q[0] * v.z),
                  2 * (q[0] * v.y - q[1] * v.x)};
    return {v.x + q[3] * t.x + q[1] * t.z - q[2] * t.y, v.y + q[3] * t.y + q[2] * t.x - q[0] * t.z,
            v.z + q[3] * t.z + q[0] * t.y - q[1] * t.x};
}

/// Transforms a point from the shape's own space to the world.
FLOE_HD Vec3d toWorld(const floe_transform_key& key, const Vec3d& own)
{
    const Vec3d turned = rotate(key.rotation, key.scale * own);
    return {turned.x + key.position[0], turned.y + key.position[1], turned.z + key.position[2]};
}

/// Inverse of toWorld().
FLOE_HD Vec3d toOwn(const floe_transform_key& key, const Vec3d& world)
{
    const double back[4] = {-key.rotation[0], -key.rotation[1], -key.rotation[2], key.rotation[3]};
    const Vec3d v = rotate(back, Vec3d{world.x - key.position[0], world.y - key.position[1],
                                       world.z - key.position[2]});
    return {v.x / key.scale, v.y / key.scale, v.z / key.scale};
}

FLOE_HD bool samePose(const floe_transform_key& a, const floe_transform_key& b)
{
    bool same = a.scale == b.scale;
    for (int i = 0; i < 3; ++i)
        same = same && a.position[i] == b.position[i];
    for (int i = 0; i < 4; ++i)
        same = same && a.rotation[i] == b.rotation[i];
    return same;
}

} // namespace floe::sdk::world
