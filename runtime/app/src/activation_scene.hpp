#pragma once

#include "floe/base/json.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace floe::app {

/// What a random scene for the activation network is made from.
struct ActivationSceneSettings {
    std::uint64_t seed = 1;
    int size = 64; ///< cells along each edge of the domain
    int frames = 48;
    double stiffness = 1;  ///< of the table's; below 1 steps are longer and scenes faster
    std::string split;     ///< train, validation or test; written into the samples
    std::string lookAhead; ///< evaluation or step
    std::vector<std::filesystem::path> shapes; ///< level sets and meshes beside the seventeen kinds
};

/// A graph in which up to 20 bodies of liquid, snow and elastic material fly into up to 40
/// obstacles in a box of 10 m (Sirois-Vigneux 2023, table 3.1), and whose activation writes samples
/// into `samples/` of the output folder. A function of its settings alone.
///
/// Unlike the table, so that much comes to rest in few frames: six scenes of ten have a bed of
/// material on the ground that begins asleep, and bodies hit it one after another; few bodies and
/// obstacles are as likely as many, and slow ones as fast ones; materials lose energy inside;
/// stiffness varies by a factor of 30 downwards. One obstacle of five moves.
Json activationScene(const ActivationSceneSettings& settings, const std::string& name);

} // namespace floe::app
