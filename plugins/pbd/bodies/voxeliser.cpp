#include "voxeliser.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>

namespace floe::pbd {

namespace {

// Coordinates in 1/65536 of a voxel: at most 1024 voxels make 27 bits with the sign, edge functions
// 56 bits, and what is compared along a row 84.
constexpr int kFractionBits = 16;
constexpr std::int64_t kOne = std::int64_t{1} << kFractionBits, kHalf = kOne / 2;
__extension__ typedef __int128 Wide;

using FixedPoint = std::array<std::int64_t, 3>;

void check(const Triangles& mesh)
{
    if (mesh.corners.size() < 12 || mesh.corners.size() % 3 != 0)
        throw std::invalid_argument("a body needs a closed mesh of at least 4 triangles");
    for (const float coordinate : mesh.points)
        if (!std::isfinite(coordinate))
            throw std::invalid_argument("a body's mesh has points that are not finite");
    for (const std::uint32_t corner : mesh.corners)
        if (corner >= mesh.points.size() / 3)
            throw std::invalid_argument("a body's mesh has triangles without a point");
}

std::vector<FixedPoint> fixedPoints(const Triangles& mesh, const VoxelGrid& grid)
{
    std::vector<FixedPoint> points(mesh.points.size() / 3);
    for (const std::uint32_t i : mesh.corners) // points without a triangle may lie anywhere
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double at = (mesh.points[3 * i + axis] - grid.origin[axis]) / grid.edge;
            if (!(at > -1 && at < grid.size[axis] + 1))
                throw std::invalid_argument("a body's mesh lies outside its grid of voxels");
            points[i][axis] = std::llround(at * static_cast<double>(kOne));
        }
    return points;
}

/// Every edge, known by where it ends, must belong to an even number of triangles.
void checkClosed(const Triangles& mesh, const std::vector<FixedPoint>& points)
{
    using Edge = std::pair<FixedPoint, FixedPoint>;
    std::vector<Edge> edges;
    edges.reserve(mesh.corners.size());
    for (std::size_t t = 0; t < mesh.corners.size(); t += 3)
        for (std::size_t k = 0; k < 3; ++k) {
            const FixedPoint& a = points[mesh.corners[t + k]];
            const FixedPoint& b = points[mesh.corners[t + (k + 1) % 3]];
            if (a != b)
                edges.push_back(std::minmax(a, b));
        }
    std::sort(edges.begin(), edges.end());
    std::size_t open = 0;
    for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
        while (end < edges.size() && edges[end] == edges[begin])
            ++end;
        open += (end - begin) % 2;
    }
    if (open > 0)
        throw std::invalid_argument("a body's mesh is not closed: " + std::to_string(open) +
                                    " edges have no triangle on one side; send it through a mesh "
                                    "shape, which closes holes");
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// A triangle seen along x.
class Projection {
public:
    Projection(const FixedPoint& a, const FixedPoint& b, const FixedPoint& c) : corner_{a, b, c}
    {
        // n . (p - a) = 0 is the triangle's plane.
        const auto d = [&](int k, std::size_t axis) {
            return corner_[k][axis] - a[axis];
        };
        normal_[0] = d(1, 1) * d(2, 2) - d(1, 2) * d(2, 1);
        normal_[1] = d(1, 2) * d(2, 0) - d(1, 0) * d(2, 2);
        normal_[2] = d(1, 0) * d(2, 1) - d(1, 1) * d(2, 0);
    }
    /// Seen from the side nothing is covered.
    bool edgeOn() const { return normal_[0] == 0; }

