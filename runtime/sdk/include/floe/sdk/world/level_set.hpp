/// Colliders made of level sets: their device-independent description and their evaluation at a
/// point, from one source for the CPU and CUDA threads.
#pragma once

#include "floe/sdk/floe.h"
#include "floe/sdk/world/contact.hpp"
#include "floe/sdk/world/pose.hpp"

#include <cmath>
#include <cstdint>
#include <memory>

namespace floe::sdk::world {

/// A NanoVDB grid in host memory (float distances [m]; Vec3f velocities [m/s]).
struct GridView {
    const void* data = nullptr; ///< null: there is none
    std::uint64_t bytes = 0;
    /// Shares ownership of the grid: while a copy lives, `data` refers to the same, unchanged grid.
    std::shared_ptr<const void> keep;
};

/// Grids of a level-set collider: what a device needs to evaluate it like Collider::sample.
struct LevelSetShape {
    GridView shape;
    GridView nextShape; ///< empty: the shape does not change
    GridView velocity;  ///< of the surface, in own space
};
/// Its motion during a step.
struct LevelSetMotion {
    floe_transform_key now{};   ///< own space to world at the start of the step
    floe_transform_key later{}; ///< at the end of the step
    double timeStep = 1;        ///< time between the two [s]
    double share = 0;           ///< elapsed share of the frame, 0 to 1
    double frame = 0;           ///< length T of a frame [s]
};

/// Implemented by colliders that can run on a device. A device cannot call Collider::sample, so
/// colliders without this are refused there.
class LevelSetSource {
public:
    virtual ~LevelSetSource() = default;
    virtual LevelSetShape shape() const = 0;
    /// Returns the motion set by the last Collider::moveTo.
    virtual LevelSetMotion motion() const = 0;
};

/// Evaluates a level set that moves rigidly, and may change shape, one point after another.
///
/// While the shape changes, distance is interpolated along the surface's path (phi = (1 - s) phi0(x
/// - s T u) + s phi1(x + (1 - s) T u), s the elapsed share of the frame, T the frame's length, u
/// the surface's velocity), so that a moving surface neither fades nor doubles.
///
/// @tparam Grids  reads the grids at places in own space:
///     bool deforms() const                       whether there is a next shape
///     double distance(place), nextDistance(place)
///     Vec3d gradient(place), nextGradient(place) of the places that distances were last read at
///     Vec3d velocity(place)                      0 where there is none
template <class Grids>
class LevelSetReader {
public:
    double distance = 0; ///< of the point, in own space

    /// @param motion  must outlive this
    FLOE_HD LevelSetReader(Grids grids, const LevelSetMotion& motion)
        : grids_(grids), motion_(motion)
    {}

    FLOE_HD void read(const Vec3d& world)
    {
        const double share = motion_.share, frame = motion_.frame;
        world_ = world;
        own_ = toOwn(motion_.now, world);
        flow_ = grids_.velocity(own_);
        from_ = to_ = own_;
        if (grids_.deforms()) {
            from_ = own_ - share * frame * flow_;
            to_ = own_ + (1 - share) * frame * flow_;
        }
        distance = grids_.distance(from_);
        if (grids_.deforms())
            distance = (1 - share) * distance + share * grids_.nextDistance(to_);
    }
    FLOE_HD const Vec3d& own() const { return own_; }

    /// Unit outward normal in the world at the point last read; 0 where distance is constant.
    FLOE_HD Vec3d normal()
    {
        const double share = motion_.share;
        Vec3d n = grids_.gradient(from_);
        if (grids_.deforms())
            n = (1 - share) * n + share * grids_.nextGradient(to_);
        n = rotate(motion_.now.rotation, n);
        const double length = lengthOf(n);
        if (!(length > 0.05))
            return {0, 0, 0};
        return {n.x / length, n.y / length, n.z / length};
    }
    /// Velocity of the collider at the point last read [m/s].
    FLOE_HD Vec3d velocity() const
    {
        Vec3d v = rotate(motion_.now.rotation, motion_.now.scale * flow_);
        if (!samePose(motion_.now, motion_.later)) {
            const Vec3d way = toWorld(motion_.later, own_) - world_;
            v = v +
                Vec3d{way.x / motion_.timeStep, way.y / motion_.timeStep, way.z / motion_.timeStep};
        }
        return v;
    }
    /// Evaluates distance, normal and velocity.
    FLOE_HD SurfacePoint at(const Vec3d& world)
    {
        read(world);
        SurfacePoint point{static_cast<float>(motion_.now.scale * distance), {0, 0, 0}, {0, 0, 0}};
        if (distance <= 0) {
            const Vec3d n = normal(), v = velocity();
            point.normal = {static_cast<float>(n.x), static_cast<float>(n.y),
                            static_cast<float>(n.z)};
            point.v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
        }
        return point;
    }

private:
    static FLOE_HD double lengthOf(const Vec3d& a)
    {
#if defined(__CUDA_ARCH__)
        return norm3d(a.x, a.y, a.z);
#else
        return std::hypot(a.x, a.y, a.z);
#endif
    }

    Grids grids_;
    const LevelSetMotion& motion_;
    Vec3d world_, own_, from_, to_, flow_;
};

} // namespace floe::sdk::world
