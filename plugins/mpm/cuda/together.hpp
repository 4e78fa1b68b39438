/// Particles and blocks in host memory that come together from several ranks, or go to others. All
/// ranks call these at the same time.
#pragma once

#include "core.cuh"
#include "snapshot_columns.hpp"

#include <cstring>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace floe::mpm::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline BlockCoordinate blockOf(const std::vector<std::int32_t>& coordinates, std::uint64_t i)
{
    return {coordinates[3 * i], coordinates[3 * i + 1], coordinates[3 * i + 2]};
}

/// Returns the particles of blocks for which isOwn(block).
template <class IsOwn>
HostParticles ownOf(const HostParticles& all, const IsOwn& isOwn)
{
    std::vector<std::uint64_t> kept;
    for (std::uint64_t p = 0; p < all.count; ++p)
        if (isOwn(blockOf(all.block, p)))
            kept.push_back(p);
    HostParticles own;
    own.resize(kept.size());
    for (std::uint64_t i = 0; i < own.count; ++i) {
        const std::uint64_t p = kept[i];
        for (unsigned channel = kPosition; channel < kChannels; ++channel)
            own.at(channel, i) = all.at(channel, p);
        std::copy_n(all.block.begin() + std::ptrdiff_t(3 * p), 3,
                    own.block.begin() + std::ptrdiff_t(3 * i));
        own.material[i] = all.material[p];
        own.id[i] = all.id[p];
    }
    return own;
}

/// Puts a column of all ranks together at rank 0, one rank's after the other's.
/// @param all  there: room for all
inline void gatherColumn(const Ranks& ranks, std::span<const std::byte> own,
                         std::span<const std::uint64_t> first, std::size_t each, void* all)
{
    ranks.gatherInPieces(
        own, [&](std::size_t rank, std::size_t offset, std::span<const std::byte> piece) {
            std::memcpy(static_cast<std::byte*>(all) + first[rank] * each + offset, piece.data(),
                        piece.size());
        });
}

/// Returns where each rank's begin, and the number of all of them.
inline std::vector<std::uint64_t> firstOfEach(const Ranks& ranks, std::uint64_t own)
{
    sdk::parallel::BytesOut out;
    out.put(own);
    std::vector<std::uint64_t> first{0};
    for (const auto& bytes : ranks.share(out.bytes))
        first.push_back(first.back() + sdk::parallel::BytesIn(bytes).get<std::uint64_t>());
    return first;
}

/// Calls f(array, components) for what is saved of each block.
template <class Blocks, class Function>
void forSaved(Blocks& blocks, const Function& f)
{
    f(blocks.coordinate, 3);
    f(blocks.state, 1);
    f(blocks.speed, 1);
    f(blocks.restTime, 1);
    f(blocks.pushSpeed, 1);
    f(blocks.gain, 3);
}

/// Every rank gives others what they own, and keeps and is given its own.
/// @param ownerOf  of a block
template <class OwnerOf>
void exchangeByOwner(const Ranks& ranks, HostParticles& particles, HostBlocks& blocks,
                     const OwnerOf& ownerOf)
{
    using sdk::parallel::BytesIn;
    using sdk::parallel::BytesOut;
    const auto size = static_cast<std::size_t>(ranks.size());
    std::vector<Ranks::Bytes> toEach(size);
    for (std::size_t rank = 0; rank < size; ++rank) {
        const auto isTheirs = [&](const BlockCoordinate& block) {
            return ownerOf(block) == static_cast<int>(rank);
        };
        const HostParticles theirs = ownOf(particles, isTheirs);
        BytesOut out;
        out.put(theirs.count);
        const auto put = [&](const auto& values) {
            out.put(values.data(), values.size() * sizeof values[0]);
        };
        put(theirs.values);
        put(theirs.block);
        put(theirs.material);
        put(theirs.id);
        HostBlocks of;
        std::vector<std::size_t> kept;
        for (std::size_t b = 0; b < blocks.state.size(); ++b)
            if (isTheirs(blockOf(blocks.coordinate, b)))
                kept.push_back(b);
        out.put(static_cast<std::uint64_t>(kept.size()));
        forSaved(blocks, [&](const auto& values, std::size_t components) {
            for (const std::size_t b : kept)
                out.put(values.data() + b * components, components * sizeof values[0]);
        });
        toEach[rank] = std::move(out.bytes);
    }
    const auto fromEach = ranks.exchange(toEach);
    std::uint64_t count = 0;
    for (const auto& bytes : fromEach)
        count += BytesIn(bytes).get<std::uint64_t>();
    particles.resize(count);
    blocks = {};
    std::uint64_t first = 0;
    for (const auto& bytes : fromEach) {
        BytesIn in(bytes);
        const auto theirs = in.get<std::uint64_t>();
        const auto take = [&](auto* to, std::size_t number) {
            const auto from = in.take(number * sizeof *to);
            if (number > 0)
                std::memcpy(to, from.data(), from.size());
        };
        for (unsigned channel = 0; channel < kChannels; ++channel)
            take(particles.values.data() + channel * count + first, theirs);
        take(particles.block.data() + 3 * first, 3 * theirs);
        take(particles.material.data() + first, theirs);
        take(particles.id.data() + first, theirs);
        first += theirs;
        const auto number = in.get<std::uint64_t>();
        forSaved(blocks, [&](auto& values, std::size_t components) {
            values.resize(values.size() + components * number);
            take(values.data() + values.size() - components * number, components * number);
        });
    }
}

