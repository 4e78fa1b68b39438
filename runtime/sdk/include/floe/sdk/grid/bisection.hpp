/// Which rank owns which block, by recursive bisection (partition.hpp has the other ways): the
/// blocks of a group of ranks are cut across one axis, each half of the ranks gets its part of the
/// cost, and so on down to single ranks.
#pragma once

#include "floe/sdk/grid/partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace floe::sdk::grid {

/// Blocks by one axis, then by the next ones: a cut between two blocks of this order is a plane,
/// with a step in it where it has to be finer than a layer of blocks.
class AxisOrder {
public:
    explicit AxisOrder(std::size_t axis) : axis_(axis) {}
    bool operator()(const BlockCoordinate& a, const BlockCoordinate& b) const
    {
        for (std::size_t i = 0; i < 3; ++i)
            if (const std::size_t axis = (axis_ + i) % 3; a[axis] != b[axis])
                return a[axis] < b[axis];
        return false;
    }
    std::size_t axis() const { return axis_; }

private:
    std::size_t axis_;
};

class BisectionPartition final : public Partition {
public:
    struct Cut {
        std::size_t axis = 0;
        BlockCoordinate first{}; ///< of the upper half, in AxisOrder
    };

    /// @param cuts  one less than ranks: the cut below rank r + 1 is the r-th. Each rank but the
    ///              first is the middle of one group.
    explicit BisectionPartition(std::vector<Cut> cuts) : cuts_(std::move(cuts)) {}
    int ownerOf(const BlockCoordinate& block) const override
    {
        int begin = 0, end = static_cast<int>(cuts_.size()) + 1;
        while (end - begin > 1) {
            const int middle = middleOf(begin, end);
            const Cut& cut = cuts_[static_cast<std::size_t>(middle - 1)];
            (AxisOrder(cut.axis)(block, cut.first) ? end : begin) = middle;
        }
        return begin;
    }
    const std::vector<Cut>& cuts() const { return cuts_; }
    /// Returns the first rank of the upper half of a group.
    static int middleOf(int begin, int end) { return begin + (end - begin) / 2; }

private:
    std::vector<Cut> cuts_;
};

