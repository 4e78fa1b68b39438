/// Memory layout of particles: bins of sixteen particles of one material.
///
/// A bin is a table of rows; a row is one attribute of sixteen particles, that is one cache line,
/// and suits SIMD registers of any width. The number of rows depends on the material: a liquid
/// keeps no deformation gradient, and usually not even C, which lives only from the gather to the
/// following scatter (AffineRows) and can be gathered again. Lanes past the bin's count, and
/// particles deleted since the last binning, have zero mass and volume and an undeformed state:
/// kernels may compute on them, they contribute nothing.
///
/// Positions are stored in cells, relative to the first node of the particle's block, so their
/// precision (2^-21 cells) does not depend on the block's place in the world.
#pragma once

#include "custom_model.hpp"

#include <floe/sdk/grid/channels.hpp>

#include <cstddef>
#include <cstdint>

namespace floe::mpm {

using sdk::grid::kArenaEdge;
using sdk::grid::kArenaNodes;
using sdk::grid::kBlockEdge;
using sdk::grid::kBlockNodes;
using sdk::grid::kNodeFloats;

inline constexpr std::size_t kArenaFloats = std::size_t{kArenaNodes} * kNodeFloats;
inline constexpr std::size_t kBlockFloats = std::size_t{kBlockNodes} * kNodeFloats;

struct Velocity;
struct Mass;
/// A block's nodes, in the format of sdk/grid/stencil.hpp: velocity [m/s] and mass [kg].
using Nodes =
    sdk::grid::Channels<sdk::grid::kArrayOfStructs, sdk::grid::Channel<Velocity, float, 3>,
                        sdk::grid::Channel<Mass, float>>;
static_assert(Nodes::kBytes == sizeof(float) * kBlockNodes * kNodeFloats);

/// Row numbers. Vectors take three consecutive rows, matrices nine, row-major.
namespace row {
inline constexpr int x = 0;          ///< position [cells], relative to the block's first node
inline constexpr int v = 3;          ///< velocity [m/s]
inline constexpr int mass = 6;       ///< [kg]; 0: no particle
inline constexpr int volume = 7;     ///< at rest [m^3]
inline constexpr int id = 8;         ///< bits of a uint32
inline constexpr int state = 9;      ///< the law's scalar (physics/law.hpp); J - 1 of a liquid
inline constexpr int stiffness = 10; ///< factor on the material's moduli; 1 in liquid bins
inline constexpr int C = 11; ///< APIC's affine matrix, which is also the velocity gradient [1/s]
inline constexpr int H = 20; ///< elastic F - I (physics/stretch.hpp)
inline constexpr int surface = 20;   ///< of tense liquids: rules::surfaceAfter() [1/m]
inline constexpr int moreState = 29; ///< three more scalars; custom materials only
inline constexpr int rest = 29; ///< bits of a uint32: place in the grid at rest; whole bodies only
} // namespace row

/// The bin layouts, and their rows.
enum class Layout : std::uint8_t {
    liquid,     ///< up to `state`
    fullLiquid, ///< up to C: with a stiffness of its own, or where C cannot be gathered again
    solid,
    custom,
    whole,      ///< solid, with a place in the grid at rest (rest_grid.hpp)
    tenseLiquid ///< up to `surface`
};
inline constexpr int kLayouts = 6;
inline constexpr int kRows[kLayouts] = {10, 20, 29, 32, 30, 23};
inline constexpr int kMaxRows = 32;

constexpr int rowsOf(Layout layout)
{
    return kRows[static_cast<int>(layout)];
}

constexpr bool isLiquid(Layout layout)
{
    return layout == Layout::liquid || layout == Layout::fullLiquid ||
           layout == Layout::tenseLiquid;
}
constexpr bool keepsAffine(Layout layout)
{
    return layout != Layout::liquid;
}

/// C of a bin that does not store it.
struct alignas(64) AffineRows {
    float C[9 * kLanes]; ///< row-major
};

/// One bin of a block.
struct BinRef {
    float* data;            ///< rowsOf(layout) * kLanes floats, 64-byte aligned
    std::uint16_t material; ///< index in the solver's table
    Layout layout;
    std::uint8_t count; ///< number of particles, 1 to kLanes; they come first

    float* rowAt(int r) const { return data + r * kLanes; }
};

} // namespace floe::mpm
