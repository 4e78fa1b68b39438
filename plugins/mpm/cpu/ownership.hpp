/// Which blocks, and so which particles, this rank owns.
#pragma once

#include "sharing.hpp"
#include "world.hpp"

#include <floe/sdk/grid/partition.hpp>

namespace floe::mpm {

struct Ownership {
    const Ranks* ranks = nullptr;            ///< null: one rank, which owns everything
    sdk::grid::Partitioner divide;           ///< of several ranks
    sdk::grid::PartitionPointer partition{}; ///< of several ranks, once there are particles

    bool alone() const { return !ranks; }
    int rank() const { return ranks ? ranks->rank() : 0; }
    int ownerOf(const BlockCoordinate& block) const
    {
        return partition ? partition->ownerOf(block) : 0;
    }
    bool owns(const BlockCoordinate& block) const { return ownerOf(block) == rank(); }
};

} // namespace floe::mpm
