/// The forces of record "force" (floe/sdk/records.h), except gravity, which is one vector.
#pragma once

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/node.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/world/force.hpp"
#include "floe/sdk/world/force_rule.hpp"
#include "floe/sdk/world/level_set.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
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

/// A force of Floe's own: a rule, and perhaps a grid of vectors that it reads.
class RuleForce : public Force {
public:
    /// @param field  [m/s] or [m/s^2]; without data: none
    explicit RuleForce(const ForceRule& rule, const GridView& field = {})
        : rule_(rule), grid_(field), field_(volumeOf(field))
    {}
    const ForceRule& rule() const { return rule_; }
    const GridView& field() const { return grid_; }

    void apply(PointBatch& batch, double time, float dt) const override
    {
        std::optional<VectorField::Sampler> sampler;
        if (field_.valid())
            sampler.emplace(field_.sampler());
        for (int i = 0; i < batch.count; ++i) {
            if (batch.mass[i] <= 0)
                continue;
            const Vec3d at{batch.corner.x + batch.x[0][i], batch.corner.y + batch.x[1][i],
                           batch.corner.z + batch.x[2][i]};
            std::array<double, 3> field{};
            if (sampler) {
                field = sampler->vector({at.x, at.y, at.z});
                if (!std::isfinite(field[0] + field[1] + field[2])) {
                    fail("its field is not finite at " + placeOf({at.x, at.y, at.z}));
                    continue;
                }
            }
            batch.setVelocity(i, velocityAfter(rule_, at, batch.velocity(i),
                                               {field[0], field[1], field[2]}, time, dt));
        }
    }

private:
    static floe_volume volumeOf(const GridView& grid)
    {
        floe_volume volume{};
        volume.struct_size = sizeof volume;
        volume.space = FLOE_SPACE_HOST;
        volume.grid = grid.data;
        volume.bytes = grid.bytes;
        return volume;
    }

    ForceRule rule_;
    GridView grid_;
    VectorField field_;
};

/// @param owner  of the field, for messages
/// @throws Failure  it is not a grid of vectors in host memory
inline GridView vectorsOf(const Value& field, const char* owner)
{
    const floe_volume volume = field.volume();
    if (!VectorField(volume).valid())
        throw Failure(std::string("a ") + owner + "'s field is not a grid of vectors",
                      FLOE_WRONG_KIND);
    return {volume.grid, volume.bytes, std::make_shared<Value>(field)};
}

/// Pulls towards the velocity of the air.
class Wind final : public RuleForce {
public:
    /// @param field    velocity to add [m/s], a grid of vectors; empty: none
    /// @throws Failure  `field` is something else
    Wind(Vec3d velocity, double strength, double turbulence, double frequency, double seed,
         const Value& field = {})
        : RuleForce({.kind = ForceKind::wind,
                     .seed = static_cast<std::uint32_t>(static_cast<std::int64_t>(seed)),
                     .strength = strength,
                     .vector = velocity,
                     .turbulence = turbulence,
                     .frequency = frequency},
                    field ? vectorsOf(field, "wind") : GridView{})
    {}
};

/// a = strength (radius / r)^falloff towards the centre, constant within a tenth of the radius.
class Attractor final : public RuleForce {
public:
    Attractor(Vec3d center, double strength, double radius, double falloff)
        : RuleForce({.kind = ForceKind::attractor,
                     .strength = strength,
                     .vector = center,
                     .radius = radius,
                     .falloff = falloff})
    {}
};

/// An acceleration [m/s^2] read from a grid of vectors, times `strength`.
class FieldForce final : public RuleForce {
public:
    /// @throws Failure  `field` is not a grid of vectors
    FieldForce(const Value& field, double strength)
        : RuleForce({.kind = ForceKind::field, .strength = strength}, vectorsOf(field, "force"))
    {}
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
