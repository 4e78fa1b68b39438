#include "floe/graph/rename.hpp"

#include "floe/graph/expression.hpp"

namespace floe::graph {

Json withNodesRenamed(const Json& value, const NewNames& names)
{
    if (value.is_array()) {
        Json result = Json::array();
        for (const Json& entry : value)
            result.push_back(withNodesRenamed(entry, names));
        return result;
    }
    const auto expression = value.is_object() ? value.find("expr") : value.end();
    if (!value.is_object() || expression == value.end() || !expression->is_string())
        return value;
    Json result = value;
    result["expr"] = renameReferences(expression->get_ref<const std::string&>(),
                                      [&](const std::string& reference) {
                                          const auto dot = reference.find('.');
                                          const auto name = names.find(reference.substr(0, dot));
                                          return name != names.end() && dot != std::string::npos
                                                     ? name->second + reference.substr(dot)
                                                     : reference;
                                      });
    return result;
}

void renameNodes(Graph& graph, const NewNames& names)
{
    if (names.empty())
        return;
    const auto rename = [&](std::string& name) {
        if (const auto found = names.find(name); found != names.end())
            name = found->second;
    };
    for (Node& node : graph.nodes) {
        rename(node.name);
        for (auto& [key, value] : node.parameters.items())
            value = withNodesRenamed(value, names);
        if (!node.layout.is_object() || !node.layout.contains("bends"))
            continue;
        for (Json& bend : node.layout["bends"]) {
            const auto from = bend.is_object() ? bend.find("from") : bend.end();
            if (!bend.is_object() || from == bend.end() || !from->is_string())
                continue;
            const std::string source = from->get<std::string>();
            const auto dot = std::min(source.find('.'), source.size());
            std::string name = source.substr(0, dot);
            rename(name);
            *from = name + source.substr(dot);
        }
    }
    for (Link& link : graph.links) {
        rename(link.from.node);
        rename(link.to.node);
    }
    for (PromotedParameter& parameter : graph.promote.parameters)
        rename(parameter.to.node);
    for (auto* sockets : {&graph.promote.inputs, &graph.promote.outputs})
        for (PromotedSocket& socket : *sockets)
            rename(socket.to.node);
}

} // namespace floe::graph
