#pragma once

#include "object_reader.hpp"

#include "floe/graph/node_type.hpp"

#include <memory>
#include <vector>

namespace floe::graph {

/// What a plugin.json holds for graphs.
struct Manifest {
    PluginInfo plugin;
    std::vector<std::unique_ptr<NodeType>> types;
};

/// Reads a manifest; everything that is wrong with it lands in the sink.
Manifest readManifest(const Json& json, const std::string& path, const FaultSink& sink);

} // namespace floe::graph
