/// What happens alike to the particles of both phases: forces, walls and colliders.
#pragma once

#include "fluid/fluid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace floe::coupled {

namespace matter_detail {

/// Calls body(batch, first particle) for the particles of a bin, as many at a time as a batch
/// takes.
template <class Bin, class Body>
void forBatches(Bin& bin, const Vec3d& corner, const Body& body)
{
    using sdk::world::PointBatch;
    PointBatch batch;
    batch.corner = corner;
    for (std::size_t first = 0; first < bin.particles.size(); first += PointBatch::kMax) {
        batch.count =
            static_cast<int>(std::min<std::size_t>(PointBatch::kMax, bin.particles.size() - first));
        for (int i = 0; i < batch.count; ++i) {
            const auto& p = bin.particles[first + static_cast<std::size_t>(i)];
            batch.mass[i] = p.mass;
            batch.setVelocity(i, p.v);
            for (int axis = 0; axis < 3; ++axis)
                batch.x[axis][i] = p.x[axis];
        }
        body(batch, first);
    }
}

} // namespace matter_detail

/// Adds the effect of gravity and forces to the velocities of particles (Bins).
template <class Matter>
void applyForces(Matter& matter, const Surroundings& surroundings, double time, double dt,
                 Executor& executor)
{
    using sdk::world::PointBatch;
    executor.parallelFor(matter.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            auto& bin = matter[b];
            for (auto& p : bin.particles)
                for (int axis = 0; axis < 3; ++axis)
                    p.v[axis] += static_cast<float>(dt * surroundings.gravity[axis]);
            if (surroundings.forces.empty())
                continue;
            matter_detail::forBatches(
                bin, matter.cornerOf(bin.block), [&](PointBatch& batch, std::size_t first) {
                    for (const auto& force : surroundings.forces)
                        force->apply(batch, time, static_cast<float>(dt));
                    for (int i = 0; i < batch.count; ++i)
                        bin.particles[first + static_cast<std::size_t>(i)].v = batch.velocity(i);
                });
        }
    });
}

struct Removed {
    std::uint64_t leftDomain = 0, deletedByCollider = 0;
};

/// Pushes particles out of colliders and walls, and removes those that colliders delete or that
/// leave through open faces. Call rebin() afterwards.
/// @param dt  length of the step in which they moved [s]
template <class Matter>
Removed collide(Matter& matter, const Surroundings& surroundings, double dt, Executor& executor)
{
    using namespace sdk::world;
    std::vector<Removed> removed(matter.size());
    const Domain& domain = surroundings.domain;
    const double cell = matter.cellSize(), edge = sdk::grid::kBlockEdge * cell;
    executor.parallelFor(matter.size(), 4, [&](std::size_t begin, std::size_t end) {
        ColliderSample sample;
        for (std::size_t b = begin; b < end; ++b) {
            auto& bin = matter[b];
            const Vec3d corner = matter.cornerOf(bin.block);
            const Vec3d center = corner + Vec3d{0.5 * edge, 0.5 * edge, 0.5 * edge};
            double reach = 0;
            for (const auto& p : bin.particles)
                reach = std::max<double>(reach, physics::length(p.v));
            reach = dt * reach + 1.2 * edge;
            const sdk::world::Walls walls(domain, corner);
            const bool walled = domain.nearWall(center, reach);
            std::size_t kept = 0;
            matter_detail::forBatches(bin, corner, [&](PointBatch& batch, std::size_t first) {
                bool ends[PointBatch::kMax] = {};
                for (const auto& collider : surroundings.colliders) {
                    if (!collider->mayTouch(center, reach))
                        continue;
                    domain.sampleWithin(*collider, batch, cell, sample);
                    for (int i = 0; i < batch.count; ++i) {
                        const SurfacePoint at = sample.at(i);
                        if (at.distance > 0)
                            continue;
                        ends[i] = ends[i] || collider->particles == ParticleContact::remove;
                        batch.setVelocity(
                            i, contactVelocity(batch.velocity(i), at, Contact::separate, 0));
                        for (int axis = 0; axis < 3; ++axis)
                            batch.x[axis][i] -= at.distance * at.normal[axis];
                    }
                }
                for (int i = 0; i < batch.count; ++i) {
                    auto p = bin.particles[first + static_cast<std::size_t>(i)];
                    p.x = batch.offset(i);
                    p.v = batch.velocity(i);
                    if (walled)
                        walls.mirror(p.x, 0);
                    const bool outside = domain.bounded && domain.isOutside(corner, p.x);
                    removed[b].leftDomain += outside;
                    removed[b].deletedByCollider += ends[i] && !outside;
                    if (!outside && !ends[i])
                        bin.particles[kept++] = p;
                }
            });
            bin.particles.resize(kept);
        }
    });
    Removed sum;
    for (const Removed& part : removed) {
        sum.leftDomain += part.leftDomain;
        sum.deletedByCollider += part.deletedByCollider;
    }
    return sum;
}

} // namespace floe::coupled
