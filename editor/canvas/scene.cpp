#include "canvas/scene.hpp"

#include <QCoreApplication>
#include <QFont>
#include <QFontMetricsF>

#include <cmath>

namespace floe::editor {

namespace {
QString label(const std::string& text, const std::string& otherwise)
{
    return QString::fromStdString(text.empty() ? otherwise : text);
}

std::vector<SocketItem> sockets(const std::vector<graph::Socket>& list, bool output)
{
    std::vector<SocketItem> items;
    double y = kHeaderHeight + kRowHeight / 2 + 3;
    for (const graph::Socket& socket : list) {
        SocketItem item;
        item.name = socket.name;
        item.label = label(socket.label, socket.name);
        item.help = QString::fromStdString(socket.help);
        item.kinds = socket.kinds;
        item.bits = kindBits(socket.kinds);
        item.look = kindLook(socket.kinds.empty() ? std::string() : socket.kinds.front());
        item.offset = {output ? kCardWidth : 0.0, y};
        item.required = socket.required;
        item.multiple = socket.multiple;
        items.push_back(std::move(item));
        y += kRowHeight;
    }
    return items;
}

double number(const Json& json, const char* key, double otherwise)
{
    const auto it = json.find(key);
    const double value = it != json.end() && it->is_number() ? it->get<double>() : otherwise;
    return std::clamp(value, -1e7, 1e7);
}

std::optional<QColor> colour(const Json& json)
{
    const auto it = json.is_object() ? json.find("color") : json.end();
    if (!json.is_object() || it == json.end() || !it->is_array() || it->size() != 3)
        return {};
    float rgb[3];
    for (std::size_t i = 0; i < 3; ++i) {
        if (!(*it)[i].is_number())
            return {};
        // Stored linear; shown as sRGB.
        rgb[i] = std::pow(std::clamp((*it)[i].get<float>(), 0.f, 1.f), 1 / 2.2f);
    }
    return QColor::fromRgbF(rgb[0], rgb[1], rgb[2]);
}

QString text(const Json& json, const char* key)
{
    const auto it = json.find(key);
    return it != json.end() && it->is_string()
               ? QString::fromStdString(it->get_ref<const std::string&>())
               : QString();
}

double distance(QPointF a, QPointF b, QPointF p)
{
    const QPointF d = b - a;
    const double length = QPointF::dotProduct(d, d);
    const double t =
        length > 0 ? std::clamp(QPointF::dotProduct(p - a, d) / length, 0.0, 1.0) : 0.0;
    const QPointF q = p - (a + d * t);
    return std::hypot(q.x(), q.y());
}
} // namespace

void Scene::ensure()
{
    if (stale_) {
        stale_ = false;
        build();
    }
}

void Scene::layOut(Card& card, const graph::Node& node)
{
    const graph::NodeType* type = document_.typeOf(scope, node.name);
    card.name = node.name;
    card.title = QString::fromStdString(node.name);
    card.instance = node.type == graph::kSubgraphType;
    card.bypass = node.bypass;
    card.ghost = document_.isGhost(scope, node.name);
    card.known = type != nullptr;
    if (card.instance)
        card.subtitle = QString::fromStdString(node.graph.empty() ? node.file : node.graph);
    else
        card.subtitle = type ? label(type->label, type->type) : QString::fromStdString(node.type);
    card.category = categoryColour(card.instance ? "Subgraph" : type ? type->category : "?");
    card.icon = card.instance ? "Subgraph" : type ? type->category : "";
    if (!type && !card.instance)
        card.category = QColor(0x70, 0x70, 0x70);
    if (const auto own = colour(node.layout))
        card.category = *own;
    if (type) {
        card.help = QString::fromStdString(type->help);
        card.inputs = sockets(type->inputs, false);
        card.outputs = sockets(type->outputs, true);
    }
    const std::size_t rows = std::max<std::size_t>({card.inputs.size(), card.outputs.size(), 1});
    card.rect = {document_.position(scope, node.name),
                 QSizeF(kCardWidth, kHeaderHeight + 6 + double(rows) * kRowHeight)};
    if (const auto status = statuses_.find(node.name); status != statuses_.end())
        card.status = status->second;
    card.titleText.setTextFormat(Qt::PlainText);
    card.subtitleText.setTextFormat(Qt::PlainText);
}

void Scene::build()
{
    cards.clear();
    wires.clear();
    index_.clear();
    const graph::Graph* g = document_.graph(scope);
    if (!g)
        return;
    cards.resize(g->nodes.size());
    index_.reserve(g->nodes.size());
    for (std::size_t i = 0; i < g->nodes.size(); ++i) {
        layOut(cards[i], g->nodes[i]);
        index_.emplace(g->nodes[i].name, int(i));
    }
    std::erase_if(statuses_, [this](const auto& entry) { return !index_.contains(entry.first); });
    const auto socketIndex = [](const std::vector<SocketItem>& list, const std::string& name) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i].name == name)
                return int(i);
        return -1;
    };
    wires.reserve(g->links.size());
    for (const graph::Link& link : g->links) {
        Wire wire;
        wire.link = link;
        wire.from = find(link.from.node);
        wire.to = find(link.to.node);
        if (wire.from < 0 || wire.to < 0)
            continue; // the check says so
        Card& from = cards[std::size_t(wire.from)];
        Card& to = cards[std::size_t(wire.to)];
        wire.fromSocket = socketIndex(from.outputs, link.from.socket);
        wire.toSocket = socketIndex(to.inputs, link.to.socket);
        wire.colour = QColor(0x80, 0x80, 0x80);
        if (wire.fromSocket >= 0) {
            SocketItem& socket = from.outputs[std::size_t(wire.fromSocket)];
            ++socket.links;
            wire.colour = socket.look.colour;
        }
        if (wire.toSocket >= 0)
            ++to.inputs[std::size_t(wire.toSocket)].links;
        wire.bends = document_.bends(scope, link);
        wire.note = document_.wireNote(scope, link);
        from.wires.push_back(int(wires.size()));
        if (wire.to != wire.from)
            to.wires.push_back(int(wires.size()));
        route(wire);
        wires.push_back(std::move(wire));
    }
    buildDecorations();
}

