/// Solid obstacles, queried for the nodes or particles of one block at a time.
#pragma once

#include "floe/sdk/grid/block.hpp"
#include "floe/sdk/world/contact.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace floe::sdk::world {

/// Points in or near one block, component by component. Positions are offsets [m] from a corner in
/// double precision, so that no precision is lost far from the world's origin.
struct PointBatch {
    static constexpr int kMax = grid::kBlockNodes;
    int count = 0;
    Vec3d corner;                 ///< world [m]
    alignas(64) float x[3][kMax]; ///< offset from the corner [m]
    alignas(64) float v[3][kMax]; ///< velocity [m/s]
    alignas(64) float mass[kMax]; ///< [kg]; 0: an empty node, whose velocity does not matter
    /// Samples of points at most so far outside a collider have a normal and a velocity, too [m].
    float margin = 0;

    Vec3f offset(int i) const { return {x[0][i], x[1][i], x[2][i]}; }
    Vec3f velocity(int i) const { return {v[0][i], v[1][i], v[2][i]}; }
    void setVelocity(int i, const Vec3f& value)
    {
        v[0][i] = value.x;
        v[1][i] = value.y;
        v[2][i] = value.z;
    }
};

/// Answer of a collider for a batch of points; see SurfacePoint.
struct ColliderSample {
    alignas(64) float distance[PointBatch::kMax];  ///< signed, negative inside [m]
    alignas(64) float normal[3][PointBatch::kMax]; ///< unit, outwards; 0 deep inside
    alignas(64) float v[3][PointBatch::kMax];      ///< velocity of the collider there [m/s]

    SurfacePoint at(int i) const
    {
        return {
            distance[i], {normal[0][i], normal[1][i], normal[2][i]}, {v[0][i], v[1][i], v[2][i]}};
    }
    void set(int i, const SurfacePoint& point)
    {
        distance[i] = point.distance;
        for (int axis = 0; axis < 3; ++axis) {
            normal[axis][i] = point.normal[axis];
            v[axis][i] = point.v[axis];
        }
    }
};

/// A solid obstacle. No other call may overlap `moveTo`; the rest may be called from many threads.
class Collider {
public:
    Collider() = default;
    Collider(const Collider&) = delete;
    Collider& operator=(const Collider&) = delete;
    virtual ~Collider() = default;
    const std::uint64_t id = nextId(); ///< never used by another collider of this library
    /// Sets the pose and velocity of the step from `time` to `time + dt`.
    virtual void moveTo(double time, double dt) = 0;
    /// Returns false only when no point of the ball is inside the collider: a cheap test per block.
    virtual bool mayTouch(const Vec3d& center, double radius) const = 0;
    /// Samples the points. Those without mass may be skipped (distance > 0, the rest undefined).
    virtual void sample(const PointBatch& points, ColliderSample& out) const = 0;
    /// Returns whether it is a surface without an inside, whose samples find nothing
    /// (surface_collider.hpp).
    virtual bool isThin() const { return false; }
    /// Returns whether it never moves nor changes its shape, so that its samples may be cached.
    virtual bool rests() const { return false; }
    /// Bound of its points' speed in this step [m/s]; 0: at rest, infinity: unknown.
    virtual double topSpeed() const { return 0; }
    /// Sets speed[i] [m/s] to its speed for points at most `reach` [m] outside it, else 0.
    virtual void speedNear(const PointBatch& points, double reach, float* speed) const
    {
        (void)reach;
        std::fill_n(speed, points.count, 0.0f);
    }

    Contact contact = Contact::separate;
    float friction = 0; ///< Coulomb's coefficient, >= 0; for `separate`
    ParticleContact particles = ParticleContact::none;

private:
    static std::uint64_t nextId()
    {
        static std::atomic<std::uint64_t> last = 0;
        return ++last;
    }
};

/// Applies a collider to the velocities of nodes inside it.
inline void applyContact(const ColliderSample& sample, Contact contact, float friction,
                         PointBatch& nodes)
{
    for (int i = 0; i < nodes.count; ++i)
        if (!(sample.distance[i] > 0))
            nodes.setVelocity(i,
                              contactVelocity(nodes.velocity(i), sample.at(i), contact, friction));
}

} // namespace floe::sdk::world
