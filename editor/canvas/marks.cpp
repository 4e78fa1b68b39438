#include "canvas/marks.hpp"

#include "canvas/scene_piece.hpp"
#include "floe/graph/check.hpp"
#include "floe/graph/diff.hpp"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>
#include <optional>

namespace floe::editor {

namespace {

constexpr double kGhostHeight = 62;

/// "debris/ball" -> "debris", "ball"
std::pair<std::string, std::string> parted(const std::string& where)
{
    const auto slash = where.find('/');
    return slash == std::string::npos ? std::pair<std::string, std::string>("", where)
                                      : std::pair(where.substr(0, slash), where.substr(slash + 1));
}

bool isOfNode(const graph::Change& change)
{
    static const std::set<std::string> kinds = {"parameter", "type",   "version", "graph",
                                                "file",      "bypass", "key"};
    return kinds.contains(change.what);
}

void markLinks(GraphMarks& marks, const graph::Graph& before, const graph::Graph& after)
{
    graph::Graph old = before;
    graph::renameNodes(old, graph::renamedNodes(before, after));
    const std::set<graph::Link> was(old.links.begin(), old.links.end());
    const std::set<graph::Link> is(after.links.begin(), after.links.end());
    for (const graph::Link& link : was)
        if (!is.contains(link))
            marks.removed.push_back(link);
    for (const graph::Link& link : is)
        if (!was.contains(link))
            marks.added.insert(link);
}

GraphMarks::Ghost ghostOf(const graph::Node& node, const graph::TypeLibrary& types)
{
    const auto number = [&](const char* key) {
        const auto it = node.layout.is_object() ? node.layout.find(key) : node.layout.end();
        return it != node.layout.end() && it->is_number() ? it->get<double>() : 0.0;
    };
    const graph::NodeType* type = types.find(node.type);
    return {QString::fromStdString(node.name),
            QString::fromStdString(type ? type->label : node.type),
            QRectF(number("x"), number("y"), kCardWidth, kGhostHeight)};
}

/// Instances of what has changed, however deep they lie.
void markInstances(Marks& marks, const graph::Document& document)
{
    for (int depth = 0; depth < graph::kMaxSubgraphDepth; ++depth) {
        bool found = false;
        const auto look = [&](const std::string& scope, const graph::Graph& graph) {
            for (const graph::Node& node : graph.nodes)
                if (!node.graph.empty())
                    if (const auto inner = marks.find(node.graph);
                        inner != marks.end() && !inner->second.empty())
                        found = marks[scope]
                                    .nodes.emplace(node.name, GraphMarks::Mark::Changed)
                                    .second ||
                                found;
        };
        look("", document.graph);
        for (const auto& [name, graph] : document.subgraphs)
            look(name, graph);
        if (!found)
            return;
    }
}

/// A round sign at the corner of a card.
void paintSign(QPainter& p, QPointF at, const QColor& colour, const QString& sign)
{
    p.setPen(QPen(themeColours().ground, 1.5));
    p.setBrush(colour);
    p.drawEllipse(at, 9, 9);
    QFont font = p.font();
    font.setPixelSize(14);
    font.setBold(true);
    p.setFont(font);
    p.setPen(themeColours().ground);
    p.drawText(QRectF(at.x() - 9, at.y() - 9.5, 18, 18), Qt::AlignCenter, sign);
}

/// Where a link left or arrived, at a card or at the ghost of one; none: neither is there.
std::optional<QPointF> endOf(const Scene& scene, const GraphMarks& marks,
                             const graph::Endpoint& end, bool output)
{
    if (const int index = scene.find(end.node); index >= 0) {
        const Card& card = scene.cards[std::size_t(index)];
        const auto& sockets = output ? card.outputs : card.inputs;
        for (std::size_t i = 0; i < sockets.size(); ++i)
            if (sockets[i].name == end.socket)
                return card.socket(output, int(i));
        return output ? card.rect.topRight() + QPointF(0, kHeaderHeight / 2)
                      : card.rect.topLeft() + QPointF(0, kHeaderHeight / 2);
    }
    const auto ghost = marks.ghosts.find(end.node);
    if (ghost == marks.ghosts.end())
        return std::nullopt;
    const QRectF& rect = ghost->second.rect;
    return QPointF(output ? rect.right() : rect.left(), rect.center().y());
}

} // namespace

Marks marksBetween(const graph::Document& before, const graph::Document& after,
                   const graph::TypeLibrary& types)
{
    Marks marks;
    for (const graph::Change& change : graph::diff(before, after)) {
        const auto [scope, name] = parted(change.where);
        const graph::Graph* graph = scope.empty() ? &after.graph : after.subgraph(scope);
        const graph::Graph* old = scope.empty() ? &before.graph : before.subgraph(scope);
        if (change.what == "node" && change.kind == graph::Change::Kind::Added)
            marks[scope].nodes[name] = GraphMarks::Mark::Added;
        else if (change.what == "node" && change.kind == graph::Change::Kind::Renamed)
            marks[scope].nodes[change.after] = GraphMarks::Mark::Changed;
        else if (change.what == "node" && old) {
            if (const graph::Node* node = old->find(name))
                marks[scope].ghosts[name] = ghostOf(*node, types);
        } else if (isOfNode(change) && graph && graph->find(name)) {
            marks[scope].nodes[name] = GraphMarks::Mark::Changed;
        }
    }
    markLinks(marks[""], before.graph, after.graph);
    for (const auto& [name, graph] : after.subgraphs) {
        const graph::Graph* old = before.subgraph(name);
        markLinks(marks[name], old ? *old : graph::Graph(), graph);
    }
    markInstances(marks, after);
    std::erase_if(marks, [](const auto& entry) { return entry.second.empty(); });
    return marks;
}

void markConflict(Marks& marks, const graph::Document& document, const std::string& where)
{
    const auto [scope, name] = parted(where);
    const graph::Graph* graph = scope.empty() ? &document.graph : document.subgraph(scope);
    if (!graph || !graph->find(name))
        return;
    marks[scope].nodes[name] = GraphMarks::Mark::Conflict;
    markInstances(marks, document);
}

void paintMarks(QPainter& p, const Scene& scene, const QTransform& view, const GraphMarks& marks,
                bool coming)
{
    struct Kind {
        QColor colour, ground, text;
        QString sign;
        Qt::PenStyle line;
    };
    const ThemeColours& c = themeColours();
    const auto veil = [](QColor colour) {
        colour.setAlpha(210);
        return colour;
    };
    const Kind more{c.good, veil(c.addedGround), c.addedText, QStringLiteral("+"), Qt::SolidLine};
    const Kind less{c.error, veil(c.removedGround), c.removedText, QStringLiteral("−"),
                    Qt::DashLine};
    const Kind& here = coming ? less : more; // what only this version has
    const Kind& there = coming ? more : less;
    p.save();
    p.setTransform(view, true);
    // At least as wide on the screen as they can be seen, however far away.
    const double thick = std::max(2.6, 1.6 / view.m11());
    p.setBrush(Qt::NoBrush);
    for (const graph::Link& link : marks.removed) {
        const auto from = endOf(scene, marks, link.from, true);
        const auto to = endOf(scene, marks, link.to, false);
        if (!from || !to)
            continue;
        p.setPen(QPen(there.colour, thick, Qt::DashLine, Qt::RoundCap));
        p.drawPath(Scene::curve(*from, *to, {}));
    }
    if (!marks.added.empty())
        for (const Wire& wire : scene.wires)
            if (marks.added.contains(wire.link)) {
                p.setPen(QPen(here.colour, thick, here.line, Qt::RoundCap));
                p.drawPath(wire.path);
            }
    for (const auto& [name, ghost] : marks.ghosts) {
        p.setPen(QPen(there.colour, thick, Qt::DashLine));
        p.setBrush(there.ground);
        p.drawRoundedRect(ghost.rect, 6, 6);
        const auto line = [&](double top, int size, const QColor& colour, const QString& text) {
            QFont font = p.font();
            font.setPixelSize(size);
            font.setBold(false);
            p.setFont(font);
            p.setPen(colour);
            p.drawText(QRectF(ghost.rect.left() + 17, ghost.rect.top() + top, kCardWidth - 26, 20),
                       Qt::AlignLeft | Qt::AlignVCenter,
                       p.fontMetrics().elidedText(text, Qt::ElideRight, int(kCardWidth - 26)));
        };
        line(10, 13, there.text, ghost.name);
        line(32, 10, mixed(there.text, there.ground, 0.15), ghost.type);
        paintSign(p, ghost.rect.topLeft(), there.colour, there.sign);
    }
    for (const auto& [name, mark] : marks.nodes) {
        const int index = scene.find(name);
        if (index < 0)
            continue;
        const QRectF rect = scene.cards[std::size_t(index)].rect.adjusted(-3, -3, 3, 3);
        const bool added = mark == GraphMarks::Mark::Added;
        if (mark == GraphMarks::Mark::Conflict) {
            p.setPen(QPen(c.error, 1.5 * thick));
            p.setBrush(Qt::NoBrush);
            p.drawRoundedRect(rect, 8, 8);
            paintSign(p, rect.topLeft(), c.error, QStringLiteral("!"));
            continue;
        }
        p.setPen(QPen(added ? here.colour : c.warning, thick));
        p.setBrush(Qt::NoBrush);
        p.drawRoundedRect(rect, 8, 8);
        paintSign(p, rect.topLeft(), added ? here.colour : c.warning,
                  added ? here.sign : QStringLiteral("~"));
    }
    p.restore();
}

void paintMarkLegend(QPainter& p, const QFont& base, bool coming, bool conflicts)
{
    const ThemeColours& c = themeColours();
    const auto word = [](const char* text) {
        return QCoreApplication::translate("Marks", text);
    };
    std::vector<std::pair<QString, QColor>> entries = {
        {QStringLiteral("+  ") + (coming ? word(QT_TRANSLATE_NOOP("Marks", "comes"))
                                         : word(QT_TRANSLATE_NOOP("Marks", "added"))),
         c.added},
        {QStringLiteral("~  ") + (coming ? word(QT_TRANSLATE_NOOP("Marks", "changes"))
                                         : word(QT_TRANSLATE_NOOP("Marks", "changed"))),
         c.changed},
        {QStringLiteral("−  ") + (coming ? word(QT_TRANSLATE_NOOP("Marks", "goes"))
                                         : word(QT_TRANSLATE_NOOP("Marks", "removed"))),
         c.removed}};
    if (conflicts)
        entries.emplace_back(QStringLiteral("!  ") + word(QT_TRANSLATE_NOOP("Marks", "to decide")),
                             c.removed);
    p.save();
    QFont font = base;
    font.setPixelSize(12);
    p.setFont(font);
    const QFontMetrics metrics(font);
    int wide = 12;
    for (const auto& entry : entries)
        wide += metrics.horizontalAdvance(entry.first) + 14;
    const QRectF box(10, 10, wide, metrics.height() + 10);
    p.setPen(Qt::NoPen);
    QColor ground = c.legend;
    ground.setAlpha(220);
    p.setBrush(ground);
    p.drawRoundedRect(box, 4, 4);
    double x = box.left() + 12;
    for (const auto& [text, colour] : entries) {
        p.setPen(colour);
        p.drawText(QPointF(x, box.top() + 5 + metrics.ascent()), text);
        x += metrics.horizontalAdvance(text) + 14;
    }
    p.restore();
}

} // namespace floe::editor
