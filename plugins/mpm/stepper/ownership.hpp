/// Which blocks, and so which particles, this rank owns.
#pragma once

#include "sharing.hpp"
#include "world.hpp"

#include <floe/sdk/grid/partition.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm {

/// What a division among ranks makes equal.
enum class CostBy {
    time,      ///< measured
    particles, ///< their number (Qiu 2024, section 4.5.2: DPP)
    blocks     ///< DGP
};

struct Ownership {
    const Ranks* ranks = nullptr;            ///< null: one rank, which owns everything
    sdk::grid::Partitioner divide;           ///< of several ranks
    sdk::grid::PartitionPointer partition{}; ///< of several ranks, once there are particles
    /// Every rank keeps the particles that it was given, wherever they go, so that several may hold
    /// particles in a block, and each takes its part for the block. `partition` says then who is
    /// given what.
    bool byParticles = false;
    CostBy costBy = CostBy::time;
    Period period{}; ///< of the world, on one rank as well

    bool alone() const { return !ranks; }
    int rank() const { return ranks ? ranks->rank() : 0; }
    int ownerOf(const BlockCoordinate& block) const
    {
        return byParticles ? rank() : partition ? partition->ownerOf(period.wrapped(block)) : 0;
    }
    bool owns(const BlockCoordinate& block) const { return ownerOf(block) == rank(); }
    /// Returns whether particles that come to a block are given to this rank.
    bool isGiven(const BlockCoordinate& block) const
    {
        return byParticles ? partition->ownerOf(period.wrapped(block)) == rank() : owns(block);
    }
    /// Returns whether nobody owns anything yet: the first particles decide, or, where ranks keep
    /// theirs, all of them, each in its turn.
    bool undivided() const { return !alone() && (!partition || byParticles); }

    // The following need several ranks, all of which call them at the same time.

    /// Divides space by costs that all ranks know.
    void divideBy(std::vector<sdk::grid::BlockCost> costs);
    /// Divides space by costs of which each rank knows its own; by none where there are none.
    void divideByOwn(const std::vector<sdk::grid::BlockCost>& own);
    /// Returns whether other ranks may hold particles in a cell: it is cut by the borders of
    /// blocks, and particles drift a cell from theirs before they are rebinned.
    bool isCellOfOthers(const std::array<std::int64_t, 3>& cell) const;
    /// Makes marks common: what any rank has marked, all have.
    void shareMarked(std::span<std::uint8_t> marks) const;
};

} // namespace floe::mpm
