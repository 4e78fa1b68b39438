#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// Matter, or what is hollow in it.
struct Layer {
    Surface surface;
    bool hollow = false;
};

/// Takes a closed surface apart into matter, hollows in it, matter in these and so on, outermost
/// first: each layer is put into, or taken out of, all before it. A connected part is a hollow when
/// it lies inside of the others and faces the other way.
/// @return one layer, the surface itself, when there are no hollows, or when triangles of a part
///         face both ways so that nobody can tell
std::vector<Layer> layersOf(const Surface& surface);

} // namespace floe::shapes
