#include "run_cost.hpp"

#include "ending_signals.hpp"
#include "exit_code.hpp"
#include "progress.hpp"
#include "temporary_folder.hpp"

#include "floe/base/json.hpp"
#include "floe/graph/document.hpp"
#include "floe/session/session.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace floe::app {

namespace {

using Clock = std::chrono::steady_clock;

/// A statistic of solvers, followed by a material's name: the longest step that it allows [s].
constexpr std::string_view kStableStep = "stable step of ";

std::atomic<bool> stop{false};
std::atomic<bool> byUser{false};

void onSignal(int)
{
    byUser = stop = true;
}

/// The two frames of a trial, as they are seen.
class Frames final : public session::Observer {
public:
    explicit Frames(int start) : start_(start) {}

    void began(const std::filesystem::path&, int, int) override {}
    void said(const session::Message& message) override
    {
        if (message.level >= session::Level::Warning)
            std::fprintf(stderr, "%s: %s\n",
                         message.level == session::Level::Error ? "error" : "warning",
                         message.text.c_str());
    }
    void frameDone(const session::FrameStatistics& frame) override
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [node, values] : frame.values)
            for (const auto& [name, value] : values) {
                if (name == "emitted")
                    came_ += frame.frame == start_ ? -value : value;
                if (frame.frame == start_ || !name.starts_with(kStableStep))
                    values_[node][name] = value;
            }
        (frame.frame == start_ ? firstSeconds_ : secondSeconds_) = frame.seconds;
        began_ = Clock::now();
        changed_.notify_all();
    }
    void frameProgress(int frame, const std::string&, double fraction) override
    {
        const std::lock_guard lock(mutex_);
        if (frame == start_)
            return;
        share_ = fraction;
        shareSeconds_ = std::chrono::duration<double>(Clock::now() - began_).count();
    }

    /// Sets `stop` when the second frame has had its time. @param done  the trial has ended
    void limit(const std::stop_token& done)
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, done, [&] { return firstSeconds_.has_value(); });
        if (!done.stop_requested() &&
            !changed_.wait_for(lock, done, std::chrono::duration<double>(kTrialSeconds),
                               [&] { return secondSeconds_.has_value(); }) &&
            !done.stop_requested())
            stop = true;
    }

    const std::map<std::string, std::map<std::string, double>>& values() const { return values_; }
    /// Returns by which share of them particles have become more in the second frame.
    double growth() const
    {
        double particles = 0;
        for (const auto& [node, values] : values_)
            if (const auto found = values.find("particles"); found != values.end())
                particles += found->second;
        return complete() && particles > 0 ? std::max(0.0, came_) / particles : 0;
    }
    double firstSeconds() const { return firstSeconds_.value_or(0); }
    bool complete() const { return secondSeconds_.has_value(); }
    /// Of the second frame; of its part where it is not complete; nothing: too little was done.
    std::optional<double> frameSeconds() const
    {
        if (complete())
            return secondSeconds_;
        return share_ > 0 ? std::optional(shareSeconds_ / share_) : std::nullopt;
    }

private:
    const int start_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::string, std::map<std::string, double>> values_;
    std::optional<double> firstSeconds_, secondSeconds_;
    double came_ = 0; ///< particles, in the second frame
    double share_ = 0, shareSeconds_ = 0;
    Clock::time_point began_ = Clock::now();
};

/// Steps by material, the one that bounds all first [s].
std::vector<std::pair<double, std::string>> stableSteps(const std::map<std::string, double>& values)
{
    std::vector<std::pair<double, std::string>> steps;
    for (const auto& [name, value] : values)
        if (name.starts_with(kStableStep))
            steps.emplace_back(value, name.substr(kStableStep.size()));
    std::sort(steps.begin(), steps.end());
    return steps;
}

std::string inMilliseconds(double seconds)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g ms", 1e3 * seconds);
    return text;
}

/// One solver's line, and one more for each material that bounds its steps.
void printSolver(const std::string& node, const std::map<std::string, double>& values,
                 double frameDuration, bool complete)
{
    const auto value = [&](const char* name) -> std::optional<double> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
    std::string line = count(value("particles").value_or(0)) + " particles";
    if (const auto bytes = value("bytes"); bytes && *bytes > 0) {
        char text[32];
        std::snprintf(text, sizeof text, ", %.3g MiB", *bytes / (1 << 20));
        line += text;
    }
    const auto steps = stableSteps(values);
    if (const auto substeps = value("substeps"); complete && substeps && *substeps > 0)
        line += ", " + count(*substeps) + " steps a frame";
    else if (!steps.empty())
        line += ", at least " + count(std::ceil(frameDuration / steps.front().first)) +
                " steps a frame";
    std::printf("  %s: %s\n", node.c_str(), line.c_str());
    for (const auto& [step, material] : steps)
        std::printf("    material '%s' allows steps of %s\n", material.c_str(),
                    inMilliseconds(step).c_str());
}

} // namespace

int sayRunCost(const std::string& graph, const std::vector<std::string>& overrides,
               session::Library& library, bool json)
{
    const graph::FrameRange range = graph::Document::load(graph).range;
    const TemporaryFolder folder;
    session::RunSettings settings;
    settings.graph = graph;
    settings.overrides = overrides;
    settings.output = folder.path();
    settings.end = std::min(range.start + 1, range.end);
    settings.checkpointEvery = 0;
    settings.keepFrames = false;
    settings.withoutSinks = settings.interactive = true;

    stop = byUser = false;
    forEachEndingSignal([](int signal) { std::signal(signal, onSignal); });
    Frames frames(range.start);
    session::Outcome outcome;
    {
        const std::jthread limit([&](const std::stop_token& done) { frames.limit(done); });
        outcome = session::run(settings, library, frames, stop);
    }
    if (outcome.end == session::Outcome::End::Failed)
        return exitCodeOf(outcome.error); // its message has been said
    if (byUser)
        return kCancelled;

    const int left = range.end - range.start;
    const std::optional<double> frame = frames.frameSeconds();
    if (json) {
        Json line = {{"file", graph},
                     {"frames", left + 1},
                     {"firstFrameSeconds", frames.firstSeconds()},
                     {"frameSeconds", frame ? Json(*frame) : Json()},
                     {"complete", frames.complete()},
                     {"growth", frames.growth()},
                     {"nodes", frames.values()}};
        std::printf("%s\n", dumpJson(line).c_str());
        return kSuccess;
    }
    bool solver = false;
    for (const auto& [node, values] : frames.values())
        if (values.contains("particles")) {
            printSolver(node, values, 1 / range.fps, frames.complete());
            solver = true;
        }
    if (!solver) {
        std::printf("  no solver: only output nodes take time\n");
        return kSuccess;
    }
    if (left == 0)
        std::printf("  its one frame took %.3g s\n", frames.firstSeconds());
    else if (!frame)
        std::printf("  frame %d did not get anywhere in %.0f s\n", range.start + 1, kTrialSeconds);
    else
        std::printf("  frame %d %s %.3g s here; at that, frames %d to %d take %s, without output "
                    "nodes\n",
                    range.start + 1, frames.complete() ? "took" : "would take", *frame, range.start,
                    range.end, duration(frames.firstSeconds() + left * *frame).c_str());
    if (frame && left > 1 && frames.growth() > 0)
        std::printf("  emitters go on; where they do to the end, there are %.3g times as many "
                    "particles, and it takes %s\n",
                    1 + frames.growth() * (left - 1),
                    duration(frames.firstSeconds() +
                             left * *frame * (1 + 0.5 * frames.growth() * (left - 1)))
                        .c_str());
    return kSuccess;
}

} // namespace floe::app
