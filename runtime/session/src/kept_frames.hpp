#pragma once

#include "floe/base/hash.hpp"
#include "floe/data/value.hpp"
#include "floe/graph/flat_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <future>
#include <string>

namespace floe::session {

/// The values of a node that keeps its frames (graph::NodeType::keepsFrames): one file per frame,
/// beside the graph, `cache/scene.node.0012.floe`. It is a stored value, as FrameCache and Export
/// particles write it, so that whatever reads these reads it too; after the value stands the key
/// that it was made for: the hash of all that led to it. A file with another key is stale.
///
/// Files are written by a thread, one at a time, whole or not at all. Used by one thread.
class KeptFrames {
public:
    /// @param node  of the graph, with the role keepsFrames
    KeptFrames(const graph::FlatGraph& graph, std::size_t node);
    ~KeptFrames(); ///< waits for the file that is being written

    /// Files that are there: with the key asked for, or with another, or damaged.
    enum class State { Missing, Fresh, Stale };

    /// Judged by the end of the file alone. Waits for one that is being written.
    State state(int frame, const Hash& key);

    /// Reads a fresh file. @throws IoError it is damaged  @throws MemoryError
    ValueRef read(int frame);

    /// Begins to write a value, after the one before is there. Nothing happens where the node keeps
    /// nothing at this frame: it is switched off, or its graph has no file yet.
    /// @throws IoError     the one before could not be written
    /// @throws InputError  the value cannot be stored, or the limit is reached
    void write(int frame, const Hash& key, ValueRef value);

    /// Keeps nothing from now on.
    void ignore() { stem_.clear(); }

    /// Waits for the last one. @throws IoError it could not be written
    void finish();

    /// Empty: the graph has no file yet, and nothing is kept.
    std::filesystem::path path(int frame) const;

private:
    struct Settings {
        bool keep = true;
        bool copies = false;     ///< in open formats, beside the files
        std::uint64_t limit = 0; ///< of all files together [bytes]
    };
    Settings settings(int frame) const;
    std::uint64_t bytes() const; ///< of all files of this node

    const graph::FlatGraph& graph_;
    std::size_t node_;
    std::filesystem::path folder_;
    std::string stem_;
    bool constant_ = true; ///< one file for all frames: `cache/scene.node.floe`
    std::future<void> writing_;
    std::uint64_t others_ = 0; ///< bytes of the files that were there, once known
    bool counted_ = false;
};

} // namespace floe::session
