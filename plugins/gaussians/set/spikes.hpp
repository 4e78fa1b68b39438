#pragma once

#include "set/gaussian_set.hpp"

namespace floe::gaussians {

enum class Spikes {
    Split, ///< into a row of shorter ones that look the same together
    Clamp  ///< to the longest that is allowed
};

struct SpikeSettings {
    double length = 3; ///< of the longest axis, in those of the middle one, >= 1
    double size = 0;   ///< of the longest axis [m]; 0 sets no bound
    Spikes spikes = Spikes::Split;
    std::size_t most = 20'000'000; ///< Gaussians in all
};

/// Bounds how long Gaussians are. One that is stretched far shows as a spike where it turns out of
/// the surface that it was made for (Xie et al. 2024 bound the ratio of axes in training); flat
/// ones are none. A spike of standard deviation S along its axis becomes a row of an odd number, at
/// most 65, of the longest allowed, s, 2 s apart: their sum has a ripple of about 1 %. Their
/// opacities fall off with the variance S^2 - s^2, so that sum has the spike's, and are such that
/// the middle of the row is as opaque as the middle of the spike. Pieces come where their spike
/// was.
/// @return how many were too long
/// @throws sdk::Failure  there would be more than `most`
std::size_t boundSpikes(GaussianSet& set, const SpikeSettings& settings);

} // namespace floe::gaussians
