#pragma once

#include "frame_files.hpp"

#include "floe/base/file.hpp"
#include "floe/data/value.hpp"
#include "floe/session/sink_queue.hpp"
#include "floe/view/frame_values.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace floe::serve {

/// The simulated frames of a session: the newest in memory, all on disk, in a folder that is
/// removed with the session. Writing uses a thread of its own. All functions from any thread.
///
/// When the disk quota is full, checkpoints are thinned out first (which only reduces the frames
/// that a run can resume from), then the oldest frames are removed.
class FrameStore final : public view::FrameSource {
public:
    /// Makes a folder of its own below `parent`.
    /// @param bytes   limit on disk; 0: half of the free space, at most 20 GB
    /// @param memory  limit in memory [bytes]; 0: an eighth of the machine's, at most 4 GB
    /// @param complain  called once, from the writing thread, when frames cannot be written
    /// @throws IoError the folder cannot be created
    FrameStore(const std::filesystem::path& parent, std::uint64_t bytes, std::uint64_t memory,
               std::function<void(const std::string&)> complain);
    ~FrameStore() override; ///< removes the folder, unless it is kept

    /// Removes what dead sessions left below `parent`. Complete frames and checkpoints of
    /// `predecessor` are taken over instead, when they were made by the same code.
    /// @param origin       identifies the code that makes the frames: program and plugins
    /// @param predecessor  process of a dead session; 0: none
    void inherit(const std::string& origin, int predecessor);

    FrameStore(const FrameStore&) = delete;
    FrameStore& operator=(const FrameStore&) = delete;

    /// $XDG_CACHE_HOME/floe/sessions or ~/.cache/floe/sessions; below the temporary folder when
    /// neither is known.
    static std::filesystem::path defaultParent();

    /// Folder for the output and the checkpoints of runs.
    std::filesystem::path runFolder() const { return folder_ / "run"; }
    std::filesystem::path checkpointFolder() const { return folder_ / "checkpoints"; }

    void put(int frame, FrameHistory history, FrameValues values);
    /// Adds a frame that lies in files of somebody else, which are read when it is asked for, and
    /// never removed.
    /// @param folder  of a session::FrameCache
    /// @param files   in it, of this frame
    void lend(int frame, FrameHistory history, const std::filesystem::path& folder,
              std::vector<std::filesystem::path> files);
    /// Records that a frame failed, and drops its values.
    void putBroken(int frame);
    bool has(int frame) const override;
    std::shared_ptr<const FrameValues> get(int frame) override;
    /// Only for the newest frame.
    std::shared_ptr<const FrameValues> inDeviceMemory(int frame) const override;
    std::shared_ptr<const FrameValues> preview(int frame) override;
    void clear();
    /// Leaves the folder to a session that takes over, as a crash would.
    void keep() { kept_ = true; }
    /// Unless it is kept: removes everything on disk at once, for a process that ends without
    /// destructors.
    void remove();

    struct Entry {
        int frame;
        bool broken;
        FrameHistory history;
    };
    std::vector<Entry> list() const; ///< ascending

    /// Returns the frame of the newest checkpoint at or before `frame`; nothing when there is none.
    std::optional<int> checkpointBefore(int frame) const;

private:
    struct Frame {
        FrameHistory history;
        std::shared_ptr<const FrameValues> values; ///< null: only on disk
        std::uint64_t diskBytes = 0;               ///< 0: not written yet
        std::uint64_t generation = 0;              ///< distinguishes frames of the same number
        std::uint64_t used = 0;                    ///< time of last use, for evicting from memory
        bool broken = false;
        /// null: not made, only on disk, or not worth it
        std::shared_ptr<const FrameValues> preview;
        std::uint64_t previewBytes = 0; ///< in memory
        std::uint64_t previewUsed = 0;  ///< time of last use
        bool previewStored = false;     ///< on disk
        std::vector<std::filesystem::path> files;
        std::filesystem::path lent; ///< somebody else's folder that has the files; empty: its own
    };
    void write(int frame, std::uint64_t generation);
    void takeOver(const std::filesystem::path& folder);
    void remember(Frame& frame, std::shared_ptr<const FrameValues> values);
    void forgetValues(Frame& frame);
    void rememberPreview(Frame& frame, std::shared_ptr<const FrameValues> values);
    std::filesystem::path previewFolder(std::uint64_t generation) const;
    void forget(Frame& frame); ///< removes its files
    void shrinkMemory(int except);
    void shrinkDisk();

    std::filesystem::path parent_, folder_;
    std::optional<FolderLock> lock_;
    std::atomic<bool> kept_{false};
    std::uint64_t diskLimit_;
    std::uint64_t memoryLimit_;
    std::function<void(const std::string&)> complain_;

    mutable std::mutex mutex_;
    std::map<int, Frame> frames_;
    std::shared_ptr<const FrameValues> onDevice_; ///< see inDeviceMemory()
    std::uint64_t onDeviceGeneration_ = 0;
    std::uint64_t memoryBytes_ = 0; ///< with arrays that frames share counted once
    std::unordered_map<const void*, std::size_t> arrays_; ///< how often frames hold each
    std::uint64_t previewBytes_ = 0;
    std::uint64_t diskBytes_ = 0;
    std::uint64_t clock_ = 0;
    bool complained_ = false;
    session::SinkQueue writing_{2}; // its thread ends first
};

} // namespace floe::serve
