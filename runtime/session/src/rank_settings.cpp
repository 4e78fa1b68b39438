#include "rank_settings.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/plugin/cook_context.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <unistd.h>
#include <variant>
#include <vector>

namespace floe::session {

namespace {

/// Threads of this rank: its launcher may have bound it to cores; else ranks share the machine's.
int threadsOfRank()
{
    const int usable = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return usable < all ? usable : std::max(1, usable / ranks::joined()->local_size);
}

/// Returns the device of this rank: of several, the one of its number on its machine.
std::string deviceOfRank(const std::string& wanted)
{
    const floe_ranks& all = *ranks::joined();
    const auto local = static_cast<std::size_t>(all.local_rank);
    const std::size_t cards = compute::listDevices().size() - 1;
    const auto own = [&] {
        return "cuda:" + std::to_string(local % cards);
    };
    if (wanted == "auto") // where every rank has a card of its own
        return ranks::agree(cards >= static_cast<std::size_t>(all.local_size)) &&
                       cards >= static_cast<std::size_t>(all.local_size)
                   ? own()
                   : "cpu";
    if (wanted == "cuda" && cards > 0)
        return own();
    const std::vector<std::string> listed = compute::devicesOf(wanted);
    return listed[local % listed.size()];
}

/// Returns a node and all that it depends on.
std::set<std::size_t> sourcesOf(const graph::FlatGraph& graph, std::size_t node)
{
    std::set<std::size_t> found;
    std::vector<std::size_t> open = {node};
    while (!open.empty()) {
        const std::size_t at = open.back();
        open.pop_back();
        if (!found.insert(at).second)
            continue;
        for (const graph::FlatInput& input : graph.nodes[at].inputs)
            for (const graph::Source& source : input.sources)
                open.push_back(source.node);
    }
    return found;
}

} // namespace

RunSettings settingsOfRank(const RunSettings& settings)
{
    RunSettings own = settings;
    if (!ranks::several())
        return own;
    if (!settings.readCache.empty())
        throw InputError({}, "frames are drawn again by one process",
                         "run `floe render` without a launcher");
    own.device = deviceOfRank(settings.device);
    if (settings.threads == 0)
        own.threads = threadsOfRank();
    if (ranks::joined()->rank > 0) {
        own.withoutSinks = true;
        own.cache = false;
        own.interactive = true;
    }
    return own;
}

namespace {

/// Returns whether this run has a sink at work. @pre it is one
bool runs(const RunSettings& settings, const graph::FlatNode& sink)
{
    return settings.sinks.empty() ||
           std::ranges::find(settings.sinks, sink.name) != settings.sinks.end();
}

/// What is written in parts comes from a solver that has them, and nobody else needs it.
void requireParts(const graph::FlatGraph& graph, const RunSettings& settings, std::size_t sink)
{
    const graph::FlatNode& writer = graph.nodes[sink];
    const auto refuse = [&](const std::string& why, const std::string& cure) {
        throw GraphError({.file = graph.path, .node = writer.name, .parameter = "parts"}, why,
                         cure + "switch 'parts' off");
    };
    if (settings.cache)
        refuse("several ranks write parts, and --cache keeps whole frames",
               "leave out --cache, or ");
    for (const graph::FlatInput& input : writer.inputs)
        for (const graph::Source& source : input.sources) {
            const graph::FlatNode& solver = graph.nodes[source.node];
            if (solver.type->role != graph::Role::Solver || !solver.type->ranks)
                refuse("several ranks write parts of what a solver gives, and '" + solver.name +
                           "' (" + solver.type->type + ") needs all of it",
                       "link this node to the solver, or ");
            for (std::size_t other = 0; other < graph.nodes.size(); ++other) {
                const graph::FlatNode& user = graph.nodes[other];
                const bool works = user.type->role == graph::Role::Solver ||
                                   (user.type->role == graph::Role::Sink && runs(settings, user));
                if (other == source.node || !works || writesParts(graph, other) ||
                    !sourcesOf(graph, other).contains(source.node))
                    continue;
                refuse("several ranks write parts, and '" + user.name + "' (" + user.type->type +
                           ") needs what all of them have",
                       "unlink that one, or ");
            }
        }
}

} // namespace

bool writesParts(const graph::FlatGraph& graph, std::size_t node)
{
    const graph::NodeType& type = *graph.nodes[node].type;
    const int parameter = type.parameterIndex("parts");
    if (type.role != graph::Role::Sink || !type.ranks || parameter < 0)
        return false;
    const auto value = graph.evaluate(node, static_cast<std::size_t>(parameter),
                                      {static_cast<double>(graph.range.start), graph.range.fps});
    const bool* parts = std::get_if<bool>(&value);
    return parts && *parts;
}

bool givesParts(const graph::FlatGraph& graph, std::size_t node, std::string_view output)
{
    if (!ranks::several())
        return false;
    for (std::size_t user = 0; user < graph.nodes.size(); ++user)
        for (const graph::FlatInput& input : graph.nodes[user].inputs)
            for (const graph::Source& source : input.sources)
                if (source.node == node && source.output == output && writesParts(graph, user))
                    return true; // nobody needs the whole: requireParts()
    return false;
}

const floe_ranks& ranksForNodes()
{
    static const std::string run = ranks::jobName();
    static const floe_ranks table = [] {
        floe_ranks of = *ranks::joined();
        of.struct_size = sizeof of;
        of.in_parts = [](const floe_ranks*, const floe_context* context,
                         const char* output) -> std::int32_t {
            plugin::CookContext* call = plugin::CookContext::of(context);
            return call && output && call->environment().inParts(output);
        };
        of.lost = [](const floe_ranks*) -> std::int32_t {
            return ranks::loss().has_value();
        };
        of.run = run.c_str();
        return of;
    }();
    return table;
}

void requireRanks(const graph::FlatGraph& graph, const RunSettings& settings)
{
    if (!ranks::several())
        return;
    std::vector<std::size_t> divided;
    const graph::FlatNode* whole = nullptr;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const graph::FlatNode& node = graph.nodes[i];
        if (node.type->role == graph::Role::Sink && runs(settings, node) && writesParts(graph, i))
            requireParts(graph, settings, i);
        if (node.type->role != graph::Role::Solver)
            continue;
        if (node.type->ranks)
            divided.push_back(i);
        else if (!whole)
            whole = &node;
    }
    if (divided.empty() && whole)
        throw GraphError({.file = graph.path, .node = whole->name},
                         "this node (" + whole->type->type +
                             ") cannot be simulated by several ranks",
                         "run on one rank");
    if (divided.empty())
        throw GraphError({.file = graph.path}, "there is no solver for several ranks to simulate",
                         "run on one rank");
    for (const std::size_t solver : divided)
        for (const std::size_t source : sourcesOf(graph, solver)) {
            const graph::FlatNode& node = graph.nodes[source];
            if (node.type->role == graph::Role::Solver && source != solver)
                throw GraphError({.file = graph.path, .node = node.name},
                                 "only rank 0 has what this node (" + node.type->type +
                                     ") gives, and '" + graph.nodes[solver].name +
                                     "', which several ranks simulate, needs it",
                                 "run on one rank");
        }
}

} // namespace floe::session
