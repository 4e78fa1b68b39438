#pragma once

#include <string>

namespace floe::io {

/// What a file says about one of its grids.
struct GridInfo {
    std::string name;
    std::string type; ///< "float", "double", "vec3f", "vec3d", "points", or the file's own word
};

} // namespace floe::io
