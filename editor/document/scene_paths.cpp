#include "document/scene_paths.hpp"

#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace floe::editor {

namespace {

std::optional<graph::NodeType> typeOf(const graph::Document& scene, const graph::Node& node,
                                      const graph::TypeLibrary& types)
{
    if (node.type != graph::kSubgraphType) {
        const graph::NodeType* type = types.find(node.type);
        return type ? std::optional(*type) : std::nullopt;
    }
    try {
        return graph::instanceType(scene, node, types);
    } catch (const Error&) { // a faulty subgraph promotes nothing
        return std::nullopt;
    }
}

} // namespace

void makePathsAbsolute(graph::Document& scene, const graph::TypeLibrary& types)
{
    const auto folder = std::filesystem::absolute(scene.path).parent_path();
    const auto absolute = [&folder](const std::string& path) {
        return path.empty() ? path : (folder / path).lexically_normal().string();
    };
    const auto visit = [&](graph::Graph& one) {
        for (graph::Node& node : one.nodes) {
            const auto type = typeOf(scene, node, types);
            const graph::Node before = node;
            for (const auto& [name, value] : before.parameters.items()) {
                const graph::ParameterSpec* spec = type ? type->parameter(name) : nullptr;
                if (spec && spec->type == graph::ValueType::Path && value.is_string())
                    node.parameters[name] = absolute(value.get<std::string>());
            }
            node.file = absolute(before.file);
            if (node.parameters != before.parameters || node.file != before.file)
                node.raw.clear(); // holds the old ones
        }
    };
    visit(scene.graph);
    for (auto& [name, subgraph] : scene.subgraphs)
        visit(subgraph);
}

} // namespace floe::editor
