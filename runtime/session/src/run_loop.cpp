#include "floe/session/run_loop.hpp"

#include "frame_room.hpp"
#include "frame_shift.hpp"
#include "rank_settings.hpp"
#include "run_checkpoints.hpp"
#include "sinks.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/base/folder.hpp"
#include "floe/base/folder_watch.hpp"
#include "floe/compute/device.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/plugin/plugin_host.hpp"
#include "floe/ranks/ranks.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/exit_code.hpp"
#include "floe/session/frame_cache.hpp"
#include "floe/session/library.hpp"
#include "floe/session/report.hpp"
#include "floe/session/sink_queue.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <optional>
#include <set>
#include <unistd.h>
#include <utility>

namespace floe::session {
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using graph::Role;

/// A run that was killed with its supervisor may still be giving its memory back.
constexpr std::chrono::milliseconds kDying{5000};

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double residentBytes()
{
    long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%*d %ld", &pages) != 1)
            pages = 0;
        std::fclose(file);
    }
    return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::string timestamp()
{
    const std::time_t now = std::time(nullptr);
    char text[32];
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

std::string sentence(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return "memory ran out";
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "unknown failure";
    }
}

bool isCancellation(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const CancelledError&) {
        return true;
    } catch (...) {
        return false;
    }
}

/// One run from start to end.
class Run final : public RunServices {
public:
    Run(graph::FlatGraph graph, const RunSettings& settings, Library& library, Observer& observer,
        const std::atomic<bool>& stop, RunHooks* hooks)
        : settings_(settingsOfRank(settings)), library_(library), observer_(observer), stop_(stop),
          hooks_(hooks), device_(compute::selectDevice(settings_.device)), graph_(std::move(graph)),
          output_(session::outputFolder(settings)), lastProgress_(Clock::now()),
          sinks_(graph_, settings_, library_, *this, stop_),
          storing_(settings_.cache ? std::make_unique<SinkQueue>(2, &stop_) : nullptr),
          checkpoints_(settings_, graph_,
                       settings.checkpoints.empty() ? output_ / "checkpoints"
                                                    : settings.checkpoints,
                       *this, sinks_, storing_.get(), stop_)
    {
        compute::setThreadCount(settings_.threads);
        if (const std::error_code error = createFolders(output_))
            throw IoError({.file = output_.string()}, "cannot be created: " + error.message(),
                          "choose another folder with --output");
        if (settings_.readCache.empty() &&
            !settings_.interactive) // several runs may draw parts of one cache at once
            lock_.emplace(output_, kDying);
        if (!settings_.interactive)
            watch_.emplace(output_);
        if (ranks::several())
            ranks::watchFor(output_);
    }

    Outcome operator()();

    // RunServices
    const compute::DevicePointer& device() const override { return device_; }
    std::string deviceId() const override { return device_->id(); }
    const std::string& outputFolder() const override { return outputText_; }
    bool cancelled() const override { return stop_; }
    void say(const Message& message) override
    {
        const std::lock_guard lock(messagesMutex_);
        if (messages_.size() < Report::kMaxMessages)
            messages_.push_back(message);
    }
    void progress(int frame, const std::string& node, double fraction) override
    {
        const std::lock_guard lock(messagesMutex_);
        if (secondsSince(lastProgress_) < 0.25)
            return;
        lastProgress_ = Clock::now();
        observer_.frameProgress(frame, node, fraction);
    }
    void cooking(const std::string& node, bool begins) override
    {
        if (hooks_)
            hooks_->cooking(node, begins);
    }

private:
    Evaluator::Outputs cachedOutputs(std::size_t node, int frame) const;
    void provideFromCache(Evaluator& evaluator, int frame);
    void storeFrame(Evaluator& evaluator, int frame);
    std::vector<std::size_t> targets() const;
    void step(Evaluator& evaluator, int frame);
    std::vector<SinkQueue*> ownQueues(); ///< those of the cache and the checkpoints
    std::vector<SinkQueue*> allQueues();
    void leaveRoom(const Evaluator& evaluator);
    void reportFailures(const Evaluator& evaluator, int frame);
    void fail(const std::exception_ptr& error, int frame, const std::string& node);
    void flushMessages();
    void finish(Evaluator& evaluator, int last);
    void checkCache(const Evaluator& evaluator, int last) const;
    void checkOutput() const;
    void report(const std::string& result, int exitCode);
    void writeReport();
    void cancel();
    bool anythingLeft(const Evaluator& evaluator) const;
    bool cancelledTogether(const Evaluator& evaluator) const;
    Json beginning() const;
    void takeChange(int frame);

