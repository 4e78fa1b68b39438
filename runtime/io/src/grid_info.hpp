#pragma once

#include <string>

namespace floe::io {

/// Description of one grid of a file.
struct GridInfo {
    std::string name;
    std::string type; ///< "float", "double", "vec3f", "vec3d", "points", or the file's own name
};

} // namespace floe::io
