#include "node_call.hpp"

#include "rank_settings.hpp"

#include "floe/base/error.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <utility>

namespace floe::session {

namespace {

plugin::CookSettings settingsOf(const RunServices& services, const graph::FlatGraph& graph,
                                std::size_t node, int frame, bool start)
{
    return {.node = graph.nodes[node].name,
            .outputFolder = services.outputFolder(),
            .frame = static_cast<double>(frame),
            .fps = graph.range.fps,
            .rangeStart = static_cast<double>(graph.range.start),
            .rangeEnd = static_cast<double>(graph.range.end),
            .start = start,
            .device = services.device()};
}

/// Returns the kind of a value as in manifests: for a record, its schema.
std::string kindOf(const Value& value)
{
    if (const auto* record = as<RecordValue>(&value))
        return record->schema();
    return kindName(value.kind());
}

bool fits(const std::string& kind, const std::vector<std::string>& kinds)
{
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end() ||
           (kind == "vector" && std::find(kinds.begin(), kinds.end(), "colour") != kinds.end());
}

/// Links are checked when a graph is loaded; but an output that may give several kinds (a switch)
/// decides only now.
void checkKinds(const graph::FlatNode& node, const Inputs& inputs)
{
    for (std::size_t i = 0; i < inputs.size() && i < node.inputs.size(); ++i) {
        const graph::Socket& socket = *node.inputs[i].socket;
        for (const ValueRef& value : inputs[i])
            if (const std::string kind = kindOf(*value); !fits(kind, socket.kinds))
                throw InputError({.node = node.name, .parameter = socket.name},
                                 "input '" + socket.name + "' is given a value of kind '" + kind +
                                     "'",
                                 "it takes '" + (socket.kinds.empty() ? "" : socket.kinds.front()) +
                                     "'; link what gives that to the node before it");
    }
}

} // namespace

NodeCall::NodeCall(RunServices& services, const graph::FlatGraph& graph, std::size_t node,
                   int frame, bool start, Inputs inputs)
    : services_(services), graph_(graph), index_(node), frame_(frame), inputs_(std::move(inputs)),
      context_(settingsOf(services, graph, node, frame, start), *this)
{
    checkKinds(this->node(), inputs_);
    inputs_.resize(this->node().inputs.size());
    fetched_.resize(inputs_.size());
}

std::optional<plugin::Parameter> NodeCall::parameter(std::string_view name, double frame)
{
    const int index = node().type->parameterIndex(name);
    if (index < 0)
        return std::nullopt;
    const auto value =
        graph_.evaluate(index_, static_cast<std::size_t>(index), {frame, graph_.range.fps});
    return std::visit([](const auto& held) { return plugin::Parameter(held); }, value);
}

std::span<const ValueRef> NodeCall::inputs(std::string_view socket)
{
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        if (node().inputs[i].socket->name == socket) {
            fetch(i);
            return inputs_[i];
        }
    return {};
}

void NodeCall::fetch(std::size_t input)
{
    if (node().type->cuda != graph::CudaUse::None)
        return;
    const std::lock_guard lock(mutex_);
    if (fetched_[input])
        return;
    fetched_[input] = true;
    for (ValueRef& value : inputs_[input])
        if (const auto* particles = as<ParticlesValue>(value))
            value = inHostMemory(Ref<const ParticlesValue>::share(particles));
}

bool NodeCall::setOutput(std::string_view socket, ValueRef value)
{
    const graph::Socket* declared = node().type->output(socket);
    if (!declared)
        return false;
    const std::string kind = kindOf(*value);
    const auto& kinds = declared->kinds;
    if (!fits(kind, kinds))
        throw InputError({.parameter = std::string(socket)},
                         "was given a value of kind '" + kind + "'",
                         "its manifest declares '" + (kinds.empty() ? "" : kinds.front()) + "'");
    const std::lock_guard lock(mutex_);
    outputs_[std::string(socket)] = std::move(value);
    return true;
}

bool NodeCall::inParts(std::string_view output)
{
    return givesParts(graph_, index_, output);
}

bool NodeCall::mayBeCancelled()
{
    return services_.cancelled() || ranks::several(); // another rank, perhaps
}

void NodeCall::progress(double fraction)
{
    services_.progress(frame_, node().name, fraction);
}

void NodeCall::message(std::int32_t level, const std::string& text)
{
    const auto clamped = std::clamp<std::int32_t>(level, FLOE_LEVEL_DEBUG, FLOE_LEVEL_ERROR);
    services_.say(
        {static_cast<Level>(clamped), frame_, node().name, "node '" + node().name + "': " + text});
}

void NodeCall::statistic(const std::string& name, double value)
{
    {
        const std::lock_guard lock(mutex_);
        if (statistics_.size() < kMaxStatistics || statistics_.contains(name)) {
            statistics_[name] = value;
            return;
        }
        if (std::exchange(tooMany_, true))
            return;
    }
    message(FLOE_LEVEL_WARNING, "reports more than " + std::to_string(kMaxStatistics) +
                                    " statistics in one frame; the others are left out");
}

} // namespace floe::session
