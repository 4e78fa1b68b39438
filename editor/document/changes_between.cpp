#include "document/change.hpp"

#include "floe/graph/diff.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace floe::editor {

namespace {

using Field = FieldChange::Field;

/// Keys that both lists have, unless they would have to change places: then none.
template <class Key>
std::set<Key> kept(const std::vector<Key>& a, const std::vector<Key>& b)
{
    const std::set<Key> inA(a.begin(), a.end()), inB(b.begin(), b.end());
    if (inA.size() != a.size() || inB.size() != b.size())
        return {};
    std::vector<Key> before, after;
    std::copy_if(a.begin(), a.end(), std::back_inserter(before),
                 [&](const Key& key) { return inB.contains(key); });
    std::copy_if(b.begin(), b.end(), std::back_inserter(after),
                 [&](const Key& key) { return inA.contains(key); });
    return before == after ? std::set<Key>(before.begin(), before.end()) : std::set<Key>();
}

class Between {
public:
    Changes run(const graph::Document& a, const graph::Document& b)
    {
        const auto names = [](const graph::Document& document) {
            std::vector<std::string> list;
            for (const auto& entry : document.subgraphs)
                list.push_back(entry.first);
            return list;
        };
        const std::set<std::string> stay = kept(names(a), names(b));
        for (std::size_t i = a.subgraphs.size(); i-- > 0;)
            if (const auto& [name, graph] = a.subgraphs[i]; !stay.contains(name))
                changes_.push_back({"", SubgraphChange{i, name, graph}, true});
        for (std::size_t i = 0; i < b.subgraphs.size(); ++i)
            if (const auto& [name, graph] = b.subgraphs[i]; !stay.contains(name))
                changes_.push_back({"", SubgraphChange{i, name, graph}});
        for (const std::string& name : stay)
            compare(name, *a.subgraph(name), *b.subgraph(name));
        compare("", a.graph, b.graph);
        if (a.graph.extra != b.graph.extra || a.plugins != b.plugins)
            changes_.push_back(
                {"", OtherChange{{a.graph.extra, a.plugins}, {b.graph.extra, b.plugins}}});
        if (!(a.range == b.range))
            changes_.push_back({"", RangeChange{a.range, b.range}});
        return std::move(changes_);
    }

private:
    /// Everything of a node that no step of its own changes.
    static bool isSameNode(const graph::Node& a, const graph::Node& b)
    {
        return a.type == b.type && a.version == b.version && a.graph == b.graph &&
               a.file == b.file && a.extra == b.extra;
    }

    static std::map<std::string, const graph::Node*> byName(const graph::Graph& graph)
    {
        std::map<std::string, const graph::Node*> nodes;
        for (const graph::Node& node : graph.nodes)
            nodes[node.name] = &node;
        return nodes;
    }

    void compare(const std::string& scope, const graph::Graph& a, const graph::Graph& b)
    {
        const auto before = byName(a), after = byName(b);
        const auto names = [&](const graph::Graph& graph, const auto& others) {
            std::vector<std::string> list;
            for (const graph::Node& node : graph.nodes)
                if (const auto other = others.find(node.name);
                    other != others.end() && isSameNode(node, *other->second))
                    list.push_back(node.name);
            return list;
        };
        const std::set<std::string> nodes = kept(names(a, after), names(b, before));
        const auto links = [&](const graph::Graph& graph) {
            std::vector<graph::Link> list;
            for (const graph::Link& link : graph.links)
                if (nodes.contains(link.from.node) && nodes.contains(link.to.node))
                    list.push_back(link);
            return list;
        };
        const std::set<graph::Link> stay = kept(links(a), links(b));

        for (std::size_t i = a.links.size(); i-- > 0;)
            if (!stay.contains(a.links[i]))
                changes_.push_back({scope, LinkChange{i, a.links[i]}, true});
        for (std::size_t i = a.nodes.size(); i-- > 0;)
            if (!nodes.contains(a.nodes[i].name))
                changes_.push_back({scope, NodeChange{i, a.nodes[i]}, true});
        for (std::size_t i = 0; i < b.nodes.size(); ++i)
            if (!nodes.contains(b.nodes[i].name))
                changes_.push_back({scope, NodeChange{i, b.nodes[i]}});
        for (const std::string& name : nodes)
            compareNodes(scope, *before.at(name), *after.at(name));
        for (std::size_t i = 0; i < b.links.size(); ++i)
            if (!stay.contains(b.links[i]))
                changes_.push_back({scope, LinkChange{i, b.links[i]}});

        if (a.backdrops != b.backdrops)
            changes_.push_back({scope, DecorationChange{false, a.backdrops, b.backdrops}});
        if (a.notes != b.notes)
            changes_.push_back({scope, DecorationChange{true, a.notes, b.notes}});
        if (a.promote != b.promote)
            changes_.push_back({scope, PromotionChange{a.promote, b.promote}});
        if (!scope.empty() && a.extra != b.extra)
            changes_.push_back({scope, OtherChange{{a.extra, {}}, {b.extra, {}}}});
    }

    /// A step for each parameter, so that each is told of.
    void compareNodes(const std::string& scope, const graph::Node& a, const graph::Node& b)
    {
        std::vector<std::string> names;
        for (const auto& [name, value] : a.parameters.items())
            if (const auto now = b.parameters.find(name);
                now == b.parameters.end() || !graph::sameJson(*now, value))
                names.push_back(name);
        for (const auto& [name, value] : b.parameters.items())
            if (!a.parameters.contains(name))
                names.push_back(name);
        Json now = a.parameters;
        for (std::size_t i = 0; i < names.size(); ++i) {
            Json next = now;
            if (const auto value = b.parameters.find(names[i]); value != b.parameters.end())
                next[names[i]] = *value;
            else
                next.erase(names[i]);
            if (i + 1 == names.size())
                next = b.parameters; // their order too
            changes_.push_back(
                {scope, FieldChange{a.name, Field::Parameters, names[i], now, next}});
            now = std::move(next);
        }
        if (a.layout != b.layout)
            changes_.push_back({scope, FieldChange{a.name, Field::Layout, "", a.layout, b.layout}});
        if (a.bypass != b.bypass)
            changes_.push_back({scope, FieldChange{a.name, Field::Bypass, "", a.bypass, b.bypass}});
    }

    Changes changes_;
};

} // namespace

Changes changesBetween(const graph::Document& a, const graph::Document& b)
{
    return Between().run(a, b);
}

} // namespace floe::editor
