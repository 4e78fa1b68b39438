/// Wind, attractor and field force at a point, from one source for the CPU and CUDA threads.
#pragma once

#include "floe/sdk/world/contact.hpp"

#include <cmath>
#include <cstdint>

namespace floe::sdk::world {

enum class ForceKind : std::int32_t { wind, attractor, field };

/// The numbers of a force of Floe's own. A wind and a field force may read a grid of vectors.
struct ForceRule {
    ForceKind kind = ForceKind::wind;
    std::uint32_t seed = 0; ///< of the wind's noise
    double strength = 0;    ///< wind: [1/s]; attractor: at its radius [m/s^2]; field: a factor
    Vec3d vector{0, 0, 0};  ///< wind: velocity [m/s]; attractor: its centre [m]
    double turbulence = 0;  ///< wind: velocity of gusts [m/s]
    double frequency = 0;   ///< wind: of gusts [1/m]
    double radius = 1;      ///< attractor [m]
    double falloff = 0;     ///< attractor: a = strength (radius / r)^falloff
};

namespace force_detail {

FLOE_HD double cornerNoise(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t seed)
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
FLOE_HD double noise(const Vec3d& p, std::uint32_t seed)
{
    std::int64_t base[3];
    double t[3];
    for (int axis = 0; axis < 3; ++axis) {
        const double low = ::floor(::fmin(::fmax(p[axis], -1e15), 1e15));
        base[axis] = static_cast<std::int64_t>(low);
        const double u = p[axis] - low;
        t[axis] = u * u * u * (u * (u * 6 - 15) + 10);
    }
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        const int dx = n >> 2, dy = n >> 1 & 1, dz = n & 1;
        sum += (dx ? t[0] : 1 - t[0]) * (dy ? t[1] : 1 - t[1]) * (dz ? t[2] : 1 - t[2]) *
               cornerNoise(base[0] + dx, base[1] + dy, base[2] + dz, seed);
    }
    return sum;
}

/// Pulls towards the velocity of the air: v' = v + (w - v) k dt / (1 + k dt), stable for any k dt.
FLOE_HD Vec3f afterWind(const ForceRule& rule, const Vec3d& at, Vec3f v, const Vec3d& blown,
                        double time, double dt)
{
    const double share = rule.strength * dt / (1 + rule.strength * dt);
    Vec3d air = rule.vector + blown;
    if (rule.turbulence > 0) {
        Vec3d p;
        for (int axis = 0; axis < 3; ++axis) // gusts travel with the wind
            p[axis] = (at[axis] - rule.vector[axis] * time) * rule.frequency;
        for (int axis = 0; axis < 3; ++axis)
            air[axis] += rule.turbulence * noise(p, rule.seed + static_cast<std::uint32_t>(axis));
    }
    for (int axis = 0; axis < 3; ++axis)
        v[axis] += static_cast<float>(share * (air[axis] - v[axis]));
    return v;
}

/// Pulls towards the centre, constant within a tenth of the radius.
FLOE_HD Vec3f afterAttractor(const ForceRule& rule, const Vec3d& at, Vec3f v, double dt)
{
    const Vec3d to = rule.vector - at;
    const double r = ::fmax(physics::length(to), 0.1 * rule.radius);
    const double pull = rule.strength * ::pow(rule.radius / r, rule.falloff) / r * dt;
    for (int axis = 0; axis < 3; ++axis)
        v[axis] += static_cast<float>(pull * to[axis]);
    return v;
}

} // namespace force_detail

/// Returns a velocity after the force has acted from `time` to `time + dt`.
/// @param at     where [m]
/// @param field  what its field says there; zero where it has none
FLOE_HD Vec3f velocityAfter(const ForceRule& rule, const Vec3d& at, Vec3f v, const Vec3d& field,
                            double time, double dt)
{
    switch (rule.kind) {
    case ForceKind::wind:
        return force_detail::afterWind(rule, at, v, field, time, dt);
    case ForceKind::attractor:
        return force_detail::afterAttractor(rule, at, v, dt);
    case ForceKind::field:
        for (int axis = 0; axis < 3; ++axis)
            v[axis] += static_cast<float>(rule.strength * field[axis] * dt);
        return v;
    }
    return v;
}

} // namespace floe::sdk::world
