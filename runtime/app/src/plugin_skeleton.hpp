#pragma once

#include <string>
#include <vector>

namespace floe::app {

/// One file of a new plugin.
struct SkeletonFile {
    std::string name;
    std::string content;
};

/// Names derived from the user's name for the plugin.
struct SkeletonNames {
    std::string id;      ///< "studio.waves"
    std::string library; ///< "studio_waves"
    std::string label;   ///< "Waves"
};

/// @param name "studio.waves", or "waves" for "my.waves"
/// @throws InputError it is not a valid name
SkeletonNames skeletonNames(const std::string& name);

/// Returns a plugin with one working node, ready to build against the installed SDK: the example in
/// plugins/examples/first_node or c_node under other names.
std::vector<SkeletonFile> skeleton(const SkeletonNames& names, bool inC);

} // namespace floe::app
