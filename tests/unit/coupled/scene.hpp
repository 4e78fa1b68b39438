/// Tanks, and what fills them.
#pragma once

#include "pool.hpp"

#include "step/coupled_solver.hpp"

#include <cmath>
#include <functional>

namespace floe::coupled::test {

using sdk::world::Contact;
using sdk::world::Domain;

inline constexpr double kDensity = 1000, kGravity = 9.81;

/// A box from the origin, open above.
inline Surroundings tank(double x, double y, double z, Contact contact = Contact::slip)
{
    Surroundings surroundings;
    surroundings.gravity = {0, -kGravity, 0};
    surroundings.domain.bounded = true;
    surroundings.domain.center = {0.5 * x, 0.5 * y, 0.5 * z};
    surroundings.domain.halfSize = {0.5 * x, 0.5 * y, 0.5 * z};
    surroundings.domain.faces = {contact, contact, contact, Contact::open, contact, contact};
    return surroundings;
}

/// Eight particles a cell, moved about by a fifth of their distance, where `inside` holds.
inline void fill(CoupledSolver& solver, const Vec3d& size,
                 const std::function<bool(const Vec3d&)>& inside)
{
    Numbers numbers(17);
    Fluid& fluid = solver.fluid();
    const double step = 0.5 * fluid.cellSize();
    FluidParticle particle{};
    particle.volume = static_cast<float>(step * step * step);
    particle.mass = static_cast<float>(kDensity * step * step * step);
    const auto count = [&](double length) {
        return static_cast<int>(std::lround(length / step));
    };
    for (int i = 0; i < count(size.x); ++i)
        for (int j = 0; j < count(size.y); ++j)
            for (int k = 0; k < count(size.z); ++k) {
                const auto at = [&](int n) {
                    return step * (n + 0.5 + 0.4 * (numbers.next() - 0.5));
                };
                const Vec3d place{at(i), at(j), at(k)};
                if (inside(place)) {
                    fluid.add(place, particle);
                    ++particle.id;
                }
            }
    fluid.rebin();
}
inline bool everywhere(const Vec3d&)
{
    return true;
}

template <class Matter>
Vec3d meanPlace(const Matter& matter)
{
    Vec3d sum{0, 0, 0};
    for (std::size_t b = 0; b < matter.size(); ++b)
        for (const auto& p : matter[b].particles)
            sum = sum + matter.placeOf(matter[b], p);
    return (1.0 / static_cast<double>(matter.particles())) * sum;
}

inline CoupledSettings settingsOf(double cellSize, double tolerance = 1e-5)
{
    CoupledSettings settings;
    settings.cellSize = cellSize;
    settings.limits.tolerance = tolerance;
    return settings;
}

} // namespace floe::coupled::test
