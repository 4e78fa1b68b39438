#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// Returns whether the first `count` triangles of a surface intersect. Pairs that share a point or
/// lie in one plane do not count; triangles many times longer than the average are skipped, and the
/// search stops after fifty million pairs, so it takes seconds at most.
bool intersectsItself(const Surface& surface, std::size_t count);

} // namespace floe::shapes
