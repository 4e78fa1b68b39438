#pragma once

#include <algorithm>
#include <filesystem>
#include <string>

namespace floe::io {

/// ".obj" for "Bunny.OBJ": a file's extension in lower case.
inline std::string extensionOf(const std::filesystem::path& path)
{
    std::string extension = path.extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return extension;
}

} // namespace floe::io
