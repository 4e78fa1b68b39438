#pragma once

#include "history.hpp"
#include "pace.hpp"
#include "session_document.hpp"

#include "floe/base/json.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/run_loop.hpp"

#include <atomic>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace floe::serve {

class FrameStore;

/// Receives events of a simulation, from its threads.
class SimulationListener {
public:
    virtual ~SimulationListener() = default;
    virtual void notify(const char* method, Json params) = 0;
    /// A new frame is stored, or the run ended and frame states may have changed.
    virtual void framesChanged(std::optional<int> frame) = 0;
};

/// The simulation of a session: one run at a time, on its own thread, through the same loop as
/// `floe run`, into the frame store. Functions are for the session's thread.
class Simulation final : private session::Observer, private session::RunHooks {
public:
    struct Start {
        std::shared_ptr<const SessionDocument> document; ///< with `flat`
        std::optional<int> first;  ///< start afresh with this frame instead of the graph's first
        std::optional<int> last;   ///< replaces the graph's last
        std::optional<int> resume; ///< continue from this frame's checkpoint, which exists
        /// With resume: solvers that go on from the states of other frames, which exist. By node.
        std::map<std::string, int> resumeNodes;
        bool live = false;            ///< keep the document's frame rate, at the expense of time
        bool sinks = false;           ///< run the nodes that write files
        std::filesystem::path output; ///< output folder of the sinks
    };

    Simulation(session::Library& library, FrameStore& store, SimulationListener& listener,
               int threads);
    ~Simulation() override; ///< stops and waits
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    /// Returns at once; run.state reports the progress. @pre !running()
    void start(Start start);
    void stop();
    void join(); ///< stops, and waits for the thread
    bool running() const { return running_; }
    /// Waits for the end, at most `seconds`. @return whether it has ended
    bool waitForEnd(double seconds);

    struct Change {
        std::string node, parameter;
        Json value;
    };
    /// Sets parameters from the next frame on, all from the same. Numbers and vectors change
    /// continuously over that frame, so that what they move has a velocity. No effect without a
    /// run. @throws InputError the value is unusable
    void control(const std::vector<Change>& changes);

    /// The history of the last run's frames, when it is not that of the document alone.
    struct Lineage {
        std::optional<int> first;
        std::optional<ExpectedHistory::Join> join;
        /// Frames from the first live change on. They belong to the run's final document.
        std::map<int, FrameHistory> played;
        std::shared_ptr<const SessionDocument> document; ///< with all changes so far
    };
    Lineage lineage() const;
    /// Drops the values that the next run would take over. @pre !running()
    void forgetValues();
    std::optional<int> frameInWork() const;

    /// Selects "auto", "cpu", "cuda:1" for later runs. @throws InputError, DeviceError
    void setDevice(const std::string& device);
    const std::string& deviceId() const { return deviceId_; } ///< of setDevice(), as it came out

private:
    void work(const Start& start);
    void keepPace(); ///< waits until the next frame is due
    void mark(const std::string& node, const char* state, const std::string& message);

    // Observer
    void began(const std::filesystem::path& output, int first, int last) override;
    void said(const session::Message& message) override;
    void frameDone(const session::FrameStatistics& statistics) override;
    void frameProgress(int frame, const std::string& node, double fraction) override;
    // RunHooks
    void begins(session::Evaluator& evaluator) override;
    std::optional<graph::FlatGraph> changedGraph(int frame) override;
    void evaluated(const session::Evaluator& evaluator, const graph::FlatGraph& graph,
                   int frame) override;
    void cooking(const std::string& node, bool begins) override;

    session::Library& library_;
    FrameStore& store_;
    SimulationListener& listener_;
    int threads_;
    std::string device_ = "auto";
    std::string deviceId_;
    std::thread thread_;
    std::atomic<bool> stop_{false};
    std::atomic<bool> running_{false};
    std::mutex stateMutex_; ///< orders changes of running_ and their notifications

    mutable std::mutex mutex_;                        ///< guards the rest
    std::shared_ptr<const SessionDocument> document_; ///< of the run, with its changes
    std::deque<Change> changes_;
    std::optional<Pace> pace_; ///< of a live run; used by the thread that runs
    double speed_ = 1;         ///< of time, in the graph that runs
    bool settle_ = false;      ///< a value changed over the last frame and is constant in this one
    Lineage lineage_;
    bool changedNow_ = false;
    std::optional<int> inWork_;
    std::set<std::string> marked_;        ///< nodes with a warning or an error
    session::Evaluator::KeptValues kept_; ///< of the last frame, for the next run
};

} // namespace floe::serve
