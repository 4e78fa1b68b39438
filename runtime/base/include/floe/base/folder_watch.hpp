#pragma once

#include <floe/base/descriptor.hpp>

#include <filesystem>

namespace floe {

/// Notices that a folder in use is no longer where it was: removed, moved away or replaced.
class FolderWatch {
public:
    /// @throws IoError the folder cannot be opened
    explicit FolderWatch(std::filesystem::path folder);
    /// @throws IoError the path leads to another folder, or to none
    void check() const;

private:
    std::filesystem::path folder_;
    Descriptor descriptor_;
};

} // namespace floe
