#pragma once

#include <string>
#include <vector>

namespace floe::session {
class Library;
}

namespace floe::app {

/// Prints what a run of a graph takes: of each solver its particles, memory and steps a frame, with
/// what bounds the steps; and the time.
///
/// It makes the first frame and begins the second, without output nodes and without a file that
/// stays. What a frame takes is that frame, or, where that is not done in `kTrialSeconds`, the part
/// of it that is.
/// @param json  one JSON object in place of sentences
/// @return an exit code: that of a run which fails in these frames
int sayRunCost(const std::string& graph, const std::vector<std::string>& overrides,
               session::Library& library, bool json);

/// How long the second frame may take before it is stopped [s].
inline constexpr double kTrialSeconds = 20;

} // namespace floe::app
