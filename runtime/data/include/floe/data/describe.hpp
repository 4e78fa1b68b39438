#pragma once

#include "floe/data/value.hpp"

#include <string>

namespace floe {

/// One line for tools and messages: "1,204 particles: x v material",
/// "mesh of 8 points, 12 triangles", "record 'material': name, density". Never long.
std::string describe(const Value& value);

} // namespace floe
