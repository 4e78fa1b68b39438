#pragma once

#include "meshes.hpp"
#include "picture_quality.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::bench {

/// How well Gaussians follow a given motion (Xie et al. 2024, PhysGaussian, table of lattice
/// deformations): a set made from a mesh is moved by a lattice, and compared with a set made from
/// the moved mesh. All of it is done by the nodes of the product in one graph, run by `floe`.
struct StudySettings {
    int gaussians = 16'000;       ///< at this size of pictures about as close as captures'
    int truthGaussians = 100'000; ///< scattered elsewhere: the truth is another set
    int views = 12;               ///< around the model, in turns from above and from the side
    int side = 320;               ///< of the pictures [px]
    int sections = 9;             ///< of the lattice
};

struct Motion {
    std::string name;
    double bend = 0, twist = 0; ///< [degrees]
};
inline const std::vector<Motion> kMotions = {{"bend", 90, 0}, {"twist", 0, 150}};

struct Method {
    std::string name;
    std::string covariance; ///< of Deform Gaussians
    bool rotateColors;
};
inline const std::vector<Method> kMethods = {{"fixed covariance", "fixed", true},
                                             {"rigid covariance", "rigid", true},
                                             {"fixed harmonics", "full", false},
                                             {"full", "full", true}};

/// Means over the views: one a method, in the order of kMethods, and last the most that can be had:
/// a set of the moved mesh as large as those that follow, with other places.
using Qualities = std::vector<test::PictureQuality>;

/// @param folder  for the graph and the pictures, which stay there
/// @throws std::runtime_error  the run failed: what `floe` said
Qualities study(const Model& model, const Motion& motion, const StudySettings& settings,
                const std::filesystem::path& folder);

} // namespace floe::bench
