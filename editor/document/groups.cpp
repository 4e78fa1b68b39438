#include "document/document.hpp"

#include <algorithm>
#include <set>

namespace floe::editor {

std::string Document::group(const std::string& scope, const std::vector<std::string>& names,
                            const QString& label)
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return {};
    const std::set<std::string> inside(names.begin(), names.end());
    graph::Graph inner;
    QPointF corner(1e30, 1e30), sum;
    for (const graph::Node& one : g->nodes) {
        if (!inside.contains(one.name))
            continue;
        const QPointF at = position(scope, one.name);
        corner = {std::min(corner.x(), at.x()), std::min(corner.y(), at.y())};
        sum += at;
        inner.nodes.push_back(one);
    }
    if (inner.nodes.empty())
        return {};
    const QPointF centre = sum / double(inner.nodes.size());

    std::string subgraphName = graph::isName(label.toStdString()) ? label.toStdString() : "group";
    for (int n = 2; content_.subgraph(subgraphName); ++n)
        subgraphName = "group" + std::to_string(n);
    const std::string instance = freeName(scope, subgraphName);

    // One promoted socket for each inner socket that wires cross the border at.
    std::map<graph::Endpoint, std::string> inputs, outputs;
    std::set<std::string> used;
    const auto promote = [&](std::map<graph::Endpoint, std::string>& map,
                             std::vector<graph::PromotedSocket>& list, const graph::Endpoint& end) {
        if (const auto known = map.find(end); known != map.end())
            return known->second;
        std::string name = end.socket;
        if (used.contains(name))
            name = end.node + "_" + end.socket;
        for (int n = 2; used.contains(name); ++n)
            name = end.node + "_" + end.socket + std::to_string(n);
        used.insert(name);
        list.push_back({name, end});
        map[end] = name;
        return name;
    };
    Changes changes;
    std::vector<graph::Link> rewired;
    for (std::size_t i = g->links.size(); i-- > 0;) {
        const graph::Link& link = g->links[i];
        if (inside.contains(link.from.node) || inside.contains(link.to.node))
            changes.push_back({scope, LinkChange{i, link}, true});
    }
    for (const graph::Link& link : g->links) {
        const bool from = inside.contains(link.from.node), to = inside.contains(link.to.node);
        if (from && to) {
            inner.links.push_back(link);
        } else if (to) {
            rewired.push_back(
                {link.from, {instance, promote(inputs, inner.promote.inputs, link.to)}});
        } else if (from) {
            rewired.push_back(
                {{instance, promote(outputs, inner.promote.outputs, link.from)}, link.to});
        }
    }
    // What the graph itself promoted from these nodes now comes from the instance.
    graph::Promotion outer = g->promote;
    for (auto& socket : outer.inputs)
        if (inside.contains(socket.to.node))
            socket.to = {instance, promote(inputs, inner.promote.inputs, socket.to)};
    for (auto& socket : outer.outputs)
        if (inside.contains(socket.to.node))
            socket.to = {instance, promote(outputs, inner.promote.outputs, socket.to)};
    std::erase_if(outer.parameters,
                  [&](const auto& parameter) { return inside.contains(parameter.to.node); });

    std::vector<std::size_t> indices;
    for (std::size_t i = g->nodes.size(); i-- > 0;)
        if (inside.contains(g->nodes[i].name))
            indices.push_back(i);
    changes.push_back({"", SubgraphChange{content_.subgraphs.size(), subgraphName, inner}});
    if (!g->promote.empty())
        changes.push_back({scope, PromotionChange{g->promote, outer}});
    for (const std::size_t index : indices)
        changes.push_back({scope, NodeChange{index, g->nodes[index]}, true});

    graph::Node made;
    made.name = instance;
    made.type = graph::kSubgraphType;
    made.version = 1;
    made.graph = subgraphName;
    made.layout = {{"x", std::round(centre.x())}, {"y", std::round(centre.y())}};
    changes.push_back({scope, NodeChange{g->nodes.size() - indices.size(), std::move(made)}});
    std::size_t linkIndex = g->links.size();
    for (const Change& change : changes)
        if (std::holds_alternative<LinkChange>(change.what))
            --linkIndex;
    std::set<graph::Link> seen;
    for (graph::Link& link : rewired)
        if (seen.insert(link).second)
            changes.push_back({scope, LinkChange{linkIndex++, std::move(link)}});
    push(std::move(changes), tr("Group %n node(s)", nullptr, int(inner.nodes.size())));
    return instance;
}

