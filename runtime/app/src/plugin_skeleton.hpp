#pragma once

#include <string>
#include <vector>

namespace floe::app {

/// One file of a new plugin.
struct SkeletonFile {
    std::string name;
    std::string content;
};

/// Names that follow from what the user called the plugin.
struct SkeletonNames {
    std::string id;      ///< "studio.waves"
    std::string library; ///< "studio_waves"
    std::string label;   ///< "Waves"
};

/// @param name "studio.waves", or "waves" for "my.waves"
/// @throws InputError it is not such a name
SkeletonNames skeletonNames(const std::string& name);

/// A plugin with one working node, ready to build against the installed SDK: the example in
/// plugins/examples/first_node or c_node under other names.
std::vector<SkeletonFile> skeleton(const SkeletonNames& names, bool inC);

} // namespace floe::app
