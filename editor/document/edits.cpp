#include "document/document.hpp"
#include "floe/graph/rename.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace floe::editor {

namespace {
using Field = FieldChange::Field;

double rounded(double value)
{
    return std::round(value * 10) / 10;
}
} // namespace

std::string Document::freeName(const std::string& scope, const std::string& wish) const
{
    if (indexOf(scope, wish) == SIZE_MAX)
        return wish;
    std::string stem = wish;
    while (stem.size() > 1 && std::isdigit(static_cast<unsigned char>(stem.back())))
        stem.pop_back();
    for (int number = 2;; ++number) {
        std::string name = stem + std::to_string(number);
        if (indexOf(scope, name) == SIZE_MAX)
            return name;
    }
}

std::string Document::newNodeName(const graph::NodeType* type, const std::string& id) const
{
    // The last word of the type says it shortest: floe.shape.sphere is a "sphere".
    std::string name = (type ? type->type : id).substr(id.rfind('.') + 1);
    std::erase_if(name, [](unsigned char c) { return c >= 128 || (!std::isalnum(c) && c != '_'); });
    if (!graph::isName(name))
        name = "node";
    return name;
}

std::string Document::addNode(const std::string& scope, const std::string& id, QPointF position)
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return {};
    const graph::NodeType* type = types_->find(id);
    graph::Node added;
    added.name = freeName(scope, newNodeName(type, id));
    added.type = id;
    added.version = type ? type->version : 0;
    added.layout = {{"x", rounded(position.x())}, {"y", rounded(position.y())}};
    const std::string name = added.name;
    push({{scope, NodeChange{g->nodes.size(), std::move(added)}}},
         tr("Add %1").arg(QString::fromStdString(type ? type->label : id)));
    return name;
}

Changes Document::removal(const std::string& scope, const std::vector<std::string>& names) const
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return {};
    std::set<std::string> gone;
    std::vector<std::size_t> indices;
    for (const std::string& name : names)
        if (const std::size_t index = indexOf(scope, name);
            index != SIZE_MAX && gone.insert(name).second)
            indices.push_back(index);
    if (indices.empty())
        return {};
    std::sort(indices.rbegin(), indices.rend());

    Changes changes;
    for (std::size_t i = g->links.size(); i-- > 0;)
        if (gone.contains(g->links[i].from.node) || gone.contains(g->links[i].to.node))
            changes.push_back({scope, LinkChange{i, g->links[i]}, true});

    graph::Promotion kept = g->promote;
    const auto lost = [&](const auto& promoted) {
        return gone.contains(promoted.to.node);
    };
    if (std::erase_if(kept.parameters, lost) + std::erase_if(kept.inputs, lost) +
        std::erase_if(kept.outputs, lost))
        changes.push_back({scope, PromotionChange{g->promote, kept}});

    for (const std::size_t index : indices)
        changes.push_back({scope, NodeChange{index, g->nodes[index]}, true});
    return changes;
}

void Document::removeNodes(const std::string& scope, const std::vector<std::string>& names)
{
    push(removal(scope, names), tr("Delete %n node(s)", nullptr, int(names.size())));
}

QString Document::rename(const std::string& scope, const std::string& from, const std::string& to)
{
    if (from == to || !node(scope, from))
        return {};
    if (!graph::isName(to))
        return tr("A name starts with a letter and has letters, digits and _ only.");
    if (node(scope, to))
        return tr("There is a node '%1' already.").arg(QString::fromStdString(to));
    Changes changes{{scope, NameChange{from, to}}};
    for (const graph::Node& other : graph(scope)->nodes) {
        Json parameters = other.parameters;
        std::string changed;
        for (auto& [key, value] : parameters.items()) {
            Json now = graph::withNodesRenamed(value, {{from, to}});
            if (now != value) {
                value = std::move(now);
                changed = key;
            }
        }
        if (!changed.empty())
            changes.push_back(
                {scope, FieldChange{other.name == from ? to : other.name, Field::Parameters,
                                    changed, other.parameters, std::move(parameters)}});
    }
    // Bends of wires are kept by the name of the wire's source.
    for (const graph::Node& other : graph(scope)->nodes) {
        if (!other.layout.is_object() || !other.layout.contains("bends"))
            continue;
        Json layout = other.layout;
        bool changed = false;
        for (Json& bend : layout["bends"]) {
            const std::string source = bend.value("from", "");
            if (source.substr(0, source.find('.')) == from) {
                bend["from"] = to + source.substr(from.size());
                changed = true;
            }
        }
        if (changed)
            changes.push_back(
                {scope, FieldChange{other.name == from ? to : other.name, Field::Layout, "",
                                    other.layout, std::move(layout)}});
    }
    push(std::move(changes), tr("Rename to %1").arg(QString::fromStdString(to)));
    return {};
}