    const RunSettings settings_;
    Library& library_;
    Observer& observer_;
    const std::atomic<bool>& stop_;
    RunHooks* hooks_; ///< may be null
    compute::DevicePointer device_;
    graph::FlatGraph graph_;
    fs::path output_;
    const bool rendering_ = !settings_.readCache.empty();                ///< draws cached frames
    const bool follows_ = ranks::several() && ranks::joined()->rank > 0; ///< rank 0 writes
    std::optional<FolderLock> lock_;                                     ///< on output_
    std::optional<FolderWatch> watch_;                                   ///< on output_
    std::string outputText_ = output_.string();
    std::unique_ptr<Report> report_;
    std::vector<bool> failureReported_;
    std::set<std::size_t> missed_;            ///< solvers that did not cook every frame
    std::set<const SinkQueue*> failedQueues_; ///< queues of the cache and the checkpoints
    Outcome outcome_;

    std::mutex messagesMutex_;
    std::vector<Message> messages_;
    Clock::time_point lastProgress_;

    // Threads are destroyed first, because they use the rest.
    Sinks sinks_;
    std::unique_ptr<SinkQueue> storing_; ///< the frame cache's thread, or null
    RunCheckpoints checkpoints_;
};

/// @throws IoError there are none, or they are damaged
Evaluator::Outputs Run::cachedOutputs(std::size_t node, int frame) const
{
    const FrameCache cache(settings_.readCache);
    const graph::FlatNode& solver = graph_.nodes[node];
    Evaluator::Outputs outputs;
    for (const graph::Socket& socket : solver.type->outputs)
        if (ValueRef value = cache.read(solver.name, socket.name, frame))
            outputs[socket.name] = std::move(value);
    if (outputs.empty())
        throw IoError(
            {.file =
                 cache
                     .path(solver.name,
                           solver.type->outputs.empty() ? "output" : solver.type->outputs[0].name,
                           frame)
                     .string()},
            "does not exist", "run the graph with --cache first, or name fewer frames");
    return outputs;
}

void Run::provideFromCache(Evaluator& evaluator, int frame)
{
    for (const std::size_t node : evaluator.solvers())
        evaluator.provide(node, cachedOutputs(node, frame));
}

/// Takes over the changes of the hooks, once no sink uses the old values any more.
void Run::takeChange(int frame)
{
    if (!hooks_)
        return;
    auto changed = hooks_->changedGraph(frame);
    if (!changed)
        return;
    sinks_.drain();
    changed->range = graph_.range;
    graph_ = std::move(*changed);
}

void Run::storeFrame(Evaluator& evaluator, int frame)
{
    if (!storing_)
        return;
    for (const std::size_t node : evaluator.solvers()) {
        if (evaluator.lags(node))
            missed_.insert(node);
        for (const auto& [socket, value] : evaluator.slot(node).outputs)
            storing_->push(
                frame, [this, name = graph_.nodes[node].name, output = socket, kept = value,
                        frame] { FrameCache(output_ / "cache").write(name, output, frame, kept); });
    }
}

std::vector<SinkQueue*> Run::ownQueues()
{
    std::vector<SinkQueue*> queues;
    if (storing_)
        queues.push_back(storing_.get());
    queues.push_back(&checkpoints_.queue());
    return queues;
}

std::vector<SinkQueue*> Run::allQueues()
{
    std::vector<SinkQueue*> queues = sinks_.queues();
    for (SinkQueue* queue : ownQueues())
        queues.push_back(queue);
    return queues;
}

/// Makes room before the solver computes its next frame, which will be about as large.
void Run::leaveRoom(const Evaluator& evaluator)
{
    const std::uint64_t bytes = sinks_.frameBytes(evaluator);
    waitForRoom(allQueues(), bytes, bytes, stop_);
}

void Run::fail(const std::exception_ptr& failure, int frame, const std::string& node)
{
    std::exception_ptr error = failure;
    if (ranks::several())
        if (const auto lost = ranks::loss()) // then everything else follows from that
            try {
                ranks::throwLoss(*lost, {.frame = frame});
            } catch (...) {
                error = std::current_exception();
            }
    if (!outcome_.error) {
        outcome_.end = Outcome::End::Failed;
        outcome_.error = error;
    }
    say({Level::Error, frame, node, sentence(error)});
}

void Run::reportFailures(const Evaluator& evaluator, int frame)
{
    const auto failUnlessCancelled = [&](const std::exception_ptr& error, const std::string& node) {
        if (!isCancellation(error))
            fail(error, frame, node);
    };
    failureReported_.resize(graph_.nodes.size(), false);
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
        if (evaluator.slot(node).error && !failureReported_[node]) {
            failureReported_[node] = true;
            failUnlessCancelled(evaluator.slot(node).error, graph_.nodes[node].name);
        }
    sinks_.reportFailures(failUnlessCancelled);
    for (SinkQueue* queue : ownQueues())
        if (queue->failure() && failedQueues_.insert(queue).second)
            fail(queue->failure(), frame, "");
}

