#include "filling.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <limits>

namespace floe::emitters {

namespace {

constexpr int kBlock = 4;             // cells along an edge of a block
constexpr double kMaximumCells = 2e9; // in the box around the shape
constexpr uint64_t kMaximumParticles = 1ull << 31;

/// The region that a shape sweeps along a straight path.
class SweptShape {
public:
    SweptShape(const PlacedShape& shape, const Point& way, double cellSize)
        : shape_(shape), box_(shape.bounds()), way_(way),
          stations_(std::ceil(2 * std::sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) /
                              cellSize))
    {}

    bool moves() const { return stations_ > 0; }
    std::array<Point, 2> bounds() const
    {
        auto box = box_;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box[0][axis] += std::min(way_[axis], 0.0);
            box[1][axis] += std::max(way_[axis], 0.0);
        }
        return box;
    }

    /// Distances to the swept region; for one thread.
    class Sampler {
    public:
        explicit Sampler(const SweptShape& swept) : swept_(swept), shape_(swept.shape_) {}

        /// Returns a lower bound of the true distance outside. Only stations whose box, enlarged by
        /// `margin`, contains `p` are sampled: a point is near few of a fast jet's thousands.
        /// Without one the distance is more than `margin`.
        double distance(const Point& p, double margin) const
        {
            const Point& way = swept_.way_;
            double low = 0, high = 1;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double a = p[axis] - swept_.box_[1][axis] - margin;
                const double b = p[axis] - swept_.box_[0][axis] + margin;
                if (way[axis] != 0) {
                    low = std::max(low, std::min(a / way[axis], b / way[axis]));
                    high = std::min(high, std::max(a / way[axis], b / way[axis]));
                } else if (a > 0 || b < 0) {
                    return std::numeric_limits<double>::infinity();
                }
            }
            const double stations = swept_.stations_;
            double distance = std::numeric_limits<double>::infinity();
            for (double s = std::ceil(low * stations); s <= high * stations; s += 1) {
                const double t = stations > 0 ? s / stations : 0;
                distance = std::min(distance, shape_.distance({p[0] - t * way[0], p[1] - t * way[1],
                                                               p[2] - t * way[2]}));
            }
            return distance;
        }

    private:
        const SweptShape& swept_;
        PlacedShape::Sampler shape_;
    };

private:
    const PlacedShape& shape_;
    std::array<Point, 2> box_; ///< of the shape at its present pose
    Point way_;
    /// Number of sampled positions along the path, minus one: at most half a cell apart.
    double stations_;
};

/// The blocks that overlap a box.
struct Blocks {
    std::array<int64_t, 3> first{}, count{};
};

Blocks blocksIn(const std::array<Point, 2>& box, double cell)
{
    Blocks blocks;
    double cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = std::floor(box[0][axis] / (kBlock * cell));
        const double high = std::floor(box[1][axis] / (kBlock * cell));
        cells *= (high - low + 1) * kBlock;
        if (!(std::fabs(low) < 1e15 && cells <= kMaximumCells)) {
            char text[160];
            std::snprintf(text, sizeof text,
                          "solver cells of %.3g m are too small for this shape: its box holds "
                          "%.2g of them; use larger cells or a smaller shape",
                          cell, cells);
            throw sdk::Failure(text, FLOE_OUT_OF_MEMORY);
        }
        blocks.first[axis] = static_cast<int64_t>(low);
        blocks.count[axis] = static_cast<int64_t>(high - low) + 1;
    }
    return blocks;
}

/// Fills blocks one after another; for one thread.
class BlockFiller {
public:
    BlockFiller(const Filling& filling, const SweptShape& swept, const sdk::SubCells& cut)
        : filling_(filling), moves_(swept.moves()), swept_(swept), cut_(cut)
    {}

    /// @param group  the block's number
    void fill(int64_t bi, int64_t bj, int64_t bk, uint64_t group, Samples& samples)
    {
        const double cell = filling_.cellSize, half = 0.5 * kBlock;
        const double reach = std::sqrt(3.0) * half * cell;
        const Point middle = {(bi * kBlock + half) * cell, (bj * kBlock + half) * cell,
                              (bk * kBlock + half) * cell};
        if (swept_.distance(middle, reach) > reach)
            return;
        Point low = middle, high = middle;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] -= half * cell;
            high[axis] += half * cell;
        }
        if (!filling_.region.meets(low, high))
            return;
        const std::size_t before = samples.x.size();
        for (int n = 0; n < kBlock * kBlock * kBlock; ++n)
            fillCell(bi * kBlock + n / 16, bj * kBlock + n / 4 % 4, bk * kBlock + n % 4, samples.x);
        if (filling_.region.isPart())
            keepInside(before, group, samples);
    }