    /// The centres of voxels that its bounding box covers along y or z: first to last.
    std::array<int, 2> range(std::size_t axis, int size) const
    {
        const auto [low, high] =
            std::minmax({corner_[0][axis], corner_[1][axis], corner_[2][axis]});
        const std::int64_t first = -floorDivide(kHalf - low, kOne); // ceil((low - half) / one)
        const std::int64_t last = floorDivide(high - kHalf, kOne);
        return {static_cast<int>(std::max<std::int64_t>(first, 0)),
                static_cast<int>(std::min<std::int64_t>(last, size - 1))};
    }
    /// Whether the row through the centres (y, z) passes through it. Of two triangles that share an
    /// edge exactly one has a centre on it, or both or neither where both lie on one side.
    bool covers(std::int64_t y, std::int64_t z) const
    {
        const std::int64_t side = normal_[0] > 0 ? 1 : -1;
        for (std::size_t k = 0; k < 3; ++k) {
            const FixedPoint& from = corner_[k];
            const FixedPoint& to = corner_[(k + 1) % 3];
            const std::int64_t ny = -side * (to[2] - from[2]), nz = side * (to[1] - from[1]);
            const std::int64_t e = ny * (y - from[1]) + nz * (z - from[2]);
            const bool owned = ny > 0 || (ny == 0 && nz < 0);
            if (e < 0 || (e == 0 && !owned))
                return false;
        }
        return true;
    }
    /// How many centres of the row (y, z) lie below or on it: x = a - (ny dy + nz dz) / nx.
    int below(std::int64_t y, std::int64_t z, int size) const
    {
        const FixedPoint& a = corner_[0];
        Wide numerator =
            Wide{normal_[0]} * a[0] - Wide{normal_[1]} * (y - a[1]) - Wide{normal_[2]} * (z - a[2]);
        Wide denominator = normal_[0];
        if (denominator < 0) {
            numerator = -numerator;
            denominator = -denominator;
        }
        // floor((x + half) / one)
        numerator += denominator * kHalf;
        denominator *= kOne;
        Wide count = numerator / denominator;
        count -= numerator % denominator < 0;
        return static_cast<int>(
            std::clamp<std::int64_t>(static_cast<std::int64_t>(count), 0, size));
    }

private:
    FixedPoint corner_[3];
    std::int64_t normal_[3];
};

/// Flips the first `count` voxels of a row. Flips commute: threads may share rows.
void flip(VoxelSet& voxels, int y, int z, int count)
{
    std::uint64_t* row = voxels.row(y, z);
    for (; count > 0; count -= 64, ++row) {
        const std::uint64_t mask =
            count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
        std::atomic_ref<std::uint64_t>(*row).fetch_xor(mask, std::memory_order_relaxed);
    }
}

} // namespace

VoxelGrid placeGrid(const Triangles& mesh, double edge, int padding)
{
    check(mesh);
    if (!(edge > 0))
        throw std::invalid_argument("voxels must be larger than 0");
    VoxelGrid grid{};
    grid.edge = edge;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const std::uint32_t corner : mesh.corners) {
            low = std::min<double>(low, mesh.points[3 * corner + axis]);
            high = std::max<double>(high, mesh.points[3 * corner + axis]);
        }
        // A box that is a whole number of voxels wide gets no more for its rounding.
        const double along = std::max(1.0, std::ceil((high - low) / edge - 1e-4)) + 2 * padding;
        if (!(along <= VoxelSet::kMaxAlongAxis))
            throw std::invalid_argument("a body would be more than 1024 voxels wide; choose larger "
                                        "voxels");
        grid.size[axis] = static_cast<int>(along);
        grid.origin[axis] = 0.5 * (low + high) - 0.5 * edge * along;
    }
    return grid;
}

VoxelSet voxelise(const Triangles& mesh, const VoxelGrid& grid, sdk::parallel::Executor& executor)
{
    check(mesh);
    VoxelSet voxels(grid.size);
    const std::vector<FixedPoint> points = fixedPoints(mesh, grid);
    checkClosed(mesh, points);
    executor.parallelFor(mesh.corners.size() / 3, 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) {
            const Projection seen(points[mesh.corners[3 * t]], points[mesh.corners[3 * t + 1]],
                                  points[mesh.corners[3 * t + 2]]);
            if (seen.edgeOn())
                continue;
            const auto ys = seen.range(1, grid.size[1]), zs = seen.range(2, grid.size[2]);
            for (int z = zs[0]; z <= zs[1]; ++z)
                for (int y = ys[0]; y <= ys[1]; ++y) {
                    const std::int64_t cy = y * kOne + kHalf, cz = z * kOne + kHalf;
                    if (seen.covers(cy, cz))
                        flip(voxels, y, z, seen.below(cy, cz, grid.size[0]));
                }
        }
    });
    return voxels;
}

} // namespace floe::pbd