bool Document::hasPlaces(const std::string& scope) const
{
    const graph::Graph* g = graph(scope);
    return g && std::any_of(g->nodes.begin(), g->nodes.end(), [](const graph::Node& node) {
               return node.layout.is_object() && node.layout.contains("x");
           });
}

void Document::moveNodes(const std::string& scope, const std::map<std::string, QPointF>& positions)
{
    Changes changes = moves(scope, positions);
    const int count = int(changes.size());
    push(std::move(changes), tr("Move %n node(s)", nullptr, count));
}

void Document::placeNodes(const std::string& scope, const std::map<std::string, QPointF>& positions,
                          const std::map<graph::Link, std::vector<QPointF>>& bends)
{
    apply(moves(scope, positions), true);
    for (const auto& [link, points] : bends)
        apply(bendChanges(scope, link, points), true);
}

Changes Document::moves(const std::string& scope,
                        const std::map<std::string, QPointF>& positions) const
{
    Changes changes;
    for (const auto& [name, point] : positions) {
        const graph::Node* moved = node(scope, name);
        if (!moved || !std::isfinite(point.x()) || !std::isfinite(point.y()))
            continue;
        Json layout = moved->layout.is_object() ? moved->layout : Json::object();
        layout["x"] = rounded(point.x());
        layout["y"] = rounded(point.y());
        if (layout != moved->layout)
            changes.push_back(
                {scope, FieldChange{name, Field::Layout, "", moved->layout, std::move(layout)}});
    }
    return changes;
}

void Document::setParameter(const std::string& scope, const std::string& name,
                            const std::string& parameter, const Json& value, int drag)
{
    const graph::Node* found = node(scope, name);
    if (!found)
        return;
    Json parameters = found->parameters;
    if (value.is_null())
        parameters.erase(parameter);
    else
        parameters[parameter] = value;
    if (parameters == found->parameters)
        return;
    const graph::NodeType* type = typeOf(scope, name);
    const graph::ParameterSpec* spec = type ? type->parameter(parameter) : nullptr;
    const QString label =
        QString::fromStdString(spec && !spec->label.empty() ? spec->label : parameter);
    push({{scope, FieldChange{name, Field::Parameters, parameter, found->parameters,
                              std::move(parameters)}}},
         (value.is_null() ? tr("Reset %1 of %2") : tr("Set %1 of %2"))
             .arg(label, QString::fromStdString(name)),
         drag);
}

void Document::setParameter(const std::string& scope, const std::map<std::string, Json>& values,
                            const std::string& parameter, int drag)
{
    if (values.size() == 1)
        return setParameter(scope, values.begin()->first, parameter, values.begin()->second, drag);
    Changes changes;
    bool any = false;
    for (const auto& [name, value] : values) {
        const graph::Node* found = node(scope, name);
        if (!found)
            continue;
        Json parameters = found->parameters;
        if (value.is_null())
            parameters.erase(parameter);
        else
            parameters[parameter] = value;
        any = any || parameters != found->parameters;
        // Also what stays as it is: the steps of a drag merge when they change the same nodes.
        changes.push_back({scope, FieldChange{name, Field::Parameters, parameter, found->parameters,
                                              std::move(parameters)}});
    }
    if (any)
        push(std::move(changes),
             tr("Set %1 of %n nodes", nullptr, int(values.size()))
                 .arg(QString::fromStdString(parameter)),
             drag);
}

void Document::setParameters(const std::string& scope, const std::string& name,
                             const std::vector<std::pair<std::string, Json>>& values,
                             const QString& text)
{
    const graph::Node* found = node(scope, name);
    if (!found)
        return;
    Changes changes;
    Json before = found->parameters;
    for (const auto& [parameter, value] : values) {
        Json after = before;
        if (value.is_null())
            after.erase(parameter);
        else
            after[parameter] = value;
        if (after == before)
            continue;
        changes.push_back({scope, FieldChange{name, Field::Parameters, parameter, before, after}});
        before = std::move(after);
    }
    push(std::move(changes), text);
}