private:
    /// Keeps those of a block's samples, which begin at `from`, that are in the region.
    void keepInside(std::size_t from, uint64_t group, Samples& samples)
    {
        const uint64_t count = (samples.x.size() - from) / 3;
        inside_.resize(count);
        filling_.region.find(samples.x.data() + from, count, inside_.data());
        auto kept = samples.x.begin() + static_cast<std::ptrdiff_t>(from);
        for (uint64_t i = 0; i < count; ++i) {
            if (!inside_[i])
                continue;
            kept =
                std::copy_n(samples.x.begin() + static_cast<std::ptrdiff_t>(from + 3 * i), 3, kept);
            samples.place.push_back(sdk::EmissionRegion::place(group, i));
        }
        samples.x.erase(kept, samples.x.end());
    }

    void fillCell(int64_t i, int64_t j, int64_t k, std::vector<float>& positions) const
    {
        const double cell = filling_.cellSize;
        if (swept_.distance({(i + 0.5) * cell, (j + 0.5) * cell, (k + 0.5) * cell}, cell) >
            0.87 * cell)
            return;
        sdk::forEachSample(cut_, filling_.seed, filling_.jitter, i, j, k,
                           [&](double a, double b, double c, sdk::RandomSequence& random) {
                               if (filling_.share < 1 && random.uniform() >= filling_.share)
                                   return;
                               // Rounded first, so that the tested position is the stored one.
                               const std::array<float, 3> stored = {static_cast<float>(a * cell),
                                                                    static_cast<float>(b * cell),
                                                                    static_cast<float>(c * cell)};
                               if (keeps({stored[0], stored[1], stored[2]}))
                                   positions.insert(positions.end(), stored.begin(), stored.end());
                           });
    }

    bool keeps(const Point& p) const
    {
        const double distance = swept_.distance(p, 0);
        if (!(distance < 0) || (filling_.shell > 0 && distance < -filling_.shell))
            return false;
        if (filling_.fresh || !moves_)
            return true;
        // Samples already present from the last frame have come from upstream.
        const Point& way = filling_.sweep;
        return !(swept_.distance({p[0] - way[0], p[1] - way[1], p[2] - way[2]}, 0) < 0);
    }

    const Filling& filling_;
    bool moves_;
    SweptShape::Sampler swept_;
    const sdk::SubCells& cut_;
    std::vector<uint8_t> inside_; ///< of one block's samples
};

template <class T>
void moveTo(std::vector<T>& from, std::vector<T>& to)
{
    to.insert(to.end(), from.begin(), from.end());
    std::vector<T>().swap(from);
}

} // namespace

uint64_t fill(const sdk::Context& context, const Filling& filling, Samples& samples)
{
    const SweptShape swept(filling.shape, filling.sweep, filling.cellSize);
    const Blocks blocks = blocksIn(swept.bounds(), filling.cellSize);
    const sdk::SubCells cut = sdk::subCells(filling.samplesPerCell);
    const auto columns = static_cast<std::size_t>(blocks.count[0] * blocks.count[1]);
    std::vector<Samples> found(columns);
    std::atomic<uint64_t> total{0};
    std::atomic<bool> failed{false};
    context.parallelFor(columns, 1, [&](uint64_t begin, uint64_t end) {
        try {
            BlockFiller filler(filling, swept, cut);
            for (uint64_t column = begin; column < end; ++column) {
                if (failed || context.cancelled())
                    return;
                auto& out = found[column];
                const int64_t i = blocks.first[0] + static_cast<int64_t>(column) / blocks.count[1];
                const int64_t j = blocks.first[1] + static_cast<int64_t>(column) % blocks.count[1];
                uint64_t group =
                    filling.firstGroup + column * static_cast<uint64_t>(blocks.count[2]);
                for (int64_t k = blocks.first[2]; k < blocks.first[2] + blocks.count[2]; ++k)
                    filler.fill(i, j, k, group++, out);
                if (total.fetch_add(out.x.size() / 3) > kMaximumParticles)
                    failed = true;
            }
        } catch (const std::bad_alloc&) {
            failed = true;
        }
    });
    context.throwIfCancelled();
    if (failed)
        throw sdk::Failure("the shape holds too many particles for this machine; use larger "
                           "cells, fewer particles a cell or a smaller shape",
                           FLOE_OUT_OF_MEMORY);
    samples.x.reserve(samples.x.size() + 3 * total);
    for (Samples& part : found) {
        moveTo(part.x, samples.x);
        moveTo(part.place, samples.place);
    }
    return columns * static_cast<uint64_t>(blocks.count[2]);
}

} // namespace floe::emitters
