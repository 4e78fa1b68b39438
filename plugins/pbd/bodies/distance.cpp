#include "distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

/// A candidate on a line: its place on it, its squared distance from it, and which site it is.
struct Candidate {
    std::int64_t at, square;
    std::int32_t site;
};

/// Whether b is nowhere on the line nearer than both a and c; a.at < b.at < c.at.
bool dominated(const Candidate& a, const Candidate& b, const Candidate& c)
{
    // Bisectors meet the line at u(a, b) = (b.square + b.at^2 - a.square - a.at^2) / 2 (b.at -
    // a.at); dominated if u(a, b) > u(b, c).
    const std::int64_t ab = b.square + b.at * b.at - a.square - a.at * a.at;
    const std::int64_t bc = c.square + c.at * c.at - b.square - b.at * b.at;
    return ab * (c.at - b.at) > bc * (b.at - a.at);
}

/// What stays the same along the lines of one direction.
struct Lines {
    std::size_t count;  ///< of lines
    int length;         ///< voxels in each
    std::size_t stride; ///< between them
};

/// Replaces the sites of one line by the nearest among them.
/// @param square  (site): its squared distance from the line
template <class Square, class Place>
void nearestAlong(std::int32_t* sites, const Lines& lines, Square&& square, Place&& place,
                  std::vector<Candidate>& stack)
{
    stack.clear();
    for (int k = 0; k < lines.length; ++k) {
        const std::int32_t site = sites[static_cast<std::size_t>(k) * lines.stride];
        if (site == kNoSite)
            continue;
        const Candidate c{place(site), square(site), site};
        while (stack.size() >= 2 && dominated(stack[stack.size() - 2], stack.back(), c))
            stack.pop_back();
        stack.push_back(c);
    }
    if (stack.empty())
        return;
    std::size_t nearest = 0;
    const auto distance = [&](std::size_t i, std::int64_t k) {
        return stack[i].square + (stack[i].at - k) * (stack[i].at - k);
    };
    for (int k = 0; k < lines.length; ++k) {
        while (nearest + 1 < stack.size() && distance(nearest + 1, k) < distance(nearest, k))
            ++nearest;
        sites[static_cast<std::size_t>(k) * lines.stride] = stack[nearest].site;
    }
}

/// Squared distance of a site from the centre of the nearest neighbour of the other kind: 1, 2 or
/// 3, or 0 where there is none.
int squareToOther(const VoxelSet& voxels, int x, int y, int z)
{
    const bool own = voxels.test(x, y, z);
    int nearest = 0;
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const int square = dx * dx + dy * dy + dz * dz;
                if ((nearest == 0 || square < nearest) &&
                    voxels.test(x + dx, y + dy, z + dz) != own)
                    nearest = square;
            }
    return nearest;
}

} // namespace

std::vector<std::int32_t> nearestSites(const VoxelSet& sites, Executor& executor)
{
    const std::array<int, 3> size = sites.size();
    const int nx = size[0], ny = size[1], nz = size[2];
    const auto sx = static_cast<std::size_t>(nx), sy = static_cast<std::size_t>(ny);
    std::vector<std::int32_t> nearest(sites.volume(), kNoSite);
    const auto xOf = [&](std::int32_t site) {
        return std::int64_t{site % nx};
    };
    const auto yOf = [&](std::int32_t site) {
        return std::int64_t{site / nx % ny};
    };
    const auto zOf = [&](std::int32_t site) {
        return std::int64_t{site / nx / ny};
    };
    const auto squared = [](std::int64_t a) {
        return a * a;
    };
    executor.parallelFor(static_cast<std::size_t>(nz), 1, [&](std::size_t begin, std::size_t end) {
        std::vector<Candidate> stack;
        for (std::size_t zz = begin; zz < end; ++zz) {
            const int z = static_cast<int>(zz);
            for (int y = 0; y < ny; ++y) {
                std::int32_t* row = nearest.data() + sites.number(0, y, z);
                for (int x = 0; x < nx; ++x)
                    if (sites.test(x, y, z))
                        row[x] = static_cast<std::int32_t>(sites.number(x, y, z));
                nearestAlong(
                    row, {1, nx, 1}, [](std::int32_t) { return std::int64_t{0}; }, xOf, stack);
            }
            for (int x = 0; x < nx; ++x)
                nearestAlong(
                    nearest.data() + sites.number(x, 0, z), {1, ny, sx},
                    [&](std::int32_t site) { return squared(xOf(site) - x); }, yOf, stack);
        }
    });
    executor.parallelFor(sy, 1, [&](std::size_t begin, std::size_t end) {
        std::vector<Candidate> stack;
        for (std::size_t yy = begin; yy < end; ++yy)
            for (int x = 0; x < nx; ++x) {
                const int y = static_cast<int>(yy);
                nearestAlong(
                    nearest.data() + sites.number(x, y, 0), {1, nz, sx * sy},
                    [&](std::int32_t site) {
                        return squared(xOf(site) - x) + squared(yOf(site) - y);
                    },
                    zOf, stack);
            }
    });
    return nearest;
}