void Scene::buildDecorations()
{
    backdrops.clear();
    notes.clear();
    const graph::Graph* g = document_.graph(scope);
    if (g->backdrops.is_object())
        for (const auto& [name, json] : g->backdrops.items()) {
            if (!json.is_object())
                continue;
            const auto rect = json.find("rect");
            if (rect == json.end() || !rect->is_array() || rect->size() != 4 ||
                !std::all_of(rect->begin(), rect->end(),
                             [](const Json& v) { return v.is_number(); }))
                continue;
            const auto at = [&](std::size_t i) {
                return std::clamp((*rect)[i].get<double>(), -1e7, 1e7);
            };
            backdrops.push_back({name, text(json, "title"),
                                 QRectF(at(0), at(1), std::max(at(2), 40.0), std::max(at(3), 40.0)),
                                 colour(json).value_or(QColor(0x5a, 0x6a, 0x7c))});
        }
    QFont font;
    font.setPixelSize(13);
    const QFontMetricsF metrics(font);
    if (g->notes.is_object())
        for (const auto& [name, json] : g->notes.items()) {
            if (!json.is_object())
                continue;
            NoteItem note{name, text(json, "text").left(4000), {}};
            const double width = std::max(number(json, "width", 260), 60.0);
            const QRectF needed =
                metrics.boundingRect(QRectF(0, 0, width - 24, 1e5), Qt::TextWordWrap, note.text);
            note.rect = QRectF(number(json, "x", 0), number(json, "y", 0),
                               std::min(width, needed.width() + 26), needed.height() + 18);
            notes.push_back(std::move(note));
        }
}

int Scene::find(const std::string& name) const
{
    const auto it = index_.find(name);
    return it == index_.end() ? -1 : it->second;
}

int Scene::findWire(const graph::Link& link) const
{
    for (std::size_t i = 0; i < wires.size(); ++i)
        if (wires[i].link == link)
            return int(i);
    return -1;
}

void Scene::place(int card, QPointF corner)
{
    Card& moved = cards[std::size_t(card)];
    moved.rect.moveTopLeft(corner);
    for (const int wire : moved.wires)
        route(wires[std::size_t(wire)]);
}

void Scene::updateLayout(const std::string& name)
{
    if (stale_)
        return;
    const int card = find(name);
    const graph::Node* node = document_.node(scope, name);
    if (card < 0 || !node)
        return;
    Card& changed = cards[std::size_t(card)];
    changed.ghost = document_.isGhost(scope, name);
    if (node->layout.is_object() &&
        (node->layout.contains("color") || node->layout.contains("bends"))) {
        if (const auto own = colour(node->layout))
            changed.category = *own;
        for (const int index : changed.wires) {
            Wire& wire = wires[std::size_t(index)];
            if (wire.to != card)
                continue;
            wire.bends = document_.bends(scope, wire.link);
            wire.note = document_.wireNote(scope, wire.link);
        }
    } else { // colour and bends may be gone
        const graph::NodeType* type = document_.typeOf(scope, name);
        changed.category = changed.instance ? categoryColour("Subgraph")
                           : type           ? categoryColour(type->category)
                                            : QColor(0x70, 0x70, 0x70);
        for (const int index : changed.wires)
            if (Wire& wire = wires[std::size_t(index)]; wire.to == card) {
                wire.bends.clear();
                wire.note.clear();
            }
    }
    place(card, document_.position(scope, name));
}

void Scene::updateNode(const std::string& name)
{
    if (stale_)
        return;
    const int card = find(name);
    if (const graph::Node* node = document_.node(scope, name); card >= 0 && node)
        cards[std::size_t(card)].bypass = node->bypass;
}

