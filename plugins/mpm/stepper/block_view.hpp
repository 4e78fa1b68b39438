/// Blocks as those see them who decide about sleep.
#pragma once

#include "world.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace floe::mpm {

/// Nodes that a block's particles may reach: 64 (x + 1) + 8 (y + 1) + z + 1 from its first.
using ArenaNodes = std::bitset<512>;
/// A block's cells: 16 x + 4 y + z. A cell is centred on a node: cell 0 is [0.5, 1.5) from the
/// block's first node, so that a block's particles are those of its cells.
using CellSpeeds = std::array<float, kBlockNodes>;

/// How a block's particles move.
struct BlockMotion {
    float speed;     ///< of the fastest after the last step [m/s]; of active blocks
    float restTime;  ///< how long that has been below the rest speed [s]
    float pushSpeed; ///< that its nodes would give them [m/s]; of boundary blocks
};

/// What a block's particles are of.
struct BlockMatter {
    float soundSpeed;     ///< of the stiffest material, at rest [m/s]
    std::uint32_t liquid; ///< particles that are
    bool mustMove;        ///< a material of theirs never sleeps
};

/// Blocks by index. Some may hold no particles. Safe from many threads at once.
class BlockView {
public:
    virtual ~BlockView() = default;
    virtual std::size_t size() const = 0;
    virtual BlockCoordinate coordinate(std::size_t block) const = 0;
    virtual std::uint32_t particles(std::size_t block) const = 0;
    virtual BlockState state(std::size_t block) const = 0;
    /// The block beside it at an offset (offsetNumber), -1: there is none.
    virtual std::int32_t neighbour(std::size_t block, int offset) const = 0;
    virtual BlockMotion motion(std::size_t block) const = 0;
    virtual BlockMatter matter(std::size_t block) const = 0;
    /// The cells that hold particles, a bit each.
    virtual std::uint64_t occupiedCells(std::size_t block) const = 0;
    /// The nodes that its particles feel.
    virtual ArenaNodes feltNodes(std::size_t block) const = 0;
    /// Mean speed of the particles of each cell, by mass [m/s].
    virtual void cellSpeeds(std::size_t block, CellSpeeds& speeds) const = 0;
};

} // namespace floe::mpm
