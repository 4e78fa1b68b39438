// Colliders made of level sets at points: which way is out.

#include "tracked_collider.hpp"

#include <nanovdb/util/Primitives.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

namespace floe::sdk::world {

namespace {

using floe::test::MovingCollider;

constexpr double kRadius = 0.4, kVoxel = 0.025;

/// A ball about the origin whose distances are stored in three voxels on either side of the
/// surface.
MovingCollider ball()
{
    return {std::make_shared<const nanovdb::GridHandle<>>(nanovdb::createLevelSetSphere<float>(
                static_cast<float>(kRadius), nanovdb::Vec3<float>(0.0f), kVoxel)),
            {floe_transform_key{0, {0, 0, 0}, {0, 0, 0, 1}, 1}}};
}

SurfacePoint sampled(const MovingCollider& collider, const Vec3d& at)
{
    PointBatch point;
    point.count = 1;
    point.corner = at;
    for (int axis = 0; axis < 3; ++axis)
        point.x[axis][0] = 0;
    point.mass[0] = 1;
    ColliderSample out;
    collider.sample(point, out);
    return out.at(0);
}

double angleBetween(const Vec3f& n, const Vec3d& way)
{
    const double cosine =
        (n.x * way.x + n.y * way.y + n.z * way.z) / std::hypot(way.x, way.y, way.z);
    return std::acos(std::min(cosine, 1.0));
}

} // namespace

// A solver's nodes lie on voxels as a rule, where an interpolant's gradient is that of one side.
TEST(LevelSetReader, NormalsOnVoxelsAreNotThoseBesideThem)
{
    const MovingCollider collider = ball();
    for (int x = -14; x <= 14; ++x)
        for (int y = -14; y <= 14; ++y)
            for (int z = -14; z <= 14; ++z) {
                const Vec3d at{x * kVoxel, y * kVoxel, z * kVoxel};
                const double depth = kRadius - std::hypot(at.x, at.y, at.z);
                if (depth <= 0 || depth > 2 * kVoxel)
                    continue;
                const SurfacePoint point = sampled(collider, at);
                EXPECT_LT(angleBetween(point.normal, at), 0.005) << x << ' ' << y << ' ' << z;
            }
}

// Matter that touches a surface reaches nodes deeper than distances are stored.
TEST(LevelSetReader, TheWayOutIsFoundFromDeepInside)
{
    const MovingCollider collider = ball();
    for (const double depth : {2.5, 3.0, 3.5, 4.0, 6.0, 9.0})
        for (const Vec3d& d : {Vec3d{1, 0, 0}, Vec3d{0.6, 0.64, 0.48}, Vec3d{-0.28, 0, 0.96},
                               Vec3d{0, -0.6, -0.8}}) {
            const double radius = kRadius - depth * kVoxel;
            const SurfacePoint point = sampled(collider, radius * d);
            const bool far = depth > 4;
            EXPECT_LT(angleBetween(point.normal, d), far ? 0.1 : 0.02) << depth;
            EXPECT_NEAR(point.distance, -depth * kVoxel, (far ? 0.1 : 0.02) * kVoxel) << depth;
        }
    const SurfacePoint centre = sampled(collider, {0, 0, 0});
    EXPECT_EQ(dot(centre.normal, centre.normal), 0); // no way is the shortest
}

} // namespace floe::sdk::world
