/// Which rank owns which block: partitions of the sparse grid by the cost of its blocks. Every rank
/// computes the same partition from the same costs; nothing here communicates.
///
///     bisection  recursive cuts across one axis each (bisection.hpp); any number of ranks, the
///                shortest borders
///     curve      cuts of the blocks' Morton order; any number of ranks, the finest balance
///     boxes      rectilinear cuts, by alternating one-dimensional optimisation (Qiu 2024, section
///                4.5.2)
///     fixed      equal boxes, for comparison
///
/// Ranks may also divide particles, not space: `curve` cuts what an emitter gives, and each keeps
/// its part ("particles"). That is the solver's matter; a partition knows blocks alone.
#pragma once

#include "floe/sdk/grid/block.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace floe::sdk::grid {

/// A sparse histogram's entry.
struct BlockCost {
    BlockCoordinate block{};
    std::int64_t cost = 0; ///< >= 0, in any unit
};

/// Sorts a histogram along Morton's curve and adds up entries of the same block.
inline void sortCosts(std::vector<BlockCost>& costs)
{
    std::sort(costs.begin(), costs.end(), [](const BlockCost& a, const BlockCost& b) {
        return mortonOrder(a.block) < mortonOrder(b.block);
    });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (kept > 0 && costs[kept - 1].block == costs[i].block)
            costs[kept - 1].cost += costs[i].cost;
        else
            costs[kept++] = costs[i];
    costs.resize(kept);
}

/// A function from every block of space, occupied or not, to the rank that owns it. Immutable;
/// from any thread.
class Partition {
public:
    virtual ~Partition() = default;
    virtual int ownerOf(const BlockCoordinate& block) const = 0;
};
using PartitionPointer = std::shared_ptr<const Partition>;

/// Divides blocks among ranks. The same costs, in any order, give the same partition.
/// @param before  the present partition, or null: an optimisation may start from it
using Partitioner = std::function<PartitionPointer(std::vector<BlockCost> costs, int ranks,
                                                   const PartitionPointer& before)>;

/// Returns the cost that each rank has.
inline std::vector<std::int64_t> shares(const Partition& partition,
                                        std::span<const BlockCost> costs, int ranks)
{
    std::vector<std::int64_t> shares(static_cast<std::size_t>(ranks));
    for (const BlockCost& c : costs)
        shares[static_cast<std::size_t>(partition.ownerOf(c.block))] += c.cost;
    return shares;
}
/// Returns the largest share divided by their mean; 1 where there is no cost.
inline double imbalance(std::span<const std::int64_t> shares)
{
    double sum = 0, most = 0;
    for (const std::int64_t share : shares) {
        sum += static_cast<double>(share);
        most = std::max(most, static_cast<double>(share));
    }
    return sum > 0 ? most * static_cast<double>(shares.size()) / sum : 1;
}

// --------------------------------------------------------------------------------------- curve

/// Pieces of Morton's curve.
class CurvePartition final : public Partition {
public:
    /// @param first  where each rank but the first begins, not decreasing
    explicit CurvePartition(std::vector<std::uint64_t> first) : first_(std::move(first)) {}
    int ownerOf(const BlockCoordinate& block) const override
    {
        return static_cast<int>(std::upper_bound(first_.begin(), first_.end(), mortonOrder(block)) -
                                first_.begin());
    }

private:
    std::vector<std::uint64_t> first_;
};

/// Cuts where the running sum is nearest to each rank's part of the whole.
inline PartitionPointer divideCurve(std::vector<BlockCost> costs, int ranks,
                                    const PartitionPointer& = nullptr)
{
    sortCosts(costs);
    long double whole = 0; // exact below 2^64
    for (const BlockCost& c : costs)
        whole += static_cast<long double>(c.cost);
    std::vector<std::uint64_t> first;
    long double before = 0;
    std::size_t at = 0;
    for (int rank = 1; rank < ranks; ++rank) {
        const long double wanted = whole * rank / ranks;
        // A block goes to the side where the larger part of it lies.
        while (at < costs.size() && before + static_cast<long double>(costs[at].cost) / 2 < wanted)
            before += static_cast<long double>(costs[at++].cost);
        first.push_back(at < costs.size() ? mortonOrder(costs[at].block)
                                          : std::numeric_limits<std::uint64_t>::max());
    }
    return std::make_shared<CurvePartition>(std::move(first));
}

// --------------------------------------------------------------------------------------- boxes

/// Boxes between cuts along each axis; the outer ones have no end. Rank (i, j, k) of the topology
/// is number (i n_y + j) n_z + k.
class BoxPartition final : public Partition {
public:
    /// Cuts of each axis, increasing: one less than the boxes along it.
    using Cuts = std::array<std::vector<std::int32_t>, 3>;

