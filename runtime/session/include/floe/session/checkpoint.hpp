#pragma once

#include "floe/base/hash.hpp"
#include "floe/compute/memory.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace floe::session {

/// The state of every solver after one frame, from which a run continues bit for bit.
struct Checkpoint {
    int frame = 0;
    std::map<std::string, std::string> states; ///< solver node -> the bytes of its `save`
    /// solver node -> hash of everything that led to its state
    std::map<std::string, Hash> histories;
    std::map<std::string, std::string> types;   ///< solver node -> "type version"
    std::shared_ptr<compute::HostClaim> memory; ///< that the states take, when read from a file
};

/// `folder/frame.0012.checkpoint`
std::filesystem::path checkpointPath(const std::filesystem::path& folder, int frame);

/// Writes atomically, with a checksum over everything. @throws IoError
void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Reads a checkpoint.
/// @throws IoError missing, not a checkpoint, of another format version, or damaged
/// @throws MemoryError its states take more than the run may
Checkpoint readCheckpoint(const std::filesystem::path& path);

/// Reads the checkpoint of a frame in a folder.
/// @throws IoError as above, or the file holds another frame than its name says: a copy
Checkpoint readCheckpoint(const std::filesystem::path& folder, int frame);

/// Returns the frames of a folder's checkpoints, ascending, judged by name alone.
std::vector<int> checkpointFrames(const std::filesystem::path& folder);

} // namespace floe::session
