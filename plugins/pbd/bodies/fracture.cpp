#include "fracture.hpp"

#include "distance.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
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

/// Cells without their meshes.
/// @param owner  of each voxel: its cell; every cell has one
std::vector<Cell> cellsOf(const std::vector<Voxel>& full, const std::vector<std::size_t>& owner,
                          std::size_t count, const VoxelGrid& grid)
{
    constexpr int kFar = std::numeric_limits<int>::max();
    std::vector<Voxel> low(count, Voxel{kFar, kFar, kFar}), high(count, Voxel{0, 0, 0});
    for (std::size_t i = 0; i < full.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[owner[i]][axis] = std::min(low[owner[i]][axis], full[i][axis]);
            high[owner[i]][axis] = std::max(high[owner[i]][axis], full[i][axis]);
        }
    std::vector<Cell> cells;
    for (std::size_t k = 0; k < count; ++k) {
        VoxelGrid own = grid;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[k][axis] -= kPadding;
            own.size[axis] = high[k][axis] - low[k][axis] + 1 + kPadding;
            own.origin[axis] = grid.origin[axis] + grid.edge * low[k][axis];
        }
        cells.push_back({VoxelSet(own.size), own, {}});
    }
    for (std::size_t i = 0; i < full.size(); ++i) {
        const Voxel &voxel = full[i], &corner = low[owner[i]];
        cells[owner[i]].voxels.set(voxel[0] - corner[0], voxel[1] - corner[1], voxel[2] - corner[2],
                                   true);
    }
    return cells;
}

/// A mesh of its own.
struct Part {
    std::vector<float> points;
    std::vector<std::uint32_t> corners;

    Triangles view() const { return {points, corners}; }
};

/// Those whose triangles share points, in the order of their first ones. Points that are only in
/// the same place are not shared: parts that fill a body touch.
std::vector<Part> connectedParts(const Triangles& mesh)
{
    const std::size_t count = mesh.points.size() / 3;
    std::vector<std::uint32_t> root(count);
    std::iota(root.begin(), root.end(), 0u);
    const auto rootOf = [&](std::uint32_t point) {
        while (root[point] != point)
            point = root[point] = root[root[point]];
        return point;
    };
    for (std::size_t t = 0; t + 2 < mesh.corners.size(); t += 3)
        for (std::size_t k = 1; k < 3; ++k)
            root[rootOf(mesh.corners[t + k])] = rootOf(mesh.corners[t]);
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> part(count, kNone), own(count, kNone);
    std::vector<Part> parts;
    for (const std::uint32_t corner : mesh.corners) {
        std::uint32_t& number = part[rootOf(corner)];
        if (number == kNone) {
            number = static_cast<std::uint32_t>(parts.size());
            parts.emplace_back();
        }
        Part& to = parts[number];
        if (own[corner] == kNone) {
            own[corner] = static_cast<std::uint32_t>(to.points.size() / 3);
            to.points.insert(to.points.end(), mesh.points.begin() + 3 * std::ptrdiff_t{corner},
                             mesh.points.begin() + 3 * std::ptrdiff_t{corner} + 3);
        }
        to.corners.push_back(own[corner]);
    }
    return parts;
}

} // namespace

std::vector<Cell> partsOf(const VoxelSet& voxels, const VoxelGrid& grid, const Triangles& mesh,
                          sdk::parallel::Executor& executor)
{
    placeGrid(mesh, grid.edge, 0); // throws where a corner has no point
    const std::vector<Part> parts = connectedParts(mesh);
    if (parts.size() < 2 || parts.size() > static_cast<std::size_t>(kMaxCells))
        throw std::invalid_argument("its mesh of parts has " + std::to_string(parts.size()) +
                                    " connected surfaces, must have 2 to " +
                                    std::to_string(kMaxCells));
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    const std::vector<Voxel> full = fullVoxels(voxels);
    std::vector<std::size_t> owner(full.size(), kNone);
    std::vector<std::pair<std::size_t, std::size_t>> taken; // numbers of voxels, and whose
    VoxelSet owned(voxels.size());
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const VoxelSet inside = [&] {
            try {
                return voxelise(parts[k].view(), grid, executor);
            } catch (const std::invalid_argument& e) {
                throw std::invalid_argument(
                    "part " + std::to_string(k + 1) +
                    " of its mesh of parts, which must lie in the body: " + e.what());
            }
        }();
        const std::size_t before = taken.size();
        for (std::size_t i = 0; i < full.size(); ++i) {
            const auto [x, y, z] = full[i];
            if (owner[i] != kNone || !inside.test(x, y, z))
                continue;
            owner[i] = k;
            taken.push_back({voxels.number(x, y, z), k});
            owned.set(x, y, z, true);
        }
        if (taken.size() == before)
            throw std::invalid_argument("part " + std::to_string(k + 1) +
                                        " of its mesh of parts holds no voxel of the body that "
                                        "others do not; choose smaller voxels or larger parts");
    }
    std::sort(taken.begin(), taken.end());
    const std::vector<std::int32_t> nearest = nearestSites(owned, executor);
    for (std::size_t i = 0; i < full.size(); ++i)
        if (owner[i] == kNone) {
            const auto site = static_cast<std::size_t>(
                nearest[voxels.number(full[i][0], full[i][1], full[i][2])]);
            owner[i] = std::lower_bound(taken.begin(), taken.end(), std::pair{site, std::size_t{0}})
                           ->second;
        }
    std::vector<Cell> cells = cellsOf(full, owner, parts.size(), grid);
    for (std::size_t k = 0; k < cells.size(); ++k)
        cells[k].mesh = welded(parts[k].view());
    return cells;
}

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
    std::vector<std::size_t> owner;
    for (const Voxel& voxel : full)
        owner.push_back(ownerOf(voxel));
    std::vector<Cell> cells = cellsOf(full, owner, seeds.size(), grid);
    executor.parallelFor(cells.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            cells[k].mesh = cellOf(mesh, places, k);
    });
    return cells;
}

} // namespace floe::pbd
