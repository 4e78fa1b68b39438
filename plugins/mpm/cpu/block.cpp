#include "block.hpp"

#include <algorithm>

namespace floe::mpm {

BinPool::BinPool(MemorySource& source)
    : pools_{{{static_cast<std::size_t>(kRows[0]) * kLanes, source},
              {static_cast<std::size_t>(kRows[1]) * kLanes, source},
              {static_cast<std::size_t>(kRows[2]) * kLanes, source},
              {static_cast<std::size_t>(kRows[3]) * kLanes, source},
              {static_cast<std::size_t>(kRows[4]) * kLanes, source},
              {static_cast<std::size_t>(kRows[5]) * kLanes, source}}}
{}

std::size_t BinPool::bytes() const
{
    std::size_t sum = 0;
    for (const FloatPool& pool : pools_)
        sum += pool.bytes();
    return sum;
}

std::pair<BinRef*, int> freeLane(Block& block, BinPool& pool, std::uint16_t material, Layout layout,
                                 const float* initialState)
{
    BinRef wanted{nullptr, material, layout, 0};
    auto after = std::upper_bound(block.bins.begin(), block.bins.end(), wanted, isBefore);
    if (after == block.bins.begin() || isBefore(*(after - 1), wanted) ||
        (after - 1)->count == kLanes) {
        wanted.data = pool.take(layout);
        after = block.bins.insert(after, wanted);
        for (int lane = 0; lane < kLanes; ++lane)
            clearLane(*after, lane, initialState);
        ++after;
    }
    BinRef& bin = *(after - 1);
    return {&bin, bin.count++};
}

void clearLane(const BinRef& bin, int lane, const float initialState[4])
{
    const int rows = rowsOf(bin.layout);
    for (int r = 0; r < rows; ++r)
        bin.rowAt(r)[lane] = 0;
    for (int axis = 0; axis < 3; ++axis)
        bin.rowAt(row::x + axis)[lane] = 1.5f;
    bin.rowAt(row::state)[lane] = initialState[0];
    if (bin.layout == Layout::custom)
        for (int i = 0; i < 3; ++i)
            bin.rowAt(row::moreState + i)[lane] = initialState[i + 1];
}

} // namespace floe::mpm