    explicit BoxPartition(Cuts cuts) : cuts_(std::move(cuts)) {}
    int ownerOf(const BlockCoordinate& block) const override
    {
        int rank = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto& cuts = cuts_[axis];
            rank = rank * static_cast<int>(cuts.size() + 1) +
                   static_cast<int>(std::upper_bound(cuts.begin(), cuts.end(), block[axis]) -
                                    cuts.begin());
        }
        return rank;
    }
    const Cuts& cuts() const { return cuts_; }

private:
    Cuts cuts_;
};

/// A number of boxes along each axis; their product is the number of ranks.
using Topology = std::array<int, 3>;

/// Blocks from `low` to `high` - 1 of each axis.
struct BlockBounds {
    BlockCoordinate low{}, high{};
};
inline BlockBounds boundsOf(std::span<const BlockCost> costs)
{
    BlockBounds bounds;
    for (std::size_t axis = 0; axis < 3 && !costs.empty(); ++axis) {
        bounds.low[axis] = bounds.high[axis] = costs[0].block[axis];
        for (const BlockCost& c : costs) {
            bounds.low[axis] = std::min(bounds.low[axis], c.block[axis]);
            bounds.high[axis] = std::max(bounds.high[axis], c.block[axis]);
        }
        ++bounds.high[axis];
    }
    return bounds;
}

/// Returns the topology with the smallest faces for boxes of this shape.
inline Topology chooseTopology(const BlockBounds& bounds, int ranks)
{
    std::array<double, 3> edge{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        edge[axis] = std::max(1, bounds.high[axis] - bounds.low[axis]);
    Topology best{ranks, 1, 1};
    double least = std::numeric_limits<double>::infinity();
    for (int x = 1; x <= ranks; ++x)
        for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
            if (ranks / x % y != 0)
                continue;
            const int z = ranks / x / y;
            const double faces = (x - 1) * edge[1] * edge[2] + (y - 1) * edge[0] * edge[2] +
                                 (z - 1) * edge[0] * edge[1];
            if (faces < least) {
                least = faces;
                best = {x, y, z};
            }
        }
    return best;
}

/// Equal boxes.
inline BoxPartition::Cuts evenCuts(const BlockBounds& bounds, const Topology& topology)
{
    BoxPartition::Cuts cuts;
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (int r = 1; r < topology[axis]; ++r)
            cuts[axis].push_back(static_cast<std::int32_t>(
                bounds.low[axis] +
                (std::int64_t{bounds.high[axis]} - bounds.low[axis]) * r / topology[axis]));
    return cuts;
}

/// Moves cuts until no axis can be improved: along one axis at a time, each cut goes where the
/// slabs before it have the shares nearest to the mean, the other axes held fixed (Qiu 2024,
/// algorithms 2 and 4; the midpoint of a plateau, so that blocks that are about to fill lie on
/// either side).
///
/// The costs are summed along axes sparsely: no array of the whole space.
class BoxOptimiser {
public:
    /// @param bounds  which the cuts stay within
    BoxOptimiser(std::span<const BlockCost> costs, const BlockBounds& bounds, Topology topology)
        : costs_(costs), bounds_(bounds), topology_(topology)
    {}

    static constexpr int kMaxRounds = 10;

    /// @param seed  of the order of axes: the same on every rank
    /// @return the number of rounds that changed something
    int improve(BoxPartition::Cuts& cuts, std::uint32_t seed) const
    {
        std::mt19937 random(seed);
        for (int round = 0; round < kMaxRounds; ++round) {
            std::array<std::size_t, 3> axes{0, 1, 2};
            for (std::size_t i = 2; i > 0; --i) // std::shuffle differs between libraries
                std::swap(axes[i], axes[random() % (i + 1)]);
            bool changed = false;
            for (const std::size_t axis : axes)
                changed = improveAxis(cuts, axis) || changed;
            if (!changed)
                return round;
        }
        return kMaxRounds;
    }

