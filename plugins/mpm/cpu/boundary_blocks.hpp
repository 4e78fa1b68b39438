/// Boundary blocks: how it is noticed that they should move, and how they start.
///
/// A boundary block is scattered at rest, so what the nodes give it in one step is what it would
/// have gained. From step to step that adds up as it would if all inactive blocks moved along
/// without a change of their stress: with V the block's velocity so far, v the nodes' velocity, m
/// their mass and m_r the inactive blocks' share of it, the nodes of those blocks, moving along,
/// would have v + V m_r/m. So V approaches the velocity of what drags at it, and grows with time
/// where support is gone. What holds inactive material in place, a little strain, is not in this
/// sum; instead it forgets (SolverSettings::guardMemory), and a push weaker than
/// wakeSpeed/guardMemory never wakes. A block that wakes starts with V: what it was given in its
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

    /// As Backend::findPushed().
    std::vector<std::int32_t> findPushed(double dt, double wakeSpeed);
    /// As Backend::wake(), where the arenas hold the particles.
    void wake(std::span<const std::int32_t> blocks, double time, double dt, bool update);
    /// A block's particles take the velocity that it has gained.
    static void takeGain(Block& block);
    /// Of what is known about the mass of inactive blocks.
    void forget() { generation_ = ~std::uint64_t{0}; }

private:
    void findInactiveMass(const std::vector<std::int32_t>& boundary);
    std::array<float, 3> findPush(Block& block, double dt) const;
    void startMoving(Block& block);
    std::size_t enlist(std::span<const std::int32_t> woken, double dt);

    CpuState* state_;
    BlockGrid* grid_;
    Transfers* transfers_;
    std::vector<float> inactiveMass_;         ///< of boundary blocks, by grid slot and node [kg]
    std::vector<std::uint8_t> nodesComplete_; ///< by grid slot: no passive block misses there
    std::uint64_t generation_ = ~std::uint64_t{0}; ///< of the lists that both are of
};

} // namespace floe::mpm
