/// The forces of record "force" (floe/sdk/records.h), except gravity, which is one vector.
#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/world/force.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace floe::sdk::world {

/// Pulls towards the velocity of the air: v' = v + (w - v) k dt / (1 + k dt), stable for any k dt.
class Wind final : public Force {
public:
    Wind(Vec3d velocity, double strength, double turbulence, double frequency, double seed)
        : velocity_(velocity), strength_(strength), turbulence_(turbulence), frequency_(frequency),
          seed_(static_cast<std::uint32_t>(static_cast<std::int64_t>(seed)))
    {}

    void apply(PointBatch& batch, double time, float dt) const override
    {
        const double share = strength_ * dt / (1 + strength_ * dt);
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            Vec3d air = velocity_;
            if (turbulence_ > 0) {
                Vec3d p;
                for (int axis = 0; axis < 3; ++axis) // gusts travel with the wind
                    p[axis] = (batch.corner[axis] + batch.x[axis][i] - velocity_[axis] * time) *
                              frequency_;
                for (int axis = 0; axis < 3; ++axis)
                    air[axis] += turbulence_ * noise(p, seed_ + static_cast<std::uint32_t>(axis));
            }
            for (int axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(share * (air[axis] - batch.v[axis][i]));
        }
    }

private:
    static double corner(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t seed)
    {
        std::uint64_t k = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15ull ^
                          static_cast<std::uint64_t>(y) * 0xc2b2ae3d27d4eb4full ^
                          static_cast<std::uint64_t>(z) * 0x165667b19e3779f9ull ^
                          std::uint64_t{seed} * 0xff51afd7ed558ccdull;
        k ^= k >> 33;
        k *= 0xff51afd7ed558ccdull;
        k ^= k >> 33;
        k *= 0xc4ceb9fe1a85ec53ull;
        k ^= k >> 33;
        return static_cast<double>(k >> 11) * 0x1p-52 - 1; // -1 to 1
    }
    /// Value noise with Perlin's fade curve, -1 to 1.
    static double noise(const Vec3d& p, std::uint32_t seed)
    {
        std::int64_t base[3];
        double t[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double low = std::floor(std::clamp(p[axis], -1e15, 1e15));
            base[axis] = static_cast<std::int64_t>(low);
            const double u = p[axis] - low;
            t[axis] = u * u * u * (u * (u * 6 - 15) + 10);
        }
        double sum = 0;
        for (int n = 0; n < 8; ++n) {
            const int dx = n >> 2, dy = n >> 1 & 1, dz = n & 1;
            sum += (dx ? t[0] : 1 - t[0]) * (dy ? t[1] : 1 - t[1]) * (dz ? t[2] : 1 - t[2]) *
                   corner(base[0] + dx, base[1] + dy, base[2] + dz, seed);
        }
        return sum;
    }

    Vec3d velocity_;
    double strength_, turbulence_, frequency_;
    std::uint32_t seed_;
};

/// a = strength (radius / r)^falloff towards the centre, constant within a tenth of the radius.
class Attractor final : public Force {
public:
    Attractor(Vec3d center, double strength, double radius, double falloff)
        : center_(center), strength_(strength), radius_(radius), falloff_(falloff)
    {}

    void apply(PointBatch& batch, double, float dt) const override
    {
        for (int i = 0; i < batch.count; ++i) {
            const Vec3d at{batch.corner.x + batch.x[0][i], batch.corner.y + batch.x[1][i],
                           batch.corner.z + batch.x[2][i]};
            const Vec3d to = center_ - at;
            const double r = std::max(physics::length(to), 0.1 * radius_);
            const double pull = strength_ * std::pow(radius_ / r, falloff_) / r * dt;
            for (int axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(pull * to[axis]);
        }
    }

private:
    Vec3d center_;
    double strength_, radius_, falloff_;
};

/// An acceleration [m/s^2] read from a grid of vectors, times `strength`.
class FieldForce final : public Force {
public:
    /// @throws Failure  `field` is not a grid of vectors
    FieldForce(const Value& field, double strength)
        : value_(field), field_(field.volume()), strength_(strength)
    {
        if (!field_.valid())
            throw Failure("a force's field is not a grid of vectors", FLOE_WRONG_KIND);
    }

    void apply(PointBatch& batch, double, float dt) const override
    {
        const auto sampler = field_.sampler();
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            const std::array<double, 3> a =
                sampler.vector({batch.corner.x + batch.x[0][i], batch.corner.y + batch.x[1][i],
                                batch.corner.z + batch.x[2][i]});
            for (std::size_t axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(strength_ * a[axis] * dt);
        }
    }

private:
    Value value_;
    VectorField field_;
    double strength_;
};

} // namespace floe::sdk::world
