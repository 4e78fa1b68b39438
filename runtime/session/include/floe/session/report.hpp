#pragma once

#include "floe/base/json.hpp"
#include "floe/session/statistics.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::session {

/// A frame as in `run.json` and for clients: its numbers, and each node's seconds and statistics.
Json toJson(const FrameStatistics& frame);

/// `run.json`: settings, progress and messages of a run. Always valid (atomic).
class Report {
public:
    /// @param path      of the file
    /// @param beginning versions, graph, device and settings of this run; becomes the head
    Report(std::filesystem::path path, Json beginning);

    /// Takes over the frames up to and including `lastFrame` of an existing report, so that a
    /// resumed run's report covers the whole run. A missing or unreadable one is not an error.
    void continueFrom(int lastFrame);

    void add(const FrameStatistics& frame);
    void add(const Message& message);

    /// @param result "running", "finished", "cancelled" or "failed"
    /// @throws IoError
    void write(const std::string& result, int exitCode);

    static constexpr std::size_t kMaxMessages = 1000; ///< later ones are only counted

private:
    std::filesystem::path path_;
    Json head_;
    Json frames_ = Json::array();
    Json messages_ = Json::array();
    std::size_t droppedMessages_ = 0;
};

} // namespace floe::session
