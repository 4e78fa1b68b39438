/// What MpmStep measures on every device: a cube of one material, 8 particles a cell, that turns
/// and shears, in whole steps.
#pragma once

#include "scene.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>

#include <random>
#include <string>

namespace floe::mpm {

inline constexpr double kEdge = 1; ///< of the cube [m]

inline constexpr const char* kLaws[] = {
    "fixedCorotated", "neoHookean",  "hencky",   "liquid",          "snow",
    "druckerPrager",  "mohrCoulomb", "vonMises", "herschelBulkley", "camClay"};

/// A law with the parameters it has by itself; Mohr and Coulomb's is that of Drucker and Prager
/// with a `coulombShare` of one.
inline auto cubeMaterial(const std::string& law)
{
    return law == "mohrCoulomb" ? material("druckerPrager", 1000, {{"coulombShare", 1}})
                                : material(law.c_str(), 1000);
}

enum class Order {
    fresh,
    mixed,   ///< after particles have left the blocks they began in
    shuffled ///< given in random order ten steps ago
};

/// Steps before the ones that are measured.
inline int stepsBefore(Order order)
{
    return order == Order::mixed ? 200 : order == Order::shuffled ? 10 : 3;
}

/// Swirls that shear and turn the cube without leaving it.
inline Vec3d velocityAt(Vec3d p)
{
    return {2 * p.y + std::sin(9 * p.z), -2 * p.x + std::cos(7 * p.x), std::sin(5 * p.y)};
}

inline Lattice cubeOf(int cells, Order order)
{
    Lattice cube({0, 0, 0}, {kEdge, kEdge, kEdge}, kEdge / cells);
    const std::size_t count = cube.count();
    std::vector<std::size_t> from(count);
    std::iota(from.begin(), from.end(), std::size_t{0});
    if (order == Order::shuffled)
        std::shuffle(from.begin(), from.end(), std::mt19937(7));
    const std::vector<float> x = cube.x;
    for (std::size_t i = 0; i < count; ++i) {
        const float* p = &x[3 * from[i]];
        const Vec3d v = velocityAt({p[0], p[1], p[2]});
        for (int axis = 0; axis < 3; ++axis) {
            cube.x[3 * i + static_cast<std::size_t>(axis)] = p[axis];
            cube.v[3 * i + static_cast<std::size_t>(axis)] = static_cast<float>(v[axis]);
        }
    }
    return cube;
}

/// The counters that all devices have.
inline void count(benchmark::State& state, const StepStatistics& s, std::size_t particles,
                  double seconds, std::size_t bytes)
{
    const auto n = static_cast<double>(particles);
    const double each = 1e9 / (n * s.steps);
    state.counters["particle_steps_per_second"] =
        n * static_cast<double>(state.iterations()) / seconds;
    state.counters["bytes_per_particle"] = static_cast<double>(bytes) / n;
    state.counters["transfer_ns"] = s.transferSeconds * each;
    state.counters["grid_ns"] = s.gridSeconds * each;
    state.counters["redone"] = s.redone;
}

} // namespace floe::mpm
