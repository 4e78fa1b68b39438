#pragma once

#include <floe/sdk/physics/lane.hpp>
#include <floe/sdk/physics/vec.hpp>
#include <floe/sdk/records.h>

/// A vortex about an axis: matter is pushed around it, and held on its circle.
///
/// Rankine's profile: the speed that it drives towards grows like a rigid body's up to `radius`,
/// and falls as 1 / r beyond. Acceleration:
///
///     a = rate (u(r) e - v_t) - v_t^2 / r outward,    u = speed min(r / R, R / r)
///
/// with e the direction around the axis and v_t the velocity along it.
struct Vortex {
    float center[3]; ///< a point of the axis, from the world's origin [m]
    float axis[3];   ///< unit; turns right-handed about it
    float speed;     ///< at `radius` [m/s]
    float radius;    ///< [m], above 0
    float rate;      ///< how fast matter takes the vortex's speed [1/s]

    /// @param at  position from the centre [m]  @param v  velocity [m/s]
    /// @return acceleration [m/s^2]
    FLOE_HD floe::physics::Vec3<float> acceleration(const floe::physics::Vec3<float>& at,
                                                    const floe::physics::Vec3<float>& v) const
    {
        using floe::physics::Vec3;
        const Vec3<float> n{axis[0], axis[1], axis[2]};
        const Vec3<float> out = at - dot(at, n) * n;
        const float r = length(out);
        if (!(r > 1e-6f * radius))
            return {0, 0, 0}; // on the axis there is no way round it
        const Vec3<float> outward = (1 / r) * out;
        const Vec3<float> around = cross(n, outward);
        const float along = dot(v, around);
        const float wanted = speed * (r < radius ? r / radius : radius / r);
        return rate * (wanted - along) * around - (along * along / r) * outward;
    }

    /// One point of a batch.
    FLOE_HD void apply(const floe_force_batch& batch, unsigned i) const
    {
        floe::physics::Vec3<float> at, v;
        for (int k = 0; k < 3; ++k) {
            at[k] = static_cast<float>(batch.corner[k] - center[k]) + batch.x[k][i];
            v[k] = batch.v[k][i];
        }
        const auto a = acceleration(at, v);
        for (int k = 0; k < 3; ++k)
            batch.acceleration[k][i] = a[k];
    }
};
