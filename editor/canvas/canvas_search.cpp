#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"
#include "floe/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {
constexpr double kBeside = 60, kBelow = 20; // between cards that are placed for somebody

double onGrid(double x)
{
    return std::ceil(x / 10) * 10;
}

/// Links the new node after the chosen one, or before it where an input is free.
/// @return which it was; nothing when they do not fit
std::optional<Qt::Edge> join(Document& document, const std::string& scope,
                             const std::string& chosen, const std::string& added)
{
    const graph::NodeType *a = document.typeOf(scope, chosen), *b = document.typeOf(scope, added);
    if (!a || !b)
        return std::nullopt;
    for (const graph::Socket& input : b->inputs)
        for (const graph::Socket& output : a->outputs)
            if (kindBits(input.kinds) & kindBits(output.kinds))
                if (document.link(scope, {{chosen, output.name}, {added, input.name}})) {
                    for (const graph::Socket& same : b->inputs) // a shape's mesh goes with it
                        if (same.name != input.name && a->output(same.name))
                            document.link(scope, {{chosen, same.name}, {added, same.name}});
                    return Qt::RightEdge;
                }
    const auto isFree = [&](const graph::Socket& input) {
        const auto& links = document.graph(scope)->links;
        return input.multiple || std::none_of(links.begin(), links.end(), [&](const auto& link) {
                   return link.to.node == chosen && link.to.socket == input.name;
               });
    };
    for (const graph::Socket& input : a->inputs)
        for (const graph::Socket& output : b->outputs)
            if ((kindBits(input.kinds) & kindBits(output.kinds)) && isFree(input))
                if (document.link(scope, {{added, output.name}, {chosen, input.name}}))
                    return Qt::LeftEdge;
    return std::nullopt;
}

/// The first place from `place` down where a card covers no other.
QPointF freePlace(const Scene& scene, const std::string& name, QPointF place)
{
    const int own = scene.find(name);
    if (own < 0)
        return place;
    const QSizeF size = scene.cards[std::size_t(own)].rect.size();
    for (std::size_t i = 0; i < scene.cards.size(); ++i) // each moves it down at most once
        for (const Card& card : scene.cards)
            if (card.name != name && card.rect.intersects(QRectF(place, size)))
                place.setY(onGrid(card.rect.bottom() + kBelow));
    return place;
}
} // namespace

std::vector<Entry> Canvas::entries(const Pull* pull) const
{
    std::vector<Entry> found;
    std::uint64_t bits = 0;
    if (pull)
        if (const graph::NodeType* type = document_.typeOf(scope(), pull->fixed.node))
            if (const graph::Socket* socket = pull->fromOutput ? type->output(pull->fixed.socket)
                                                               : type->input(pull->fixed.socket))
                bits = kindBits(socket->kinds);
    const auto fits = [&](const std::vector<graph::Socket>& sockets) {
        return std::any_of(sockets.begin(), sockets.end(),
                           [&](const auto& socket) { return kindBits(socket.kinds) & bits; });
    };
    for (const graph::NodeType* type : document_.types().all()) {
        if (pull && !fits(pull->fromOutput ? type->inputs : type->outputs))
            continue;
        Entry entry;
        entry.id = QString::fromStdString(type->type);
        entry.label = QString::fromStdString(type->label.empty() ? type->type : type->label);
        entry.group = QString::fromStdString(type->category);
        entry.help = QString::fromStdString(type->help);
        for (const std::string& alias : type->aliases)
            entry.aliases += QString::fromStdString(alias);
        entry.aliases += QString::fromStdString(type->type).section('.', -1);
        found.push_back(std::move(entry));
    }
    std::stable_sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.group, a.label) < std::tie(b.group, b.label);
    });
    if (!pull) {
        for (const auto& [name, content] : document_.content().subgraphs)
            if (name != scope())
                found.push_back({"subgraph:" + QString::fromStdString(name),
                                 QString::fromStdString(name),
                                 "Subgraph",
                                 {"subgraph", "group"},
                                 tr("Another instance of this document's subgraph."),
                                 tr("Subgraph")});
        const std::vector<Entry> assets = assetEntries();
        found.insert(found.end(), assets.begin(), assets.end());
        found.insert(found.end(), scenes_.begin(), scenes_.end());
    }
    return found;
}

void Canvas::openSearch(QPointF point)
{
    if (!rect().contains(point.toPoint()))
        point = rect().center();
    pendingPull_.reset();
    searchAt_ = toScene(point);
    search_->open(entries(nullptr), mapToGlobal(point.toPoint()));
}

void Canvas::addChosen(const QString& id)
{
    const std::optional<Pull> pull = std::exchange(pendingPull_, std::nullopt);
    setFocus();
    if (id.startsWith("scene:"))
        return emit sceneChosen(id.mid(6));
    QPointF place(std::round(searchAt_.x() / 10) * 10, std::round(searchAt_.y() / 10) * 10);
    if (pull) // the socket comes to lie where the wire was dropped
        place -= QPointF(pull->fromOutput ? 0 : kCardWidth, kHeaderHeight + kRowHeight / 2);
    document_.begin(tr("Add node"));
    std::string name;
    if (id.startsWith("subgraph:")) {
        const std::string subgraph = id.mid(9).toStdString();
        const Json node{
            {"floe", graph::kDocumentFormat},
            {"nodes", {{subgraph, {{"type", graph::kSubgraphType}, {"graph", subgraph}}}}}};
        try {
            const auto names = document_.paste(scope(), node.dump(), place);
            name = names.empty() ? std::string() : names.front();
        } catch (const Error& error) {
            emit said(QString::fromUtf8(error.what()));
        }
    } else if (id.startsWith("asset:")) {
        name = addAsset(id.mid(6), place);
    } else {
        name = document_.addNode(scope(), id.toStdString(), place);
    }
    const graph::NodeType* type = document_.typeOf(scope(), name);
    if (pull && type)
        for (const graph::Socket& socket : pull->fromOutput ? type->inputs : type->outputs) {
            const graph::Endpoint end{name, socket.name};
            if (document_.link(scope(), pull->fromOutput ? graph::Link{pull->fixed, end}
                                                         : graph::Link{end, pull->fixed}))
                break;
        }
    if (!pull && type) { // with a node selected, it belongs to that
        const std::string chosen = selection_.size() == 1 ? *selection_.begin() : std::string();
        const int at = scene().find(chosen);
        if (const auto side = join(document_, scope(), chosen, name); side && at >= 0) {
            const QRectF beside = scene().cards[std::size_t(at)].rect;
            place = {*side == Qt::RightEdge ? beside.right() + kBeside
                                            : beside.left() - kBeside - kCardWidth,
                     beside.top()};
        }
        document_.moveNodes(scope(), {{name, freePlace(scene(), name, place)}});
    }
    document_.end();
    select({name});
    if (const int card = scene().find(name); card >= 0) { // in sight
        constexpr double rim = 24;
        const QRectF there = view().mapRect(scene_.cards[std::size_t(card)].rect);
        const auto shift = [](double low, double high, double end) {
            return low < rim ? rim - low : high > end - rim ? end - rim - high : 0;
        };
        const QPointF by(shift(there.left(), there.right(), width()),
                         shift(there.top(), there.bottom(), height()));
        if (!by.isNull())
            setView(zoom_, origin_ + by);
    }
}

} // namespace floe::editor