void Document::setBypass(const std::string& scope, const std::vector<std::string>& names,
                         bool bypass)
{
    Changes changes;
    for (const std::string& name : names)
        if (const graph::Node* found = node(scope, name); found && found->bypass != bypass)
            changes.push_back({scope, FieldChange{name, Field::Bypass, "", found->bypass, bypass}});
    push(std::move(changes), bypass ? tr("Bypass") : tr("Use again"));
}

void Document::setColour(const std::string& scope, const std::vector<std::string>& names,
                         std::optional<std::array<double, 3>> colour)
{
    Changes changes;
    for (const std::string& name : names) {
        const graph::Node* found = node(scope, name);
        if (!found)
            continue;
        Json layout = found->layout.is_object() ? found->layout : Json::object();
        if (colour)
            layout["color"] = *colour;
        else
            layout.erase("color");
        if (layout != found->layout)
            changes.push_back(
                {scope, FieldChange{name, Field::Layout, "", found->layout, std::move(layout)}});
    }
    push(std::move(changes), tr("Colour nodes"));
}

bool Document::isGhost(const std::string& scope, const std::string& name) const
{
    const graph::Node* found = node(scope, name);
    return found && found->layout.is_object() && found->layout.value("ghost", Json()) == true;
}

void Document::setGhost(const std::string& scope, const std::vector<std::string>& names, bool ghost)
{
    Changes changes;
    for (const std::string& name : names) {
        const graph::Node* found = node(scope, name);
        if (!found || isGhost(scope, name) == ghost)
            continue;
        Json layout = found->layout.is_object() ? found->layout : Json::object();
        if (ghost)
            layout["ghost"] = true;
        else
            layout.erase("ghost");
        changes.push_back(
            {scope, FieldChange{name, Field::Layout, "", found->layout, std::move(layout)}});
    }
    push(std::move(changes), ghost ? tr("Show as ghost") : tr("No ghost"));
}

std::vector<std::string> Document::ghosts(std::size_t most) const
{
    std::vector<std::string> found;
    const auto list = [&](const auto& self, const std::string& scope, const std::string& path,
                          int depth) -> void {
        const graph::Graph* g = graph(scope);
        for (const graph::Node& each : g ? g->nodes : std::vector<graph::Node>()) {
            if (found.size() < most && isGhost(scope, each.name))
                found.push_back(path + each.name);
            if (!each.graph.empty() && each.file.empty() && depth < graph::kMaxSubgraphDepth)
                self(self, each.graph, path + each.name + '/', depth + 1);
        }
    };
    list(list, {}, {}, 0);
    return found;
}

std::string Document::setDecoration(const std::string& scope, std::string name, const Json& value,
                                    bool notes)
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return {};
    const Json& before = notes ? g->notes : g->backdrops;
    Json after = before.is_object() ? before : Json::object();
    for (int number = 1; name.empty(); ++number)
        if (const std::string wish = (notes ? "note" : "frame") + std::to_string(number);
            !after.contains(wish))
            name = wish;
    if (value.is_null())
        after.erase(name);
    else
        after[name] = value;
    if (after.empty())
        after = Json();
    if (after != before)
        push({{scope, DecorationChange{notes, before, std::move(after)}}},
             notes ? tr("Edit note") : tr("Edit frame"));
    return name;
}

std::string Document::setBackdrop(const std::string& scope, std::string name, const Json& value)
{
    return setDecoration(scope, std::move(name), value, false);
}

std::string Document::setNote(const std::string& scope, std::string name, const Json& value)
{
    return setDecoration(scope, std::move(name), value, true);
}

void Document::moveNote(const std::string& scope, const std::string& name, QPointF corner)
{
    const graph::Graph* g = graph(scope);
    if (!g || !g->notes.is_object() || !g->notes.contains(name))
        return;
    Json moved = g->notes.at(name);
    moved["x"] = corner.x();
    moved["y"] = corner.y();
    setNote(scope, name, moved);
}

void Document::setRange(const graph::FrameRange& range)
{
    if (!(range == content_.range))
        push({{"", RangeChange{content_.range, range}}}, tr("Set frame range"));
}

void Document::become(const graph::Document& content, const QString& text)
{
    push(changesBetween(content_, content), text);
}

} // namespace floe::editor
