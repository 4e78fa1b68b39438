#pragma once

#include "floe/data/value.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::io {

/// Reads an OpenVDB file in a separate process, the program floe_read_vdb.
///
/// OpenVDB trusts the sizes in a file: a damaged one makes it write past its buffers. In a separate
/// process that ends only this process; its result is checked like any other value.
/// @param arguments  "volume", path, grid; or "particles", path
/// @throws IoError
ValueRef readIsolated(const std::filesystem::path& path, std::vector<std::string> arguments);

} // namespace floe::io
