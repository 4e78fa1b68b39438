#pragma once

#include "files/file.hpp"

#include <cstddef>

namespace floe::gaussians {

struct FillingSettings {
    double cell = 0.02;            ///< edge of a cell of the opacity field [m], > 0
    double threshold = 0.5;        ///< of the field; what is denser is a wall
    std::size_t most = 10'000'000; ///< Gaussians to add at most
};

/// Returns Gaussians that fill a set's inside (Xie et al. 2024): one in each cell that sees a wall
/// along all six axes and, along at least two of the three, an odd number of them; walls are where
/// the field sum of opacity * exp(-x^T A^-1 x / 2) rises above the threshold. They are round, as
/// large as a cell, and have the colours and opacities of a Gaussian that is near.
///
/// Memory: 13 bytes a cell. The time is bounded: Gaussians longer than 16 cells are haze and no
/// walls.
/// @throws sdk::Failure  the set's box holds more than 1e8 cells, the field would take more than
/// 4e9
///                       evaluations, or there would be more Gaussians than `most`; what checkpoint
///                       throws
GaussianSet fillingOf(const GaussianSet& set, const FillingSettings& settings,
                      const Checkpoint& checkpoint);

} // namespace floe::gaussians
