/// Which blocks, and so which particles, this rank owns.
#pragma once

#include "sharing.hpp"
#include "world.hpp"

#include <floe/sdk/grid/partition.hpp>

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

    bool alone() const { return !ranks; }
    int rank() const { return ranks ? ranks->rank() : 0; }
    int ownerOf(const BlockCoordinate& block) const
    {
        return byParticles ? rank() : partition ? partition->ownerOf(block) : 0;
    }
    bool owns(const BlockCoordinate& block) const { return ownerOf(block) == rank(); }
    /// Returns whether particles that come to a block are given to this rank.
    bool isGiven(const BlockCoordinate& block) const
    {
        return byParticles ? partition->ownerOf(block) == rank() : owns(block);
    }
};

} // namespace floe::mpm
