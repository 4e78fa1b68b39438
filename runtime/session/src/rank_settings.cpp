#include "rank_settings.hpp"

#include "floe/base/error.hpp"
#include "floe/ranks/ranks.hpp"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace floe::session {

namespace {

/// Threads of this rank: its launcher may have bound it to cores; else ranks share the machine's.
int threadsOfRank()
{
    const int usable = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int all = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
    return usable < all ? usable : std::max(1, usable / ranks::joined()->local_size);
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
    const graph::FlatNode* found = nullptr;
    for (const graph::FlatNode& node : graph.nodes) {
        if (node.type->role != graph::Role::Solver)
            continue;
        if (!node.type->ranks)
            throw GraphError({.file = graph.path, .node = node.name},
                             "this node (" + node.type->type +
                                 ") cannot be simulated by several ranks",
                             "run on one rank");
        if (found)
            throw GraphError({.file = graph.path, .node = node.name},
                             "several ranks simulate one solver, and '" + found->name +
                                 "' is another",
                             "run on one rank");
        found = &node;
    }
    if (!found)
        throw GraphError({.file = graph.path}, "there is no solver for several ranks to simulate",
                         "run on one rank");
}

} // namespace floe::session
