#include "field_mesh.hpp"

#include "floe/compute/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace floe::io {

namespace {

using sdk::grid::BlockCoordinate;

constexpr int kEdge = KernelField::kEdge, kPadded = kEdge + 1;
constexpr std::uint32_t kNone = ~0u;
constexpr float kInside = 2 * kFilled; ///< of deep nodes that are in no block

/// Values of a block's nodes and of those that follow it along each axis.
class PaddedBlock {
public:
    PaddedBlock(const KernelField& field, std::size_t block) : first_(field.coordinate(block))
    {
        std::array<const float*, 8> sources{};
        for (int n = 0; n < 8; ++n) {
            const std::int32_t number =
                field.find({first_[0] + (n & 1), first_[1] + (n >> 1 & 1), first_[2] + (n >> 2)});
            if (number >= 0)
                sources[static_cast<std::size_t>(n)] =
                    field.values(static_cast<std::size_t>(number), KernelField::Filled).data();
        }
        for (int z = 0; z < kPadded; ++z)
            for (int y = 0; y < kPadded; ++y)
                for (int x = 0; x < kPadded; ++x) {
                    const int n = x / kEdge + 2 * (y / kEdge) + 4 * (z / kEdge);
                    const float* source = sources[static_cast<std::size_t>(n)];
                    const bool deep =
                        !source && field.isDeep({first_[0] * kEdge + x, first_[1] * kEdge + y,
                                                 first_[2] * kEdge + z});
                    at(x, y, z) =
                        source ? source[KernelField::numberOf(x % kEdge, y % kEdge, z % kEdge)]
                        : deep ? kInside
                               : 0;
                }
        const auto [low, high] = std::ranges::minmax(values_);
        crossed_ = low <= kFilled && high > kFilled;
    }
    float& at(int x, int y, int z)
    {
        return values_[static_cast<std::size_t>((z * kPadded + y) * kPadded + x)];
    }
    float at(int x, int y, int z) const { return const_cast<PaddedBlock*>(this)->at(x, y, z); }
    bool inside(int x, int y, int z) const { return at(x, y, z) > kFilled; }
    bool crossed() const { return crossed_; } ///< the surface runs through the block
    /// How many corners of a cell are inside: none or all 8 where the surface is not in it.
    int insideCorners(int x, int y, int z) const
    {
        int count = 0;
        for (int n = 0; n < 8; ++n)
            count += inside(x + (n & 1), y + (n >> 1 & 1), z + (n >> 2));
        return count;
    }
    bool cut(int x, int y, int z) const
    {
        const int count = insideCorners(x, y, z);
        return count > 0 && count < 8;
    }

private:
    BlockCoordinate first_;
    std::array<float, kPadded * kPadded * kPadded> values_;
    bool crossed_ = false;
};

template <class Body>
void eachCell(const Body& body)
{
    for (int z = 0; z < kEdge; ++z)
        for (int y = 0; y < kEdge; ++y)
            for (int x = 0; x < kEdge; ++x)
                body(x, y, z);
}

/// Makes the points and quads of a field, block by block.
class Nets {
public:
    Nets(const KernelField& field, const std::function<void()>& check)
        : field_(field), check_(check), points_(field.blockCount() + 1, 0),
          quads_(field.blockCount() + 1, 0), cells_(field.blockCount())
    {}

    FieldMesh make()
    {
        eachBlock([&](std::size_t block, const PaddedBlock& nodes) { count(block, nodes); });
        for (std::size_t b = 0; b < cells_.size(); ++b) {
            points_[b + 1] += points_[b];
            quads_[b + 1] += quads_[b];
        }
        mesh_.points.resize(points_.back());
        mesh_.bulk.resize(points_.back());
        if (field_.channels() > KernelField::VelocityX)
            mesh_.velocities.resize(points_.back());
        mesh_.quads.resize(quads_.back());
        eachBlock([&](std::size_t block, const PaddedBlock& nodes) { addPoints(block, nodes); });
        eachBlock([&](std::size_t block, const PaddedBlock& nodes) { addQuads(block, nodes); });
        return std::move(mesh_);
    }

private:
    template <class Body>
    void eachBlock(const Body& body)
    {
        compute::parallelFor(cells_.size(), 16, [&](std::uint64_t begin, std::uint64_t end) {
            check_();
            for (std::uint64_t b = begin; b < end; ++b)
                if (const PaddedBlock nodes(field_, b); nodes.crossed())
                    body(b, nodes);
        });
    }

