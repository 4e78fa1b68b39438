#pragma once

#include "frame_store.hpp"

#include "floe/graph/flat_graph.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace floe::session {
class Evaluator;
class Library;
class QuietServices;
} // namespace floe::session

namespace floe::serve {

/// The histories that a graph's solvers would have at each frame, without cooking: distinguishes
/// up-to-date frames from stale ones. One thread at a time.
class ExpectedHistory {
public:
    /// The frame after which a run continued with other parameters.
    struct Join {
        int frame = 0;
        FrameHistory history; ///< at that frame
    };

    /// @param deviceId part of every history
    /// @param join     histories after join->frame follow join->history; nothing: start afresh
    ExpectedHistory(graph::FlatGraph graph, session::Library& library, const std::string& deviceId,
                    std::optional<Join> join);
    ~ExpectedHistory();

    /// Each frame needs those before it: a frame of its own far away, such as a client's run may
    /// begin with, would keep everybody waiting.
    static constexpr int kMaxAhead = 100'000;

    /// @return empty for frames before the first, when the graph cannot be evaluated there, and
    /// more
    ///         than kMaxAhead frames after the last known one
    const FrameHistory& at(int frame);

    /// Returns the states of the files of nodes that keep their frames, within the graph's range:
    /// by node and frame, whether the file is as the graph is. Missing ones are left out.
    std::map<std::string, std::map<int, bool>> kept();

private:
    graph::FlatGraph graph_;
    std::unique_ptr<session::QuietServices> services_;
    std::unique_ptr<session::Evaluator> evaluator_;
    int first_;
    int known_; ///< last frame in histories_
    std::map<int, FrameHistory> histories_;
    bool broken_ = false;
};

} // namespace floe::serve
