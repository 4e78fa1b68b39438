/// Bodies that stay whole: their strain and stress live on the grid at rest.
///
/// On a grid through which particles move, those of a body that is stretched until they are more
/// than a cell apart lose sight of each other: it tears where no material would. Here particles
/// that were added at once are a body with a grid of its own, on which they stay where they were
/// (total Lagrangian, de Vaucorbeil, Nguyen and Hutchinson 2020). Weights and neighbours on it
/// never change, so what was one piece stays one.
///
/// The grid at rest only accelerates particles. Before each scatter it gathers from their
/// velocities, which the grid in space has given them, the velocity v_I of its nodes, advances F by
/// sum v_I (x) grad N_I, and hands the acceleration f_I / m_I of the nodes' forces f_I = - sum V P
/// grad N_I back to them. Transfers are those of the grid in space, with the position at rest and
/// the gradient per length at rest, C F: the work of the forces is then exactly what energy and
/// motion, the affine one included, take up. In space these particles have mass and momentum, and
/// so meet colliders, walls and everything else, but no stress.
///
/// Velocity that nodes at rest cannot represent meets no stress. Where particles are close, the
/// grid in space takes it out; where they are far from each other, nothing would, so a small share
/// of it is taken out here in each step.
///
/// A node at rest knows where it has come to. Where that is in a collider or behind a wall that
/// holds what it touches, it moves with it: else particles that are pulled out of the reach of the
/// nodes in space that hold them would slip. What such a node takes up is in no record of contacts,
/// and colliders that matter moves (CoupledBodies) hold by the grid in space alone.
#pragma once

#include "block_grid.hpp"
#include "cpu_state.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace floe::mpm {

class RestGrid {
public:
    RestGrid(CpuState& state, const BlockGrid& grid, MemorySource& memory);

    bool any() const { return !bodies_.empty(); }
    /// Adds a body, at rest where its particles are, at least one.
    /// @param firstId  of its particles
    /// @return their places (row::rest), in the given order
    std::vector<std::uint32_t> add(const NewParticles& particles, std::uint32_t firstId);
    /// Particles have been added, removed, or moved in memory.
    void forgetParticles() { found_ = false; }
    /// Particles have moved: the next update() is due.
    void particlesMoved() { due_ = true; }
    /// Advances F and finds acceleration, unless that is done since particles have last moved.
    /// @pre particles are in their blocks
    void update();
    /// The fastest wave of the last update() [m/s], on the grid at rest; and its material.
    double signalSpeed() const { return signalSpeed_; }
    std::uint32_t signalMaterial() const { return signalMaterial_; }
    /// Valid until particles are added. @pre any()
    const RestMotion* motion() const { return motion_.get(); }

    void clear();
    std::size_t bytes() const;

    // -- saved states

    /// Where the particles of a body are at rest, in the order of their places.
    struct Body {
        std::uint32_t material, firstId;
        struct Part {
            BlockCoordinate block;
            std::uint32_t count;
        };
        std::vector<Part> parts;
        std::vector<float> local;        ///< 3, in their block [cells]
        std::vector<float> displacement; ///< of nodes, by block; empty: none
    };
    std::vector<Body> save() const;
    /// Adds a body: its particles' places are those that they had.
    void restore(const Body& body);
    /// Returns whether no two particles have the same place, and each is of its body's material.
    bool isConsistent() const;

private:
    struct RestBlock {
        BlockCoordinate coordinate{};
        std::array<std::int32_t, 27> neighbour{}; ///< of the same body; -1: none
        std::int32_t arena = -1;                  ///< -1: it holds no particles
        std::uint32_t firstBin = 0, particles = 0;
        std::uint32_t body = 0;

        std::uint32_t bins() const { return (particles + kLanes - 1) / kLanes; }
    };
    struct BodyInfo {
        std::uint16_t material;
        std::uint32_t firstId;
    };

    void findParticles();
    float strainStepOf(const RestBlock& block) const;
    void holdNodes(std::size_t block);
    template <class Finish>
    void sumNodes(const Finish& finish);
    RestTask taskOf(const RestBlock& block) const;

    CpuState* state_;
    const BlockGrid* grid_;
    std::vector<BodyInfo> bodies_;
    std::vector<RestBlock> blocks_;  ///< by body
    std::vector<std::int32_t> full_; ///< those that hold particles, by RestBlock::arena
    /// By block, in the format of nodes: how far a node is from its place at rest [m], and in the
    /// fourth number whether something holds it.
    std::vector<float> displacement_;
    std::vector<float> positions_;  ///< three rows of kLanes a bin [cells]
    std::vector<float*> particles_; ///< by place: lane in the first row of its bin; null: none
    std::unique_ptr<RestMotion[]> motion_; ///< by place
    FloatBuffer arenas_, nodes_;
    bool found_ = false, due_ = false;
    double signalSpeed_ = 0;
    std::uint32_t signalMaterial_ = 0;
};

} // namespace floe::mpm
