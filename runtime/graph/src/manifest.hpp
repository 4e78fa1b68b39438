#pragma once

#include "object_reader.hpp"

#include "floe/graph/node_type.hpp"

#include <memory>
#include <vector>

namespace floe::graph {

/// The parts of a plugin.json that graphs need.
struct Manifest {
    PluginInfo plugin;
    std::vector<std::unique_ptr<NodeType>> types;
};

/// Reads a manifest; adds its faults to the sink.
Manifest readManifest(const Json& json, const std::string& path, const FaultSink& sink);

} // namespace floe::graph
