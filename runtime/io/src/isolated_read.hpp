#pragma once

#include "floe/data/value.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::io {

/// Reads an OpenVDB file in a process of its own, the program floe_read_vdb.
///
/// OpenVDB trusts the sizes within a file: a damaged one makes it write past its buffers. There it
/// takes only that process down, and what comes back is checked like any other value.
/// @param arguments  "volume", path, grid; or "particles", path
/// @throws IoError
ValueRef readIsolated(const std::filesystem::path& path, std::vector<std::string> arguments);

} // namespace floe::io
