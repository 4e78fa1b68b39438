/// The loops of liquids over neighbours: eight side by side, compiled for several instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace floe::pbd {

/// A particle as its neighbours see it.
struct alignas(16) LiquidSpot {
    float x, y, z;    ///< with the displacement so far, from the order's origin [m]
    float multiplier; ///< of its density; of a solid 0 [kg m^2]
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

/// Places that follow one another, some of which are near.
struct LiquidRun {
    std::uint32_t begin, end;
    float own, other; ///< how often a particle's reach counts, and that of one in the run
};
/// How far particles see. Eight places behind the last may be read. Borrowed.
struct LiquidSight {
    const float *x, *y, *z; ///< [m]
    const float* reach;     ///< two are neighbours within the sum [m]; null: all have the same
    float pair;             ///< that sum [m]
};

/// Rows of neighbours of some particles that follow one another. Rows are as long as whole packs;
/// what fills them up has the number behind the last place, whose spot is far away. Borrowed.
struct LiquidRows {
    static constexpr std::uint32_t kLanes = 8;

    const std::uint32_t* begin; ///< of each place's row, which ends where the next begins
    const std::uint32_t* neighbour;
    const LiquidTrait* trait;  ///< one a place and one behind, unless all are as the first
    const LiquidWall* wall;    ///< one a place of liquid, or null: there are none
    const std::uint8_t* mixed; ///< places that are unlike the first or near such; null: none is
    bool anyAlike;             ///< false: all are mixed
    float halfSupport;         ///< kernel's radius of two, over the sum of their radii
    float factor;              ///< of the kernel
    float relaxation;          ///< of a projection
};

/// What is smoothed, as a velocity [m/s] with the density of which neighbours share in a step
/// [kg/m^3], of a solid 0; or what is derived, as a velocity.
struct alignas(16) LiquidMotion {
    float x, y, z, share;
};
/// Derivatives of a LiquidMotion in space.
struct LiquidDerivatives {
    float curlX, curlY, curlZ;    ///< of x, y, z
    float slopeX, slopeY, slopeZ; ///< of share
};

struct LiquidImpulse {
    float x, y, z; ///< [kg m] or [kg m/s]
};

/// Loops over places `from` to `to`. Of spots and motions there are one a place, and one behind.
struct LiquidKernels {
    const char* name;
    /// Writes the numbers of a place's neighbours, ascending, up to whole packs of `none`.
    /// @param row  room for all places of the runs, and 16 more
    /// @return how many
    std::uint32_t (*near)(const LiquidSight& sight, const LiquidRun* runs, std::size_t count,
                          std::uint32_t place, std::uint32_t none, std::uint32_t* row);
    /// Densities of liquid, and the multipliers that would bring them to rest density.
    /// @param pushing  gets the spots with multipliers
    void (*densities)(const LiquidRows& rows, const LiquidSpot* spot, std::size_t from,
                      std::size_t to, LiquidSpot* pushing);
    /// What multipliers push particles by. @param impulse  of the first, and on
    void (*impulses)(const LiquidRows& rows, const LiquidSpot* spot, std::size_t from,
                     std::size_t to, LiquidImpulse* impulse);
    /// Impulses by which neighbours come to move alike.
    void (*smooth)(const LiquidRows& rows, const LiquidSpot* spot, const LiquidMotion* motion,
                   std::size_t from, std::size_t to, LiquidImpulse* impulse);
    /// Derivatives among liquid. @param derivatives  of the first, and on
    void (*derive)(const LiquidRows& rows, const LiquidSpot* spot, const LiquidMotion* motion,
                   std::size_t from, std::size_t to, LiquidDerivatives* derivatives);
};

/// The fastest of this machine. The environment variable FLOE_SIMD may name one: baseline, avx2.
const LiquidKernels& liquidKernels();

} // namespace floe::pbd
