#include "pose.hpp"
#include "server_impl.hpp"

#include "floe/base/error.hpp"
#include "floe/base/rotation.hpp"
#include "floe/session/checkpoint.hpp"
#include "floe/session/frame_cache.hpp"

#include <algorithm>

namespace floe::serve {
namespace fs = std::filesystem;

namespace {

constexpr int kLowestFrame = -1'000'000;
constexpr int kHighestFrame = 10'000'000;
constexpr auto kBetweenFrameLists = std::chrono::milliseconds(50);

std::optional<int> frameParam(const Params& params, const char* name)
{
    if (!params.has(name))
        return std::nullopt;
    return static_cast<int>(params.integer(name, kLowestFrame, kHighestFrame));
}

/// Quotes for a POSIX shell.
std::string quoted(const std::string& text)
{
    if (!text.empty() &&
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789_-./:=+,@%") == std::string::npos)
        return text;
    std::string result = "'";
    for (const char c : text)
        result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

} // namespace

const SessionDocument& Server::Impl::runnable() const
{
    if (document_->flat)
        return *document_;
    for (const graph::Fault& fault : document_->faults)
        if (fault.severity == graph::Severity::Error)
            throw GraphError({.file = fault.file, .node = fault.node}, fault.cause.text(),
                             fault.cure.text());
    throw GraphError({}, "there is no document yet", "send document.set first");
}

std::map<int, Server::Impl::FrameState> Server::Impl::frameStates()
{
    std::map<int, FrameState> states;
    const auto inWork = simulation_ ? simulation_->frameInWork() : std::nullopt;
    const auto lineage = simulation_ ? simulation_->lineage() : Simulation::Lineage();
    const std::lock_guard lock(historyMutex_);
    if (!historyDocument_)
        return states;
    if (!pure_)
        pure_ = std::make_unique<ExpectedHistory>(*historyDocument_->flat, *library_,
                                                  historyDevice_, std::nullopt);
    const std::optional<int> from = lineage.join ? lineage.join->frame : lineage.first;
    if (from && (!mixed_ || mixedFrom_ != from)) {
        graph::FlatGraph graph = *historyDocument_->flat;
        if (lineage.first)
            graph.range.start = *lineage.first;
        mixed_ = std::make_unique<ExpectedHistory>(std::move(graph), *library_, historyDevice_,
                                                   lineage.join);
        mixedFrom_ = from;
        played_.reset();
    }
    const bool played = isPlayed(lineage);
    for (const FrameStore::Entry& entry : store_.list()) {
        if (entry.broken)
            states[entry.frame] = {"broken"};
        else if (entry.history == pure_->at(entry.frame))
            states[entry.frame] = {"cached"};
        else if (from && entry.history == mixed_->at(entry.frame))
            states[entry.frame] = {"cached", true};
        else if (const auto found = lineage.played.find(entry.frame);
                 played && found != lineage.played.end() && found->second == entry.history)
            states[entry.frame] = {"cached", true};
        else
            states[entry.frame] = {"stale"};
    }
    if (inWork)
        states[*inWork] = {"running"};
    return states;
}

/// Returns whether the frames with live changes lead to the present document: nothing else has
/// changed. Call with historyMutex_ held, after mixed_ was made.
bool Server::Impl::isPlayed(const Simulation::Lineage& lineage)
{
    if (lineage.played.empty() || !lineage.join || !lineage.document || !lineage.document->flat)
        return false;
    if (!played_ || playedDocument_ != lineage.document) {
        playedDocument_ = lineage.document;
        played_ = std::make_unique<ExpectedHistory>(*lineage.document->flat, *library_,
                                                    historyDevice_, lineage.join);
    }
    const int next = lineage.join->frame + 1;
    return played_->at(next) == mixed_->at(next);
}

Json Server::Impl::framesJson()
{
    Json spans = Json::array();
    for (const auto& [frame, state] : frameStates()) {
        if (!spans.empty()) {
            Json& last = spans.back();
            if (last["last"] == frame - 1 && last["state"] == state.state &&
                last.contains("mixed") == state.mixed) {
                last["last"] = frame;
                continue;
            }
        }
        Json span = {{"first", frame}, {"last", frame}, {"state", state.state}};
        if (state.mixed)
            span["mixed"] = true;
        spans.push_back(std::move(span));
    }
    return spans;
}

/// Returns what nodes that keep their frames have on disk, as spans by node.
Json Server::Impl::keptJson()
{
    const std::lock_guard lock(historyMutex_);
    Json nodes = Json::object();
    if (!pure_)
        return nodes;
    auto states = pure_->kept();
    if (mixed_)
        for (const auto& [node, frames] : mixed_->kept())
            for (const auto& [frame, fresh] : frames)
                states[node][frame] = states[node][frame] || fresh;
    for (const auto& [node, frames] : states) {
        Json& spans = nodes[node] = Json::array();
        for (const auto& [frame, fresh] : frames) {
            const char* state = fresh ? "cached" : "stale";
            if (!spans.empty() && spans.back()["last"] == frame - 1 &&
                spans.back()["state"] == state)
                spans.back()["last"] = frame;
            else
                spans.push_back({{"first", frame}, {"last", frame}, {"state", state}});
        }
    }
    return nodes;
}

void Server::Impl::notify(const char* method, Json params)
{
    // Who is slow misses some of the progress messages.
    const std::string_view name = method;
    std::string line = notificationLine(method, std::move(params));
    if (name == "view.picture") // lies in the client's shared memory
        transport_.send(std::move(line));
    else
        transport_.tell(line, name == "run.progress" || name == "export.progress");
}

void Server::Impl::framesChanged(std::optional<int> frame)
{
    if (!transport_.intact() && settings_.lost)
        settings_.lost("the server's connections are closed: something in this process closed "
                       "descriptors that are not its own, a plugin for example; start it again "
                       "without that plugin, or with --isolate");
    if (frame && viewer_)
        viewer_->frameChanged(frame);
    const auto now = std::chrono::steady_clock::now();
    {
        const std::lock_guard lock(historyMutex_);
        if (frame && now - framesTold_ < kBetweenFrameLists)
            return; // the end of the run reports everything
        framesTold_ = now;
        if (simulation_ && !frame)
            mixed_.reset(); // another lineage
    }
    const std::lock_guard lock(tellingMutex_);
    Json frames = framesJson();
    notify("cache.changed", {{"frames", std::move(frames)}, {"kept", keptJson()}});
}

int Server::Impl::upToDateUntil()
{
    const graph::FrameRange range = document_->flat->range;
    int last = range.start - 1;
    for (const auto& [frame, state] : frameStates()) {
        if (frame <= last)
            continue;
        if (frame != last + 1 || std::string_view(state.state) != "cached")
            break;
        last = frame;
    }
    return last;
}

/// The frames of run.start's `resumeNodes`, by solver. @throws RpcError, InputError
std::map<std::string, int> Server::Impl::resumeNodes(const Params& params)
{
    std::map<std::string, int> frames;
    if (!params.has("resumeNodes"))
        return frames;
    const Json& wanted = params.member("resumeNodes");
    if (!wanted.is_object())
        throw RpcError(RpcCode::InvalidParams, "'resumeNodes' must be an object: frames by node");
    for (const auto& [node, value] : wanted.items()) {
        if (!value.is_number_integer() || value < kLowestFrame || value > kHighestFrame)
            throw RpcError(RpcCode::InvalidParams, "'resumeNodes' has no frame for '" + node + "'");
        const int frame = value.get<int>();
        const std::ptrdiff_t index = document_->flat->find(node);
        if (index < 0 || document_->flat->nodes[static_cast<std::size_t>(index)].type->role !=
                             graph::Role::Solver)
            throw InputError({.node = node}, "is no solver of the graph");
        if (!store_.has(frame) ||
            !fs::exists(session::checkpointPath(store_.checkpointFolder(), frame)))
            throw InputError({.node = node, .frame = frame}, "nothing is kept to go on from",
                             "simulate that frame first");
        frames[node] = frame;
    }
    return frames;
}

Json Server::Impl::start(std::optional<int> from, std::optional<int> to,
                         std::optional<int> resumeFrom, const Params& params)
{
    runnable();
    if (simulation_->running())
        throw RpcError(RpcCode::Busy, "a simulation runs already; stop it first");
    if (params.has("resumeNodes") && !resumeFrom)
        throw RpcError(RpcCode::InvalidParams, "'resumeNodes' needs 'resumeFrom'");
    if (from && resumeFrom)
        throw RpcError(RpcCode::InvalidParams, "'from' and 'resumeFrom' exclude each other");
    if (params.has("device")) {
        simulation_->setDevice(params.text("device", "auto"));
        const std::lock_guard lock(historyMutex_);
        if (std::exchange(historyDevice_, simulation_->deviceId()) != historyDevice_) {
            pure_.reset();
            mixed_.reset();
        }
    }
    const graph::FrameRange range = document_->flat->range;
    Simulation::Start start;
    start.document = document_;
    start.live = params.boolean("live", false);
    start.sinks = params.boolean("sinks", false);
    if (start.sinks) {
        const fs::path output = params.text("output", "");
        if (output.empty())
            throw RpcError(RpcCode::InvalidParams,
                           "'output' is missing: name the folder that 'sinks' write files into");
        start.output = fs::absolute(output);
    }
    const int last = to.value_or(range.end);
    int first = from.value_or(range.start);
    if (!from) {
        const int upTo = resumeFrom ? *resumeFrom : std::min(upToDateUntil(), last);
        if (!resumeFrom && upTo >= last && !start.sinks) {
            notify("run.state", {{"state", "finished"}});
            return {{"first", last + 1}, {"last", last}};
        }
        std::optional<int> checkpoint;
        if (resumeFrom || !start.sinks) // sinks need every frame
            checkpoint = store_.checkpointBefore(upTo);
        if (checkpoint && (*checkpoint < range.start || !store_.has(*checkpoint)))
            checkpoint.reset();
        if (resumeFrom && !checkpoint)
            throw InputError({.frame = *resumeFrom}, "nothing is kept to go on from",
                             "simulate from the first frame");
        if (checkpoint) {
            start.resume = checkpoint;
            first = *checkpoint + 1;
            start.resumeNodes = resumeNodes(params);
        }
    }
    if (last < first)
        throw RpcError(RpcCode::InvalidParams, "the last frame, " + std::to_string(last) +
                                                   ", comes before the first, " +
                                                   std::to_string(first));
    start.first = from;
    start.last = last;
    Json result = {{"first", first}, {"last", last}};
    if (start.resume)
        result["resumedFrom"] = *start.resume;
    simulation_->start(std::move(start));
    return result;
}

std::optional<Json> Server::Impl::runStart(const Call& call)
{
    call.params.only(
        {"from", "to", "resumeFrom", "resumeNodes", "device", "sinks", "output", "live"});
    return start(frameParam(call.params, "from"), frameParam(call.params, "to"),
                 frameParam(call.params, "resumeFrom"), call.params);
}

std::optional<Json> Server::Impl::runStep(const Call& call)
{
    call.params.only({"device"});
    runnable();
    return start(std::nullopt, upToDateUntil() + 1, std::nullopt, call.params);
}

std::optional<Json> Server::Impl::runStop(const Call& call)
{
    call.params.only({});
    simulation_->stop();
    return Json::object();
}

std::optional<Json> Server::Impl::controlSet(const Call& call)
{
    call.params.only({"node", "parameter", "value"});
    const std::string node = call.params.text("node");
    const std::string parameter = call.params.text("parameter");
    const Json& value = call.params.member("value");
    const SessionDocument& now = runnable();
    const std::ptrdiff_t index = now.flat->find(node);
    const graph::ParameterSpec* spec =
        index < 0 ? nullptr
                  : now.flat->nodes[static_cast<std::size_t>(index)].type->parameter(parameter);
    const Place place{.node = node, .parameter = parameter};
    if (!spec)
        throw InputError(place, "there is no such parameter in the main graph");
    if (value.is_object())
        throw InputError(place, "can only be set to a constant while it runs");
    const graph::Node* stored = now.document.graph.find(node);
    if (stored)
        if (const auto old = stored->parameters.find(parameter);
            old != stored->parameters.end() && old->is_object())
            throw InputError(place, "is animated", "remove its keys or expression first");
    const bool running = simulation_->running();
    if (running && !spec->live)
        throw InputError(place, "cannot change while a simulation runs",
                         "stop it, and go on from a frame with the change");
    auto made = withParameter(now, node, parameter, value, document_->revision + 1, *library_);
    if (running) // first what may be refused
        simulation_->control({{node, parameter, value}});
    useDocument(std::move(made));
    if (!running)
        framesChanged(std::nullopt);
    return Json{{"revision", document_->revision}, {"live", running}};
}

std::optional<Json> Server::Impl::poseSet(const Call& call)
{
    call.params.only({"poses"});
    const std::map<std::string, Pose> poses = readPoses(call.params.member("poses"));
    std::shared_ptr<const SessionDocument> made;
    Json moved = Json::array(), absent = Json::array();
    std::vector<Simulation::Change> values;
    const SessionDocument& now = runnable();
    for (const auto& [node, pose] : poses) {
        const graph::Node* stored = now.document.graph.find(node);
        const std::ptrdiff_t index = now.flat->find(node);
        if (!stored || index < 0) { // a device tells of more than a scene has
            absent.push_back(node);
            continue;
        }
        const graph::NodeType& type = *now.flat->nodes[static_cast<std::size_t>(index)].type;
        for (const char* name : {"position", "rotation"}) {
            const graph::ParameterSpec* spec = type.parameter(name);
            const Place place{.node = node, .parameter = name};
            if (!spec || spec->type != graph::ValueType::Vector || !spec->live)
                throw InputError(place, "cannot be moved by a pose",
                                 "name colliders, or what else has a live position and rotation");
            const auto old = stored->parameters.find(name);
            Vec3d before{};
            if (old != stored->parameters.end()) {
                if (!isConstantVector(*old))
                    throw InputError(place, "is animated", "remove its keys or expression first");
                before = {(*old)[0].get<double>(), (*old)[1].get<double>(),
                          (*old)[2].get<double>()};
            }
            const Vec3d value =
                *name == 'p' ? pose.position : rotationNear(pose.orientation, before);
            values.push_back({node, name, Json{value[0], value[1], value[2]}});
        }
        moved.push_back(node);
    }
    for (const auto& [node, name, value] : values)
        made = withParameter(made ? *made : now, node, name, value, document_->revision + 1,
                             *library_);
    const bool running = simulation_->running();
    if (made) {
        if (running)
            simulation_->control(values);
        useDocument(made);
        if (!running)
            framesChanged(std::nullopt);
    }
    return Json{{"revision", document_->revision},
                {"live", running},
                {"moved", std::move(moved)},
                {"absent", std::move(absent)}};
}

std::optional<Json> Server::Impl::cacheClear(const Call& call)
{
    call.params.only({});
    if (simulation_->running())
        throw RpcError(RpcCode::Busy, "a simulation runs; stop it first");
    store_.clear();
    simulation_->forgetValues();
    viewer_->frameChanged(std::nullopt);
    framesChanged(std::nullopt);
    return Json::object();
}

/// The frames of a run with `--cache`, as if the present document had been simulated.
std::optional<Json> Server::Impl::cacheOpen(const Call& call)
{
    call.params.only({"folder"});
    const fs::path folder = call.params.text("folder");
    runnable();
    if (simulation_->running())
        throw RpcError(RpcCode::Busy, "a simulation runs; stop it first");
    const session::FrameCache cache(folder);
    const graph::FlatGraph& graph = *document_->flat;
    const auto filesOf = [&](int frame) {
        std::vector<fs::path> files;
        std::error_code unknown;
        for (const graph::FlatNode& node : graph.nodes)
            if (node.type->role == graph::Role::Solver)
                for (const graph::Socket& socket : node.type->outputs)
                    if (fs::path file = cache.path(node.name, socket.name, frame);
                        fs::is_regular_file(file, unknown))
                        files.push_back(std::move(file));
        return files;
    };
    int count = 0;
    {
        const std::lock_guard lock(historyMutex_);
        if (!pure_)
            pure_ =
                std::make_unique<ExpectedHistory>(graph, *library_, historyDevice_, std::nullopt);
        const int last = static_cast<int>(std::min<std::int64_t>(
            graph.range.end, std::int64_t{graph.range.start} + ExpectedHistory::kMaxAhead));
        for (int frame = graph.range.start; frame <= last; ++frame)
            if (auto files = filesOf(frame); !files.empty()) {
                store_.lend(frame, pure_->at(frame), folder, std::move(files));
                ++count;
            }
    }
    if (count == 0)
        throw InputError({.file = folder.string()}, "holds no frames of this graph's solvers",
                         "name the folder 'cache' of a run with --cache");
    viewer_->frameChanged(std::nullopt);
    framesChanged(std::nullopt);
    return Json{{"frames", count}};
}

std::optional<Json> Server::Impl::commandLine(const Call& call)
{
    call.params.only({});
    runnable();
    const std::string path = document_->document.path;
    std::string command = "floe run " + quoted(path.empty() ? "untitled.floe.json" : path) +
                          " --device " + simulation_->deviceId();
    // The command runs the saved document: differences in parameters are included, other
    // differences must be saved first.
    try {
        const graph::Document saved = graph::Document::load(path);
        for (const graph::Node& node : document_->document.graph.nodes) {
            const graph::Node* old = saved.graph.find(node.name);
            if (!old || old->type != node.type)
                continue;
            for (const auto& entry : node.parameters.items()) {
                const auto before = old->parameters.find(entry.key());
                if (before != old->parameters.end() && *before == entry.value())
                    continue;
                const Json& value = entry.value();
                command +=
                    " --set " + quoted(node.name + "." + entry.key() + "=" + dumpJson(value));
            }
        }
        if (const graph::FrameRange& range = document_->document.range; saved.range != range)
            command +=
                " --start " + std::to_string(range.start) + " --end " + std::to_string(range.end);
    } catch (const Error&) { // not saved yet: the command runs the future file
    }
    return Json{{"command", command}};
}

} // namespace floe::serve
