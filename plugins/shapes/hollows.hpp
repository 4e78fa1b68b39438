#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// Matter, or hollows in it.
struct Layer {
    Surface surface;
    bool hollow = false;
};

/// Splits a closed surface into matter, hollows in it, matter in these and so on, outermost first:
/// each layer is added to, or removed from, those before it. A connected part is a hollow when it
/// lies inside the others and faces the other way.
/// @return one layer, the surface itself, when there are no hollows, or when a part is not oriented
/// consistently, so that they cannot be detected
std::vector<Layer> layersOf(const Surface& surface);

} // namespace floe::shapes
