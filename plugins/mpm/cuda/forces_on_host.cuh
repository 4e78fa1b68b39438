#pragma once

/// Steps whose forces only the host can evaluate.

#include "core.cuh"
#include "world.cuh"

#include <algorithm>
#include <cmath>
#include <limits>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Fills a batch with the nodes of a block; those behind mirrors have no mass.
inline void fillBatch(const Core::HostNodes& nodes, std::size_t block, const MirrorWalls& mirror,
                      double dx, PointBatch& batch)
{
    const sdk::grid::Block<const NodeVelocities> v(nodes.velocity.data(), block);
    const std::int32_t* c = &nodes.coordinate[3 * block];
    const double edge = dx * kBlockEdge;
    batch.count = kBlockNodes;
    batch.corner = {c[0] * edge, c[1] * edge, c[2] * edge};
    for (int n = 0; n < kBlockNodes; ++n) {
        const int index[3] = {n / 16, n / 4 % 4, n % 4};
        for (int axis = 0; axis < 3; ++axis) {
            batch.x[axis][n] = static_cast<float>(index[axis] * dx);
            batch.v[axis][n] = v.at<Velocity>(n, axis);
        }
        const bool behind = mirror.any() && mirror.isBehind(c, index[0], index[1], index[2]);
        batch.mass[n] = behind ? 0 : nodes.mass[block * kBlockNodes + std::size_t(n)];
    }
}

/// Asks the forces on the host where matter is, so that the one which failed on the device says
/// why.
inline void askForcesOnHost(const Surroundings& surroundings, const MirrorWalls& mirror, Core& core,
                            double time, double dt, double dx)
{
    const Core::HostNodes nodes = core.downloadNodes();
    PointBatch batch;
    for (std::size_t b = 0; b < nodes.coordinate.size() / 3; ++b) {
        fillBatch(nodes, b, mirror, dx, batch);
        surroundings.applyForcesTo(batch, time, dt);
    }
}

/// Applies forces, colliders and walls on the host to the nodes of the last updateNodes().
/// @return the largest velocity component [m/s]; infinite when a velocity is not a finite number
inline float applyOnHost(const Surroundings& surroundings, const MirrorWalls& mirror, Core& core,
                         double time, double dt, double dx)
{
    const double negligible = kNegligible * std::bit_cast<float>(core.found().minMass);
    Core::HostNodes nodes = core.downloadNodes();
    float largest = 0;
    PointBatch batch;
    for (std::size_t b = 0; b < nodes.coordinate.size() / 3; ++b) {
        const sdk::grid::Block<NodeVelocities> v(nodes.velocity.data(), b);
        fillBatch(nodes, b, mirror, dx, batch);
        surroundings.applyTo(batch, time, dt, dx);
        for (int n = 0; mirror.any() && n < kBlockNodes; ++n)
            batch.setVelocity(n, mirror.hold(&nodes.coordinate[3 * b], n / 16, n / 4 % 4, n % 4,
                                             batch.velocity(n)));
        for (int n = 0; n < kBlockNodes; ++n)
            for (int axis = 0; axis < 3; ++axis) {
                float& out = v.at<Velocity>(n, axis);
                out = batch.mass[n] > 0 ? batch.v[axis][n] : 0;
                if (batch.mass[n] < negligible && std::abs(out) < 3e29f)
                    continue;
                largest = std::abs(out) < 3e29f ? std::max(largest, std::abs(out))
                                                : std::numeric_limits<float>::infinity();
            }
    }
    core.uploadVelocities(nodes);
    return largest;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
