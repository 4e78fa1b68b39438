/// What forces, colliders and walls do to nodes and particles.
#pragma once

#include "block_grid.hpp"
#include "cpu_state.hpp"

namespace floe::mpm {

class NodeContact {
public:
    NodeContact(const CpuState& state, BlockGrid& grid) : state_(&state), grid_(&grid) {}

    /// A block's nodes as a batch. @param nodes  four floats each: velocity and mass
    PointBatch nodesOf(const Block& block, const float* nodes) const;
    /// Forces, then colliders in their order, then walls, on the velocities of a block's nodes.
    /// Blocks may be worked on at once.
    void apply(Block& block, float* nodes, double time, double dt) const;
    /// What a collider says of a block's nodes. @param walls  whether they may be near walls
    void sample(const Collider& collider, const PointBatch& nodes, bool walls,
                ColliderSample& out) const;

    /// Whether anything acts on particles themselves: colliders that bounce or take them, or open
    /// faces.
    bool touchesParticles() const;
    /// That, on a block's particles.
    void applyToParticles(Block& block, Deleted& deleted) const;

    /// Before another domain takes the place of the present one.
    void forgetWalls(const Domain& next);

private:
    const ColliderSample* remember(Block& block, const Collider& collider, bool walls,
                                   PointBatch& nodes) const;

    const CpuState* state_;
    BlockGrid* grid_;
};

} // namespace floe::mpm
