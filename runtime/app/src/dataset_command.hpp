#pragma once

#include <cstdint>
#include <filesystem>

namespace floe::app {

/// `floe dataset activation`: many random scenes, each simulated by a process of its own.
struct DatasetSettings {
    std::filesystem::path output; ///< folder
    std::filesystem::path shapes; ///< folder of level sets and meshes to use as well; may be empty
    int scenes = 50;
    int frames = 100;     ///< of each; one sample a frame
    int size = 64;        ///< cells along each edge of the domain, 32 to 128
    double stiffness = 1; ///< see ActivationSceneSettings
    int jobs = 1;         ///< scenes at a time
    std::uint64_t seed = 1;
    std::string lookAhead = "evaluation"; ///< or step: what the label foretells
    int secondsPerScene = 3600;           ///< then it is stopped and counted as failed
};

/// Makes what is missing of a data set and says how far it is. Scenes that are there, or have
/// failed before, are not run again; those a stopped run left unfinished are.
/// @return a session::ExitCode  @throws InputError, IoError
int datasetCommand(const DatasetSettings& settings);

} // namespace floe::app
