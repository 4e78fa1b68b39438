#include "document/document.hpp"
#include "floe/graph/rename.hpp"
#include "floe/graph/translatable_text.hpp"

#include <set>

namespace floe::editor {

using graph::WordedError, graph::TranslatableText;

namespace {
/// Names of subgraphs that instances in `g` need, and those that these need.
void collect(const graph::Document& document, const graph::Graph& g, std::set<std::string>& names)
{
    for (const graph::Node& node : g.nodes)
        if (!node.graph.empty() && names.insert(node.graph).second)
            if (const graph::Graph* inner = document.subgraph(node.graph))
                collect(document, *inner, names);
}
} // namespace

std::string Document::copy(const std::string& scope, const std::vector<std::string>& names) const
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return {};
    const std::set<std::string> chosen(names.begin(), names.end());
    graph::Document piece; // a document of its own: what is copied can be pasted into a file, too
    piece.range = content_.range;
    for (const graph::Node& source : g->nodes)
        if (chosen.contains(source.name))
            piece.graph.nodes.push_back(source);
    for (const graph::Link& link : g->links)
        if (chosen.contains(link.from.node) && chosen.contains(link.to.node))
            piece.graph.links.push_back(link);
    std::set<std::string> needed;
    collect(content_, piece.graph, needed);
    for (const auto& subgraph : content_.subgraphs)
        if (needed.contains(subgraph.first))
            piece.subgraphs.push_back(subgraph);
    return piece.graph.nodes.empty() ? std::string() : piece.format(*types_);
}

std::vector<std::string> Document::paste(const std::string& scope, const std::string& text,
                                         std::optional<QPointF> position)
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return {};
    if (text.find("\"floe\"") == std::string::npos)
        throw WordedError({}, TranslatableText::of("the clipboard holds no nodes"),
                          TranslatableText::of("copy some nodes first"));
    graph::Document piece = graph::Document::parse(text, "clipboard");

    // A subgraph that is here already, with the same content, is shared; another one of the same
    // name gets a new name.
    Changes changes;
    std::map<std::string, std::string> subgraphNames;
    std::size_t subgraphCount = content_.subgraphs.size();
    const auto inner = [&](const graph::Graph& one) {
        graph::Document whole;
        whole.graph = one;
        return whole.format(*types_);
    };
    for (const auto& [name, content] : piece.subgraphs) {
        std::string wish = name;
        const graph::Graph* present = content_.subgraph(name);
        const bool same = present && inner(*present) == inner(content);
        for (int n = 2; !same && content_.subgraph(wish); ++n)
            wish = name + std::to_string(n);
        subgraphNames[name] = wish;
    }
    for (auto& [name, content] : piece.subgraphs) {
        const std::string& wish = subgraphNames[name];
        if (wish == scope)
            throw WordedError({}, TranslatableText::of("a subgraph cannot be put into itself"),
                              TranslatableText::of("paste it one level up"));
        if (content_.subgraph(wish))
            continue;
        for (graph::Node& child : content.nodes)
            if (const auto to = subgraphNames.find(child.graph); to != subgraphNames.end())
                child.graph = to->second;
        changes.push_back({"", SubgraphChange{subgraphCount++, wish, content}});
    }

    QPointF corner(1e30, 1e30);
    const auto where = [](const graph::Node& one) {
        const auto number = [&](const char* key) {
            return one.layout.is_object() && one.layout.contains(key) &&
                           one.layout.at(key).is_number()
                       ? one.layout.at(key).get<double>()
                       : 0.0;
        };
        return QPointF(number("x"), number("y"));
    };
    for (const graph::Node& one : piece.graph.nodes) {
        corner.setX(std::min(corner.x(), where(one).x()));
        corner.setY(std::min(corner.y(), where(one).y()));
    }
    const QPointF shift = position ? *position - corner : QPointF(30, 30);

    std::map<std::string, std::string> names;
    std::set<std::string> taken;
    std::vector<std::string> added;
    std::size_t index = g->nodes.size();
    for (graph::Node& one : piece.graph.nodes) {
        std::string name = freeName(scope, one.name);
        for (int n = 2; !taken.insert(name).second; ++n) {
            name = freeName(scope, one.name + "_" + std::to_string(n));
        }
        names[one.name] = name;
        added.push_back(name);
    }
    for (std::size_t i = 0; i < piece.graph.nodes.size(); ++i) {
        graph::Node one = piece.graph.nodes[i];
        const QPointF place = where(one) + shift;
        one.name = added[i];
        one.raw.clear(); // the raw text has the old name
        for (Json& value : one.parameters)
            value = graph::withNodesRenamed(value, names);
        if (!one.layout.is_object())
            one.layout = Json::object();
        one.layout["x"] = std::round(place.x() * 10) / 10;
        one.layout["y"] = std::round(place.y() * 10) / 10;
        if (one.layout.contains("bends")) // they would lie where the originals are
            one.layout.erase("bends");
        if (const auto to = subgraphNames.find(one.graph); to != subgraphNames.end())
            one.graph = to->second;
        changes.push_back({scope, NodeChange{index++, std::move(one)}});
    }
    std::size_t linkIndex = g->links.size();
    for (const graph::Link& link : piece.graph.links) {
        const auto from = names.find(link.from.node), to = names.find(link.to.node);
        if (from != names.end() && to != names.end())
            changes.push_back({scope, LinkChange{linkIndex++,
                                                 {{from->second, link.from.socket},
                                                  {to->second, link.to.socket}}}});
    }
    push(std::move(changes), tr("Paste %n node(s)", nullptr, int(added.size())));
    return added;
}

} // namespace floe::editor
