/// The forces of record "force" (floe/sdk/records.h), except gravity, which is one vector.
#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/world/force.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>

namespace floe::sdk::world {

/// "(1, 2.5, 0) m"
inline std::string placeOf(const std::array<double, 3>& at)
{
    char text[96];
    std::snprintf(text, sizeof text, "(%.4g, %.4g, %.4g) m", at[0], at[1], at[2]);
    return text;
}

/// Pulls towards the velocity of the air: v' = v + (w - v) k dt / (1 + k dt), stable for any k dt.
class Wind final : public Force {
public:
    /// @param field    velocity to add [m/s], a grid of vectors; empty: none
    /// @throws Failure  `field` is something else
    Wind(Vec3d velocity, double strength, double turbulence, double frequency, double seed,
         const Value& field = {})
        : velocity_(velocity), strength_(strength), turbulence_(turbulence), frequency_(frequency),
          seed_(static_cast<std::uint32_t>(static_cast<std::int64_t>(seed))), value_(field),
          field_(field ? field.volume() : floe_volume{})
    {
        if (field && !field_.valid())
            throw Failure("a wind's field is not a grid of vectors", FLOE_WRONG_KIND);
    }

    void apply(PointBatch& batch, double time, float dt) const override
    {
        const double share = strength_ * dt / (1 + strength_ * dt);
        std::optional<VectorField::Sampler> sampler;
        if (field_.valid())
            sampler.emplace(field_.sampler());
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            Vec3d air = velocity_;
            if (sampler) {
                const std::array<double, 3> at{batch.corner.x + batch.x[0][i],
                                               batch.corner.y + batch.x[1][i],
                                               batch.corner.z + batch.x[2][i]};
                const std::array<double, 3> blown = sampler->vector(at);
                if (!std::isfinite(blown[0] + blown[1] + blown[2])) {
                    fail("its field is not finite at " + placeOf(at));
                    continue;
                }
                air = air + Vec3d{blown[0], blown[1], blown[2]};
            }
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
    Value value_; // keeps the field
    VectorField field_;
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
            const std::array<double, 3> at{batch.corner.x + batch.x[0][i],
                                           batch.corner.y + batch.x[1][i],
                                           batch.corner.z + batch.x[2][i]};
            const std::array<double, 3> a = sampler.vector(at);
            if (!std::isfinite(a[0] + a[1] + a[2])) {
                fail("its field is not finite at " + placeOf(at));
                continue;
            }
            for (std::size_t axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += static_cast<float>(strength_ * a[axis] * dt);
        }
    }

private:
    Value value_;
    VectorField field_;
    double strength_;
};

/// The host's memory as a device, for interfaces that are asked there.
inline const floe_device& hostDevice()
{
    static const floe_device device = [] {
        floe_device host{};
        host.struct_size = sizeof host;
        host.kind = FLOE_DEVICE_CPU;
        host.allocate = [](const floe_device*, uint64_t bytes, void** memory) -> floe_status {
            constexpr uint64_t kAlignment = 64;
            if (bytes > UINT64_MAX - kAlignment)
                return FLOE_OUT_OF_MEMORY;
            *memory =
                std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
            return *memory || bytes == 0 ? FLOE_OK : FLOE_OUT_OF_MEMORY;
        };
        host.release = [](const floe_device*, void* memory) {
            std::free(memory);
        };
        host.copy = [](const floe_device*, void* to, const void* from, uint64_t bytes,
                       int32_t) -> floe_status {
            if (bytes > 0)
                std::memcpy(to, from, bytes);
            return FLOE_OK;
        };
        host.synchronise = [](const floe_device*) -> floe_status {
            return FLOE_OK;
        };
        return host;
    }();
    return device;
}

/// A force of another plugin (FLOE_FORCE_INTERFACE).
class CustomForce final : public Force {
public:
    /// @throws Failure  `model` is no such interface
    explicit CustomForce(const Value& model) : value_(model)
    {
        std::tie(table_, object_) = model.interface<floe_force_interface>(FLOE_FORCE_INTERFACE);
    }

    void apply(PointBatch& batch, double time, float dt) const override
    {
        constexpr int kLanes = 16;
        const int count = (batch.count + kLanes - 1) / kLanes * kLanes; // at most PointBatch::kMax
        alignas(64) float v[3][PointBatch::kMax], acceleration[3][PointBatch::kMax];
        floe_force_batch asked{};
        asked.struct_size = sizeof asked;
        asked.count = static_cast<uint32_t>(count);
        asked.time = time;
        for (int axis = 0; axis < 3; ++axis) {
            for (int i = batch.count; i < count; ++i)
                batch.x[axis][i] = 0;
            for (int i = 0; i < count; ++i)
                v[axis][i] = i < batch.count && batch.mass[i] > 0 ? batch.v[axis][i] : 0;
            asked.corner[axis] = batch.corner[axis];
            asked.x[axis] = batch.x[axis];
            asked.v[axis] = v[axis];
            asked.acceleration[axis] = acceleration[axis];
        }
        if (table_->accelerate(object_, &hostDevice(), &asked) != FLOE_OK) {
            fail("its function accelerate failed");
            return;
        }
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            if (!std::isfinite(acceleration[0][i] + acceleration[1][i] + acceleration[2][i])) {
                fail("its acceleration is not finite at " +
                     placeOf({batch.corner.x + batch.x[0][i], batch.corner.y + batch.x[1][i],
                              batch.corner.z + batch.x[2][i]}));
                continue;
            }
            for (int axis = 0; axis < 3; ++axis)
                batch.v[axis][i] += acceleration[axis][i] * dt;
        }
    }

private:
    Value value_; // keeps the table
    const floe_force_interface* table_ = nullptr;
    void* object_ = nullptr;
};

/// @throws Failure  something went wrong in one of them: "its force 2: ...", counted from 1
template <class Forces>
void requireNoFault(const Forces& forces)
{
    std::size_t number = 0;
    for (const auto& force : forces) {
        ++number;
        if (const std::string fault = force->fault(); !fault.empty())
            throw Failure("force " + std::to_string(number) +
                              " of those that are not gravity: " + fault,
                          FLOE_FAILED);
    }
}

} // namespace floe::sdk::world
