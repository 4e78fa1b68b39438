/// Nodes inside colliders and walls, as mirror images of those before them
/// (stepper/collider_image.hpp).
///
/// The order for a step's nodes: sum; find() for all blocks that are concerned; list(); choose()
/// for those near(); fold() for those reached(); contact for all; extend() for those reached().
/// Each but list() may run for several blocks at a time.
#pragma once

#include "block_grid.hpp"
#include "collider_image.hpp"
#include "contact_record.hpp"
#include "cpu_state.hpp"
#include "node_contact.hpp"
#include "nodes_around.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm {

class ColliderImages {
public:
    ColliderImages(const CpuState& state, BlockGrid& grid, const NodeContact& contact)
        : state_(&state), grid_(&grid), contact_(&contact)
    {}

    /// Returns whether nodes of a block may be inside a collider that mirrors, or stand for some
    /// that are.
    bool concern(const BlockCoordinate& block) const
    {
        // What stands for a node is a cell's corner at most beside the image, which is as high as
        // the node is deep.
        constexpr double kBeside = 2 * ImageNodes::kReach + 1.75;
        return state_->mirrorsNear(block, kBeside, false);
    }

    /// Begins a step. @param slots  grid blocks  @param nodes  of all blocks and bodies
    void begin(std::size_t slots, std::size_t nodes);
    /// Finds the nodes of a block that are inside. @param slot  of its nodes
    /// @param mass  of each node, of all bodies
    void find(std::size_t slot, const float* mass);
    /// Call when all are found: lists blocks where some are, and those beside them.
    /// @param concerned  by slot: 1 where find() was called
    void list(std::span<const std::uint8_t> concerned);
    std::span<const std::uint32_t> near() const { return near_; }
    std::span<const std::uint32_t> reached() const { return reached_; }
    /// Returns the samples of colliders that move which find() has taken.
    std::span<const MovingSample> samplesOf(std::size_t slot) const
    {
        return inside_[slot].samples;
    }
    /// Finds which nodes stand for them. @param own  number of the nodes of a body in the block
    void choose(std::size_t slot, std::size_t own, const NodesAround& around);
    /// Gives a block's nodes the mass and momentum of the images that they stand for.
    void fold(std::size_t own, const NodesAround& around, float* nodes);
    /// Gives nodes inside the velocities of their images.
    void extend(std::size_t slot, std::size_t own, const NodesAround& around, float* nodes) const;

private:
    struct Inside {
        int node;
        std::uint32_t collider; ///< kWall: a side of the domain
        InsideOf of;
    };
    struct InsideBlock {
        std::uint64_t nodes = 0; ///< a bit for each that is inside, however deep
        std::uint64_t known = 0; ///< a bit for each of `mirrored`
        std::vector<Inside> mirrored;
        std::vector<MovingSample> samples;
    };
    struct Image {
        Inside at;
        ImageNodes nodes;
        float mass; ///< of all of the node
        float push; ///< by which the image is faster along the normal than what stands for it [m/s]
        sdk::world::Vec3f before; ///< the node's velocity before all contact [m/s]
    };

    void add(InsideBlock& block, const Inside& found);
    static sdk::world::Vec3f velocityAt(const Image& image, const NodesAround& around);

    /// What a node before a collider got from it.
    struct Given {
        int node;
        std::uint32_t collider;
        sdk::world::Vec3f normal;
        Vec3d impulse; ///< [kg m/s]
    };
    static constexpr std::uint32_t kWall = ~0u;

    const CpuState* state_;
    BlockGrid* grid_;
    const NodeContact* contact_;
    std::vector<std::uint32_t> near_, reached_; ///< grid slots
    std::vector<std::uint8_t> isReached_;       ///< by grid slot
    std::vector<InsideBlock> inside_;           ///< by grid slot
    std::vector<std::vector<Image>> images_;    ///< by number of nodes
    std::vector<std::vector<Given>> given_;     ///< by number of nodes; where contacts are recorded
};

} // namespace floe::mpm
