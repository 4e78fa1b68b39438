#pragma once

#include "floe/base/json.hpp"

#include <map>
#include <string>

namespace floe::editor {

/// A stored value, with the nodes that expressions in it refer to renamed: all names at once, so
/// that they may change places.
Json withNodesRenamed(const Json& value, const std::map<std::string, std::string>& names);

} // namespace floe::editor
