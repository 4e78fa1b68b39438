/// Contact of nodes with bodies that move by it.
///
/// The bodies' velocities at the end of a step and those of the nodes in contact are found
/// together, because bodies may be much lighter than the matter that they touch: with V and w a
/// body's velocity and spin, nodes in contact lose their approach to V + w x r, and what they lose
/// the body gains. Which nodes approach, and how far friction holds, follows from the last of a few
/// iterations. Whatever these find, exactly the momentum that nodes then lose is handed over.
///
/// Nodes up to half a cell outside a body are in contact too. Of the nodes across a surface the
/// first one held then lies on it, on average, and matter stops at the surface instead of half a
/// cell behind it: a body displaces its own volume.
#pragma once

#include "block_grid.hpp"
#include "cpu_state.hpp"

#include <floe/sdk/world/coupled_bodies.hpp>

#include <span>
#include <vector>

namespace floe::mpm {

class CoupledContact {
public:
    explicit CoupledContact(CpuState& state) : state_(&state) {}

    void setColliders(std::span<const std::shared_ptr<Collider>> colliders);
    bool any() const { return !coupled_.empty(); }
    /// Returns the number of the bodies of a collider; -1: it is an ordinary one.
    int find(const Collider& collider) const;

    /// Begins a step in which `slots` blocks have nodes.
    void begin(std::size_t slots);
    /// More blocks have nodes; call before their contact is applied.
    void grow(std::size_t slots) { taken_.resize(slots); }
    /// Returns false only when no node of the ball is in contact.
    bool mayTouch(const Vec3d& center, double radius) const;
    bool mayTouch(int number, const Vec3d& center, double radius) const
    {
        return coupled_[static_cast<std::size_t>(number)]->mayTouch(center, radius + skin());
    }

    /// A node in contact with a body.
    struct Node {
        std::uint32_t body; ///< among those of all colliders
        float mass;
        Vec3d arm;    ///< from the body's centre [m]
        Vec3d normal; ///< outwards; 0: it sticks
        Vec3d v;      ///< before contact [m/s]
    };
    /// Adds a block's nodes that are in contact. @param batch  before contact
    void findNodes(const PointBatch& batch, std::vector<Node>& nodes) const;
    /// Finds the bodies' velocities. @param nodes  of each block, in an order that is always the
    /// same
    void solve(std::span<const std::vector<Node>> nodes);

    /// Applies the bodies of a collider to the velocities of a block's nodes, and remembers what
    /// they lose. Blocks may be processed concurrently.
    /// @param number  as find(); @param slot  of the block's nodes
    void apply(int number, std::size_t slot, PointBatch& batch);
    /// Forgets what a block's nodes have lost: contact is applied to them anew.
    void forget(std::size_t slot) { taken_[slot].clear(); }
    /// Hands over what nodes have lost, and ends the bodies' step.
    void endStep();

private:
    struct Taken {
        std::uint32_t body; ///< among those of all colliders
        Vec3d impulse, moment;
    };

    void numberBodies();
    float skin() const { return static_cast<float>(0.5 * state_->settings.cellSize); }

    CpuState* state_;
    std::vector<std::shared_ptr<sdk::world::CoupledBodies>> coupled_;
    std::vector<std::uint32_t> first_;      ///< number of each collider's first body
    std::vector<std::vector<Taken>> taken_; ///< by grid slot
};

} // namespace floe::mpm