const graph::PromotedParameter* Document::promoted(const std::string& scope,
                                                   const std::string& name) const
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return nullptr;
    const auto found =
        std::ranges::find(g->promote.parameters, name, &graph::PromotedParameter::name);
    return found == g->promote.parameters.end() ? nullptr : &*found;
}

const graph::PromotedParameter* Document::promotedFrom(const std::string& scope,
                                                       const std::string& name,
                                                       const std::string& parameter) const
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return nullptr;
    const auto found = std::ranges::find(g->promote.parameters, graph::Endpoint{name, parameter},
                                         &graph::PromotedParameter::to);
    return found == g->promote.parameters.end() ? nullptr : &*found;
}

bool Document::isPromoted(const std::string& scope, const std::string& name,
                          const std::string& parameter) const
{
    return promotedFrom(scope, name, parameter);
}

QString Document::changePromoted(const std::string& scope, const graph::PromotedParameter& changed)
{
    const graph::PromotedParameter* old = promoted(scope, changed.name);
    const graph::NodeType* type = old ? typeOf(scope, old->to.node) : nullptr;
    const graph::ParameterSpec* inner = type ? type->parameter(old->to.socket) : nullptr;
    if (!inner)
        return tr("There is no such parameter.");
    const auto min = changed.min ? changed.min : inner->min;
    const auto max = changed.max ? changed.max : inner->max;
    if (inner->min && *min < *inner->min)
        return tr("The minimum must be at least %1, as inside.").arg(*inner->min);
    if (inner->max && *max > *inner->max)
        return tr("The maximum must be at most %1, as inside.").arg(*inner->max);
    if (min && max && *min > *max)
        return tr("The minimum is above the maximum.");
    if (changed.softMin && changed.softMax && *changed.softMin >= *changed.softMax)
        return tr("The slider must begin below its end.");
    graph::Promotion after = graph(scope)->promote;
    graph::PromotedParameter& entry =
        *std::ranges::find(after.parameters, changed.name, &graph::PromotedParameter::name);
    entry = changed;
    entry.to = old->to;
    if (after != graph(scope)->promote)
        push({{scope, PromotionChange{graph(scope)->promote, std::move(after)}}},
             tr("Change how %1 is shown").arg(QString::fromStdString(changed.name)));
    return {};
}

void Document::movePromoted(const std::string& scope, const std::string& name, int by)
{
    const graph::PromotedParameter* moved = promoted(scope, name);
    if (!moved)
        return;
    graph::Promotion after = graph(scope)->promote;
    const auto from = moved - graph(scope)->promote.parameters.data();
    const auto to = from + by;
    if (by == 0 || to < 0 || to >= std::ssize(after.parameters))
        return;
    graph::PromotedParameter entry = std::move(after.parameters[std::size_t(from)]);
    after.parameters.erase(after.parameters.begin() + from);
    after.parameters.insert(after.parameters.begin() + to, std::move(entry));
    push({{scope, PromotionChange{graph(scope)->promote, std::move(after)}}},
         tr("Move %1").arg(QString::fromStdString(name)));
}

void Document::promoteParameter(const std::string& scope, const std::string& name,
                                const std::string& parameter, bool promoted)
{
    const graph::Graph* g = graph(scope);
    const graph::NodeType* type = typeOf(scope, name);
    const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
    if (!g || !spec || scope.empty() || promoted == isPromoted(scope, name, parameter))
        return;
    graph::Promotion after = g->promote;
    if (promoted) {
        const auto taken = [&](const std::string& wish) {
            return std::any_of(after.parameters.begin(), after.parameters.end(),
                               [&](const auto& other) { return other.name == wish; });
        };
        std::string wish = parameter;
        if (taken(wish))
            wish = name + "_" + parameter;
        for (int n = 2; taken(wish); ++n)
            wish = name + "_" + parameter + std::to_string(n);
        // Without texts of its own it takes those of the node, in whatever language.
        after.parameters.push_back({wish, {name, parameter}, {}, {}, {}, {}, {}, {}});
    } else {
        std::erase_if(after.parameters, [&](const auto& other) {
            return other.to == graph::Endpoint{name, parameter};
        });
    }
    push({{scope, PromotionChange{g->promote, std::move(after)}}},
         promoted ? tr("Promote %1").arg(QString::fromStdString(spec->label))
                  : tr("Stop promoting %1").arg(QString::fromStdString(spec->label)));
}

} // namespace floe::editor
