#include "block_cost.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace floe::mpm {

using sdk::grid::BlockCost;
using sdk::grid::Partition;

std::int64_t costBySize(std::uint64_t particles, BlockState state)
{
    constexpr std::int64_t kArena = 64, kParticle = 1000;
    const auto count = static_cast<std::int64_t>(particles);
    switch (state) {
    case BlockState::active:
        return kParticle * (count + kArena);
    case BlockState::boundary:
        return kParticle * kArena + count;
    default:
        return kArena + count;
    }
}

std::vector<BlockCost> costsOf(std::span<const BlockWork> blocks, CostBy by)
{
    double seconds = 0, sizes = 0;
    for (const BlockWork& b : blocks)
        if (b.seconds > 0 && b.state == BlockState::active) {
            seconds += static_cast<double>(b.seconds);
            sizes += static_cast<double>(costBySize(b.particles, b.state));
        }
    std::vector<BlockCost> costs;
    costs.reserve(blocks.size());
    if (by != CostBy::time) {
        double all = 0, count = 0;
        for (const BlockWork& b : blocks) {
            all += static_cast<double>(costBySize(b.particles, b.state));
            count += by == CostBy::blocks ? 1 : b.particles;
        }
        for (const BlockWork& b : blocks) // the sum is the same
            costs.push_back({b.block, std::llround((by == CostBy::blocks ? 1 : b.particles) * all /
                                                   std::max(count, 1.0))});
        return costs;
    }
    for (const BlockWork& b : blocks) {
        const std::int64_t bySize = costBySize(b.particles, b.state);
        const bool measured = seconds > 0 && b.seconds > 0 && b.state != BlockState::passive;
        costs.push_back({b.block, measured ? std::llround(b.seconds * sizes / seconds) : bySize});
    }
    return costs;
}

bool paysToMove(const Partition& now, const Partition& next, std::span<const BlockWork> blocks,
                std::span<const BlockCost> costs, int ranks, std::uint64_t steps)
{
    // Packing, sending and unpacking a block takes about as long as so many steps of it.
    constexpr double kMove = 8, kFrames = 2;
    const auto most = [](const std::vector<std::int64_t>& shares) {
        return static_cast<double>(*std::max_element(shares.begin(), shares.end()));
    };
    const double gain =
        most(sdk::grid::shares(now, costs, ranks)) - most(sdk::grid::shares(next, costs, ranks));
    std::vector<std::int64_t> moved(static_cast<std::size_t>(ranks)); // in whatever state
    for (const BlockWork& b : blocks) {
        const int from = now.ownerOf(b.block), to = next.ownerOf(b.block);
        if (from == to)
            continue;
        const std::int64_t size = costBySize(b.particles, BlockState::active);
        moved[static_cast<std::size_t>(from)] += size;
        moved[static_cast<std::size_t>(to)] += size;
    }
    return gain * kFrames * static_cast<double>(steps) > kMove * most(moved);
}

sdk::grid::PartitionPointer betterDivision(const Ownership& ownership,
                                           std::span<const BlockWork> own, std::uint64_t steps,
                                           std::vector<BlockWork>& all)
{
    constexpr double kTolerated = 1.05;
    const int size = ownership.ranks->size();
    sdk::parallel::BytesOut out;
    out.put(own.data(), own.size_bytes());
    all.clear();
    for (const auto& bytes : ownership.ranks->share(out.bytes)) {
        const std::size_t before = all.size();
        all.resize(before + bytes.size() / sizeof(BlockWork));
        if (!bytes.empty())
            std::memcpy(all.data() + before, bytes.data(), bytes.size());
    }
    const std::vector<BlockCost> costs = costsOf(all, ownership.costBy);
    if (sdk::grid::imbalance(sdk::grid::shares(*ownership.partition, costs, size)) < kTolerated)
        return nullptr;
    auto next = ownership.divide(costs, size, ownership.partition);
    if (next == ownership.partition ||
        !paysToMove(*ownership.partition, *next, all, costs, size, steps))
        return nullptr;
    return next;
}

} // namespace floe::mpm
