#pragma once

#include "placed_shape.hpp"

#include "floe/sdk/emission_region.hpp"
#include "floe/sdk/node.hpp"

#include <cstdint>
#include <vector>

namespace floe::emitters {

/// Parameters of filling a shape with samples.
struct Filling {
    const PlacedShape& shape;
    double cellSize; ///< cell size of the solver [m]
    int samplesPerCell;
    double jitter; ///< 0: a regular lattice; 1: anywhere in the sub-cell
    double shell;  ///< > 0: only this far below the surface [m]
    uint64_t seed;
    double share = 1;  ///< share of the samples to keep, at random
    Point sweep{};     ///< path of a stream: the whole swept region is filled [m]
    bool fresh = true; ///< false: the shape's present inside is already filled
    sdk::EmissionRegion region;
    uint64_t firstGroup = 0; ///< of the blocks' numbers in Samples::place
};

/// Where samples are.
struct Samples {
    std::vector<float> x;        ///< 3 [m]
    std::vector<uint64_t> place; ///< of a part of space: EmissionRegion::place(), by block
};

/// Appends the samples of a filling that are in its region, ordered by block. Blocks outside are
/// not sampled.
/// @return the number of blocks
/// @throws Failure  the shape holds too many cells or samples, or the run was cancelled
uint64_t fill(const sdk::Context& context, const Filling& filling, Samples& samples);

} // namespace floe::emitters
