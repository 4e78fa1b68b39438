/// Boundary blocks: when they should start to move, and their velocity when they do.
///
/// A boundary block is scattered at rest, so the velocity that its nodes get in one step is what it
/// would have gained. These gains accumulate as if all inactive blocks moved along without a change
/// of their stress: with V the block's velocity so far, v the nodes' velocity, m their mass and m_r
/// the inactive blocks' share of it, the nodes of these blocks, moving along, would have v + V
/// m_r/m. So V approaches the velocity of the matter that drags at it, and grows with time where
/// support is gone. The small strain that holds inactive material in place is not in this sum;
/// instead the sum decays (SolverSettings::guardMemory), so a push weaker than
/// wakeSpeed/guardMemory never wakes. A block that wakes starts with V, so momentum gained during
/// sleep is not lost.
#pragma once

#include "transfer.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm {

class BoundaryBlocks {
public:
    BoundaryBlocks(CpuState& state, BlockGrid& grid, Transfers& transfers)
        : state_(&state), grid_(&grid), transfers_(&transfers)
    {}

    /// Implements Backend::findPushed().
    /// @param elsewhere  whether there are some on other ranks
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed, bool& elsewhere);
    /// Implements Backend::wake() on one rank for a grid that holds the particles.
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update);
    /// The first part of that on several ranks: blocks of this one start to move.
    void startMoving(std::span<const std::int32_t> blocks);
    /// Gives a block's particles the velocity that it has gained.
    static void takeGain(Block& block);
    /// Invalidates the mass of inactive blocks.
    void forget() { generation_ = ~std::uint64_t{0}; }

private:
    void findInactiveMass(const std::vector<std::int32_t>& boundary);
    std::array<float, 3> findPush(Block& block, double dt) const;
    const float* arenaAtRest(const Block& block) const;
    void startMoving(Block& block);
    std::size_t enlist(std::span<const std::int32_t> woken, double dt);

    CpuState* state_;
    BlockGrid* grid_;
    Transfers* transfers_;
    std::vector<float> inactiveMass_; ///< of boundary blocks, by grid slot and node [kg]
    std::vector<std::uint64_t>
        nodesComplete_; ///< by grid slot, a bit a node: no passive block reaches it
    std::uint64_t generation_ = ~std::uint64_t{0}; ///< of the lists that both were computed for
};

} // namespace floe::mpm
