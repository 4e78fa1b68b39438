/// Bodies with nodes of their own, and what is seen of each.
#pragma once

#include "scene.hpp"

#include <cmath>
#include <vector>

namespace floe::mpm {

inline constexpr double kCell = 0.05;

inline SolverSettings meeting()
{
    SolverSettings s;
    s.cellSize = kCell;
    s.gravity = {0, 0, 0};
    s.bodiesMeet = true;
    return s;
}

inline SolverMaterial rubber(double damping = 0)
{
    return material("fixedCorotated", 1000, {{"youngModulus", 1e6}, {"damping", damping}});
}

/// A snapshot by body.
struct Bodies {
    std::vector<Vec3d> low, high, mean, velocity;

    explicit Bodies(Stepper& solver)
    {
        const std::size_t n = solver.particleCount(), bodies = solver.materials().size();
        std::vector<float> x(3 * n), v(3 * n);
        std::vector<std::uint32_t> body(n);
        Snapshot to;
        to.x = x.data();
        to.v = v.data();
        to.material = body.data();
        solver.snapshot(to);
        low.assign(bodies, {1e9, 1e9, 1e9});
        high.assign(bodies, {-1e9, -1e9, -1e9});
        mean.assign(bodies, {0, 0, 0});
        velocity = mean;
        std::vector<double> count(bodies);
        for (std::size_t i = 0; i < n; ++i) {
            const auto b = body[i];
            ++count[b];
            for (int axis = 0; axis < 3; ++axis) {
                const double at = x[3 * i + static_cast<std::size_t>(axis)];
                low[b][axis] = std::min(low[b][axis], at);
                high[b][axis] = std::max(high[b][axis], at);
                mean[b][axis] += at;
                velocity[b][axis] += v[3 * i + static_cast<std::size_t>(axis)];
            }
        }
        for (std::size_t b = 0; b < bodies; ++b) {
            mean[b] = (1 / count[b]) * mean[b];
            velocity[b] = (1 / count[b]) * velocity[b];
        }
    }
    /// Returns the distance between the surfaces of one body and of another above it [cells].
    double gap(std::size_t below, std::size_t above) const
    {
        return (low[above].y - high[below].y) / kCell - 0.5;
    }
};

} // namespace floe::mpm
