#pragma once

#include "floe/data/value.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace floe::io {

struct IsolatedReadSettings {
    std::function<bool()> cancelled;   ///< called many times a second; may be empty
    std::chrono::seconds patience{60}; ///< without any progress: then the process is given up
    std::filesystem::path program;     ///< empty: floe_read_vdb, beside the running program
};

/// Reads an OpenVDB file in a separate process, the program floe_read_vdb.
///
/// OpenVDB trusts the sizes in a file: a damaged one makes it write past its buffers. In a separate
/// process that ends only this process; its result is checked like any other value. Its memory
/// counts as this process's. Killed from outside, it is started once more.
/// @param arguments  "volume", path, grid; or "particles", path
/// @throws IoError         also when the process makes no progress or is killed
/// @throws MemoryError     it takes more than there is
/// @throws CancelledError
ValueRef readIsolated(const std::filesystem::path& path, std::vector<std::string> arguments,
                      const IsolatedReadSettings& settings = {});

} // namespace floe::io
