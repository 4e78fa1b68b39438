#pragma once

#include "floe/base/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace floe::app {

/// A folder of the system's for temporary files; goes with everything in it.
class TemporaryFolder {
public:
    /// @throws IoError
    TemporaryFolder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "floe-XXXXXX").string();
        if (!::mkdtemp(pattern.data()))
            throw IoError({.file = pattern}, "cannot be made");
        path_ = pattern;
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace floe::app
