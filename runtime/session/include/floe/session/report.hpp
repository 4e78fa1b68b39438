#pragma once

#include "floe/base/json.hpp"
#include "floe/session/statistics.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace floe::session {

/// A frame as `run.json` and clients see it: numbers of the frame, and of each node its seconds and
/// what it reported.
Json toJson(const FrameStatistics& frame);

/// `run.json`: what a run used, did and said. Rewritten atomically, so that it is valid at any
/// time.
class Report {
public:
    /// @param path      where it is written
    /// @param beginning versions, graph, device and settings of this run; becomes the head
    Report(std::filesystem::path path, Json beginning);

    /// Takes over the frames up to and including `lastFrame` of the report already at the path, so
    /// that a resumed run's report covers the whole run. A missing or unreadable one is no error.
    void continueFrom(int lastFrame);

    void add(const FrameStatistics& frame);
    void add(const Message& message);

    /// @param result "running", "finished", "cancelled" or "failed"
    /// @throws IoError
    void write(const std::string& result, int exitCode);

    static constexpr std::size_t kMaxMessages = 1000; ///< later ones are counted, not kept

private:
    std::filesystem::path path_;
    Json head_;
    Json frames_ = Json::array();
    Json messages_ = Json::array();
    std::size_t droppedMessages_ = 0;
};

} // namespace floe::session
