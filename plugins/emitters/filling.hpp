#pragma once

#include "placed_shape.hpp"

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
};

/// Appends the samples of a filling, three coordinates each, ordered by block.
/// @throws Failure  the shape holds too many cells or samples, or the run was cancelled
void fill(const sdk::Context& context, const Filling& filling, std::vector<float>& positions);

} // namespace floe::emitters
