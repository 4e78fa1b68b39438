#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"
#include "floe/base/error.hpp"

#include <cmath>

namespace floe::editor {

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
    document_.end();
    select({name});
}

} // namespace floe::editor
