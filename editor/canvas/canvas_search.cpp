#include "canvas/canvas.hpp"
#include "canvas/joining.hpp"
#include "canvas/search_popup.hpp"
#include "document/files.hpp"
#include "document/presets.hpp"
#include "document/translated.hpp"
#include "floe/base/error.hpp"
#include "floe/graph/check.hpp"

#include <QCollator>
#include <QFileInfo>

#include <algorithm>
#include <cmath>

namespace floe::editor {

namespace {
constexpr double kBeside = 60; // between cards that are placed for somebody

double onGrid(double x)
{
    return std::ceil(x / 10) * 10;
}

/// What sets a type's presets apart: each becomes an entry that puts down the node with it.
void addPresets(const graph::NodeType& type, std::vector<Entry>& entries)
{
    const QString label = QString::fromStdString(type.label.empty() ? type.type : type.label);
    for (const graph::Preset& preset : type.presets) {
        const QString own =
            QString::fromStdString(preset.label.empty() ? preset.name : preset.label);
        entries.push_back({PresetOf{&type, &preset}.id(),
                           own,
                           QString::fromStdString(type.categoryLabel),
                           {label + ' ' + own, QString::fromStdString(preset.name)},
                           QString::fromStdString(preset.help),
                           label,
                           QString::fromStdString(type.category),
                           {},
                           QString::fromStdString(preset.picture)});
    }
}

/// Whether the type reads such files by a parameter. @param suffix  lower case
const graph::ParameterSpec* readerOf(const graph::NodeType& type, const std::string& suffix)
{
    for (const graph::ParameterSpec& spec : type.parameters)
        if (std::find(spec.extensions.begin(), spec.extensions.end(), suffix) !=
            spec.extensions.end())
            return &spec;
    return nullptr;
}

/// Of all types that read such files, the one whose manifest names the ending soonest: a list
/// begins with what a node is for. Of equal ones, that which takes the least besides.
std::pair<const graph::NodeType*, const graph::ParameterSpec*>
bestReader(const graph::TypeLibrary& types, const std::string& suffix)
{
    std::pair<const graph::NodeType*, const graph::ParameterSpec*> best{};
    std::pair<std::ptrdiff_t, std::size_t> bestRank;
    for (const graph::NodeType* type : types.all()) {
        const graph::ParameterSpec* spec = readerOf(*type, suffix);
        if (!spec)
            continue;
        const auto& endings = spec->extensions;
        const std::pair rank(std::find(endings.begin(), endings.end(), suffix) - endings.begin(),
                             type->inputs.size());
        if (!best.first || rank < bestRank) {
            best = {type, spec};
            bestRank = rank;
        }
    }
    return best;
}

/// A new node that reads the file.
std::string addReader(Document& document, const std::string& scope, const graph::NodeType& type,
                      const graph::ParameterSpec& spec, const QString& file, QPointF place)
{
    const std::string name = document.addNode(scope, type.type, place);
    const QString folder = QString::fromStdString(document.content().folder());
    std::vector<std::pair<std::string, Json>> values{
        {spec.name, pathInScene(folder, file).toStdString()}};
    for (const graph::Condition& condition : spec.shownWhen) // it reads files among other things
        if (const graph::ParameterSpec* of = type.parameter(condition.parameter))
            values.emplace_back(of->name, of->type == graph::ValueType::Bool
                                              ? Json(condition.values.front() == "true")
                                              : Json(condition.values.front()));
    document.setParameters(scope, name, values, {}); // part of a step that has a name
    return name;
}

/// Where a node belongs that was linked: right of what feeds it, unless `place` is there already;
/// what feeds others stays.
QPointF besideSources(const Document& document, const Scene& scene, const std::string& scope,
                      const std::string& name, QPointF place)
{
    double right = -1e30, top = 1e30;
    for (const graph::Link& link : document.graph(scope)->links)
        if (const int at = link.to.node == name ? scene.find(link.from.node) : -1; at >= 0) {
            const QRectF& source = scene.cards[std::size_t(at)].rect;
            right = std::max(right, source.right());
            top = std::min(top, source.top());
        }
    return right < place.x() ? place : QPointF(onGrid(right + kBeside), top);
}
} // namespace

std::vector<Entry> Canvas::entries(const Pull* pull) const
{
    std::vector<Entry> found, presets; // presets after the types: they are many
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
        entry.group = QString::fromStdString(type->categoryLabel);
        entry.colour = QString::fromStdString(type->category);
        entry.help = QString::fromStdString(type->help);
        for (const std::string& alias : type->aliases)
            entry.aliases += QString::fromStdString(alias);
        entry.aliases += QString::fromStdString(type->type).section('.', -1);
        found.push_back(std::move(entry));
        addPresets(*type, presets);
    }
    const QCollator order{QLocale()}; // "Émetteurs" beside "Emitters", not after "Z"
    std::stable_sort(found.begin(), found.end(), [&](const Entry& a, const Entry& b) {
        const int groups = order.compare(a.group, b.group);
        return groups ? groups < 0 : order.compare(a.label, b.label) < 0;
    });
    if (!pull) {
        for (const auto& [name, content] : document_.content().subgraphs)
            if (name != scope())
                found.push_back({"subgraph:" + QString::fromStdString(name),
                                 QString::fromStdString(name),
                                 tr("Subgraph"),
                                 {"subgraph", "group"},
                                 tr("Another instance of this document's subgraph."),
                                 tr("Subgraph"),
                                 "Subgraph"});
        const std::vector<Entry> assets = assetEntries();
        found.insert(found.end(), assets.begin(), assets.end());
    }
    found.insert(found.end(), presets.begin(), presets.end());
    if (!pull) // last: one is called as the preset that it shows
        found.insert(found.end(), scenes_.begin(), scenes_.end());
    return found;
}

