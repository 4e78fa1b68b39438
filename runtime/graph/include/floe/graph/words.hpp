#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace floe::graph {

/// The text in single quotes, shortened, without control characters: for messages.
std::string quote(std::string_view text);

/// The candidate that was probably meant, or empty: few letters differ (case aside).
std::string nearest(std::string_view text, const std::vector<std::string>& candidates);

/// The same for dotted names: what both share in front ("floe.shape.") does not make them alike.
std::string nearestDotted(std::string_view text, const std::vector<std::string>& candidates);

/// "did you mean 'radius'?" or, when nothing is near, `otherwise`.
std::string didYouMean(std::string_view text, const std::vector<std::string>& candidates,
                       const std::string& otherwise = {});

/// A number as people write it: "0.62", "1000000", "1e+20".
std::string number(double value);

/// "a, b or c"; at most `limit` of them.
std::string alternatives(const std::vector<std::string>& words, std::size_t limit = 12);

} // namespace floe::graph
