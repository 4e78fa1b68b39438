#include "simulation.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/evaluator.hpp"
#include "floe/session/library.hpp"
#include "floe/session/report.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxChanges = 256;            ///< pending for the next frame
constexpr auto kNap = std::chrono::milliseconds(5); ///< a run that is stopped wakes this soon

bool sameNodes(const graph::FlatGraph& a, const graph::FlatGraph& b)
{
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                      [](const graph::FlatNode& x, const graph::FlatNode& y) {
                          return x.name == y.name && x.type->type == y.type->type;
                      });
}

/// Makes keys that change a number or vector to a new value within one frame; nothing for values
/// that cannot be interpolated.
std::optional<Json> passage(const graph::FlatGraph& graph, const std::string& node,
                            const std::string& parameter, const Json& value, int frame)
{
    const std::ptrdiff_t index = graph.find(node);
    if (index < 0)
        return std::nullopt;
    const graph::NodeType& type = *graph.nodes[static_cast<std::size_t>(index)].type;
    const graph::ParameterSpec* spec = type.parameter(parameter);
    const bool blends =
        spec && spec->animatable &&
        (spec->type == graph::ValueType::Float || spec->type == graph::ValueType::Vector);
    if (!blends)
        return std::nullopt;
    const graph::ParameterValue before =
        graph.evaluate(static_cast<std::size_t>(index), parameter,
                       {static_cast<double>(frame - 1), graph.range.fps});
    Json old;
    if (const auto* number = std::get_if<double>(&before))
        old = *number;
    else if (const auto* vector = std::get_if<std::array<double, 3>>(&before))
        old = Json{(*vector)[0], (*vector)[1], (*vector)[2]};
    else
        return std::nullopt;
    return Json{
        {"keys", Json::array({Json::array({frame - 1, old}), Json::array({frame, value})})}};
}

/// Slows time down in all nodes of the main graph that can pace it and do not animate it.
std::shared_ptr<const SessionDocument> paced(std::shared_ptr<const SessionDocument> document,
                                             double speed, const session::Library& library)
{
    for (const graph::Node& node : document->document.graph.nodes) {
        const std::ptrdiff_t index = document->flat->find(node.name);
        if (index < 0)
            continue;
        for (const graph::ParameterSpec& spec :
             document->flat->nodes[static_cast<std::size_t>(index)].type->parameters) {
            if (!spec.paces)
                continue;
            const auto stored = node.parameters.find(spec.name);
            if (stored != node.parameters.end() && !stored->is_number())
                continue;
            const double value = stored != node.parameters.end()
                                     ? stored->get<double>()
                                     : std::get<double>(spec.defaultValue);
            const double slower = std::max(value * speed, std::min(value, spec.min.value_or(0)));
            document =
                withParameter(*document, node.name, spec.name, slower, document->revision, library);
        }
    }
    return document;
}

/// [s], since whenever
double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

Simulation::Simulation(session::Library& library, FrameStore& store, SimulationListener& listener,
                       int threads)
    : library_(library), store_(store), listener_(listener), threads_(threads)
{
    setDevice("auto");
}

Simulation::~Simulation()
{
    join();
}

void Simulation::join()
{
    stop_ = true;
    if (thread_.joinable())
        thread_.join();
}

void Simulation::setDevice(const std::string& device)
{
    deviceId_ = compute::selectDevice(device)->id();
    device_ = device;
}

void Simulation::start(Start start)
{
    if (thread_.joinable())
        thread_.join();
    {
        const std::lock_guard lock(mutex_);
        document_ = start.document;
        changes_.clear();
        settle_ = changedNow_ = false;
        speed_ = 1;
        pace_.reset();
        if (start.live)
            pace_.emplace(start.document->flat->range.fps);
        if (start.resume) {
            lineage_.join = {*start.resume, {}};
            for (const FrameStore::Entry& entry : store_.list())
                if (entry.frame == *start.resume)
                    lineage_.join = {entry.frame, entry.history};
            for (const FrameStore::Entry& entry : store_.list())
                for (const auto& [node, frame] : start.resumeNodes)
                    if (const auto found = entry.history.find(node);
                        frame == entry.frame && found != entry.history.end())
                        lineage_.join->history[node] = found->second;
            auto& played = lineage_.played;
            const auto there = played.find(*start.resume);
            if (there != played.end() && there->second == lineage_.join->history)
                played.erase(std::next(there), played.end());
            else
                played.clear();
        } else {
            lineage_ = {start.first, std::nullopt, {}, nullptr};
        }
        lineage_.document = document_;
    }
    const std::lock_guard lock(stateMutex_);
    stop_ = false;
    thread_ = std::thread([this, start = std::move(start)] { work(start); });
    running_ = true;
    listener_.notify("run.state", {{"state", "running"}});
}

