/// Effects of forces, colliders and walls on nodes and particles.
#pragma once

#include "block_grid.hpp"
#include "contact_record.hpp"
#include "coupled_contact.hpp"
#include "cpu_state.hpp"

#include <span>

namespace floe::mpm {

/// A collider that moves, sampled at a block's nodes.
struct MovingSample {
    std::uint64_t collider; ///< Collider::id
    ColliderSample nodes;
};

class NodeContact {
public:
    NodeContact(const CpuState& state, BlockGrid& grid, CoupledContact& coupled,
                ContactRecord& record)
        : state_(&state), grid_(&grid), coupled_(&coupled), record_(&record)
    {}

    CoupledContact& coupled() const { return *coupled_; }
    ContactRecord& record() const { return *record_; }
    /// Returns a block's nodes that are in contact with coupled bodies, with the velocities that
    /// they have before contact.
    void findCoupled(const Block& block, const float* nodes, double time, double dt,
                     std::vector<CoupledContact::Node>& found) const;

    /// Returns a block's nodes as a batch. @param nodes  four floats each: velocity and mass
    PointBatch nodesOf(const Block& block, const float* nodes) const;
    /// Applies forces, then colliders in order, then walls to the velocities of a block's nodes.
    /// Blocks may be processed concurrently.
    /// @param slot  under which others keep what they give: of nodes, among those of all blocks
    /// @param left  a bit for each node that is left as it is
    /// @param known  of colliders that move, sampled in this step
    void apply(Block& block, float* nodes, std::size_t slot, double time, double dt,
               std::uint64_t left = 0, std::span<const MovingSample> known = {}) const;
    /// Returns a collider's sample at a block's nodes, or null where it says nothing of any. That
    /// of one that mirrors says something of nodes a little outside, too (ImageNodes::kOwn).
    /// @param mass    of the nodes: of one that moves, only those with mass are sampled
    /// @param moving  made room for it
    const ColliderSample* sampleOf(Block& block, const Collider& collider, const float* mass,
                                   ColliderSample& moving) const;
    /// Samples a collider at a block's nodes. @param walls  whether they may be near walls
    void sample(const Collider& collider, const PointBatch& nodes, bool walls,
                ColliderSample& out) const;

    /// Returns whether colliders bounce or remove particles, or a face is open.
    bool touchesParticles() const;
    /// Returns whether any of them may remove particles.
    bool removesParticles() const;
    /// Applies these to a block's particles.
    void applyToParticles(Block& block, Deleted& deleted) const;

    /// Call before another domain replaces the present one.
    void forgetWalls(const Domain& next);

private:
    struct Ball {
        Vec3d center;
        double radius;
    };
    float marginOf(const Collider& collider) const;
    Ball ballAround(const Block& block) const;
    template <class Fill>
    const ColliderSample* sampleOf(Block& block, const Collider& collider, bool walls,
                                   const Fill& fill, PointBatch& nodes,
                                   ColliderSample& moving) const;
    const ColliderSample* remember(Block& block, const Collider& collider, bool walls,
                                   PointBatch& nodes) const;

    const CpuState* state_;
    BlockGrid* grid_;
    CoupledContact* coupled_;
    ContactRecord* record_;
};

} // namespace floe::mpm
