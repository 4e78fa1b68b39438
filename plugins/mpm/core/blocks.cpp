#include "blocks.hpp"

#include <algorithm>

namespace floe::mpm {

namespace {

std::uint64_t keyOf(const BlockCoordinate& c)
{
    const auto part = [](std::int32_t a) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a) & 0x1fffffu);
    };
    return part(c[0]) << 42 | part(c[1]) << 21 | part(c[2]);
}

/// Finaliser of MurmurHash3: neighbouring blocks land far apart.
std::uint64_t mix(std::uint64_t k)
{
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdull;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53ull;
    return k ^ k >> 33;
}

} // namespace

void BlockMap::clear()
{
    slots_.assign(slots_.size(), Slot{});
    used_ = 0;
}

void BlockMap::reserve(std::size_t blocks)
{
    std::size_t capacity = 64;
    while (capacity < 2 * blocks)
        capacity *= 2;
    if (capacity <= slots_.size())
        return;
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(capacity, Slot{});
    for (const Slot& slot : old)
        if (slot.key != kEmpty)
            slots_[place(slot.key)] = slot;
}

std::size_t BlockMap::place(std::uint64_t key) const
{
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = mix(key) & mask;
    while (slots_[at].key != kEmpty && slots_[at].key != key)
        at = (at + 1) & mask;
    return at;
}

std::int32_t BlockMap::find(const BlockCoordinate& coordinate) const
{
    return slots_.empty() ? -1 : slots_[place(keyOf(coordinate))].index;
}

void BlockMap::insert(const BlockCoordinate& coordinate, std::int32_t index)
{
    reserve(++used_);
    const std::uint64_t key = keyOf(coordinate);
    slots_[place(key)] = {key, index};
}

BinPool::BinPool(MemorySource& source)
    : pools_{{{static_cast<std::size_t>(kRows[0]) * kLanes, source},
              {static_cast<std::size_t>(kRows[1]) * kLanes, source},
              {static_cast<std::size_t>(kRows[2]) * kLanes, source},
              {static_cast<std::size_t>(kRows[3]) * kLanes, source}}}
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
