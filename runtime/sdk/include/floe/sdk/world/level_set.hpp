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
///     Vec3d gradient(place), nextGradient(place)
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

    /// Outward normal in the world at the point last read: of length 1 where the distances around
    /// it are those from a surface, another where some of them are not stored, 0 where none is.
    FLOE_HD Vec3d slope()
    {
        const double share = motion_.share;
        Vec3d n = grids_.gradient(from_);
        if (grids_.deforms())
            n = (1 - share) * n + share * grids_.nextGradient(to_);
        return rotate(motion_.now.rotation, n);
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
    /// @param margin  so far outside they are evaluated, too [m]
    FLOE_HD SurfacePoint at(const Vec3d& world, float margin = 0)
    {
        read(world);
        SurfacePoint point{static_cast<float>(motion_.now.scale * distance), {0, 0, 0}, {0, 0, 0}};
        if (point.distance <= margin) {
            constexpr double kError = 0.05; // of a slope whose direction is used
            const Vec3d v = velocity();
            Vec3d n = slope();
            if (!(std::abs(lengthOf(n) - 1) < kError))
                if (const Vec3d out = LevelSetReader(grids_, motion_).wayOut(world, point.distance);
                    lengthOf(out) > 0)
                    n = out;
            const double length = lengthOf(n);
            n = length > kError ? (1 / length) * n : Vec3d{0, 0, 0};
            point.normal = {static_cast<float>(n.x), static_cast<float>(n.y),
                            static_cast<float>(n.z)};
            point.v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
        }
        return point;
    }

private:
    /// Looks for the nearest surface from a place inside where slope() does not tell it: grids
    /// store a few voxels beside a surface only, and what touches one reaches deeper where voxels
    /// are small.
    /// @param depth  the distance stored there [m]; set to that from the surface
    /// @return the outward normal there; 0: there is none within reach
    FLOE_HD Vec3d wayOut(const Vec3d& world, float& depth)
    {
        constexpr double kNearest = 1.25, kFarthest = 10; // looks, in distances stored there
        constexpr double kCorner = 0.57735026918962576;
        constexpr int kLooks = 4, kHalvings = 8;
        const double band = -depth;
        if (!(band > 0))
            return {0, 0, 0};
        const auto distanceAt = [&](const Vec3d& at) {
            read(at);
            return motion_.now.scale * distance;
        };
        Vec3d way{0, 0, 0};
        double reach = kNearest * band;
        for (; reach <= kFarthest * band; reach *= 2) {
            for (int n = 0; n < 14; ++n) { // along axes, and to the corners of a cube
                Vec3d d{0, 0, 0};
                for (int axis = 0; axis < 3; ++axis)
                    if (n < 8)
                        d[axis] = (n >> axis & 1) ? kCorner : -kCorner;
                    else if ((n - 8) / 2 == axis)
                        d[axis] = (n & 1) ? 1 : -1;
                if (const double less = distanceAt(world + reach * d) + band; less > 1e-3 * band)
                    way = way + less * d;
            }
            if (lengthOf(way) > 1e-3 * band)
                break;
            way = {0, 0, 0};
        }
        Vec3d n{0, 0, 0};
        for (int round = 0; round < 2 && lengthOf(way) > 0; ++round) {
            way = (1 / lengthOf(way)) * way;
            double there = distanceAt(world + reach * way);
            for (int look = 0; look < kLooks && !(there > 0); ++look) {
                reach += physics::max(-there, 0.25 * band);
                there = distanceAt(world + reach * way);
            }
            if (!(there > 0))
                return n;
            double inside = 0;
            for (int k = 0; k < kHalvings; ++k) {
                const double middle = (inside + reach) / 2;
                (distanceAt(world + middle * way) > 0 ? reach : inside) = middle;
            }
            there = distanceAt(world + reach * way);
            const Vec3d found = slope();
            if (!(lengthOf(found) > 0))
                return n;
            n = (1 / lengthOf(found)) * found;
            way = reach * way - there * n; // to the surface near that place
            reach = lengthOf(way);
            depth = -static_cast<float>(reach);
        }
        return n;
    }

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
