#pragma once

#include "cancellation.hpp"

#include "floe/compute/memory.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace floe::io {

/// A file in memory, to be parsed. Counts as host memory, with as much again for each of what the
/// parser keeps on its way and what it gives.
class FileContent {
public:
    /// @throws IoError      as readFile()
    /// @throws MemoryError  it is too large for what the run may take
    /// @throws CancelledError
    FileContent(const std::filesystem::path& path, std::uint64_t maxBytes, Cancellation& stop);
    std::string_view bytes() const { return bytes_; }

private:
    compute::HostClaim claim_;
    std::string bytes_;
};

} // namespace floe::io
