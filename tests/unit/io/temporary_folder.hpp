#pragma once

#include "floe/base/file.hpp"

#include <filesystem>
#include <random>
#include <string>
#include <string_view>

namespace floe::io {

/// A folder that goes with its owner.
class TemporaryFolder {
public:
    TemporaryFolder()
        : path_(std::filesystem::temp_directory_path() /
                ("floe-io-" + std::to_string(std::random_device()())))
    {
        std::filesystem::create_directories(path_);
    }
    ~TemporaryFolder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    /// Writes `content` to a file and returns its path.
    std::filesystem::path file(std::string_view name, std::string_view content) const
    {
        writeFileAtomically(path_ / name, content);
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

} // namespace floe::io
