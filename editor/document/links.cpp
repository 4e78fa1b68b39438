#include "document/document.hpp"

#include <set>
#include <unordered_map>

namespace floe::editor {

namespace {
QString words(const std::vector<std::string>& kinds)
{
    QStringList list;
    for (const std::string& kind : kinds)
        list += QString::fromStdString(kind);
    return list.join(QStringLiteral(", "));
}

bool fits(const graph::Socket& output, const graph::Socket& input)
{
    return std::any_of(output.kinds.begin(), output.kinds.end(), [&](const std::string& kind) {
        return std::find(input.kinds.begin(), input.kinds.end(), kind) != input.kinds.end();
    });
}

/// True when what a layout keeps of wires is of this one.
bool isOf(const Json& entry, const graph::Link& link)
{
    return entry.is_object() && entry.value("from", Json()) == link.from.text() &&
           entry.value("input", Json()) == link.to.socket;
}

/// True when `to` already leads to `from`.
bool wouldLoop(const graph::Graph& g, const std::string& from, const std::string& to)
{
    std::unordered_multimap<std::string_view, std::string_view> users;
    for (const graph::Link& link : g.links)
        users.emplace(link.from.node, link.to.node);
    std::set<std::string_view> seen{to};
    std::vector<std::string_view> open{to};
    while (!open.empty()) {
        const std::string_view node = open.back();
        open.pop_back();
        if (node == from)
            return true;
        const auto [first, last] = users.equal_range(node);
        for (auto it = first; it != last; ++it)
            if (seen.insert(it->second).second)
                open.push_back(it->second);
    }
    return false;
}
} // namespace

QString Document::refusal(const std::string& scope, const graph::Link& link) const
{
    const graph::Graph* g = graph(scope);
    const graph::NodeType* source = typeOf(scope, link.from.node);
    const graph::NodeType* target = typeOf(scope, link.to.node);
    if (!g || !node(scope, link.from.node) || !node(scope, link.to.node))
        return tr("The node is no longer there.");
    if (!source || !target)
        return tr("The plugin of '%1' is missing, so its sockets are not known.")
            .arg(QString::fromStdString(source ? link.to.node : link.from.node));
    const graph::Socket* output = source->output(link.from.socket);
    const graph::Socket* input = target->input(link.to.socket);
    if (!output || !input)
        return tr("There is no such socket.");
    if (link.from.node == link.to.node)
        return tr("A node cannot feed itself.");
    if (!fits(*output, *input))
        return tr("'%1' takes %2, but this is %3.")
            .arg(QString::fromStdString(input->label.empty() ? input->name : input->label),
                 words(input->kinds), words(output->kinds));
    if (wouldLoop(*g, link.from.node, link.to.node))
        return tr("This would make a loop: '%1' depends on '%2' already.")
            .arg(QString::fromStdString(link.from.node), QString::fromStdString(link.to.node));
    if (std::find(g->links.begin(), g->links.end(), link) != g->links.end())
        return tr("They are linked already.");
    return {};
}

bool Document::link(const std::string& scope, const graph::Link& added)
{
    if (!refusal(scope, added).isEmpty())
        return false;
    const graph::Graph* g = graph(scope);
    const graph::Socket* input = typeOf(scope, added.to.node)->input(added.to.socket);
    Changes changes;
    std::size_t count = g->links.size();
    if (!input->multiple)
        for (std::size_t i = g->links.size(); i-- > 0;)
            if (g->links[i].to == added.to) {
                changes.push_back({scope, LinkChange{i, g->links[i]}, true});
                --count;
            }
    changes.push_back({scope, LinkChange{count, added}});
    push(std::move(changes),
         tr("Link %1 to %2")
             .arg(QString::fromStdString(added.from.node), QString::fromStdString(added.to.node)));
    return true;
}

void Document::unlink(const std::string& scope, const std::vector<graph::Link>& links)
{
    const graph::Graph* g = graph(scope);
    if (!g)
        return;
    const std::set<graph::Link> gone(links.begin(), links.end());
    Changes changes;
    for (std::size_t i = g->links.size(); i-- > 0;)
        if (gone.contains(g->links[i]))
            changes.push_back({scope, LinkChange{i, g->links[i]}, true});
    const int count = int(changes.size());
    push(std::move(changes), tr("Cut %n wire(s)", nullptr, count));
}

std::vector<QPointF> Document::bends(const std::string& scope, const graph::Link& link) const
{
    const graph::Node* target = node(scope, link.to.node);
    std::vector<QPointF> points;
    if (!target || !target->layout.is_object() || !target->layout.contains("bends"))
        return points;
    const Json& bends = target->layout.at("bends");
    if (!bends.is_array())
        return points;
    for (const Json& bend : bends) {
        if (!isOf(bend, link) || !bend.contains("points") || !bend.at("points").is_array())
            continue;
        for (const Json& point : bend.at("points"))
            if (point.is_array() && point.size() == 2 && point[0].is_number() &&
                point[1].is_number())
                points.emplace_back(point[0].get<double>(), point[1].get<double>());
    }
    return points;
}

void Document::setBends(const std::string& scope, const graph::Link& link,
                        const std::vector<QPointF>& points)
{
    push(bendChanges(scope, link, points), tr("Route wire"));
}

Changes Document::bendChanges(const std::string& scope, const graph::Link& link,
                              const std::vector<QPointF>& points) const
{
    Json list;
    for (const QPointF& point : points)
        list.push_back({std::round(point.x() * 10) / 10, std::round(point.y() * 10) / 10});
    return wireChanges(scope, link, "points", std::move(list));
}

QString Document::wireNote(const std::string& scope, const graph::Link& link) const
{
    const graph::Node* target = node(scope, link.to.node);
    if (!target || !target->layout.is_object() || !target->layout.contains("bends") ||
        !target->layout.at("bends").is_array())
        return {};
    for (const Json& entry : target->layout.at("bends"))
        if (isOf(entry, link) && entry.contains("text") && entry.at("text").is_string())
            return QString::fromStdString(entry.at("text").get<std::string>());
    return {};
}

void Document::setWireNote(const std::string& scope, const graph::Link& link, const QString& text)
{
    push(wireChanges(scope, link, "text", text.isEmpty() ? Json() : Json(text.toStdString())),
         tr("Note on wire"));
}

/// What is kept of a wire, in the bends of its target's layout. @param value  null: no longer
Changes Document::wireChanges(const std::string& scope, const graph::Link& link, const char* key,
                              Json value) const
{
    const graph::Node* target = node(scope, link.to.node);
    if (!target)
        return {};
    Json layout = target->layout.is_object() ? target->layout : Json::object();
    Json kept = Json::array();
    if (const auto old = layout.find("bends"); old != layout.end() && old->is_array())
        for (const Json& other : *old)
            if (!isOf(other, link) || !other.contains(key))
                kept.push_back(other);
    if (!value.is_null())
        kept.push_back(
            {{"input", link.to.socket}, {"from", link.from.text()}, {key, std::move(value)}});
    if (kept.empty())
        layout.erase("bends");
    else
        layout["bends"] = std::move(kept);
    if (layout == target->layout)
        return {};
    return {{scope, FieldChange{target->name, FieldChange::Field::Layout, "", target->layout,
                                std::move(layout)}}};
}

bool Document::insertOnLink(const std::string& scope, const std::string& name,
                            const graph::Link& old)
{
    const graph::Graph* g = graph(scope);
    const graph::NodeType* type = typeOf(scope, name);
    const graph::NodeType* source = typeOf(scope, old.from.node);
    const graph::NodeType* target = typeOf(scope, old.to.node);
    if (!g || !type || !source || !target || name == old.from.node || name == old.to.node)
        return false;
    const auto at = std::find(g->links.begin(), g->links.end(), old);
    const graph::Socket* from = source->output(old.from.socket);
    const graph::Socket* to = target->input(old.to.socket);
    if (at == g->links.end() || !from || !to)
        return false;
    const auto input = std::find_if(type->inputs.begin(), type->inputs.end(),
                                    [&](const auto& socket) { return fits(*from, socket); });
    const auto output = std::find_if(type->outputs.begin(), type->outputs.end(),
                                     [&](const auto& socket) { return fits(socket, *to); });
    if (input == type->inputs.end() || output == type->outputs.end())
        return false;
    // A node that is linked elsewhere already is being moved, not inserted.
    if (std::any_of(g->links.begin(), g->links.end(), [&](const graph::Link& link) {
            return link.from.node == name || link.to.node == name;
        }))
        return false;

    const std::size_t index = std::size_t(at - g->links.begin());
    push({{scope, LinkChange{index, old}, true},
          {scope, LinkChange{index, {old.from, {name, input->name}}}},
          {scope, LinkChange{index + 1, {{name, output->name}, old.to}}}},
         tr("Insert %1").arg(QString::fromStdString(name)));
    return true;
}

} // namespace floe::editor
