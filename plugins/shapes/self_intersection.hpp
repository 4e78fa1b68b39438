#pragma once

#include "grid.hpp"

namespace floe::shapes {

/// Whether the first `count` triangles of a surface cut through each other. Pairs that share a
/// point or lie in one plane do not count; triangles many times longer than the average are not
/// looked at, nor anything after the first fifty million pairs, so that the answer takes seconds at
/// most.
bool intersectsItself(const Surface& surface, std::size_t count);

} // namespace floe::shapes
