#include "canvas/canvas.hpp"
#include "canvas/joining.hpp"
#include "canvas/search_popup.hpp"

#include <cmath>

namespace floe::editor {

namespace {
bool crosses(const QPolygonF& line, QPointF a, QPointF b)
{
    const QLineF stroke(a, b);
    for (qsizetype i = 0; i + 1 < line.size(); ++i)
        if (stroke.intersects(QLineF(line[i], line[i + 1])) == QLineF::BoundedIntersection)
            return true;
    return false;
}
} // namespace

// --------------------------------------------------------------------------------------- nodes

void Canvas::beginNodes()
{
    dragFrom_.clear();
    moving_.clear();
    for (std::size_t i = 0; i < scene_.cards.size(); ++i)
        if (selection_.contains(scene_.cards[i].name)) {
            dragFrom_[int(i)] = scene_.cards[i].rect.topLeft();
            moving_.insert(int(i));
        }
    attention_.hoverWire = attention_.hoverCard = -1;
    backing_.leaveOut(moving_);
}

void Canvas::moveNodes(QPointF delta)
{
    const QPointF lead = dragFrom_.empty() ? QPointF() : dragFrom_.begin()->second;
    const QPointF by = snapped(lead + delta) - lead;
    for (const auto& [card, from] : dragFrom_)
        scene_.place(card, from + by);
    attention_.hoverWire = -1;
    if (dragFrom_.size() != 1)
        return;
    const Card& card = scene_.cards[std::size_t(dragFrom_.begin()->first)];
    if (!card.wires.empty())
        return;
    std::uint64_t in = 0, out = 0;
    for (const SocketItem& socket : card.inputs)
        in |= socket.bits;
    for (const SocketItem& socket : card.outputs)
        out |= socket.bits;
    for (std::size_t i = 0; i < scene_.wires.size(); ++i) {
        const Wire& wire = scene_.wires[i];
        if (!wire.bounds.intersects(card.rect) || wire.fromSocket < 0 || wire.toSocket < 0)
            continue;
        const auto& from =
            scene_.cards[std::size_t(wire.from)].outputs[std::size_t(wire.fromSocket)];
        const auto& to = scene_.cards[std::size_t(wire.to)].inputs[std::size_t(wire.toSocket)];
        if (!(from.bits & in) || !(to.bits & out))
            continue;
        for (qsizetype k = 0; k + 1 < wire.line.size(); ++k) {
            const QPointF middle = (wire.line[k] + wire.line[k + 1]) / 2;
            if (card.rect.contains(middle) || card.rect.contains(wire.line[k])) {
                attention_.hoverWire = int(i);
                return;
            }
        }
    }
}

void Canvas::endNodes()
{
    std::map<std::string, QPointF> places;
    for (const auto& [card, from] : dragFrom_)
        places[scene_.cards[std::size_t(card)].name] =
            scene_.cards[std::size_t(card)].rect.topLeft();
    std::optional<graph::Link> onto;
    if (attention_.hoverWire >= 0 && places.size() == 1)
        onto = scene_.wires[std::size_t(attention_.hoverWire)].link;
    dragFrom_.clear();
    moving_.clear();
    backing_.leaveOut({});
    attention_.hoverWire = -1;
    if (!onto)
        return document_.moveNodes(scope(), places);
    document_.begin(tr("Insert %1").arg(QString::fromStdString(places.begin()->first)));
    document_.moveNodes(scope(), places);
    document_.insertOnLink(scope(), places.begin()->first, *onto);
    document_.end();
}

// --------------------------------------------------------------------------------------- wires

void Canvas::beginPull(const Scene::SocketHit& hit)
{
    const Card& card = scene_.cards[std::size_t(hit.card)];
    const SocketItem& socket = (hit.output ? card.outputs : card.inputs)[std::size_t(hit.socket)];
    Pull pull{{card.name, socket.name}, hit.output, {}};
    if (!hit.output && socket.links > 0) { // take the last wire off and hold its loose end
        const auto& links = document_.graph(scope())->links;
        for (auto link = links.rbegin(); link != links.rend(); ++link)
            if (link->to == graph::Endpoint{card.name, socket.name}) {
                const int source = scene_.find(link->from.node);
                if (source >= 0 && document_.typeOf(scope(), link->from.node)) {
                    pull = {link->from, true, *link};
                    break;
                }
            }
    }
    // Cards that would close a loop: those that lead here, or that this one leads to.
    const int from = scene_.find(pull.fixed.node);
    unreachable_.assign(scene_.cards.size(), false);
    std::vector<int> open{from};
    unreachable_[std::size_t(from)] = true;
    while (!open.empty()) {
        const int at = open.back();
        open.pop_back();
        for (const int index : scene_.cards[std::size_t(at)].wires) {
            const Wire& wire = scene_.wires[std::size_t(index)];
            const int next = pull.fromOutput ? (wire.to == at ? wire.from : -1)
                                             : (wire.from == at ? wire.to : -1);
            if (next >= 0 && !unreachable_[std::size_t(next)]) {
                unreachable_[std::size_t(next)] = true;
                open.push_back(next);
            }
        }
    }
    attention_.pullingFromOutput = pull.fromOutput;
    attention_.pullBits = 0;
    const Card& fixed = scene_.cards[std::size_t(from)];
    for (const SocketItem& one : pull.fromOutput ? fixed.outputs : fixed.inputs)
        if (one.name == pull.fixed.socket)
            attention_.pullBits = one.bits;
    pull_ = std::move(pull);
    refusal_.clear();
    drag_ = Drag::Wire;
    repaint(); // sockets that do not fit fade
}

/// The socket under the pointer; over a card's body, its first free input that fits.
Scene::SocketHit Canvas::dropTarget(QPointF widgetPoint)
{
    const QPointF point = toScene(widgetPoint);
    if (const auto hit = scene_.socketAt(point, 1.6 * reach()))
        return hit;
    const int index = scene_.cardAt(point);
    if (index < 0)
        return {};
    const Card& card = scene_.cards[std::size_t(index)];
    const auto& list = pull_->fromOutput ? card.inputs : card.outputs;
    Scene::SocketHit best;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].bits & attention_.pullBits) {
            const bool free = list[i].links == 0 || list[i].multiple || !pull_->fromOutput;
            if (!best || free)
                best = {index, !pull_->fromOutput, int(i)};
            if (free)
                break;
        }
    return best ? best : Scene::SocketHit{index, !pull_->fromOutput, list.empty() ? -1 : 0};
}

