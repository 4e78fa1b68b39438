#pragma once

#include "placed_shape.hpp"

#include "floe/sdk/node.hpp"

#include <cstdint>
#include <vector>

namespace floe::emitters {

/// How a shape is filled with samples.
struct Filling {
    const PlacedShape& shape;
    double cellSize; ///< of the solver [m]
    int samplesPerCell;
    double jitter; ///< 0: a regular lattice; 1: anywhere in the sub-cell
    double shell;  ///< > 0: only this far below the surface [m]
    uint64_t seed;
    double share = 1;  ///< of the samples that is kept, at random
    Point sweep{};     ///< way of a stream: all that the shape passes on it is filled [m]
    bool fresh = true; ///< false: what the shape contains where it stands is there already
};

/// Appends the samples of a filling, three coordinates each, ordered by block.
/// @throws Failure  the shape holds too many cells or samples, or the run was cancelled
void fill(const sdk::Context& context, const Filling& filling, std::vector<float>& positions);

} // namespace floe::emitters
