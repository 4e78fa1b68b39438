#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace floe::graph {

/// Calls `take` with key and text of each entry of a JSON object, in order. The text must be valid
/// JSON (already parsed); other values have no entries.
void forEachEntry(std::string_view object,
                  const std::function<void(const std::string& key, std::string_view value)>& take);

} // namespace floe::graph
