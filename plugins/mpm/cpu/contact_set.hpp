/// Contacts of a step's nodes, for the semi-implicit integrator: which nodes are inside colliders
/// and walls, how each may move, and the impulse that friction applies.
///
/// A sticking node has no degree of freedom; one that slips or touches has none along the normal.
/// For a `separate` contact both whether it holds (contacts push and never pull) and whether it
/// slides (Coulomb: friction is at most mu times the normal force) depend on the solution, and are
/// found with it by an active set, updated when the rest is nearly solved. Within a step a holding
/// contact may start to slide or separate, and a free one may close; a contact that friction has
/// stopped sticks again, because friction never drives. A contact that was released once stays
/// free, and one that stopped twice stays stuck: alternation must not prevent convergence.
#pragma once

#include "world.hpp"

#include <cstdint>
#include <vector>

namespace floe::mpm {

class ContactSet {
public:
    /// One collider or wall at a node.
    struct Touch {
        Vec3d normal;   ///< unit, outwards; zero: unknown, sticks
        Vec3d velocity; ///< velocity of the collider [m/s]
        Contact contact;
        double friction;        ///< coefficient
        bool holds = false;     ///< the normal velocity is the collider's
        bool sticks = false;    ///< so is the tangential velocity
        bool released = false;  ///< has been released in this step
        int stops = 0;          ///< how often friction has stopped its sliding in this step
        Vec3d impulse{0, 0, 0}; ///< by sliding friction [kg m/s]
    };
    struct Node {
        std::uint32_t index; ///< node number in its block
        std::uint32_t first, count;
        // orthonormal directions without freedom, and the velocity along each
        int held = 0;
        Vec3d direction[3];
        double speed[3];
    };

    /// Removes all contacts; `blocks` blocks of nodes follow.
    void reset(std::size_t blocks);
    /// Adds a block's contacts. Called once for each block, from many threads at once.
    /// @param velocity  kBlockNodes nodes of four floats: a `separate` contact that is approached
    ///                  holds at first
    void add(std::size_t block, std::vector<Touch> touches, std::vector<Node> nodes,
             const float* velocity);
    bool touches(std::size_t block) const { return !blocks_[block].nodes.empty(); }

    /// Removes constrained components from a block's vectors (directions, residuals).
    void project(std::size_t block, float* vectors) const;
    /// Gives held nodes their prescribed velocities.
    void hold(std::size_t block, float* velocities) const;
    /// Adds the impulses of friction, times `factor`, to a block's vectors.
    void addFriction(std::size_t block, double factor, float* vectors) const;

    struct Change {
        bool freedom = false; ///< some node became held or free
        double friction = 0;  ///< sum of |change of impulse|^2 / mass [J]
    };
    /// Releases contacts under tension, holds closing ones, slides those beyond the friction cone.
    /// @param tolerance  velocities below it count as 0 [m/s]
    /// @param velocity  of the block's nodes; the fourth number of each is its mass. Nodes that
    ///                  become held or free get their prescribed velocities
    /// @param lacking   momentum that contact must supply, less the impulse of friction [kg m/s]
    Change update(std::size_t block, double tolerance, float* velocity, const float* lacking);

private:
    struct Block {
        std::vector<Touch> touches;
        std::vector<Node> nodes;
    };
    static void findDirections(const Block& block, Node& node);
    static void hold(const Node& node, float* velocities);

    std::vector<Block> blocks_;
};

} // namespace floe::mpm