    /// Returns the sum over all boxes of how far each is from the mean.
    std::int64_t imbalanceOf(const BoxPartition::Cuts& cuts) const
    {
        const int ranks = topology_[0] * topology_[1] * topology_[2];
        std::int64_t whole = 0, sum = 0;
        const auto each = shares(BoxPartition(cuts), costs_, ranks);
        for (const std::int64_t share : each)
            whole += share;
        for (const std::int64_t share : each)
            sum += std::abs(share * ranks - whole);
        return sum;
    }

private:
    bool improveAxis(BoxPartition::Cuts& cuts, std::size_t axis) const
    {
        const std::int32_t low = bounds_.low[axis], tiles = bounds_.high[axis] - low;
        const int count = topology_[axis];
        if (count == 1 || tiles < count)
            return false;
        // Cost by box of the other axes and place along this one, in order of the place.
        const std::size_t a = (axis + 1) % 3, b = (axis + 2) % 3;
        const auto boxes = static_cast<std::size_t>(topology_[a] * topology_[b]);
        struct Entry {
            std::int32_t place;
            std::uint32_t box;
            std::int64_t cost;
        };
        std::vector<Entry> entries;
        entries.reserve(costs_.size());
        std::vector<std::int64_t> whole(boxes);
        const auto placeIn = [&](std::size_t along, const BlockCost& c) {
            return std::upper_bound(cuts[along].begin(), cuts[along].end(), c.block[along]) -
                   cuts[along].begin();
        };
        for (const BlockCost& c : costs_) {
            const auto box =
                static_cast<std::uint32_t>(placeIn(a, c) * topology_[b] + placeIn(b, c));
            entries.push_back({c.block[axis] - low, box, c.cost});
            whole[box] += c.cost;
        }
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& p, const Entry& q) { return p.place < q.place; });

        bool changed = false;
        std::int32_t from = 0;
        std::size_t next = 0; // first entry that is not before the slab
        std::vector<std::int64_t> inside(boxes);
        for (int r = 1; r < count; ++r) {
            std::fill(inside.begin(), inside.end(), 0);
            std::int64_t best = std::numeric_limits<std::int64_t>::max();
            std::int32_t first = from + 1, last = from + 1;
            std::size_t at = next;
            const std::int32_t end = tiles - (count - r);
            for (std::int32_t p = from + 1; p <= end;) {
                for (; at < entries.size() && entries[at].place < p; ++at)
                    inside[entries[at].box] += entries[at].cost;
                std::int64_t difference = 0; // times `count`, so that the mean is exact
                for (std::size_t box = 0; box < boxes; ++box)
                    difference += std::abs(inside[box] * count - whole[box]);
                // Nothing changes up to the next occupied place.
                const std::int32_t same =
                    at < entries.size() ? std::min(end, entries[at].place) : end;
                if (difference < best) {
                    best = difference;
                    first = p;
                    last = same;
                } else if (difference == best && last == p - 1) {
                    last = same;
                }
                p = same + 1;
            }
            const std::int32_t cut = low + (first + last) / 2;
            std::int32_t& present = cuts[axis][static_cast<std::size_t>(r - 1)];
            changed = changed || present != cut;
            present = cut;
            from = cut - low;
            while (next < entries.size() && entries[next].place < from)
                ++next;
        }
        return changed;
    }

    std::span<const BlockCost> costs_;
    BlockBounds bounds_;
    Topology topology_;
};

/// Balanced boxes: those with the smallest largest share of all that are found from the present
/// ones and from equal ones, with two orders of axes each.
inline PartitionPointer divideBoxes(std::vector<BlockCost> costs, int ranks,
                                    const PartitionPointer& before = nullptr)
{
    sortCosts(costs);
    const BlockBounds bounds = boundsOf(costs);
    const auto* present = dynamic_cast<const BoxPartition*>(before.get());
    Topology topology = chooseTopology(bounds, ranks);
    std::vector<BoxPartition::Cuts> starts;
    if (present) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            topology[axis] = static_cast<int>(present->cuts()[axis].size()) + 1;
        starts.push_back(present->cuts());
    }
    starts.push_back(evenCuts(bounds, topology));
    const BoxOptimiser optimiser(costs, bounds, topology);
    BoxPartition::Cuts best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const auto consider = [&](BoxPartition::Cuts cuts) {
        const auto each = shares(BoxPartition(cuts), costs, ranks);
        if (const std::int64_t largest = *std::max_element(each.begin(), each.end());
            largest < least) {
            least = largest;
            best = std::move(cuts);
        }
    };
    for (const BoxPartition::Cuts& start : starts) {
        consider(start);
        for (const std::uint32_t seed : {1u, 2u}) {
            BoxPartition::Cuts cuts = start;
            optimiser.improve(cuts, seed);
            consider(std::move(cuts));
        }
    }
    return std::make_shared<BoxPartition>(std::move(best));
}

/// Equal boxes around the first costs, kept ever after.
inline PartitionPointer divideEvenly(std::vector<BlockCost> costs, int ranks,
                                     const PartitionPointer& before = nullptr)
{
    if (before)
        return before;
    const BlockBounds bounds = boundsOf(costs);
    return std::make_shared<BoxPartition>(evenCuts(bounds, chooseTopology(bounds, ranks)));
}

/// The same with a number of boxes along each axis, of which there are as many as ranks.
inline Partitioner divideEvenlyInto(const Topology& topology)
{
    return [topology](std::vector<BlockCost> costs, int, const PartitionPointer& before) {
        return before ? before
                      : std::make_shared<BoxPartition>(evenCuts(boundsOf(costs), topology));
    };
}

/// Reads "2x2x1". @return nothing: it is none
inline std::optional<Topology> topologyOf(std::string_view text)
{
    Topology topology{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const char* const end = text.data() + text.size();
        const auto [next, error] = std::from_chars(text.data(), end, topology[axis]);
        if (error != std::errc{} || topology[axis] < 1 || topology[axis] > 1 << 20)
            return std::nullopt;
        text = std::string_view(next, static_cast<std::size_t>(end - next));
        if (axis < 2 ? !text.starts_with('x') : !text.empty())
            return std::nullopt;
        text.remove_prefix(axis < 2 ? 1 : 0);
    }
    return topology;
}

} // namespace floe::sdk::grid
