/// Input and output of a solver's particles.
#pragma once

#include "settings.hpp"

#include <floe/sdk/grid/block.hpp>

#include <floe/sdk/physics/vec.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::mpm {

/// Particles to add. Arrays hold `count` entries (times 3 for vectors); those marked ? may be null.
struct NewParticles {
    std::size_t count = 0;
    std::uint16_t material = 0;
    const float* x = nullptr;              ///< world position [m]
    const float* v = nullptr;              ///< ? [m/s]; null: at rest
    const float* volume = nullptr;         ///< [m^3] > 0
    const float* stiffnessScale = nullptr; ///< ? > 0
    const float* densityScale = nullptr;   ///< ? > 0
    const float* strain = nullptr;         ///< ? 9, F - I, row-major; liquids have none
    const float* state = nullptr;          ///< ? the law's scalar; null: the initial one
    /// With several ranks: each is given its own particles alone, perhaps none. Else all are given
    /// all of them, and each keeps its own.
    bool part = false;
    /// Of a part: which of the whole's particles each is. Ascending; floe_emission::region.
    const std::uint64_t* place = nullptr;
};

/// @throws std::invalid_argument  names the first unusable particle and the reason
void check(const NewParticles& particles, const SolverMaterial& material, double cellSize);

/// Where a particle lies along an axis: a block, and [0.5, 4.5) cells from its first node.
struct LocalPosition {
    std::int32_t block;
    float local;
};

/// Returns the block of the cell that contains the lowest node of the particle's support, and the
/// position in it.
/// @param cells  position along the axis [cells]; check() has accepted it
inline LocalPosition localPosition(double cells)
{
    const auto cell = static_cast<std::int64_t>(std::floor(cells - 0.5));
    const auto block = static_cast<std::int32_t>(sdk::grid::blockOf(cell));
    // Rounding to single precision must not push it over the block's edge.
    const auto local = static_cast<float>(cells - double{sdk::grid::kBlockEdge} * block);
    return {block, std::clamp(local, 0.5f, std::nextafter(4.5f, 0.0f))};
}

/// How far from the origin particles may be, along each axis [cells].
inline constexpr double kParticleReach =
    double{sdk::grid::kBlockEdge} * (sdk::grid::kMaxCoordinate - 2);

/// Returns whether a position is a number, and not too far from the origin. @param x  3 [m]
inline bool isUsablePosition(const float* x, double cellSize)
{
    const double inverse = 1 / cellSize;
    return std::abs(x[0] * inverse) < kParticleReach && std::abs(x[1] * inverse) < kParticleReach &&
           std::abs(x[2] * inverse) < kParticleReach;
}

/// Returns the block that a particle is put into. @param x  3 [m], usable
inline sdk::grid::BlockCoordinate blockOfParticle(const float* x, double cellSize)
{
    const double inverse = 1 / cellSize;
    sdk::grid::BlockCoordinate block;
    for (std::size_t axis = 0; axis < 3; ++axis)
        block[axis] = localPosition(x[axis] * inverse).block;
    return block;
}

/// A subset of new particles.
class SelectedParticles {
public:
    /// @param wanted  nonzero: the particle is in the subset
    SelectedParticles(const NewParticles& all, const std::vector<std::uint8_t>& wanted);
    SelectedParticles(const SelectedParticles&) = delete;
    SelectedParticles& operator=(const SelectedParticles&) = delete;
    /// Valid as long as this object.
    const NewParticles& view() const { return view_; }

private:
    NewParticles view_;
    std::vector<float> x_, v_, volume_, stiffness_, density_, strain_, state_;
    std::vector<std::uint64_t> place_;
};

/// Destination of a snapshot: arrays for particleCount() entries; null ones are skipped. Particles
/// are in memory order, which changes from step to step; `id` identifies them.
struct Snapshot {
    float* x = nullptr;      ///< 3 [m]
    float* v = nullptr;      ///< 3 [m/s]
    float* F = nullptr;      ///< 9; a liquid's is J^(1/3) I
    float* C = nullptr;      ///< 9, APIC's affine matrix, row-major [1/s]
    float* J = nullptr;      ///< volume ratio
    float* stress = nullptr; ///< 6, Cauchy [Pa]: xx yy zz xy xz yz; zero for custom materials
    float* state = nullptr;  ///< the law's scalar
    float* volume = nullptr; ///< at rest [m^3]
    float* mass = nullptr;   ///< [kg]
    std::uint32_t* material = nullptr;
    std::uint64_t* id = nullptr;
    std::uint8_t* activation = nullptr; ///< BlockState
    float* rank = nullptr;              ///< that computes it; not written by snapshotOnDevice()
};

} // namespace floe::mpm
