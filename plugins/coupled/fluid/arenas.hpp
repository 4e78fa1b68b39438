/// What the particles of each block add to cells or faces, summed over blocks in a fixed order.
#pragma once

#include "lattice.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::coupled {

/// A block with one more cell on each side: what its particles reach.
inline constexpr int kReachEdge = sdk::grid::kBlockEdge + 2;
inline constexpr int kReachCells = kReachEdge * kReachEdge * kReachEdge;

/// Coordinates from 0, for the cell before the block's first.
inline int reachCell(int x, int y, int z)
{
    return (x * kReachEdge + y) * kReachEdge + z;
}

/// @tparam kFields  numbers a cell
template <int kFields>
class Arenas {
public:
    using Arena = std::array<float, std::size_t{kFields} * kReachCells>; ///< field by field

    /// @param bins  Bins of particles; all their blocks are in the lattice
    template <class Particles>
    Arenas(const Particles& bins, const Lattice& lattice)
        : lattice_(&lattice), arenas_(bins.size()), arenaOf_(lattice.size(), -1)
    {
        for (std::size_t i = 0; i < bins.size(); ++i)
            arenaOf_[static_cast<std::size_t>(lattice.find(bins[i].block))] =
                static_cast<std::int32_t>(i);
    }
    /// Sets the arenas to what fill(bin, arena), called on many threads, puts into zeroed ones.
    template <class Fill>
    void fillAll(sdk::parallel::Executor& executor, const Fill& fill)
    {
        executor.parallelFor(arenas_.size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) {
                arenas_[i].fill(0);
                fill(i, arenas_[i]);
            }
        });
    }
    /// Calls take(block, sums[field][cell]) for each block of the lattice, on many threads.
    template <class Take>
    void sumAll(sdk::parallel::Executor& executor, const Take& take) const
    {
        executor.parallelFor(lattice_->size(), 4, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b) {
                float sums[kFields][sdk::grid::kBlockNodes] = {};
                sum(b, sums);
                take(b, sums);
            }
        });
    }

private:
    void sum(std::size_t b, float (&sums)[kFields][sdk::grid::kBlockNodes]) const
    {
        using namespace sdk::grid;
        for (int o = 0; o < kOffsets; ++o) {
            const std::int32_t other = lattice_->beside(b, o);
            const std::int32_t index = other < 0 ? -1 : arenaOf_[static_cast<std::size_t>(other)];
            if (index < 0)
                continue;
            const float* const from = arenas_[static_cast<std::size_t>(index)].data();
            const int d[3] = {o / 9 - 1, o / 3 % 3 - 1, o % 3 - 1};
            int low[3], high[3]; // own cells within the other's arena
            for (int axis = 0; axis < 3; ++axis) {
                low[axis] = std::max(0, kBlockEdge * d[axis] - 1);
                high[axis] = std::min(kBlockEdge, kBlockEdge * d[axis] + kBlockEdge + 1);
            }
            for (int field = 0; field < kFields; ++field)
                for (int x = low[0]; x < high[0]; ++x)
                    for (int y = low[1]; y < high[1]; ++y)
                        for (int z = low[2]; z < high[2]; ++z)
                            sums[field][cellNumber(x, y, z)] +=
                                from[field * kReachCells + reachCell(x - kBlockEdge * d[0] + 1,
                                                                     y - kBlockEdge * d[1] + 1,
                                                                     z - kBlockEdge * d[2] + 1)];
        }
    }

    const Lattice* lattice_;
    std::vector<Arena> arenas_;
    std::vector<std::int32_t> arenaOf_; ///< of each block of the lattice; -1: none
};

} // namespace floe::coupled
