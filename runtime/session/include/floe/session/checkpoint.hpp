#pragma once

#include "floe/base/hash.hpp"
#include "floe/plugin/node_instance.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace floe::session {

/// What the index of a checkpoint says of one of its parts.
struct CheckpointPart {
    std::uint64_t bytes = 0; ///< of the file
    Hash checksum;           ///< of what it holds
};

/// The state of every solver after one frame, from which a run continues bit for bit.
struct Checkpoint {
    int frame = 0;
    std::map<std::string, std::string> states; ///< solver node -> the bytes of its `save`
    /// solver node -> hash of everything that led to its state
    std::map<std::string, Hash> histories;
    std::map<std::string, std::string> types; ///< solver node -> "type version"
    /// Of several ranks: by rank, who have written their states.
    std::vector<CheckpointPart> parts;
};

/// `folder/frame.0012.checkpoint`
std::filesystem::path checkpointPath(const std::filesystem::path& folder, int frame);
/// `folder/frame.0012.rank1.part`
std::filesystem::path checkpointPartPath(const std::filesystem::path& folder, int frame, int rank);

/// Writes atomically, with a checksum over everything; a checkpoint with parts without its states:
/// call when all parts are written. @throws IoError
void writeCheckpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Writes one rank's states, atomically. It is no part of a checkpoint before that one names it.
/// @throws IoError
CheckpointPart writeCheckpointPart(const std::filesystem::path& folder, int rank,
                                   const Checkpoint& checkpoint);

/// A checkpoint in its files. Its states stay there until they are read.
class StoredCheckpoint {
public:
    /// Reads what stands before the states.
    /// @throws IoError  missing, not a checkpoint, of another format version, damaged, or of
    /// another
    ///                  frame than its name says: a copy
    StoredCheckpoint(const std::filesystem::path& folder, int frame);

    int frame() const { return frame_; }
    const std::map<std::string, Hash>& histories() const { return histories_; } ///< see Checkpoint
    const std::map<std::string, std::string>& types() const { return types_; }
    /// Compares all that is in its files with the checksums. Several ranks divide them.
    /// @throws IoError  one is damaged or missing, or is not the one that belongs to the others
    void verify(int rank = 0, int ranks = 1) const;

    /// Returns a solver's state, of several ranks one behind the other; null: there is none.
    /// @pre verify(), on all ranks
    std::unique_ptr<plugin::StateSource> state(const std::string& node) const;

private:
    /// Where bytes lie.
    struct Extent {
        std::size_t file; ///< among files_
        std::uint64_t offset, bytes;
    };
    struct File {
        std::filesystem::path path;
        Hash checksum; ///< that it is to have; of the checkpoint itself: what it says at its end
    };
    class States;

    void readIndex();
    void readPart(int rank, const CheckpointPart& part);

    std::filesystem::path folder_;
    int frame_;
    std::map<std::string, Hash> histories_;
    std::map<std::string, std::string> types_;
    std::vector<File> files_; ///< the checkpoint, then its parts
    std::map<std::string, std::vector<Extent>> states_;
};

/// Returns the frames of a folder's checkpoints, ascending, judged by name alone.
std::vector<int> checkpointFrames(const std::filesystem::path& folder);

/// Removes the checkpoint of a frame with its parts, as far as they can be.
void removeCheckpoint(const std::filesystem::path& folder, int frame);
/// Removes parts up to this frame that no checkpoint names, and what was written of checkpoints and
/// parts up to it: of runs that ended before, or between a part and its index, or had more ranks.
/// @pre nobody writes a checkpoint or part up to this frame
/// @param ranks  that have written parts of this frame
void removeOtherParts(const std::filesystem::path& folder, int frame, std::size_t ranks);

} // namespace floe::session
