/// The loops of liquids over neighbours: eight side by side, compiled for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::pbd {

/// A particle as its neighbours see it.
struct alignas(16) LiquidSpot {
    float x, y, z;    ///< with the displacement so far, from the first particle [m]
    float multiplier; ///< of its density [kg m^2]
};
/// What does not change in a substep.
struct alignas(16) LiquidTrait {
    float volume;      ///< [m^3]
    float inverseMass; ///< in contact [1/kg]
    float radius;      ///< [m]
    float liquid;      ///< 1; of a solid 0
};

/// What walls take of a particle's kernel, as if liquid went on behind them.
struct alignas(16) LiquidWall {
    float x, y, z; ///< gradient of the share [1/m]
    float share;   ///< of its density
};

/// Rows of neighbours, and what the loops write. Rows are as long as whole packs; what fills them
/// up has the number `count`, whose spot is far away. Borrowed.
struct LiquidRows {
    static constexpr std::uint32_t kLanes = 8;

    const std::uint32_t* begin; ///< of each row
    const std::uint32_t* end;   ///< of each row
    const std::uint32_t* neighbour;
    const LiquidSpot* spot;   ///< count + 1
    const LiquidTrait* trait; ///< count + 1
    const LiquidWall* wall;   ///< count, or null: there are none
    bool uniform;             ///< all are liquid, of one size and mass: that of the first
    float halfSupport;        ///< kernel's radius of two, over the sum of their radii
    float factor;             ///< of the kernel
    float relaxation;         ///< of a projection
    float* density;           ///< over rest density
    float* multiplier;        ///< what densities() finds, for the spots that impulses() reads
    float* impulse;           ///< three a particle [kg m] or [kg m/s]
};

/// A particle's velocity, and how much of it neighbours share in a step: a share, times its
/// density.
struct alignas(16) LiquidMotion {
    float x, y, z; ///< [m/s]
    float share;   ///< of a solid 0 [kg/m^3]
};

struct LiquidKernels {
    const char* name;
    /// Densities of rows, and the multipliers that would bring them to rest density.
    void (*densities)(const LiquidRows& rows, std::size_t from, std::size_t to);
    /// What multipliers push particles by.
    void (*impulses)(const LiquidRows& rows, std::size_t from, std::size_t to);
    /// Impulses [kg m/s] by which neighbours come to move alike. @param motion  count + 1
    void (*smooth)(const LiquidRows& rows, const LiquidMotion* motion, std::size_t from,
                   std::size_t to);
};

/// The fastest of this machine. The environment variable FLOE_SIMD may name one: baseline, avx2.
const LiquidKernels& liquidKernels();

} // namespace floe::pbd
