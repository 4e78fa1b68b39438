#pragma once

#include "floe/base/json.hpp"

#include <set>
#include <vector>

namespace floe::panels {

// Keys of stored parameters by their frames alone, whatever their values are: numbers, vectors
// whole or by component, switches, menus. Where a vector has a curve for each component, keys of
// the same frame belong together. What holds no keys, or keys of a wrong shape, stays as it is.

/// Frames with keys, in order, each once.
std::vector<double> keyFrames(const Json& stored);

/// With the keys of those frames moved; a moved key takes the place of one that stood there.
/// @param by  frames
Json withKeysMoved(Json stored, const std::set<double>& frames, double by);

/// Without the keys of those frames; where none is left, the first one's value stays.
Json withoutKeys(Json stored, const std::set<double>& frames);

/// Only the keys of those frames, to be pasted; what of it has none is null.
Json onlyKeys(Json stored, const std::set<double>& frames);

/// With keys that onlyKeys() gave; a value without keys gets them alone. Values of another kind
/// (a number for a vector, an expression) stay as they are.
/// @param by  frames that they are moved by
Json withKeysPasted(Json stored, const Json& keys, double by);

} // namespace floe::panels