/// Returns whether a solver was cancelled, perhaps by a signal that came to another rank.
bool Run::cancelledTogether(const Evaluator& evaluator) const
{
    return ranks::several() && std::any_of(evaluator.solvers().begin(), evaluator.solvers().end(),
                                           [&](std::size_t node) {
                                               const auto& error = evaluator.slot(node).error;
                                               return error && isCancellation(error);
                                           });
}

bool Run::anythingLeft(const Evaluator& evaluator) const
{
    if (!sinks_.empty())
        return sinks_.anyFed(evaluator);
    const auto& solvers = evaluator.solvers();
    const auto dead = [&](std::size_t node) {
        return evaluator.slot(node).error || evaluator.slot(node).blocked;
    };
    return solvers.empty() ? !outcome_.error : !std::all_of(solvers.begin(), solvers.end(), dead);
}

void Run::flushMessages()
{
    std::vector<Message> messages;
    {
        const std::lock_guard lock(messagesMutex_);
        messages.swap(messages_);
    }
    for (const Message& message : messages) {
        observer_.said(message);
        report_->add(message);
    }
}

/// Checkpoints wait for sinks, never vice versa.
/// @param last  the last frame done
void Run::finish(Evaluator& evaluator, int last)
{
    evaluator.finishFiles();
    for (SinkQueue* queue : ownQueues())
        while (!queue->waitIdle(0.1) && !stop_) {
        }
    sinks_.finish();
    if (stop_)
        return;
    checkOutput();
    if (storing_ && !storing_->failure())
        checkCache(evaluator, last);
}

/// @throws IoError a frame that the cache should hold is not there
void Run::checkCache(const Evaluator& evaluator, int last) const
{
    for (const std::size_t node : evaluator.solvers()) {
        const Evaluator::Slot& slot = evaluator.slot(node);
        if (slot.error || slot.blocked || missed_.contains(node))
            continue;
        std::vector<std::string> sockets;
        for (const graph::Socket& socket : graph_.nodes[node].type->outputs)
            sockets.push_back(socket.name);
        FrameCache(output_ / "cache")
            .requireFrames(graph_.nodes[node].name, sockets, graph_.range.start, last);
    }
}

/// @throws IoError what was written is no longer there
void Run::checkOutput() const
{
    if (watch_)
        watch_->check();
}

void Run::cancel()
{
    if (sinks_.empty()) // the newest checkpoint is worth a moment
        checkpoints_.queue().waitIdle(0.5);
    sinks_.discard();
    for (SinkQueue* queue : ownQueues())
        queue->discard();
    sinks_.waitIdle(0.5);
}

void Run::report(const std::string& result, int exitCode)
{
    if (!settings_.interactive)
        report_->write(result, exitCode);
}

/// Writes the final report. If that fails, it is one more failure of the run.
void Run::writeReport()
{
    static constexpr const char* kEnds[] = {"finished", "cancelled", "failed"};
    try {
        const int code = outcome_.error                            ? exitCodeOf(outcome_.error)
                         : outcome_.end == Outcome::End::Cancelled ? kCancelled
                                                                   : kSuccess;
        report(kEnds[static_cast<int>(outcome_.end)], code);
    } catch (const IoError&) {
        if (!outcome_.error)
            fail(std::current_exception(), graph_.range.end, "");
        flushMessages();
    }
}

Json Run::beginning() const
{
    Json head = {
        {"floe", library_.programVersion()},
        {"graph", graph_.path},
        {"started", timestamp()},
        {"device", {{"id", device_->id()}, {"name", device_->name()}}},
        {"threads", compute::threadCount()},
        {"range",
         {{"start", graph_.range.start}, {"end", graph_.range.end}, {"fps", graph_.range.fps}}}};
    head["overrides"] = settings_.overrides;
    if (ranks::several())
        head["ranks"] = ranks::joined()->size;
    Json plugins = Json::object();
    Json nodes = Json::object();
    for (const graph::FlatNode& node : graph_.nodes) {
        plugins[node.type->plugin] = library_.pluginVersion(node.type->plugin);
        nodes[node.name] = node.type->type + " " + std::to_string(node.type->version);
    }
    head["plugins"] = std::move(plugins);
    head["nodes"] = std::move(nodes);
    return head;
}

