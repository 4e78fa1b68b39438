#pragma once

#include "floe/base/json.hpp"

#include <string>

namespace floe::graph {

/// A value as the standard layout writes it, on one line.
std::string oneLine(const Json& value);

} // namespace floe::graph
