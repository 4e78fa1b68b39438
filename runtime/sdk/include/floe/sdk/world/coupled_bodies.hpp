/// Bodies of another solver that move by the momentum they stop (floe/sdk/coupling.h).
#pragma once

#include "floe/sdk/coupling.h"
#include "floe/sdk/world/collider.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace floe::sdk::world {

/// The other solver has failed; its message has been given to the context.
class CouplingFailed : public std::runtime_error {
public:
    explicit CouplingFailed(floe_status status)
        : std::runtime_error("the bodies' solver failed"), status_(status)
    {}
    floe_status status() const { return status_; }

private:
    floe_status status_;
};

/// All bodies of a record "floe.coupling" as one collider. Between moveTo() and endStep() they lie
/// where the step begins and have the velocities of its end, which contact may change.
///
/// One thread at a time, apart from the const functions.
class CoupledBodies final : public Collider {
public:
    /// A body's velocity at the step's end.
    struct Motion {
        Vec3d velocity, spin; ///< [m/s], [rad/s]
    };

    /// @param table, self    the interface; must outlive this
    /// @param context        of the calling node: for loops and messages; null in tests
    /// @param owner          what distinguishes the caller from other solvers
    /// @param frameSeconds   simulated time from one frame to the next [s]
    /// @throws CouplingFailed
    CoupledBodies(const floe_coupling_interface* table, void* self, const floe_context* context,
                  const void* owner, double frameSeconds)
        : table_(table), self_(self), context_(context)
    {
        require(table->attach(self, context, owner, frameSeconds));
        contact = Contact::separate;
    }

    /// @throws CouplingFailed
    void moveTo(double, double dt) override
    {
        const floe_coupling_body* bodies = nullptr;
        std::uint32_t count = 0;
        require(table_->begin(self_, context_, dt, &bodies, &count));
        bodies_ = {bodies, count};
        motion_.resize(count);
        for (std::size_t b = 0; b < count; ++b)
            motion_[b] = {vectorOf(bodies[b].velocity), vectorOf(bodies[b].spin)};
    }

    std::span<const floe_coupling_body> bodies() const { return bodies_; }
    const Motion& motion(std::size_t body) const { return motion_[body]; }
    /// Sets the velocities that matter in contact sees.
    void setMotion(std::size_t body, const Motion& motion) { motion_[body] = motion; }
    static Vec3d vectorOf(const double* a) { return {a[0], a[1], a[2]}; }

    /// @throws CouplingFailed
    void endStep(std::span<const floe_coupling_push> pushes)
    {
        require(table_->end(self_, context_, pushes.data()));
    }

    bool mayTouch(const Vec3d& center, double radius) const override
    {
        return std::any_of(bodies_.begin(), bodies_.end(),
                           [&](const auto& body) { return isNear(body, center, radius); });
    }

    /// As sample(), and which body each point is nearest to.
    /// @param reach    beyond this outside a body a distance may be too large [m]
    /// @param numbers  one a point; not set where no body is within reach
    void sample(const PointBatch& points, double reach, ColliderSample& out,
                std::uint32_t* numbers) const
    {
        std::fill_n(out.distance, points.count, kFar);
        Vec3d low = points.corner, high = low;
        for (int i = 0; i < points.count; ++i)
            for (int axis = 0; axis < 3; ++axis) {
                const double at = points.corner[axis] + points.x[axis][i];
                low[axis] = std::min(low[axis], at);
                high[axis] = std::max(high[axis], at);
            }
        const Vec3d middle = 0.5 * (low + high);
        const double radius = 0.5 * physics::length(high - low);
        for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
            if (!isNear(bodies_[b], middle, radius + reach))
                continue;
            float x[3 * PointBatch::kMax], distance[PointBatch::kMax];
            float normal[3 * PointBatch::kMax];
            int which[PointBatch::kMax], count = 0;
            const Vec3d offset = points.corner - vectorOf(bodies_[b].center);
            for (int i = 0; i < points.count; ++i) {
                if (points.mass[i] <= 0) // the velocity of an empty node does not matter
                    continue;
                for (int axis = 0; axis < 3; ++axis)
                    x[3 * count + axis] = static_cast<float>(offset[axis] + points.x[axis][i]);
                which[count++] = i;
            }
            table_->distances(self_, b, static_cast<std::uint32_t>(count), x, distance, normal);
            for (int k = 0; k < count; ++k) {
                const int i = which[k];
                if (!(distance[k] < out.distance[i]))
                    continue;
                numbers[i] = b;
                const Vec3d arm{x[3 * k], x[3 * k + 1], x[3 * k + 2]};
                out.set(i, {distance[k],
                            {normal[3 * k], normal[3 * k + 1], normal[3 * k + 2]},
                            velocityAt(b, arm)});
            }
        }
    }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        std::uint32_t numbers[PointBatch::kMax];
        sample(points, 0, out, numbers);
    }

    /// @param arm  from the body's centre [m]
    Vec3f velocityAt(std::size_t body, const Vec3d& arm) const
    {
        const Vec3d v = motion_[body].velocity + physics::cross(motion_[body].spin, arm);
        return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
    }

    double topSpeed() const override
    {
        double top = 0;
        for (std::size_t b = 0; b < bodies_.size(); ++b)
            top = std::max(top, physics::length(motion_[b].velocity) +
                                    bodies_[b].reach * physics::length(motion_[b].spin));
        return bodies_.empty() ? 0 : std::max(top, kLeastSpeed);
    }
    void speedNear(const PointBatch& points, double reach, float* speed) const override
    {
        PointBatch all = points;
        std::fill_n(all.mass, all.count, 1.0f);
        ColliderSample near;
        std::uint32_t numbers[PointBatch::kMax];
        sample(all, reach, near, numbers);
        for (int i = 0; i < points.count; ++i)
            speed[i] = near.distance[i] <= reach ? std::max(static_cast<float>(kLeastSpeed),
                                                            physics::length(near.at(i).v))
                                                 : 0;
    }

private:
    static constexpr float kFar = 1e30f;
    static constexpr double kLeastSpeed = 1e-3; ///< of bodies at rest, which may move next [m/s]

    static bool isNear(const floe_coupling_body& body, const Vec3d& center, double radius)
    {
        const Vec3d way = center - vectorOf(body.center);
        const double reach = body.reach + radius;
        return physics::dot(way, way) <= reach * reach;
    }
    static void require(floe_status status)
    {
        if (status != FLOE_OK)
            throw CouplingFailed(status);
    }

    const floe_coupling_interface* table_;
    void* self_;
    const floe_context* context_;
    std::span<const floe_coupling_body> bodies_;
    std::vector<Motion> motion_;
};

} // namespace floe::sdk::world
