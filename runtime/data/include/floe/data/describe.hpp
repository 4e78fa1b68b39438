#pragma once

#include "floe/data/value.hpp"

#include <string>

namespace floe {

/// Returns a short line for tools and messages: "1,204 particles: x v material", "mesh of 8 points,
/// 12 triangles", "record 'material': name, density".
std::string describe(const Value& value);

} // namespace floe