QPointF Scene::freePlace(const std::string& name, QPointF place) const
{
    constexpr double kBelow = 20; // between cards that are placed for somebody
    const int own = find(name);
    if (own < 0)
        return place;
    const QSizeF size = cards[std::size_t(own)].rect.size();
    for (std::size_t i = 0; i < cards.size(); ++i) // each moves it down at most once
        for (const Card& card : cards)
            if (card.name != name && card.rect.intersects(QRectF(place, size)))
                place.setY(std::ceil((card.rect.bottom() + kBelow) / 10) * 10);
    return place;
}

QRectF Scene::setStatus(const std::string& name, const NodeStatus& status)
{
    statuses_[name] = status;
    const int card = stale_ ? -1 : find(name);
    if (card < 0 || cards[std::size_t(card)].status == status)
        return {};
    cards[std::size_t(card)].status = status;
    return cards[std::size_t(card)].rect;
}

QRectF Scene::bounds() const
{
    QRectF all;
    for (const Card& card : cards)
        all |= card.rect;
    for (const Backdrop& backdrop : backdrops)
        all |= backdrop.rect;
    for (const NoteItem& note : notes)
        all |= note.rect;
    return all;
}

QPointF Scene::start(const Wire& wire) const
{
    const Card& card = cards[std::size_t(wire.from)];
    return wire.fromSocket >= 0 ? card.socket(true, wire.fromSocket)
                                : card.rect.topRight() + QPointF(0, kHeaderHeight / 2);
}

QPointF Scene::end(const Wire& wire) const
{
    const Card& card = cards[std::size_t(wire.to)];
    return wire.toSocket >= 0 ? card.socket(false, wire.toSocket)
                              : card.rect.topLeft() + QPointF(0, kHeaderHeight / 2);
}

QPainterPath Scene::curve(QPointF from, QPointF to, const std::vector<QPointF>& bends)
{
    QPainterPath path(from);
    QPointF last = from;
    const auto piece = [&](QPointF next) {
        const double dx = next.x() - last.x(), dy = std::abs(next.y() - last.y());
        double reach = std::clamp(std::abs(dx) * 0.5, 8.0, 160.0);
        if (dx < 0) // behind: a wider loop
            reach = std::clamp(std::abs(dx) * 0.6, 40.0, 160.0) + std::min(dy * 0.1, 40.0);
        path.cubicTo(last + QPointF(reach, 0), next - QPointF(reach, 0), next);
        last = next;
    };
    for (const QPointF& bend : bends)
        piece(bend);
    piece(to);
    return path;
}

QPolygonF Scene::pieces(const QPainterPath& path, int perPart)
{
    QPolygonF line;
    for (int i = 0; i + 2 < path.elementCount(); i += 3) {
        const QPointF a = path.elementAt(i), b = path.elementAt(i + 1), c = path.elementAt(i + 2),
                      d = path.elementAt(i + 3);
        for (int k = i ? 1 : 0; k <= perPart; ++k) {
            const double t = double(k) / perPart, u = 1 - t;
            line << u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
        }
    }
    return line;
}

void Scene::route(Wire& wire)
{
    wire.path = curve(start(wire), end(wire), wire.bends);
    wire.line = pieces(wire.path, 12);
    wire.bounds = wire.path.controlPointRect().adjusted(-3, -3, 3, 3);
}

Scene::SocketHit Scene::socketAt(QPointF point, double reach) const
{
    SocketHit best;
    double nearest = reach;
    for (std::size_t i = cards.size(); i-- > 0;) {
        const Card& card = cards[i];
        if (!card.rect.adjusted(-reach, -reach, reach, reach).contains(point))
            continue;
        for (const bool output : {true, false}) {
            const auto& list = output ? card.outputs : card.inputs;
            for (std::size_t k = 0; k < list.size(); ++k) {
                const QPointF d = card.socket(output, int(k)) - point;
                if (const double length = std::hypot(d.x(), d.y()); length < nearest) {
                    nearest = length;
                    best = {int(i), output, int(k)};
                }
            }
        }
    }
    return best;
}

int Scene::cardAt(QPointF point) const
{
    for (std::size_t i = cards.size(); i-- > 0;)
        if (cards[i].rect.contains(point))
            return int(i);
    return -1;
}

int Scene::wireAt(QPointF point, double reach) const
{
    int best = -1;
    double nearest = reach;
    for (std::size_t i = 0; i < wires.size(); ++i) {
        const Wire& wire = wires[i];
        if (!wire.bounds.adjusted(-reach, -reach, reach, reach).contains(point))
            continue;
        for (qsizetype k = 0; k + 1 < wire.line.size(); ++k)
            if (const double d = distance(wire.line[k], wire.line[k + 1], point); d < nearest) {
                nearest = d;
                best = int(i);
            }
    }
    return best;
}

std::pair<int, int> Scene::bendAt(QPointF point, double reach) const
{
    for (std::size_t i = 0; i < wires.size(); ++i)
        for (std::size_t k = 0; k < wires[i].bends.size(); ++k)
            if (const QPointF d = wires[i].bends[k] - point; std::hypot(d.x(), d.y()) < reach)
                return {int(i), int(k)};
    return {-1, -1};
}

} // namespace floe::editor
