#include "rank_settings.hpp"

#include "floe/base/error.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <set>
#include <thread>
#include <unistd.h>
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
    if (settings.device == "auto")
        own.device = "cpu";
    else if (settings.device != "cpu")
        throw InputError(
            {}, "several ranks compute on the CPU, not on device '" + settings.device + "'",
            "leave out --device, or run on one rank");
    if (settings.threads == 0)
        own.threads = threadsOfRank();
    if (ranks::joined()->rank > 0) {
        own.withoutSinks = true;
        own.cache = false;
        own.interactive = true;
    }
    return own;
}

void requireRanks(const graph::FlatGraph& graph)
{
    if (!ranks::several())
        return;
    const graph::FlatNode *divided = nullptr, *whole = nullptr;
    std::size_t dividedIndex = 0;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const graph::FlatNode& node = graph.nodes[i];
        if (node.type->role != graph::Role::Solver)
            continue;
        if (!node.type->ranks) {
            whole = whole ? whole : &node;
            continue;
        }
        if (divided)
            throw GraphError({.file = graph.path, .node = node.name},
                             "several ranks simulate one solver, and '" + divided->name +
                                 "' is another",
                             "run on one rank");
        divided = &node;
        dividedIndex = i;
    }
    if (!divided && whole)
        throw GraphError({.file = graph.path, .node = whole->name},
                         "this node (" + whole->type->type +
                             ") cannot be simulated by several ranks",
                         "run on one rank");
    if (!divided)
        throw GraphError({.file = graph.path}, "there is no solver for several ranks to simulate",
                         "run on one rank");
    for (const std::size_t source : sourcesOf(graph, dividedIndex))
        if (const graph::FlatNode& node = graph.nodes[source];
            node.type->role == graph::Role::Solver && source != dividedIndex)
            throw GraphError({.file = graph.path, .node = node.name},
                             "this node (" + node.type->type + ") is simulated by one rank, and '" +
                                 divided->name + "', which several simulate, needs what it gives",
                             "run on one rank");
}

} // namespace floe::session
