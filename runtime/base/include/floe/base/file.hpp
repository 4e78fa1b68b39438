#pragma once

#include <floe/base/descriptor.hpp>
#include <floe/base/error.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace floe {

/// Reads a whole file.
/// @param maxBytes larger files are refused
/// @throws IoError the file cannot be opened or read, is no regular file, or larger than maxBytes
std::string readFile(const std::filesystem::path& path, std::uint64_t maxBytes = 1ull << 32);

/// Writes a file so that a reader sees the old or the new content, never a part, also after a power
/// cut: writes beside it (".name.part.ext", over what a killed process left; a second writer has a
/// name of its own), synchronises, renames, synchronises the folder. Creates missing folders.
/// @throws IoError with the reason of the operating system (no space, no permission, ...)
void writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The same for writers that need a path: calls `write` with a temporary path in the target's
/// folder (same extension), then synchronises and renames. Removes the temporary file when `write`
/// throws.
void replaceFile(const std::filesystem::path& path,
                 const std::function<void(const std::filesystem::path& temporary)>& write);

/// Removes the temporary files of running replaceFile() calls of other threads, which then fail:
/// for a process that ends without waiting for them.
void removeTemporaryFiles();

/// Makes the error of a failed `write` of replaceFile(): the last reason of the operating system
/// and, if known, the cure.
IoError cannotWrite(const std::filesystem::path& path);

/// Opens a new file for binary content; that a signal interrupts this is no failure. Where it
/// fails, the stream is bad and errno the reason.
std::ofstream openToWrite(const std::filesystem::path& path);

/// Locks a folder for one process, until destroyed or the process ends in any way. Without effect
/// where the file system cannot lock.
class FolderLock {
public:
    /// @param patience  how long to wait for a process that has it, and may be about to end
    /// @throws IoError another process holds the lock
    explicit FolderLock(const std::filesystem::path& folder,
                        std::chrono::milliseconds patience = {});

private:
    Descriptor descriptor_;
};

/// Returns the folder of the running program.
std::filesystem::path programFolder();

} // namespace floe
