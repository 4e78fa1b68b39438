#pragma once

#include <floe/base/descriptor.hpp>
#include <floe/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace floe {

/// Reads a whole file.
/// @param maxBytes larger files are refused
/// @throws IoError the file cannot be opened or read, is a directory, or is larger than maxBytes
std::string readFile(const std::filesystem::path& path, std::uint64_t maxBytes = 1ull << 32);

/// Writes a file so that a reader sees the old content or the new one, never a part: written beside
/// the target under a name of this process, synchronised, renamed. Creates missing folders.
/// @throws IoError with the reason of the operating system (no space, no permission, ...)
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The same for writers that need a path: calls `write` with a temporary path in the target's
/// folder (same extension), then synchronises and renames. The temporary file is removed when
/// `write` throws.
void replaceFile(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& temporary)>& write);

/// Removes the temporary files of calls of replaceFile() that are under way in other threads, which
/// then fail: for a process that ends without waiting for them.
void removeTemporaryFiles();

/// For a `write` of replaceFile() that failed: names the reason that the operating system gave last
/// and, where there is one, the cure.
IoError cannotWrite(const std::filesystem::path& path);

/// Keeps a folder for one process at a time, until destroyed or the process ends, however it ends.
/// Where the file system cannot lock, it keeps nobody out.
class FolderLock {
public:
    /// @throws IoError another process has it
    explicit FolderLock(const std::filesystem::path& folder);

private:
    Descriptor descriptor_;
};

/// Folder of the running program.
std::filesystem::path programFolder();

} // namespace floe
