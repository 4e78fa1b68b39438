/// Nodes with several fields of velocity: bodies have their own where they share nodes
/// (stepper/body_contact.hpp), or particles from which thin walls hide nodes (thin_walls.hpp).
///
/// A body is all particles of one entry of the material table; beside walls, those who see a node
/// and those who do not count as two. A scattered block has an arena for
/// each body in it, and a block of nodes the nodes of each body that reaches it; the first of each
/// are where they would be if there was one body alone, the others follow those of all blocks. So a
/// block that one body reaches costs what it always did.
#pragma once

#include "block_grid.hpp"
#include "body_contact.hpp"
#include "cpu_state.hpp"
#include "thin_walls.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm {

class BodyFields {
public:
    BodyFields(const CpuState& state, const BlockGrid& grid, const ThinWalls& walls,
               MemorySource& memory);

    /// Returns whether nodes have several fields.
    bool on() const { return state_->settings.bodiesMeet || state_->thinWalls; }
    /// Finds which bodies are where. Call when blocks' particles are in their bins and the lists of
    /// the step are known; it holds until one of them changes.
    void find();

    /// Part of a block's particles, those of one body, and where it scatters them. Beside walls all
    /// scatter to both parts.
    struct Part {
        std::uint16_t body;
        std::int32_t arena;
        std::uint32_t firstBin, binCount;
    };
    /// @param slot  in the list of scattered blocks
    std::span<const Part> partsOf(std::size_t slot) const
    {
        return {parts_.data() + firstPart_[slot], parts_.data() + firstPart_[slot + 1]};
    }
    /// A body's nodes in a block.
    struct Field {
        std::uint16_t body;
        std::int32_t nodes; ///< their number among those of all blocks and bodies
    };
    /// @param slot  in the list of grid blocks
    std::span<const Field> fieldsOf(std::size_t slot) const
    {
        return {fields_.data() + firstField_[slot], fields_.data() + firstField_[slot + 1]};
    }
    /// Returns whether several bodies have nodes in a grid block.
    bool isShared(std::size_t slot) const { return on() && fieldsOf(slot).size() > 1; }
    std::size_t arenaCount() const { return arenaCount_; }
    std::size_t nodesCount() const { return nodesCount_; }
    /// Return a body's arena of a scattered block, and its nodes in a grid block; -1: it has none.
    std::int32_t arenaOf(std::int32_t slot, std::uint16_t body) const;
    std::int32_t nodesOf(std::int32_t slot, std::uint16_t body) const;

    /// Finds how far bodies reach in blocks that they share, from their particles' present
    /// positions.
    void measure();
    /// Lets the bodies at a block's nodes meet. Blocks may be processed concurrently.
    /// @param nodes  of all blocks and bodies: velocity and mass
    /// @param left   a bit for each node that is left as it is
    void meet(std::size_t slot, float* nodes, std::uint64_t left, double dt) const;

    std::size_t bytes() const { return extents_.bytes(); }

private:
    void addParts(std::size_t slot);
    void sumExtents(const Block& block, std::uint16_t body, float* sums) const;

    const CpuState* state_;
    const BlockGrid* grid_;
    const ThinWalls* walls_;
    std::vector<std::uint32_t> firstPart_, firstField_;
    std::vector<Part> parts_;   ///< by scattered block, then body
    std::vector<Field> fields_; ///< by grid block, then body
    std::size_t arenaCount_ = 0, nodesCount_ = 0;
    std::vector<std::size_t> near_;      ///< parts that reach shared blocks
    std::vector<std::int32_t> extentOf_; ///< by part: number of its extents; -1: none
    std::vector<std::int32_t> blockOf_;  ///< by part: the block
    FloatBuffer extents_;                ///< their arenas (ExtentTask)
    rules::Reach quadratic_{3}, cubic_{4};
};

} // namespace floe::mpm
