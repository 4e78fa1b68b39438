#include "ownership.hpp"

#include <cstring>
#include <utility>

namespace floe::mpm {

using sdk::grid::BlockCost;

void Ownership::divideBy(std::vector<BlockCost> costs)
{
    for (BlockCost& cost : costs)
        cost.block = period.wrapped(cost.block);
    partition = divide(std::move(costs), ranks->size(), partition);
}

void Ownership::divideByOwn(const std::vector<BlockCost>& own)
{
    sdk::parallel::BytesOut out;
    out.put(own.data(), own.size() * sizeof(BlockCost));
    std::vector<BlockCost> all;
    for (const auto& bytes : ranks->share(out.bytes)) {
        const std::size_t before = all.size();
        all.resize(before + bytes.size() / sizeof(BlockCost));
        if (!bytes.empty())
            std::memcpy(all.data() + before, bytes.data(), bytes.size());
    }
    if (!all.empty())
        divideBy(std::move(all));
}

bool Ownership::isCellOfOthers(const std::array<std::int64_t, 3>& cell) const
{
    if (byParticles)
        return true;
    for (int corner = 0; corner < 8; ++corner) {
        BlockCoordinate block;
        for (std::size_t axis = 0; axis < 3; ++axis)
            block[axis] = static_cast<std::int32_t>(
                sdk::grid::blockOf(cell[axis] + (corner >> axis & 1 ? 1 : -2)));
        if (!owns(block))
            return true;
    }
    return false;
}

void Ownership::shareMarked(std::span<std::uint8_t> marks) const
{
    std::vector<std::int64_t> words((marks.size() + 63) / 64);
    for (std::size_t i = 0; i < marks.size(); ++i)
        if (marks[i])
            words[i / 64] |= static_cast<std::int64_t>(std::uint64_t{1} << i % 64);
    ranks->reduce(FLOE_RANKS_OR, std::span<std::int64_t>(words));
    for (std::size_t i = 0; i < marks.size(); ++i)
        marks[i] = static_cast<std::uint64_t>(words[i / 64]) >> i % 64 & 1;
}

} // namespace floe::mpm