/// Adds the nodes of a graph, each followed by those of its subgraph, by their full names.
void Canvas::listNodes(const graph::Graph& graph, const QString& path, int depth,
                       std::vector<Entry>& found) const
{
    constexpr std::size_t kMost = 20'000; // of what nobody could read through
    for (const graph::Node& node : graph.nodes) {
        if (found.size() >= kMost)
            return;
        const graph::NodeType* type = document_.types().find(node.type);
        const bool instance = node.type == graph::kSubgraphType;
        const QString name = QString::fromStdString(node.name);
        Entry entry;
        entry.id = path + name;
        entry.label = path + name;
        entry.group = type ? QString::fromStdString(type->categoryLabel) : QString();
        entry.colour = type       ? QString::fromStdString(type->category)
                       : instance ? QStringLiteral("Subgraph")
                                  : QStringLiteral("?");
        entry.hint = instance ? QString::fromStdString(node.graph.empty() ? node.file : node.graph)
                     : type   ? QString::fromStdString(type->label)
                              : QString::fromStdString(node.type);
        entry.aliases = {entry.hint};
        if (type)
            entry.help = QString::fromStdString(type->help);
        found.push_back(std::move(entry));
        if (instance && node.file.empty() && depth < graph::kMaxSubgraphDepth)
            if (const graph::Graph* inner = document_.graph(node.graph))
                listNodes(*inner, path + name + '/', depth + 1, found);
    }
}

void Canvas::openFind()
{
    std::vector<Entry> found;
    listNodes(document_.content().graph, {}, 0, found);
    find_->open(std::move(found), mapToGlobal(rect().center() - QPoint(160, height() / 3)));
}

void Canvas::openSearch(QPointF point)
{
    if (!rect().contains(point.toPoint()))
        point = rect().center();
    pendingPull_.reset();
    searchAt_ = toScene(point);
    search_->open(entries(nullptr), mapToGlobal(point.toPoint()));
}

bool Canvas::addReaderOf(const QString& file, QPointF point)
{
    const std::string suffix = QFileInfo(file).suffix().toLower().toStdString();
    const auto all = document_.types().all();
    if (std::none_of(all.begin(), all.end(),
                     [&](const graph::NodeType* type) { return readerOf(*type, suffix); }))
        return false;
    pendingPull_.reset();
    searchAt_ = toScene(rect().contains(point.toPoint()) ? point : rect().center());
    addChosen("file:" + file);
    return true;
}

void Canvas::addChosen(const QString& id, const QString& typed, const Added& added)
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
            emit said(translated(error));
        }
    } else if (id.startsWith("asset:")) {
        name = addAsset(id.mid(6), place);
    } else if (id.startsWith("file:")) {
        const std::string suffix = QFileInfo(id).suffix().toLower().toStdString();
        if (const auto [reader, spec] = bestReader(document_.types(), suffix); reader)
            name = addReader(document_, scope(), *reader, *spec, id.mid(5), place);
    } else if (id.startsWith("preset:")) {
        if (const auto chosen = findPreset(document_.types(), id))
            name = addPreset(document_, scope(), *chosen, place);
    } else {
        name = document_.addNode(scope(), id.toStdString(), place);
    }
    const graph::NodeType* type = document_.typeOf(scope(), name);
    if (pull && type)
        for (const graph::Socket& socket : pull->fromOutput ? type->inputs : type->outputs) {
            const graph::Endpoint end{name, socket.name};
            if (linkTogether(document_, scope(),
                             pull->fromOutput ? graph::Link{pull->fixed, end}
                                              : graph::Link{end, pull->fixed}))
                break;
        }
    if (!pull && type) { // with nodes selected, it belongs to those
        bool beside = false;
        for (const std::string& chosen : selection()) {
            const auto side = join(document_, scope(), chosen, name);
            const int at = scene().find(chosen);
            if (!side || at < 0 || std::exchange(beside, true))
                continue;
            const QRectF card = scene().cards[std::size_t(at)].rect;
            place = {*side == Qt::RightEdge ? card.right() + kBeside
                                            : card.left() - kBeside - kCardWidth,
                     card.top()};
        }
    }
    if (type) { // what nobody uses yet waited for it
        const int links = joinFree(document_, scope(), {name});
        if (links > 0)
            emit said(tr("%n wire(s) made to what was free; undo takes them back", nullptr, links));
        if (links > 0 && !pull)
            place = besideSources(document_, scene(), scope(), name, place);
    }
    if (type && !id.contains(':'))
        name = document_.nameByRole(scope(), name, typed);
    if (!pull && type)
        document_.moveNodes(scope(), {{name, scene().freePlace(name, place)}});
    if (added && !name.empty())
        added(name);
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