DistanceField signedDistances(const VoxelSet& voxels, Executor& executor)
{
    const std::array<int, 3> cells = voxels.size();
    const int nx = cells[0], ny = cells[1], nz = cells[2];
    VoxelSet sites(cells);
    DistanceField field{cells, std::vector<float>(voxels.volume()), {}};
    // The distance of sites from the surface is kept in the field until the others have theirs.
    executor.parallelFor(static_cast<std::size_t>(nz), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t zz = begin; zz < end; ++zz)
            for (int y = 0, z = static_cast<int>(zz); y < ny; ++y)
                for (int x = 0; x < nx; ++x)
                    if (const int square = squareToOther(voxels, x, y, z)) {
                        sites.set(x, y, z, true);
                        field.distance[voxels.number(x, y, z)] =
                            0.5f * std::sqrt(static_cast<float>(square));
                    }
    });
    const std::vector<std::int32_t> nearest = nearestSites(sites, executor);
    std::vector<float> distance(voxels.volume());
    executor.parallelFor(static_cast<std::size_t>(nz), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t zz = begin; zz < end; ++zz)
            for (int y = 0, z = static_cast<int>(zz); y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    const std::size_t i = voxels.number(x, y, z);
                    const std::int32_t site = nearest[i];
                    float size = std::numeric_limits<float>::infinity();
                    if (site != kNoSite) {
                        const int dx = site % nx - x, dy = site / nx % ny - y;
                        const int dz = site / nx / ny - z;
                        size = std::sqrt(static_cast<float>(dx * dx + dy * dy + dz * dz)) +
                               field.distance[static_cast<std::size_t>(site)];
                    }
                    distance[i] = voxels.test(x, y, z) ? -size : size;
                }
    });
    field.distance = std::move(distance);
    field.gradient.assign(voxels.volume(), {0, 1, 0});
    executor.parallelFor(static_cast<std::size_t>(nz), 1, [&](std::size_t begin, std::size_t end) {
        const auto at = [&](int x, int y, int z) {
            return field.distance[voxels.number(std::clamp(x, 0, nx - 1), std::clamp(y, 0, ny - 1),
                                                std::clamp(z, 0, nz - 1))];
        };
        for (std::size_t zz = begin; zz < end; ++zz)
            for (int y = 0, z = static_cast<int>(zz); y < ny; ++y)
                for (int x = 0; x < nx; ++x) {
                    const physics::Vec3<float> g{at(x + 1, y, z) - at(x - 1, y, z),
                                                 at(x, y + 1, z) - at(x, y - 1, z),
                                                 at(x, y, z + 1) - at(x, y, z - 1)};
                    const float size = physics::length(g);
                    if (size > 1e-6f && std::isfinite(size))
                        field.gradient[voxels.number(x, y, z)] = (1 / size) * g;
                }
    });
    return field;
}

} // namespace floe::pbd
