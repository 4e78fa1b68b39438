#pragma once

#include <floe/base/descriptor.hpp>

#include <cstdint>
#include <filesystem>

namespace floe {

/// A file opened for reading that has an end: no pipe, device or socket, which may wait for ever or
/// never end.
struct RegularFile {
    Descriptor descriptor;
    std::uint64_t bytes = 0; ///< its size
};

/// @throws IoError it cannot be opened, or is a folder or something else
RegularFile openRegularFile(const std::filesystem::path& path);

} // namespace floe