/// A snapshot whose particles come together at rank 0, ascending by id.
class GatheredSnapshot {
public:
    Snapshot own; ///< arrays for this rank's particles; `id` always

    /// @param to     of rank 0; the others' are not written  @param count  of own particles
    GatheredSnapshot(const Ranks& ranks, const Snapshot& to, std::size_t count)
        : ranks_(ranks), columns_(columnsOf(to)), wanted_(wantedColumns(ranks, columns_)),
          memory_(columns_, wanted_, count), ids_(count)
    {
        own = memory_.to;
        if (!own.id)
            own.id = ids_.data();
    }

    /// Call when `own` is filled, by id.
    void gather()
    {
        const std::vector<std::uint64_t> first = firstOfEach(ranks_, ids_.size());
        std::vector<std::uint64_t> ids(ranks_.rank() == 0 ? first.back() : 0);
        gatherColumn(ranks_, std::as_bytes(std::span(own.id, ids_.size())), first, sizeof ids[0],
                     ids.data());
        const std::vector<std::uint32_t> place = placesOf(ids, first);
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            if (!(wanted_ >> i & 1))
                continue;
            const std::size_t each = columns_[i].bytes;
            auto* const to = static_cast<std::byte*>(columns_[i].data);
            ranks_.gatherInPieces(
                std::span<const std::byte>(memory_.memory[i]).first(each * ids_.size()),
                [&](std::size_t rank, std::size_t offset, std::span<const std::byte> piece) {
                    while (!piece.empty()) { // pieces may end within a particle
                        const std::size_t skipped = offset % each,
                                          size = std::min(piece.size(), each - skipped);
                        std::memcpy(to + place[first[rank] + offset / each] * each + skipped,
                                    piece.data(), size);
                        piece = piece.subspan(size);
                        offset += size;
                    }
                });
        }
    }

private:
    /// Returns the place by id of each of the ids, which ascend on each rank.
    static std::vector<std::uint32_t> placesOf(std::span<const std::uint64_t> ids,
                                               std::span<const std::uint64_t> first)
    {
        using Next = std::pair<std::uint64_t, std::size_t>; // id, rank
        std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
        std::vector<std::uint64_t> at(first.begin(), first.end());
        const auto push = [&](std::size_t rank) {
            if (at[rank] < first[rank + 1])
                next.emplace(ids[at[rank]], rank);
        };
        std::vector<std::uint32_t> places(ids.size());
        for (std::size_t rank = 0; rank + 1 < first.size() && !ids.empty(); ++rank)
            push(rank);
        for (std::uint32_t place = 0; !next.empty(); ++place) {
            const std::size_t rank = next.top().second;
            next.pop();
            places[at[rank]++] = place;
            push(rank);
        }
        return places;
    }

    const Ranks& ranks_;
    std::vector<Column> columns_;
    std::uint64_t wanted_;
    OwnColumns memory_;
    std::vector<std::uint64_t> ids_;
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::mpm::cuda
