#pragma once

#include <filesystem>
#include <system_error>

namespace floe {

/// Creates a folder and those around it that are missing. Each survives a power cut: the folder
/// around it is synchronised, where the file system can.
/// @return the reason of the operating system when it could not be created
std::error_code createFolders(const std::filesystem::path& folder);

} // namespace floe
