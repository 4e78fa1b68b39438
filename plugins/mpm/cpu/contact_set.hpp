/// Contacts of a step's nodes, for the semi-implicit integrator: which nodes are inside colliders
/// and walls, what each may do, and what force holds it.
///
/// A node that sticks has no freedom; one that slips or touches has none along the normal. Of a
/// `separate` contact both whether it holds (contacts push and never pull) and whether it slides
/// (Coulomb: friction is at most mu times the push) depend on the solution, and are found with it:
/// an active set, updated when the rest is nearly solved. Within a step a contact goes from holding
/// to sliding or free, and from free to holding; one that friction has brought to a stop holds
/// again, for friction drives nothing. Let go once it stays free, stopped twice it stays: what
/// alternates must not keep the rest from an end.
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
        Vec3d velocity; ///< of the collider [m/s]
        Contact contact;
        double friction;        ///< coefficient
        bool holds = false;     ///< the normal velocity is the collider's
        bool sticks = false;    ///< so is the rest
        bool released = false;  ///< has been let go in this step
        int stops = 0;          ///< how often it slid in this step until friction stopped it
        Vec3d impulse{0, 0, 0}; ///< by sliding friction [kg m/s]
    };
    struct Node {
        std::uint32_t index; ///< in its block
        std::uint32_t first, count;
        // orthonormal directions without freedom, and the velocity along each
        int held = 0;
        Vec3d direction[3];
        double speed[3];
    };

    /// Forgets everything; `blocks` of nodes follow.
    void reset(std::size_t blocks);
    /// Adds a block's contacts. Called once for each block, from many threads at once.
    /// @param velocity  kBlockNodes nodes of four floats: a `separate` contact that is approached
    ///                  holds at first
    void add(std::size_t block, std::vector<Touch> touches, std::vector<Node> nodes,
             const float* velocity);
    bool touches(std::size_t block) const { return !blocks_[block].nodes.empty(); }

    /// Takes away what has no freedom from a block's vectors (directions, residuals).
    void project(std::size_t block, float* vectors) const;
    /// Gives held nodes the velocities that they must have.
    void hold(std::size_t block, float* velocities) const;
    /// Adds friction's impulses, times `factor`, to a block's vectors.
    void addFriction(std::size_t block, double factor, float* vectors) const;

    struct Change {
        bool freedom = false; ///< a node is held that was not, or the reverse
        double friction = 0;  ///< sum of |change of impulse|^2 / mass [J]
    };
    /// Releases what is pulled at, holds what is run into, and lets slide what is pushed beyond the
    /// friction cone.
    /// @param tolerance  velocities that count as none [m/s]
    /// @param velocity  of the block's nodes; the fourth number of each is its mass
    /// @param lacking   momentum that contact must supply at each node, friction's own already
    ///                  taken off [kg m/s]
    Change update(std::size_t block, double tolerance, const float* velocity, const float* lacking);

private:
    struct Block {
        std::vector<Touch> touches;
        std::vector<Node> nodes;
    };
    static void findDirections(const Block& block, Node& node);

    std::vector<Block> blocks_;
};

} // namespace floe::mpm
