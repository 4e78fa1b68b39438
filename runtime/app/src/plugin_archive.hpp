#pragma once

#include <filesystem>

namespace floe::app {

/// Puts what a package holds into a new folder: a copy of a folder, or what an archive (zip, tar,
/// tar.gz, tar.xz, tar.zst) holds. Only files and folders; names must stay inside.
/// @param into  does not exist yet
/// @throws InputError  the package holds something else, or too much; there is no reader for
///                     archives in this build
/// @throws IoError     it cannot be read, or the folder cannot be written
void unpack(const std::filesystem::path& package, const std::filesystem::path& into);

} // namespace floe::app