void Canvas::movePull(QPointF point)
{
    refusal_.clear();
    attention_.hoverSocket = {};
    const auto hit = dropTarget(point);
    if (!hit)
        return;
    const Card& card = scene_.cards[std::size_t(hit.card)];
    if (hit.socket < 0) {
        if (card.name != pull_->fixed.node)
            refusal_ = pull_->fromOutput ? tr("'%1' has no inputs.").arg(card.title)
                                         : tr("'%1' has no outputs.").arg(card.title);
        return;
    }
    const SocketItem& socket = (hit.output ? card.outputs : card.inputs)[std::size_t(hit.socket)];
    const graph::Endpoint end{card.name, socket.name};
    if (end == pull_->fixed)
        return;
    attention_.hoverSocket = hit;
    if (hit.output == pull_->fromOutput) {
        refusal_ = hit.output ? tr("Both are outputs: a wire goes from an output to an input.")
                              : tr("Both are inputs: a wire goes from an output to an input.");
        return;
    }
    const graph::Link link =
        pull_->fromOutput ? graph::Link{pull_->fixed, end} : graph::Link{end, pull_->fixed};
    if (pull_->detached && *pull_->detached == link)
        return;
    refusal_ = document_.refusal(scope(), link);
}

void Canvas::endPull(QPointF point, Qt::KeyboardModifiers)
{
    if (!pull_)
        return;
    movePull(point);
    const Pull pull = *std::exchange(pull_, std::nullopt);
    const QString refused = std::exchange(refusal_, QString());
    const auto hit = std::exchange(attention_.hoverSocket, {});
    const bool far = std::hypot((point - pressed_).x(), (point - pressed_).y()) >= kClick;
    if (!refused.isEmpty()) {
        emit said(refused);
        return;
    }
    if (hit) {
        const Card& card = scene_.cards[std::size_t(hit.card)];
        const SocketItem& socket =
            (hit.output ? card.outputs : card.inputs)[std::size_t(hit.socket)];
        const graph::Endpoint end{card.name, socket.name};
        const graph::Link link =
            pull.fromOutput ? graph::Link{pull.fixed, end} : graph::Link{end, pull.fixed};
        if (pull.detached && *pull.detached == link)
            return;
        document_.begin(
            tr("Link %1 to %2")
                .arg(QString::fromStdString(link.from.node), QString::fromStdString(link.to.node)));
        if (pull.detached)
            document_.unlink(scope(), {*pull.detached});
        const std::size_t before = document_.graph(scope())->links.size();
        if (pull.detached) // put elsewhere: it alone was taken in hand
            document_.link(scope(), link);
        else
            linkTogether(document_, scope(), link);
        document_.end();
        if (!pull.detached && document_.graph(scope())->links.size() > before + 1)
            emit said(tr("Outputs of the same name were linked with it; undo takes it back"));
        return;
    }
    if (!far || scene_.cardAt(toScene(point)) >= 0)
        return;
    if (pull.detached) // dropped into the void: the wire is gone
        return document_.unlink(scope(), {*pull.detached});
    pendingPull_ = pull;
    searchAt_ = toScene(point);
    search_->open(entries(&pull), mapToGlobal(point.toPoint()) + QPoint(8, 8),
                  pull.fromOutput
                      ? tr("Takes the output '%1'").arg(QString::fromStdString(pull.fixed.socket))
                      : tr("Feeds the input '%1'").arg(QString::fromStdString(pull.fixed.socket)));
}

void Canvas::cutAlong()
{
    std::vector<graph::Link> gone;
    for (const Wire& wire : scene_.wires) {
        const QPolygonF line = view().map(wire.line);
        for (qsizetype i = 0; i + 1 < cut_.size(); ++i)
            if (crosses(line, cut_[i], cut_[i + 1])) {
                gone.push_back(wire.link);
                break;
            }
    }
    cut_.clear();
    if (!gone.empty())
        document_.unlink(scope(), gone);
}
} // namespace floe::editor
