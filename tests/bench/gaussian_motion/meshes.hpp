#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace floe::bench {

struct Model {
    std::string name;
    std::filesystem::path mesh; ///< OBJ, PLY or STL
};

/// Writes meshes made by formulas into a folder, fine enough to be bent: a vase (a turned profile),
/// a stool (boxes) and a plant (tubes along curves, in a pot). Closed, y up, about 1 high.
std::vector<Model> proceduralModels(const std::filesystem::path& folder);

} // namespace floe::bench
