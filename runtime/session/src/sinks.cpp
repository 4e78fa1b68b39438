#include "sinks.hpp"

#include "frame_room.hpp"
#include "node_call.hpp"
#include "rank_settings.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <set>

namespace floe::session {

using graph::Role;

namespace {

/// Adds, where the run's memory is what ran out, how much that is and what helps. Elsewhere (the
/// address space, a device) that would blame the wrong thing.
MemoryError tooLarge(const MemoryError& error, std::uint64_t frameBytes)
{
    if (compute::hostMemoryLeft() > 4 * frameBytes) // the largest file formats take copies
        return error;
    const auto mebibytes = [](std::uint64_t bytes) {
        return std::to_string(bytes >> 20) + " MiB";
    };
    return {error.place(),
            error.cause() + "; writing a frame of " + mebibytes(frameBytes) +
                " needs more than the run leaves of " + mebibytes(compute::hostMemoryLimit()),
            "give the run more memory, or use a larger cell size or fewer particles in a cell"};
}

} // namespace

Sinks::Sinks(const graph::FlatGraph& graph, const RunSettings& settings, Library& library,
             RunServices& services, const std::atomic<bool>& stop)
    : graph_(graph), services_(services), stop_(stop)
{
    const auto& wanted = settings.sinks;
    for (const std::string& name : wanted)
        if (const auto node = graph.find(name);
            node < 0 || graph.nodes[static_cast<std::size_t>(node)].type->role != Role::Sink)
            throw InputError({.file = graph.path}, "there is no sink '" + name + "'",
                             "name a node that writes or draws");
    const auto capacity = static_cast<std::size_t>(std::max(1, settings.queueLength));
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        const graph::FlatNode& flat = graph.nodes[node];
        if (flat.type->role != Role::Sink)
            continue;
        if (settings.withoutSinks && !(ranks::several() && writesParts(graph, node)))
            continue;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), flat.name) == wanted.end())
            continue;
        sinks_.push_back({node, library.makeNode(*flat.type, flat.name),
                          std::make_unique<SinkQueue>(capacity, &stop), graph.range.start - 1});
    }
    const auto writes = [this](std::size_t node) {
        return std::ranges::any_of(sinks_, [node](const Sink& sink) { return sink.node == node; });
    };
    for (const graph::OutputClash& clash : graph::outputClashes(graph))
        if (writes(clash.node) && writes(clash.other))
            throw GraphError({.file = graph.path,
                              .node = graph.nodes[clash.node].name,
                              .parameter = clash.parameter},
                             "its files have the names of those of '" +
                                 graph.nodes[clash.other].name + "'",
                             "give one of the two another '" + clash.parameter + "'");
}

void Sinks::continueAfter(int frame)
{
    for (Sink& sink : sinks_)
        sink.last = frame;
}

std::vector<std::size_t> Sinks::nodes() const
{
    std::vector<std::size_t> nodes;
    for (const Sink& sink : sinks_)
        nodes.push_back(sink.node);
    return nodes;
}

std::vector<SinkQueue*> Sinks::queues() const
{
    std::vector<SinkQueue*> queues;
    for (const Sink& sink : sinks_)
        queues.push_back(sink.queue.get());
    return queues;
}

std::uint64_t Sinks::frameBytes(const Evaluator& evaluator) const
{
    std::set<const Value*> seen;
    std::uint64_t bytes = 0;
    for (const Sink& sink : sinks_)
        for (const auto& socket : evaluator.inputsOf(sink.node))
            for (const ValueRef& value : socket)
                if (seen.insert(value.get()).second)
                    bytes += value->totalBytes();
    return bytes;
}

double Sinks::feed(const Evaluator& evaluator, int frame)
{
    const auto missing = [&](const graph::Source& source) {
        return evaluator.slot(source.node).outputs.count(source.output) == 0;
    };
    const auto blocked = [&](const graph::FlatInput& input) {
        return std::any_of(input.sources.begin(), input.sources.end(), missing);
    };
    const std::uint64_t bytes = frameBytes(evaluator);
    const std::vector<SinkQueue*> all = queues();
    double waited = 0;
    for (Sink& sink : sinks_) {
        const auto& inputs = graph_.nodes[sink.node].inputs;
        if (std::any_of(inputs.begin(), inputs.end(), blocked))
            continue;
        sink.last = frame;
        waited += waitForRoom(all, bytes, writingBytes(bytes), stop_);
        waited += sink.queue->push(frame, [this, &sink, frame, bytes,
                                           values = evaluator.inputsOf(sink.node)] {
            if (stop_)
                return;
            NodeCall call(services_, graph_, sink.node, frame, frame == graph_.range.start, values);
            try {
                sink.object->cook(call.context());
            } catch (const MemoryError& error) {
                throw tooLarge(error, bytes);
            }
        });
    }
    return waited;
}

bool Sinks::waitFor(int frame)
{
    for (Sink& sink : sinks_) {
        sink.queue->waitFor(frame);
        if (sink.queue->failure())
            return false;
    }
    return true;
}

void Sinks::drain()
{
    for (Sink& sink : sinks_)
        sink.queue->drain();
}

void Sinks::finish()
{
    const auto idle = [this](Sink& sink) {
        while (!sink.queue->waitIdle(0.1) && !stop_) {
        }
    };
    for (Sink& sink : sinks_)
        idle(sink);
    for (Sink& sink : sinks_) {
        if (stop_ || sink.queue->failure() || sink.last < graph_.range.start)
            continue;
        sink.queue->push(sink.last, [this, &sink] {
            NodeCall call(services_, graph_, sink.node, sink.last, false);
            sink.object->finish(call.context());
        });
        idle(sink);
    }
}

void Sinks::discard()
{
    for (Sink& sink : sinks_)
        sink.queue->discard();
}

bool Sinks::waitIdle(double seconds)
{
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    bool idle = true;
    for (Sink& sink : sinks_) {
        const std::chrono::duration<double> left = end - Clock::now();
        idle &= sink.queue->waitIdle(std::max(0.0, left.count()));
    }
    return idle;
}

void Sinks::reportFailures(const Failed& failed)
{
    for (Sink& sink : sinks_)
        if (const auto failure = sink.queue->failure(); failure && !sink.reported) {
            sink.reported = true;
            failed(failure, graph_.nodes[sink.node].name);
        }
}

bool Sinks::anyFed(const Evaluator& evaluator) const
{
    const auto dead = [&](const graph::Source& source) {
        return evaluator.slot(source.node).error || evaluator.slot(source.node).blocked;
    };
    const auto starved = [&](const graph::FlatInput& input) {
        return std::any_of(input.sources.begin(), input.sources.end(), dead);
    };
    return std::any_of(sinks_.begin(), sinks_.end(), [&](const Sink& sink) {
        const auto& inputs = graph_.nodes[sink.node].inputs;
        return !sink.queue->failure() && std::none_of(inputs.begin(), inputs.end(), starved);
    });
}

} // namespace floe::session
