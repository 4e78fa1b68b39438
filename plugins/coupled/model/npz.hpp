/// Writes arrays into a file that NumPy opens.
#pragma once

#include "floe/sdk/npz.hpp"

#include <filesystem>

namespace floe::coupled {

/// Writes the file, whole or not at all; creates folders.
/// @throws sdk::Failure  it cannot be written
void writeNpz(const std::filesystem::path& path, const sdk::Npz& arrays);

} // namespace floe::coupled
