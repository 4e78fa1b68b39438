#pragma once

#include <filesystem>
#include <string>

namespace floe::app {

/// The folder that a person means: a folder, its plugin.json, or the id of a plugin that is found.
/// @throws InputError  none of these
std::filesystem::path pluginFolder(const std::string& folderOrId);

} // namespace floe::app
