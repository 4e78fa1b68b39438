/// Dust: grains without mutual forces, binned by block of the sparse grid.
#pragma once

#include "floe/sdk/grid/bins.hpp"
#include "floe/sdk/grid/channels.hpp"
#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/world/collider.hpp"
#include "floe/sdk/world/domain.hpp"
#include "floe/sdk/world/force.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

namespace example {

using namespace floe::sdk::grid;
using namespace floe::sdk::world;

struct Grain {
    Vec3f x; ///< offset from the corner of its block [m]
    Vec3f v; ///< [m/s]
    std::uint64_t id;
    float volume; ///< [m^3]
    std::uint32_t material;
};
using Dust = Bins<Grain>;

struct World {
    Vec3d gravity{0, -9.81, 0}; ///< [m/s^2]
    Domain domain;
    std::vector<std::shared_ptr<Collider>> colliders;
    std::vector<std::shared_ptr<const Force>> forces;
    double sharing = 0; ///< rate at which grains take the velocity of their cell [1/s]
};

/// Sums over the grains of a cell.
struct Count;
struct Momentum;
using Cells = Channels<kArrayOfStructs, Channel<Count, float>, Channel<Momentum, float, 3>>;

/// Moves the velocity of grains towards their cell's mean.
inline void shareVelocity(Dust::Bin& bin, double cellSize, float share)
{
    alignas(Cells::kAlignment) unsigned char memory[Cells::kBytes] = {};
    const Block<Cells> cells(memory);
    const auto cellOf = [&](const Grain& grain) {
        const auto at = [&](float x) {
            return std::clamp(static_cast<int>(x / cellSize), 0, kBlockEdge - 1);
        };
        return cellNumber(at(grain.x.x), at(grain.x.y), at(grain.x.z));
    };
    for (const Grain& grain : bin.particles) {
        ++cells.at<Count>(cellOf(grain));
        for (int axis = 0; axis < 3; ++axis)
            cells.at<Momentum>(cellOf(grain), axis) += grain.v[axis];
    }
    for (Grain& grain : bin.particles)
        for (int axis = 0; axis < 3; ++axis) {
            const int cell = cellOf(grain);
            const float mean = cells.at<Momentum>(cell, axis) / cells.at<Count>(cell);
            grain.v[axis] += share * (mean - grain.v[axis]);
        }
}

/// Applies contact as on the nodes of other solvers, and pushes grains out of colliders.
/// @param ends  set for grains that a collider removes
inline void collide(const Collider& collider, const Domain& domain, double cellSize,
                    PointBatch& batch, bool* ends)
{
    ColliderSample sample;
    domain.sampleWithin(collider, batch, cellSize, sample);
    for (int i = 0; i < batch.count; ++i) {
        const SurfacePoint at = sample.at(i);
        if (at.distance > 0)
            continue;
        ends[i] = ends[i] || collider.particles == ParticleContact::remove;
        batch.setVelocity(
            i, collider.particles == ParticleContact::bounce
                   ? bouncedVelocity(batch.velocity(i), at)
                   : contactVelocity(batch.velocity(i), at, collider.contact, collider.friction));
        for (int axis = 0; axis < 3; ++axis)
            batch.x[axis][i] -= at.distance * at.normal[axis];
    }
}

/// Moves the grains of one block, a batch at a time, and drops those that end.
inline void moveGrains(Dust::Bin& bin, const Dust& dust, const World& world, double time, float dt)
{
    const double half = 0.5 * kBlockEdge * dust.cellSize();
    const Vec3d corner = dust.cornerOf(bin.block), center = corner + Vec3d{half, half, half};
    const double radius = 1.01 * std::sqrt(3.0) * half;
    const Walls walls(world.domain, corner);
    std::size_t kept = 0;
    for (std::size_t first = 0; first < bin.particles.size(); first += PointBatch::kMax) {
        Grain* const grains = bin.particles.data() + first;
        PointBatch batch;
        batch.corner = corner;
        batch.count =
            static_cast<int>(std::min<std::size_t>(PointBatch::kMax, bin.particles.size() - first));
        for (int i = 0; i < batch.count; ++i) {
            batch.mass[i] = 1;
            for (int axis = 0; axis < 3; ++axis) {
                batch.x[axis][i] = grains[i].x[axis];
                batch.v[axis][i] = grains[i].v[axis] + static_cast<float>(dt * world.gravity[axis]);
            }
        }
        for (const auto& force : world.forces)
            force->apply(batch, time, dt);
        bool ends[PointBatch::kMax] = {};
        for (const auto& collider : world.colliders)
            if (collider->mayTouch(center, radius))
                collide(*collider, world.domain, dust.cellSize(), batch, ends);
        for (int i = 0; i < batch.count; ++i) {
            Grain grain = grains[i];
            grain.x = batch.offset(i) + dt * batch.velocity(i);
            grain.v = walls.velocityAt(grain.x, batch.velocity(i));
            walls.mirror(grain.x, 0); // no grain stays beyond a wall
            if (!ends[i] && !(world.domain.bounded && world.domain.isOutside(corner, grain.x)))
                bin.particles[kept++] = grain;
        }
    }
    bin.particles.resize(kept);
}

/// Advances from `time` to `time + dt`; the same for any number of threads.
inline void step(Dust& dust, const World& world, double time, double dt,
                 floe::sdk::parallel::Executor& executor)
{
    for (const auto& collider : world.colliders)
        collider->moveTo(time, dt);
    const auto share = static_cast<float>(1 - std::exp(-world.sharing * dt));
    executor.parallelFor(dust.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (share > 0)
                shareVelocity(dust[i], dust.cellSize(), share);
            moveGrains(dust[i], dust, world, time, static_cast<float>(dt));
        }
    });
    dust.rebin();
}

} // namespace example
