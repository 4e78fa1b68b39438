#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// The text for a message: at most 80 bytes and "...", without control characters.
std::string shortened(std::string_view text);

/// The shortened text in single quotes.
std::string quote(std::string_view text);

/// Returns the candidate probably meant (few letters differ, ignoring case), or empty.
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

/// The same for dotted names: a common prefix ("floe.shape.") does not count as similar.
std::string nearestDotted(std::string_view text, const std::vector<std::string>& candidates);

/// A number as people write it: "0.62", "1000000", "1e+20".
std::string number(double value);

} // namespace floe::graph
