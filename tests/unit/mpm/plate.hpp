/// A moving collider for tests.
#pragma once

#include "world.hpp"

#include <floe/sdk/physics/vec.hpp>

namespace floe::mpm {

/// Falls at a constant speed and stands where it is asked to.
class Plate final : public Collider {
public:
    Plate(double height, Vec3d velocity) : height_(height), velocity_(velocity) {}

    void moveTo(double time, double) override { now_ = height_ + velocity_.y * time; }
    bool mayTouch(const Vec3d& center, double radius) const override
    {
        return center.y + radius >= now_;
    }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i) {
            out.distance[i] = static_cast<float>(now_ - (points.corner.y + points.x[1][i]));
            for (int axis = 0; axis < 3; ++axis) {
                out.normal[axis][i] = axis == 1 ? -1.0f : 0.0f;
                out.v[axis][i] = static_cast<float>(velocity_[axis]);
            }
        }
    }
    double topSpeed() const override { return physics::length(velocity_); }
    void speedNear(const PointBatch& points, double reach, float* speed) const override
    {
        for (int i = 0; i < points.count; ++i)
            speed[i] = now_ - (points.corner.y + points.x[1][i]) <= reach
                           ? static_cast<float>(topSpeed())
                           : 0.0f;
    }

private:
    double height_, now_ = 0;
    Vec3d velocity_;
};

} // namespace floe::mpm
