#pragma once

#include "floe/base/hash.hpp"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace floe::session {

/// The state of every solver after one frame, from which a run goes on bit for bit.
struct Checkpoint {
    int frame = 0;
    Hash graph; ///< of the flattened graph, see graphHash()
    std::map<std::string, std::string> states; ///< solver node -> the bytes its `save` wrote
    std::map<std::string, Hash> stateHashes;   ///< solver node -> hash of the history behind it
    std::map<std::string, std::string> types;  ///< solver node -> "type version"
};

/// `folder/frame.0012.checkpoint`
std::filesystem::path checkpointPath(const std::filesystem::path& folder, int frame);

/// Writes atomically, with a checksum over everything. @throws IoError
void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// @throws IoError missing, not a checkpoint, of another format version, or damaged
Checkpoint readCheckpoint(const std::filesystem::path& path);

/// Frames of the checkpoints in a folder, ascending, by name alone; empty when there is none.
std::vector<int> checkpointFrames(const std::filesystem::path& folder);

} // namespace floe::session