    void count(std::size_t block, const PaddedBlock& nodes)
    {
        cells_[block] = std::make_unique<Cells>();
        cells_[block]->fill(kNone);
        std::uint32_t points = 0, quads = 0;
        eachCell([&](int x, int y, int z) {
            if (nodes.cut(x, y, z))
                (*cells_[block])[KernelField::numberOf(x, y, z)] = points++;
            const bool here = nodes.inside(x, y, z);
            quads += here != nodes.inside(x + 1, y, z);
            quads += here != nodes.inside(x, y + 1, z);
            quads += here != nodes.inside(x, y, z + 1);
        });
        points_[block + 1] = points;
        quads_[block + 1] = quads;
    }

    void addPoints(std::size_t block, const PaddedBlock& nodes)
    {
        eachCell([&](int x, int y, int z) {
            const std::uint32_t own = (*cells_[block])[KernelField::numberOf(x, y, z)];
            if (own == kNone)
                return;
            std::array<double, 3> sum{};
            int cuts = 0;
            for (int n = 0; n < 8; ++n)
                for (int axis = 0; axis < 3; ++axis) {
                    if (n >> axis & 1)
                        continue;
                    const std::array<int, 3> a = {x + (n & 1), y + (n >> 1 & 1), z + (n >> 2)};
                    std::array<int, 3> b = a;
                    ++b[static_cast<std::size_t>(axis)];
                    const float from = nodes.at(a[0], a[1], a[2]), to = nodes.at(b[0], b[1], b[2]);
                    if ((from > kFilled) == (to > kFilled))
                        continue;
                    for (std::size_t k = 0; k < 3; ++k)
                        sum[k] += a[k];
                    sum[static_cast<std::size_t>(axis)] +=
                        (kFilled - static_cast<double>(from)) / (static_cast<double>(to) - from);
                    ++cuts;
                }
            const std::size_t point = points_[block] + own;
            for (std::size_t k = 0; k < 3; ++k)
                mesh_.points[point][k] =
                    field_.voxelSize() * (sum[k] / cuts + kEdge * field_.coordinate(block)[k]);
            carry(block, {x, y, z}, point);
        });
    }

    /// Gives a point what the fullest corner of its cell in this block has.
    void carry(std::size_t block, const std::array<int, 3>& cell, std::size_t point)
    {
        const auto filled = field_.values(block, KernelField::Filled);
        std::size_t fullest = KernelField::numberOf(cell[0], cell[1], cell[2]);
        for (int n = 1; n < 8; ++n) {
            const std::array<int, 3> c = {cell[0] + (n & 1), cell[1] + (n >> 1 & 1),
                                          cell[2] + (n >> 2)};
            if (std::ranges::max(c) == kEdge)
                continue;
            const std::size_t there = KernelField::numberOf(c[0], c[1], c[2]);
            if (filled[there] > filled[fullest])
                fullest = there;
        }
        const float share = filled[fullest];
        if (!(share > 0))
            return;
        mesh_.bulk[point] =
            std::min(field_.values(block, KernelField::Bulk)[fullest] / share, 1.0f);
        if (!mesh_.velocities.empty())
            for (int k = 0; k < 3; ++k)
                mesh_.velocities[point][static_cast<std::size_t>(k)] =
                    field_.values(block, KernelField::VelocityX + k)[fullest] / share;
    }

    void addQuads(std::size_t block, const PaddedBlock& nodes)
    {
        // The points of cells in this block and of those before it along each axis.
        std::array<std::ptrdiff_t, 8> before;
        for (int n = 0; n < 8; ++n) {
            const auto& at = field_.coordinate(block);
            const std::int32_t number =
                field_.find({at[0] - (n & 1), at[1] - (n >> 1 & 1), at[2] - (n >> 2)});
            before[static_cast<std::size_t>(n)] =
                number >= 0 && cells_[static_cast<std::size_t>(number)] ? number : -1;
        }
        const auto pointOf = [&](int x, int y, int z) {
            const std::ptrdiff_t of =
                before[static_cast<std::size_t>((x < 0) + 2 * (y < 0) + 4 * (z < 0))];
            if (of < 0)
                return kNone;
            const auto number = static_cast<std::size_t>(of);
            const std::uint32_t own = (*cells_[number])[KernelField::numberOf(
                x & (kEdge - 1), y & (kEdge - 1), z & (kEdge - 1))];
            return own == kNone ? kNone : static_cast<std::uint32_t>(points_[number] + own);
        };
        std::size_t next = quads_[block];
        eachCell([&](int x, int y, int z) {
            const bool here = nodes.inside(x, y, z);
            for (int axis = 0; axis < 3; ++axis) {
                std::array<int, 3> u{}, v{}; // the other axes, in turn
                u[static_cast<std::size_t>((axis + 1) % 3)] = 1;
                v[static_cast<std::size_t>((axis + 2) % 3)] = 1;
                if (here == nodes.inside(x + (axis == 0), y + (axis == 1), z + (axis == 2)))
                    continue;
                const auto around = [&](int a, int b) {
                    return pointOf(x - a * u[0] - b * v[0], y - a * u[1] - b * v[1],
                                   z - a * u[2] - b * v[2]);
                };
                std::array<std::uint32_t, 4> quad = {around(1, 1), around(0, 1), around(0, 0),
                                                     around(1, 0)};
                if (!here)
                    std::swap(quad[1], quad[3]);
                mesh_.quads[next++] = quad;
            }
        });
    }

