#include "fracture.hpp"

#include "distance.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace floe::pbd {

namespace {

using Vec3d = physics::Vec3<double>;
using Voxel = std::array<int, 3>;

constexpr int kPadding = 2;
constexpr int kDraws = 8;

std::vector<Voxel> fullVoxels(const VoxelSet& voxels)
{
    std::vector<Voxel> full;
    const auto [nx, ny, nz] = voxels.size();
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                if (voxels.test(x, y, z))
                    full.push_back({x, y, z});
    return full;
}

std::int64_t squareBetween(const Voxel& a, const Voxel& b)
{
    std::int64_t sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
        sum += std::int64_t{a[axis] - b[axis]} * (a[axis] - b[axis]);
    return sum;
}

std::vector<Voxel> spreadSeeds(const std::vector<Voxel>& full, int count, std::uint64_t seed)
{
    sdk::RandomSequence random(seed);
    const auto some = static_cast<std::uint32_t>(full.size());
    std::vector<Voxel> seeds;
    const auto nearest = [&](const Voxel& voxel) {
        std::int64_t square = std::numeric_limits<std::int64_t>::max();
        for (const Voxel& other : seeds)
            square = std::min(square, squareBetween(voxel, other));
        return square;
    };
    while (seeds.size() < static_cast<std::size_t>(count)) {
        std::uint32_t best = 0;
        std::int64_t farthest = -1;
        for (int k = 0; k < kDraws; ++k) {
            const std::uint32_t drawn = random.below(some);
            if (const std::int64_t square = nearest(full[drawn]); square > farthest) {
                farthest = square;
                best = drawn;
            }
        }
        while (nearest(full[best]) == 0) // all drawn are taken
            best = (best + 1) % some;
        seeds.push_back(full[best]);
    }
    return seeds;
}

/// What of a mesh is nearer to one place than to all others.
Surface cellOf(const Surface& mesh, const std::vector<Vec3d>& places, std::size_t own)
{
    const Vec3d& center = places[own];
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < places.size(); ++k)
        if (k != own)
            order.push_back({physics::length(places[k] - center), k});
    std::sort(order.begin(), order.end());
    Surface cell = mesh;
    for (const auto& [distance, k] : order) {
        double reach = 0;
        for (const Vec3d& x : cell.points)
            reach = std::max(reach, physics::length(x - center));
        if (distance >= 2 * reach)
            break; // no plane from here on meets what is left
        const Vec3d n = (1 / distance) * (places[k] - center);
        cell = clippedBelow(cell, n, 0.5 * physics::dot(n, places[k] + center));
    }
    return cell;
}

} // namespace

std::vector<Cell> voronoiCells(const VoxelSet& voxels, const VoxelGrid& grid, const Surface& mesh,
                               int count, std::uint64_t seed, sdk::parallel::Executor& executor)
{
    const std::vector<Voxel> full = fullVoxels(voxels);
    const std::vector<Voxel> seeds = spreadSeeds(full, count, seed);
    VoxelSet sites(voxels.size());
    std::vector<std::pair<std::size_t, std::size_t>> numbers; // of sites, and whose
    std::vector<Vec3d> places;
    for (std::size_t k = 0; k < seeds.size(); ++k) {
        const auto [x, y, z] = seeds[k];
        sites.set(x, y, z, true);
        numbers.push_back({voxels.number(x, y, z), k});
        places.push_back({grid.origin[0] + grid.edge * (x + 0.5),
                          grid.origin[1] + grid.edge * (y + 0.5),
                          grid.origin[2] + grid.edge * (z + 0.5)});
    }
    std::sort(numbers.begin(), numbers.end());
    const std::vector<std::int32_t> nearest = nearestSites(sites, executor);
    const auto ownerOf = [&](const Voxel& voxel) {
        const auto site =
            static_cast<std::size_t>(nearest[voxels.number(voxel[0], voxel[1], voxel[2])]);
        return std::lower_bound(numbers.begin(), numbers.end(), std::pair{site, std::size_t{0}})
            ->second;
    };
    std::vector<Voxel> low(seeds), high(seeds);
    for (const Voxel& voxel : full) {
        const std::size_t k = ownerOf(voxel);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[k][axis] = std::min(low[k][axis], voxel[axis]);
            high[k][axis] = std::max(high[k][axis], voxel[axis]);
        }
    }
    std::vector<Cell> cells;
    for (std::size_t k = 0; k < seeds.size(); ++k) {
        VoxelGrid own = grid;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[k][axis] -= kPadding;
            own.size[axis] = high[k][axis] - low[k][axis] + 1 + kPadding;
            own.origin[axis] = grid.origin[axis] + grid.edge * low[k][axis];
        }
        cells.push_back({VoxelSet(own.size), own, {}});
    }
    for (const Voxel& voxel : full) {
        const std::size_t k = ownerOf(voxel);
        cells[k].voxels.set(voxel[0] - low[k][0], voxel[1] - low[k][1], voxel[2] - low[k][2], true);
    }
    executor.parallelFor(cells.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            cells[k].mesh = cellOf(mesh, places, k);
    });
    return cells;
}

} // namespace floe::pbd
