/// Particles in transit between blocks.
#pragma once

#include "block.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::mpm {

class MaterialTable;

/// The particles that leave one block, by direction (offsetNumber).
struct MigrationBuffer {
    static constexpr std::size_t kRecord =
        1 + kMaxRows; ///< floats: material and layout, then the rows

    std::vector<float> records;
    std::array<std::uint32_t, 28> begin{}; ///< first record of each direction; then the total

    bool empty() const { return begin[27] == 0; }
    std::uint32_t count(int direction) const { return begin[direction + 1] - begin[direction]; }
    /// The rows of a record, their material and layout.
    const float* rows(std::uint32_t record) const { return records.data() + record * kRecord + 1; }
    std::uint16_t material(std::uint32_t record) const;
    Layout layout(std::uint32_t record) const;

    /// Takes out of `block` the particles whose lowest node has left it, and fills the gaps from
    /// the back. Particles without mass are dropped.
    void take(Block& block, BinPool& pool, const MaterialTable& materials);
};

} // namespace floe::mpm