void Simulation::stop()
{
    const std::lock_guard lock(stateMutex_); // "stopping" must not follow the end
    if (running_ && !stop_.exchange(true))
        listener_.notify("run.state", {{"state", "stopping"}});
}

bool Simulation::waitForEnd(double seconds)
{
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (running_ && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return !running_;
}

void Simulation::work(const Start& start)
{
    std::set<std::string> marked;
    {
        const std::lock_guard lock(mutex_);
        marked.swap(marked_);
    }
    for (const std::string& node : marked)
        listener_.notify("node.state", {{"node", node}, {"state", "fine"}});
    Json end = {{"state", "finished"}};
    const auto failed = [&end](const std::exception_ptr& failure) {
        end["state"] = "failed";
        try {
            std::rethrow_exception(failure);
        } catch (const Error& error) {
            end["message"] = error.what();
            if (!error.place().node.empty())
                end["node"] = error.place().node;
        } catch (const std::exception& error) {
            end["message"] = error.what();
        }
    };
    try {
        session::RunSettings settings;
        settings.output = start.sinks ? start.output : store_.runFolder();
        settings.device = device_;
        settings.threads = threads_;
        settings.checkpointEvery = 1;
        settings.checkpoints = store_.checkpointFolder();
        settings.resumeFrom = start.resume;
        settings.resumeNodesFrom = start.resumeNodes;
        settings.withoutSinks = settings.interactive = !start.sinks;
        graph::FlatGraph flat = *start.document->flat;
        if (start.first)
            flat.range.start = *start.first;
        if (start.last)
            flat.range.end = *start.last;
        const session::Outcome outcome =
            session::runGraph(std::move(flat), settings, library_, *this, stop_, this);
        if (outcome.end == session::Outcome::End::Failed)
            failed(outcome.error);
        else if (outcome.end == session::Outcome::End::Cancelled)
            end["state"] = "cancelled";
    } catch (const CancelledError&) {
        end["state"] = "cancelled";
    } catch (...) {
        failed(std::current_exception());
    }
    if (pace_)
        end["speed"] = pace_->meanSpeed();
    if (const auto node = end.find("node"); node != end.end())
        mark(node->get<std::string>(), "error", end.value("message", ""));
    {
        const std::lock_guard lock(mutex_);
        inWork_.reset();
        changes_.clear();
    }
    {
        const std::lock_guard lock(stateMutex_);
        running_ = false;
    }
    listener_.framesChanged(std::nullopt);
    listener_.notify("run.state", std::move(end));
}

void Simulation::control(const std::vector<Change>& changes)
{
    const std::lock_guard lock(mutex_);
    if (!running_)
        return;
    std::deque<Change> waiting = changes_; // all of them, or none
    for (const Change& change : changes) {
        const auto older = std::find_if(waiting.begin(), waiting.end(), [&](const Change& old) {
            return old.node == change.node && old.parameter == change.parameter;
        });
        if (older != waiting.end())
            older->value = change.value;
        else if (waiting.size() < kMaxChanges)
            waiting.push_back(change);
        else
            throw InputError({.node = change.node, .parameter = change.parameter},
                             "cannot be changed: too many changes wait for the next frame");
    }
    changes_ = std::move(waiting);
}

Simulation::Lineage Simulation::lineage() const
{
    const std::lock_guard lock(mutex_);
    return lineage_;
}

void Simulation::forgetValues()
{
    const std::lock_guard lock(mutex_);
    kept_.clear();
}

std::optional<int> Simulation::frameInWork() const
{
    const std::lock_guard lock(mutex_);
    return inWork_;
}

void Simulation::mark(const std::string& node, const char* state, const std::string& message)
{
    {
        const std::lock_guard lock(mutex_);
        marked_.insert(node);
    }
    listener_.notify("node.state", {{"node", node}, {"state", state}, {"message", message}});
}

void Simulation::began(const fs::path&, int first, int)
{
    {
        const std::lock_guard lock(mutex_);
        inWork_ = first;
    }
    listener_.framesChanged(std::nullopt);
}

void Simulation::said(const session::Message& message)
{
    static constexpr const char* kSeverities[] = {"info", "info", "warning", "error"};
    if (message.level == session::Level::Debug)
        return;
    const char* severity = kSeverities[static_cast<int>(message.level)];
    Json params = {{"severity", severity}, {"message", message.text}, {"frame", message.frame}};
    if (!message.node.empty())
        params["node"] = message.node;
    listener_.notify("log", std::move(params));
    if (!message.node.empty() && message.level >= session::Level::Warning)
        mark(message.node, severity, message.text);
}

void Simulation::frameDone(const session::FrameStatistics& statistics)
{
    Json params = {{"frame", statistics.frame}, {"statistics", toJson(statistics)}};
    {
        const std::lock_guard lock(mutex_);
        inWork_ = statistics.frame + 1;
        if (pace_)
            params["speed"] = speed_;
    }
    listener_.notify("run.frame", std::move(params));
    listener_.framesChanged(statistics.frame);
}

void Simulation::frameProgress(int frame, const std::string& node, double fraction)
{
    listener_.notify("run.progress", {{"frame", frame}, {"node", node}, {"fraction", fraction}});
}

void Simulation::begins(session::Evaluator& evaluator)
{
    const std::lock_guard lock(mutex_);
    evaluator.adopt(kept_);
}

void Simulation::keepPace()
{
    if (pace_->begun())
        pace_->done(now());
    const double until = now() + pace_->wait(now());
    for (double left = until - now(); left > 0 && !stop_; left = until - now())
        std::this_thread::sleep_for(
            std::min<std::chrono::duration<double>>(std::chrono::duration<double>(left), kNap));
}

std::optional<graph::FlatGraph> Simulation::changedGraph(int frame)
{
    if (pace_)
        keepPace();
    const std::lock_guard lock(mutex_);
    const double speed = pace_ ? pace_->speed() : 1;
    if (changes_.empty() && !settle_ && speed == speed_)
        return std::nullopt;
    if (std::exchange(speed_, speed) != speed)
        changedNow_ = true;
    // Two documents: the one that applies after this frame, and the one of this frame, in which
    // values change continuously.
    std::shared_ptr<const SessionDocument> moving = document_;
    settle_ = false;
    const std::shared_ptr<const SessionDocument> before = document_;
    for (const Change& change : std::exchange(changes_, {})) {
        try {
            const auto after = withParameter(*document_, change.node, change.parameter,
                                             change.value, document_->revision, library_);
            if (!sameNodes(*after->flat, *before->flat))
                throw InputError({.node = change.node, .parameter = change.parameter},
                                 "changes what the graph is made of", "start again with it");
            const auto keys =
                passage(*before->flat, change.node, change.parameter, change.value, frame);
            moving = withParameter(*moving, change.node, change.parameter,
                                   keys ? *keys : change.value, moving->revision, library_);
            document_ = after;
            changedNow_ = true;
            settle_ = true;
        } catch (const Error& error) {
            listener_.notify("log", {{"severity", "warning"},
                                     {"message", error.what()},
                                     {"node", change.node},
                                     {"frame", frame}});
        }
    }
    if (speed != 1)
        moving = paced(moving, speed, library_);
    return moving->flat;
}

void Simulation::evaluated(const session::Evaluator& evaluator, const graph::FlatGraph& graph,
                           int frame)
{
    FrameHistory history;
    FrameValues values;
    bool broken = false;
    for (const std::size_t node : evaluator.solvers()) {
        const session::Evaluator::Slot& slot = evaluator.slot(node);
        history[graph.nodes[node].name] = slot.hash;
        values[graph.nodes[node].name] = slot.outputs;
        broken = broken || slot.error || slot.blocked;
    }
    std::error_code ignored; // of an earlier run; this frame's is written next
    fs::remove(session::checkpointPath(store_.checkpointFolder(), frame), ignored);
    {
        const std::lock_guard lock(mutex_);
        kept_ = evaluator.values();
        for (const std::string& node : marked_) // cooked again, it says again what is wrong
            kept_.erase(node);
        const bool changed = std::exchange(changedNow_, false);
        if (changed) {
            lineage_.join = {frame, history};
            lineage_.document = document_;
        }
        if (changed || !lineage_.played.empty())
            lineage_.played[frame] = history;
    }
    if (broken)
        store_.putBroken(frame);
    else if (!values.empty())
        store_.put(frame, std::move(history), std::move(values));
}

void Simulation::cooking(const std::string& node, bool begins)
{
    {
        const std::lock_guard lock(mutex_);
        if (!begins && marked_.count(node) > 0)
            return;
    }
    listener_.notify("node.state", {{"node", node}, {"state", begins ? "cooking" : "fine"}});
}

} // namespace floe::serve
