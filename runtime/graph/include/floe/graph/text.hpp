#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// The text for a message: at most 80 bytes and "...", without control characters.
std::string shortened(std::string_view text);

/// The shortened text in single quotes.
std::string quote(std::string_view text);

/// The candidate that was probably meant, or empty: few letters differ (case aside).
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

/// The same for dotted names: what both share in front ("floe.shape.") does not make them alike.
std::string nearestDotted(std::string_view text, const std::vector<std::string>& candidates);

/// A number as people write it: "0.62", "1000000", "1e+20".
std::string number(double value);

} // namespace floe::graph
