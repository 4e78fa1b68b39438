/// Description of blocks for the activation logic.
#pragma once

#include "world.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>

namespace floe::mpm {

/// Nodes within reach of a block's particles: 64 (x + 1) + 8 (y + 1) + z + 1 from its first.
using ArenaNodes = std::bitset<512>;
/// A block's cells: 16 x + 4 y + z. A cell is centred on a node: cell 0 is [0.5, 1.5) from the
/// block's first node, so a block's particles are those in its cells.
using CellSpeeds = std::array<float, kBlockNodes>;

/// Motion of a block's particles.
struct BlockMotion {
    float speed;     ///< of the fastest particle after the last step [m/s]; active blocks only
    float restTime;  ///< how long `speed` has been below the rest speed [s]
    float pushSpeed; ///< speed its nodes would give them [m/s]; boundary blocks only
};

/// Materials of a block's particles.
struct BlockMatter {
    float soundSpeed;     ///< of the stiffest material, at rest [m/s]
    std::uint32_t liquid; ///< number of liquid particles
    bool mustMove;        ///< one of their materials never sleeps
};

/// Blocks by index. Some may hold no particles. May be called from many threads at once.
class BlockView {
public:
    virtual ~BlockView() = default;
    virtual std::size_t size() const = 0;
    virtual BlockCoordinate coordinate(std::size_t block) const = 0;
    virtual std::uint32_t particles(std::size_t block) const = 0;
    virtual BlockState state(std::size_t block) const = 0;
    /// Returns whether another rank holds particles there; here there are none.
    virtual bool isOthers(std::size_t block) const
    {
        static_cast<void>(block);
        return false;
    }
    /// Returns the neighbour at an offset (offsetNumber); -1: none.
    virtual std::int32_t neighbour(std::size_t block, int offset) const = 0;
    virtual BlockMotion motion(std::size_t block) const = 0;
    virtual BlockMatter matter(std::size_t block) const = 0;
    /// Returns the occupied cells, one bit each.
    virtual std::uint64_t occupiedCells(std::size_t block) const = 0;
    /// Returns the nodes in the support of its particles.
    virtual ArenaNodes feltNodes(std::size_t block) const = 0;
    /// Computes the mass-weighted mean speed of the particles of each cell [m/s].
    virtual void cellSpeeds(std::size_t block, CellSpeeds& speeds) const = 0;
};

} // namespace floe::mpm