    using Cells = std::array<std::uint32_t, KernelField::kNodes>; ///< number of the point, in order
    const KernelField& field_;
    const std::function<void()>& check_;
    std::vector<std::uint64_t> points_, quads_; ///< of the blocks before each
    std::vector<std::unique_ptr<Cells>> cells_; ///< null: the surface is not in the block
    FieldMesh mesh_;
};

using Points = std::vector<std::array<double, 3>>;

/// Averages points with their neighbours, many times over.
class Averaging {
public:
    explicit Averaging(const FieldMesh& mesh) : bulk_(mesh.bulk), first_(mesh.points.size() + 1, 0)
    {
        for (const auto& quad : mesh.quads)
            for (const std::uint32_t point : quad)
                ++first_[point + 1];
        for (std::size_t p = 0; p + 1 < first_.size(); ++p)
            first_[p + 1] += first_[p];
        around_.resize(first_.back());
        std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
        for (const auto& quad : mesh.quads)
            for (std::size_t k = 0; k < 4; ++k)
                around_[next[quad[k]]++] = quad[(k + 1) % 4];
    }

    Points operator()(Points points, int steps, const std::function<void()>& check) const
    {
        Points next(points.size());
        for (int step = 0; step < steps; ++step) {
            check();
            compute::parallelFor(points.size(), 8192, [&](std::uint64_t begin, std::uint64_t end) {
                for (std::uint64_t p = begin; p < end; ++p) {
                    next[p] = points[p];
                    const std::uint32_t count = first_[p + 1] - first_[p];
                    if (count == 0 || !(bulk_[p] > 0))
                        continue;
                    std::array<double, 3> sum{};
                    for (std::uint32_t i = first_[p]; i < first_[p + 1]; ++i)
                        for (std::size_t k = 0; k < 3; ++k)
                            sum[k] += points[around_[i]][k];
                    for (std::size_t k = 0; k < 3; ++k)
                        next[p][k] += 0.5 * bulk_[p] * (sum[k] / count - points[p][k]);
                }
            });
            points.swap(next);
        }
        return points;
    }

private:
    const std::vector<float>& bulk_;
    std::vector<std::uint32_t> first_, around_;
};

} // namespace

FieldMesh meshOf(const KernelField& field, const std::function<void()>& check)
{
    FieldMesh mesh = Nets(field, check).make();
    // Sides of cells that are in no block: blocks reach a node beyond what fills them.
    std::erase_if(mesh.quads,
                  [](const auto& quad) { return std::ranges::find(quad, kNone) != quad.end(); });
    return mesh;
}

void even(FieldMesh& mesh, double length, double voxelSize, const std::function<void()>& check)
{
    // A step spreads a point with variance 0.25 voxels^2 along the surface.
    constexpr int kMaxSteps = 100;
    const int steps = std::min(
        static_cast<int>(std::lround(4 * (length * length) / (voxelSize * voxelSize))), kMaxSteps);
    const Averaging average(mesh);
    const Points once = average(mesh.points, steps, check);
    const Points twice = average(once, steps, check);
    const Points thrice = average(twice, steps, check);
    for (std::size_t p = 0; p < mesh.points.size(); ++p)
        for (std::size_t k = 0; k < 3; ++k)
            mesh.points[p][k] = 3 * once[p][k] - 3 * twice[p][k] + thrice[p][k];
}

} // namespace floe::io
