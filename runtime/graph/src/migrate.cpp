#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/expression.hpp"

#include <map>
#include <unordered_map>

namespace floe::graph {

namespace {

using Names = std::map<std::string, std::string>;

/// The upgrades applied to a node, in order.
struct History {
    std::vector<const Upgrade*> steps;

    std::string translated(std::string name, Names Upgrade::*map) const
    {
        for (const Upgrade* step : steps)
            if (const auto found = (step->*map).find(name); found != (step->*map).end())
                name = found->second;
        return name;
    }
};

void upgradeParameters(Node& node, const Upgrade& step)
{
    Json renamed = Json::object();
    for (auto& [key, value] : node.parameters.items()) {
        const auto found = step.renameParameters.find(key);
        renamed[found == step.renameParameters.end() ? key : found->second] = value;
    }
    for (const auto& [key, text] : step.defaults)
        if (!renamed.contains(key))
            renamed[key] = Json::parse(text);
    node.parameters = std::move(renamed);
}

void upgradeNode(Node& node, const TypeLibrary& types, History& history)
{
    const NodeType* type = types.find(node.type);
    if (!type || node.version == 0)
        return;
    while (type) {
        const Upgrade* step = nullptr;
        for (const Upgrade& upgrade : type->upgrades)
            if (upgrade.from == node.version)
                step = &upgrade;
        if (!step && node.version >= type->version)
            return;
        if (step) {
            upgradeParameters(node, *step);
            history.steps.push_back(step);
        }
        ++node.version;
        if (step && !step->type.empty()) {
            node.type = step->type;
            type = types.find(node.type);
        }
    }
}

void upgradeByCode(Node& node, int before, const TypeLibrary& types, const std::string& prefix)
{
    const NodeType* type = types.find(node.type);
    if (!type || !types.codeMigration())
        return;
    const auto told = [&](const Error& failure) {
        return "its plugin could not bring it from version " + std::to_string(before) + " to " +
               std::to_string(node.version) + ": " + failure.cause();
    };
    try {
        node.parameters = types.codeMigration()(*type, before, node.parameters);
    } catch (const MemoryError& failure) { // to load it, too
        throw MemoryError({.node = prefix + node.name}, told(failure), failure.cure());
    } catch (const Error& failure) {
        throw PluginError({.node = prefix + node.name}, told(failure), failure.cure());
    }
}

/// Renames references in every expression of a parameter value.
void renameIn(Json& value, const std::function<std::string(const std::string&)>& rename)
{
    if (value.is_array()) {
        for (Json& entry : value)
            renameIn(entry, rename);
    } else if (value.is_object()) {
        if (const auto found = value.find("expr"); found != value.end() && found->is_string())
            *found = renameReferences(found->get<std::string>(), rename);
    }
}

void migrateGraph(Graph& graph, const TypeLibrary& types, const std::string& prefix,
                  std::vector<std::string>& notes)
{
    std::unordered_map<std::string, History> histories;
    for (Node& node : graph.nodes) {
        const int before = node.version;
        const std::string typeBefore = node.type;
        History history;
        upgradeNode(node, types, history);
        if (node.version != before)
            upgradeByCode(node, before, types, prefix);
        if (node.version != before)
            notes.push_back("node '" + prefix + node.name + "' (" + typeBefore +
                            "): brought from version " + std::to_string(before) + " to " +
                            std::to_string(node.version) +
                            (node.type == typeBefore ? "" : ", now " + node.type));
        if (!history.steps.empty())
            histories.emplace(node.name, std::move(history));
    }
    if (histories.empty())
        return;
    const auto rename = [&](Endpoint& end, Names Upgrade::*map) {
        if (const auto found = histories.find(end.node); found != histories.end())
            end.socket = found->second.translated(end.socket, map);
    };
    for (Link& link : graph.links) {
        rename(link.from, &Upgrade::renameOutputs);
        rename(link.to, &Upgrade::renameInputs);
    }
    for (PromotedParameter& parameter : graph.promote.parameters)
        rename(parameter.to, &Upgrade::renameParameters);
    for (PromotedSocket& socket : graph.promote.inputs)
        rename(socket.to, &Upgrade::renameInputs);
    for (PromotedSocket& socket : graph.promote.outputs)
        rename(socket.to, &Upgrade::renameOutputs);
    for (Node& node : graph.nodes) {
        for (auto& entry : node.parameters.items()) {
            renameIn(entry.value(), [&](const std::string& text) {
                const auto first = text.find('.');
                const auto second = std::min(text.find('.', first + 1), text.size());
                Endpoint end{text.substr(0, first), text.substr(first + 1, second - first - 1)};
                rename(end, &Upgrade::renameParameters);
                return end.text() + text.substr(second);
            });
        }
    }
}

} // namespace

std::vector<std::string> migrate(Document& document, const TypeLibrary& types)
{
    std::vector<std::string> notes;
    migrateGraph(document.graph, types, "", notes);
    for (auto& [name, graph] : document.subgraphs)
        migrateGraph(graph, types, name + "/", notes);
    return notes;
}

} // namespace floe::graph