/// Finds the cuts of a bisection.
class Bisection {
public:
    /// @param before  whose axes are kept where others are not clearly better; or null
    Bisection(std::vector<BlockCost> costs, int ranks, const BisectionPartition* before)
        : costs_(std::move(costs)), cuts_(static_cast<std::size_t>(ranks - 1)),
          before_(before && before->cuts().size() == cuts_.size() ? before : nullptr)
    {
        sortCosts(costs_); // entries of the same block become one
        divide(costs_, 0, ranks);
    }
    std::vector<BisectionPartition::Cut> takeCuts() { return std::move(cuts_); }

private:
    /// Cuts the blocks of ranks `begin` to `end` - 1.
    void divide(std::span<BlockCost> costs, int begin, int end)
    {
        if (end - begin < 2)
            return;
        const int middle = BisectionPartition::middleOf(begin, end);
        const auto cut = static_cast<std::size_t>(middle - 1);
        const std::size_t present = before_ ? before_->cuts()[cut].axis : 3;
        double least = std::numeric_limits<double>::infinity();
        std::size_t best = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            constexpr double kKept = 0.8; // of the faces that another axis would have
            const double faces = static_cast<double>(facesBetween(
                                     costs, axis, sortAndCut(costs, axis, begin, end))) *
                                 (axis == present ? kKept : 1);
            if (faces < least) {
                least = faces;
                best = axis;
            }
        }
        const std::size_t lower = sortAndCut(costs, best, begin, end);
        cuts_[cut] = {best, firstOf(costs, best, lower)};
        divide(costs.first(lower), begin, middle);
        divide(costs.subspan(lower), middle, end);
    }

    /// Sorts along an axis. @return how many blocks the lower half of the ranks gets: as many as
    ///         bring its cost nearest to its part; whole layers where these come near enough, as
    ///         a step in a cut has neighbours on more sides
    static std::size_t sortAndCut(std::span<BlockCost> costs, std::size_t axis, int begin, int end)
    {
        std::sort(costs.begin(), costs.end(),
                  [order = AxisOrder(axis)](const BlockCost& a, const BlockCost& b) {
                      return order(a.block, b.block);
                  });
        long double whole = 0; // exact below 2^64
        for (const BlockCost& c : costs)
            whole += static_cast<long double>(c.cost);
        const long double wanted =
            whole * (BisectionPartition::middleOf(begin, end) - begin) / (end - begin);
        // That step is a row of blocks, whose border costs a solver about twice what one does.
        const double step = 3.5 * std::pow(std::max<double>(costs.size(), 1), -2.0 / 3);
        long double nearest = std::min(0.1, step) * std::min(wanted, whole - wanted);
        long double sum = 0;
        std::size_t lower = 0, layers = 0; // blocks
        for (std::size_t i = 0; i < costs.size(); ++i) {
            const auto cost = static_cast<long double>(costs[i].cost);
            if (i > 0 && costs[i].block[axis] != costs[i - 1].block[axis] &&
                std::abs(sum - wanted) <= nearest) {
                nearest = std::abs(sum - wanted);
                layers = i;
            }
            if (sum + cost / 2 < wanted)
                lower = i + 1;
            sum += cost;
        }
        return layers > 0 ? layers : lower;
    }

    /// Returns how many blocks have a neighbour with a common face on the other side of a cut.
    /// @param costs  sorted along the axis
    static std::size_t facesBetween(std::span<const BlockCost> costs, std::size_t axis,
                                    std::size_t lower)
    {
        if (lower == 0 || lower == costs.size())
            return 0;
        const AxisOrder order(axis);
        const std::int32_t layer = costs[lower].block[axis];
        std::size_t faces = 0;
        // Blocks below the cut that have a neighbour above it lie in its layer or the one before.
        for (std::size_t i = lower; i-- > 0 && costs[i].block[axis] >= layer - 1;)
            for (std::size_t along = 0; along < 3; ++along) {
                BlockCoordinate next = costs[i].block;
                ++next[along];
                const auto found = std::lower_bound(
                    costs.begin() + static_cast<std::ptrdiff_t>(lower), costs.end(), next,
                    [&](const BlockCost& c, const BlockCoordinate& b) {
                        return order(c.block, b);
                    });
                faces += found != costs.end() && found->block == next;
            }
        return faces;
    }

    /// Returns where the upper half begins: in the middle of an empty space before it, so that
    /// blocks that are about to fill lie on either side.
    static BlockCoordinate firstOf(std::span<const BlockCost> costs, std::size_t axis,
                                   std::size_t lower)
    {
        constexpr std::int32_t kLowest = std::numeric_limits<std::int32_t>::min(),
                               kHighest = std::numeric_limits<std::int32_t>::max();
        if (lower == costs.size())
            return {kHighest, kHighest, kHighest};
        BlockCoordinate first = costs[lower].block;
        if (lower > 0 && costs[lower - 1].block[axis] == first[axis])
            return first;
        const std::int64_t below =
            lower > 0 ? costs[lower - 1].block[axis] : std::int64_t{first[axis]} - 1;
        first[axis] = static_cast<std::int32_t>((below + first[axis] + 1) >> 1);
        first[(axis + 1) % 3] = first[(axis + 2) % 3] = kLowest;
        return first;
    }

    std::vector<BlockCost> costs_;
    std::vector<BisectionPartition::Cut> cuts_;
    const BisectionPartition* before_;
};

/// Cuts across whichever axis parts the fewest neighbours.
inline PartitionPointer divideBisection(std::vector<BlockCost> costs, int ranks,
                                        const PartitionPointer& before = nullptr)
{
    return std::make_shared<BisectionPartition>(
        Bisection(std::move(costs), ranks, dynamic_cast<const BisectionPartition*>(before.get()))
            .takeCuts());
}

} // namespace floe::sdk::grid
