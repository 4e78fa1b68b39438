/// A collider that is a half space.
#pragma once

#include "scene.hpp"

namespace floe::mpm {

/// The half space below a plane.
class Plane final : public Collider {
public:
    /// @param height  of the plane above the origin, along the normal [m]
    explicit Plane(Vec3d normal, double height = 0)
        : normal_(normal), height_(height), shift_(height)
    {}
    void moveTo(double time, double) override { shift_ = height_ + time * speed; }
    bool rests() const override { return speed == 0; }
    bool mayTouch(const Vec3d& center, double radius) const override
    {
        return floe::physics::dot(normal_, center) - shift_ <= radius;
    }
    void sample(const PointBatch& points, ColliderSample& out) const override
    {
        const double corner = floe::physics::dot(normal_, points.corner) - shift_;
        for (int i = 0; i < points.count; ++i) {
            double d = corner;
            for (int axis = 0; axis < 3; ++axis) {
                d += normal_[axis] * points.x[axis][i];
                out.normal[axis][i] = static_cast<float>(normal_[axis]);
                out.v[axis][i] = static_cast<float>(speed * normal_[axis]);
            }
            out.distance[i] = static_cast<float>(d);
        }
    }
    double speed = 0; ///< along the normal [m/s]

private:
    Vec3d normal_;
    double height_, shift_;
};

} // namespace floe::mpm