/// Returns the nodes to evaluate: sinks and solvers, except those before files that may make them
/// needless; in a graph without either, all.
std::vector<std::size_t> Run::targets() const
{
    std::vector<std::size_t> targets = sinks_.nodes();
    const std::vector<bool> hidden =
        ranks::several() ? std::vector<bool>(graph_.nodes.size()) : hiddenByFiles(graph_);
    for (std::size_t node = 0; node < graph_.nodes.size() && !rendering_; ++node)
        if (const graph::NodeType& type = *graph_.nodes[node].type;
            type.role == Role::Solver && (type.ranks || !follows_) && !hidden[node])
            targets.push_back(node);
    if (targets.empty())
        for (std::size_t node = 0; node < graph_.nodes.size(); ++node)
            targets.push_back(node);
    return targets;
}

/// Evaluates a frame and passes it to the writers.
void Run::step(Evaluator& evaluator, int frame)
{
    takeChange(frame);
    const auto begin = Clock::now();
    FrameStatistics statistics;
    statistics.frame = frame;
    if (rendering_)
        provideFromCache(evaluator, frame);
    evaluator.evaluate(frame, frame == graph_.range.start, statistics);
    statistics.sinkWaitSeconds = sinks_.feed(evaluator, frame);
    storeFrame(evaluator, frame);
    auto checkpoint = checkpoints_.take(evaluator, frame, allQueues());
    statistics.seconds = secondsSince(begin);
    statistics.residentBytes = residentBytes();
    report_->add(statistics);
    reportFailures(evaluator, frame);
    flushMessages();
    if (hooks_)
        hooks_->evaluated(evaluator, graph_, frame);
    observer_.frameDone(statistics);
    if (checkpoint) {
        report("running", 0); // a checkpoint promises that everything before it is on disk
        checkpoints_.store(std::move(checkpoint));
    }
    leaveRoom(evaluator);
    checkOutput();
}

Outcome Run::operator()()
{
    outcome_.output = output_;
    Evaluator evaluator(graph_, library_, *this, targets(),
                        rendering_ ? Evaluator::Reach::Solvers : Evaluator::Reach::All);
    if (!settings_.keepFrames)
        evaluator.ignoreFiles();
    if (rendering_)
        evaluator.provideFrames(
            [this](std::size_t node, int frame) { return cachedOutputs(node, frame); });
    report_ =
        std::make_unique<Report>(output_ / (rendering_ ? "render.json" : "run.json"), beginning());
    const int done = rendering_ ? graph_.range.start - 1 : checkpoints_.resume(evaluator);
    if (!ranks::agree(done))
        throw InputError({.file = output_.string()}, "the ranks find different checkpoints",
                         "give all of them the same folder, on a disk that all machines see");
    if (done >= graph_.range.start) {
        report_->continueFrom(done);
        sinks_.continueAfter(done);
    }
    if (hooks_)
        hooks_->begins(evaluator);
    observer_.began(output_, done + 1, graph_.range.end);
    flushMessages();
    report("running", 0);
    Clock::time_point reported = Clock::now();

    int frame = done + 1;
    try {
        for (; frame <= graph_.range.end && !stop_; ++frame) {
            step(evaluator, frame);
            if (!anythingLeft(evaluator))
                break;
            if (secondsSince(reported) > 2) {
                report("running", 0);
                reported = Clock::now();
            }
        }
        finish(evaluator, frame - 1);
    } catch (const CancelledError&) {
    } catch (const Error&) {
        fail(std::current_exception(), frame, "");
    } catch (const std::bad_alloc&) {
        fail(std::make_exception_ptr(MemoryError({.frame = frame}, "memory ran out")), frame, "");
    }
    if (stop_)
        cancel();
    reportFailures(evaluator, std::min(frame, graph_.range.end));
    const bool cancelled = stop_ || cancelledTogether(evaluator);
    if (cancelled && !outcome_.error && ranks::several() && ranks::loss())
        fail(nullptr, std::min(frame, graph_.range.end), ""); // a launcher ends the others
    if (cancelled && !outcome_.error)
        outcome_.end = Outcome::End::Cancelled;
    flushMessages();
    writeReport();
    return outcome_;
}

} // namespace

Outcome runGraph(graph::FlatGraph graph, const RunSettings& settings, Library& library,
                 Observer& observer, const std::atomic<bool>& stop, RunHooks* hooks)
{
    requireRanks(graph, settings);
    if (ranks::joined())
        plugin::registerExtension(FLOE_RANKS_EXTENSION, &ranksForNodes());
    const auto thisRun =
        std::make_shared<Run>(std::move(graph), settings, library, observer, stop, hooks);
    Outcome outcome = (*thisRun)();
    if (outcome.end == Outcome::End::Cancelled)
        outcome.inWork = thisRun;
    return outcome;
}

} // namespace floe::session
