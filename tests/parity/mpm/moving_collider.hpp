/// Colliders with a level set, which every backend takes.
#pragma once

#include "tracked_collider.hpp"
#include "world.hpp"

#include <nanovdb/util/Primitives.h>

#include <memory>
#include <vector>

namespace floe::mpm {

using test::MovingCollider;

/// A ball of 0.3 m that comes down to the middle of a box() and moves on sideways.
inline std::shared_ptr<MovingCollider> comingBall()
{
    const auto ball = std::make_shared<MovingCollider>(
        std::make_shared<nanovdb::GridHandle<>>(
            nanovdb::createLevelSetSphere<float>(0.3f, nanovdb::Vec3f(0.0f), 0.05)),
        std::vector<floe_transform_key>{{0, {0, 0.9, 0}, {0, 0, 0, 1}, 1},
                                        {0.2, {0.6, 0.3, 0}, {0, 0, 0, 1}, 1}});
    ball->contact = Contact::separate;
    ball->particles = ParticleContact::bounce;
    return ball;
}

} // namespace floe::mpm
