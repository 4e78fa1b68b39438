#pragma once

#include "files/file.hpp"

#include "floe/sdk/emission_region.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::gaussians {

/// Particles of a solver, made from Gaussians: these first, in their order, then what fills the
/// space between them.
struct Matter {
    std::vector<float> x;      ///< 3 [m]
    std::vector<float> volume; ///< of each: its cell's, shared by those in it [m^3]
    /// Of a part of space: which of all particles each is, sdk::EmissionRegion::place().
    std::vector<std::uint64_t> place;
};

/// Where matter is, besides the Gaussians.
struct Inside {
    std::array<std::array<double, 3>, 2> box;                      ///< holds all of it [m]
    std::function<bool(const std::array<double, 3>& place)> holds; ///< inside
};

/// @param positions    of the Gaussians, 3 each [m]
/// @param cellSize     of the solver [m], > 0
/// @param inside       null: the Gaussians alone
/// @param samplesACell of the filling, 1 to 64, in cells that hold no Gaussian
/// @param region       null: everywhere; else what is in it, with the same numbers
/// @throws sdk::Failure  there would be more than 2e8 cells or 1e8 particles; what checkpoint
/// throws
Matter matterOf(std::span<const float> positions, double cellSize, const Inside* inside,
                int samplesACell, std::uint64_t seed, const Checkpoint& checkpoint,
                const sdk::EmissionRegion* region = nullptr);

} // namespace floe::gaussians
