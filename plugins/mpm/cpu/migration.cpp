#include "migration.hpp"

#include "materials.hpp"

#include <algorithm>
#include <bit>

namespace floe::mpm {

namespace {

void copyLane(const BinRef& from, int fromLane, const BinRef& to, int toLane)
{
    const int rows = rowsOf(from.layout);
    for (int r = 0; r < rows; ++r)
        to.data[r * kLanes + toLane] = from.data[r * kLanes + fromLane];
}

} // namespace

std::uint16_t MigrationBuffer::material(std::uint32_t record) const
{
    return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(records[record * kRecord]));
}

Layout MigrationBuffer::layout(std::uint32_t record) const
{
    return static_cast<Layout>(std::bit_cast<std::uint32_t>(records[record * kRecord]) >> 16);
}

void MigrationBuffer::take(Block& block, BinPool& pool, const MaterialTable& materials)
{
    constexpr std::uint8_t kStays = kSelf, kDead = 255;
    std::vector<std::uint8_t> fate(block.bins.size() * kLanes, kStays);
    std::array<std::uint32_t, 28> count{};
    bool any = false;
    for (std::size_t b = 0; b < block.bins.size(); ++b) {
        const BinRef& bin = block.bins[b];
        std::int32_t direction[kLanes];
        std::fill_n(direction, kLanes, kSelf);
        for (int axis = 0, weight = 9; axis < 3; ++axis, weight /= 3)
            for (int lane = 0; lane < kLanes; ++lane) {
                const float base = bin.rowAt(row::x + axis)[lane] - 0.5f;
                direction[lane] += weight * ((base >= 4.0f) - (base < 0.0f));
            }
        for (int lane = 0; lane < bin.count; ++lane) {
            auto f = static_cast<std::uint8_t>(direction[lane]);
            if (bin.rowAt(row::mass)[lane] == 0)
                f = kDead;
            else
                ++count[f];
            fate[b * kLanes + lane] = f;
            any = any || f != kStays;
        }
    }
    begin = {};
    records.clear();
    if (!any)
        return;
    count[kSelf] = 0;
    std::uint32_t total = 0;
    for (int d = 0; d < 27; ++d) {
        begin[d] = total;
        total += count[d];
    }
    begin[27] = total;
    records.resize(total * kRecord);
    std::array<std::uint32_t, 28> next = begin;
    for (std::size_t b = 0; b < block.bins.size(); ++b) {
        const BinRef& bin = block.bins[b];
        for (int lane = 0; lane < bin.count; ++lane) {
            const std::uint8_t f = fate[b * kLanes + lane];
            if (f == kStays || f == kDead)
                continue;
            float* record = records.data() + next[f]++ * kRecord;
            record[0] =
                std::bit_cast<float>(static_cast<std::uint32_t>(bin.layout) << 16 | bin.material);
            const int rows = rowsOf(bin.layout);
            for (int r = 0; r < rows; ++r)
                record[1 + r] = bin.rowAt(r)[lane];
            const int d[3] = {f / 9 - 1, f / 3 % 3 - 1, f % 3 - 1};
            for (int axis = 0; axis < 3; ++axis)
                record[1 + row::x + axis] -= static_cast<float>(kBlockEdge * d[axis]);
        }
    }

    // Close the gaps, bins of one kind at a time.
    std::vector<BinRef> kept;
    kept.reserve(block.bins.size());
    std::uint32_t particles = 0;
    for (std::size_t first = 0; first < block.bins.size();) {
        std::size_t last = first;
        std::size_t size = 0;
        while (last < block.bins.size() && !isBefore(block.bins[first], block.bins[last]))
            size += block.bins[last++].count;
        const auto stays = [&](std::size_t i) {
            return fate[first * kLanes + i] == kStays;
        };
        std::size_t end = size;
        for (std::size_t i = 0; i < end; ++i) {
            if (stays(i))
                continue;
            while (end > i + 1 && !stays(end - 1))
                --end;
            --end; // moves to i, or is i itself
            if (end > i)
                copyLane(block.bins[first + end / kLanes], static_cast<int>(end % kLanes),
                         block.bins[first + i / kLanes], static_cast<int>(i % kLanes));
        }
        particles += static_cast<std::uint32_t>(end);
        for (std::size_t b = first; b < last; ++b) {
            BinRef bin = block.bins[b];
            const std::size_t before = (b - first) * kLanes;
            const std::size_t left = end > before ? std::min<std::size_t>(kLanes, end - before) : 0;
            if (left == 0) {
                pool.give(bin.layout, bin.data);
                continue;
            }
            for (std::size_t lane = left; lane < bin.count; ++lane)
                clearLane(bin, static_cast<int>(lane), materials.initialState(bin.material));
            bin.count = static_cast<std::uint8_t>(left);
            kept.push_back(bin);
        }
        first = last;
    }
    block.bins = std::move(kept);
    block.particles = particles;
}

} // namespace floe::mpm
