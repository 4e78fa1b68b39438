#include "canvas/canvas.hpp"
#include "canvas/search_popup.hpp"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainterPathStroker>
#include <QToolTip>

#include <cmath>

namespace floe::editor {

namespace {
constexpr double kClick = 4; // pixels that are still a click
constexpr double kSnap = 10; // scene units

double reach(double zoom)
{
    return 10 / std::clamp(zoom, 0.4, 1.5);
}

QPointF snapped(QPointF point)
{
    return {std::round(point.x() / kSnap) * kSnap, std::round(point.y() / kSnap) * kSnap};
}

bool crosses(const QPolygonF& line, QPointF a, QPointF b)
{
    const QLineF stroke(a, b);
    for (qsizetype i = 0; i + 1 < line.size(); ++i)
        if (stroke.intersects(QLineF(line[i], line[i + 1])) == QLineF::BoundedIntersection)
            return true;
    return false;
}
} // namespace

void Canvas::mousePressEvent(QMouseEvent* event)
{
    closeEditor();
    setFocus(Qt::MouseFocusReason);
    QToolTip::hideText();
    if (drag_ != Drag::None) {
        if (event->button() == Qt::RightButton)
            cancelDrag();
        return;
    }
    scene_.ensure();
    pressed_ = last_ = event->position();
    dragging_ = false;
    const QPointF point = toScene(pressed_);
    const auto modifiers = event->modifiers();

    if (event->button() == Qt::MiddleButton ||
        (event->button() == Qt::LeftButton && modifiers.testFlag(Qt::AltModifier))) {
        drag_ = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
        return;
    }
    if ((event->button() == Qt::RightButton && modifiers.testFlag(Qt::ControlModifier)) ||
        (event->button() == Qt::LeftButton && cutKey_)) {
        drag_ = Drag::Cut;
        cut_ = QPolygonF{pressed_};
        setCursor(Qt::CrossCursor);
        return;
    }
    if (event->button() != Qt::LeftButton)
        return;

    const bool add = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    if (const auto hit = scene_.socketAt(point, reach(zoom_)); hit && zoom_ >= 0.22)
        return beginPull(hit);
    if (const auto bend = scene_.bendAt(point, reach(zoom_)); bend.first >= 0) {
        bend_ = bend;
        drag_ = Drag::Bend;
        return;
    }
    if (const int card = scene_.cardAt(point); card >= 0) {
        const std::string name = scene_.cards[std::size_t(card)].name;
        std::vector<std::string> chosen = selection();
        if (add) {
            if (selection_.contains(name))
                std::erase(chosen, name);
            else
                chosen.push_back(name);
            select(chosen);
        } else if (!selection_.contains(name)) {
            select({name});
        }
        drag_ = Drag::Nodes;
        return;
    }
    if (const int wire = scene_.wireAt(point, 6 / zoom_); wire >= 0) {
        if (!add)
            select({});
        selectedWires_.insert(wire);
        selectedDecoration_.clear();
        update();
        return;
    }
    if (const std::string note = noteAt(point); !note.empty()) {
        select({});
        selectedDecoration_ = "note:" + note;
        drag_ = Drag::Note;
        return;
    }
    bool corner = false;
    if (const std::string backdrop = backdropAt(point, corner); !backdrop.empty()) {
        select({});
        selectedDecoration_ = "frame:" + backdrop;
        drag_ = corner ? Drag::BackdropSize : Drag::Backdrop;
        for (const Backdrop& one : scene_.backdrops)
            if (one.name == backdrop)
                dragRect_ = one.rect;
        return;
    }
    if (!add)
        select({});
    drag_ = Drag::Box;
}

void Canvas::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF now = event->position();
    const QPointF step = now - last_;
    last_ = now;
    if (drag_ == Drag::None)
        return hover(now);
    if (!dragging_ && std::hypot((now - pressed_).x(), (now - pressed_).y()) < kClick &&
        drag_ != Drag::Pan)
        return;
    const bool first = !dragging_;
    dragging_ = true;
    scene_.ensure();
    const QPointF moved = (now - pressed_) / zoom_;
    switch (drag_) {
    case Drag::Pan:
        setView(zoom_, origin_ + step);
        return;
    case Drag::Nodes:
        if (first)
            beginNodes();
        moveNodes(moved);
        break;
    case Drag::Wire:
        movePull(now);
        break;
    case Drag::Cut:
        cut_ << now;
        break;
    case Drag::Bend: {
        Wire& wire = scene_.wires[std::size_t(bend_.first)];
        wire.bends[std::size_t(bend_.second)] = snapped(toScene(now));
        scene_.place(wire.to, scene_.cards[std::size_t(wire.to)].rect.topLeft());
        break;
    }
    case Drag::Backdrop: {
        if (first) { // what lies in it goes with it
            for (std::size_t i = 0; i < scene_.cards.size(); ++i)
                if (dragRect_.contains(scene_.cards[i].rect.center()))
                    dragFrom_[int(i)] = scene_.cards[i].rect.topLeft();
            for (const NoteItem& note : scene_.notes)
                if (dragRect_.contains(note.rect.center()))
                    dragNotes_[note.name] = note.rect.topLeft();
        }
        const QPointF by = snapped(moved);
        for (const auto& [card, from] : dragFrom_)
            scene_.place(card, from + by);
        for (Backdrop& one : scene_.backdrops)
            if ("frame:" + one.name == selectedDecoration_)
                one.rect = dragRect_.translated(by);
        for (NoteItem& note : scene_.notes)
            if (const auto from = dragNotes_.find(note.name); from != dragNotes_.end())
                note.rect.moveTopLeft(from->second + by);
        break;
    }
    case Drag::BackdropSize:
        for (Backdrop& one : scene_.backdrops)
            if ("frame:" + one.name == selectedDecoration_) {
                const QPointF size =
                    snapped(QPointF(dragRect_.width(), dragRect_.height()) + moved);
                one.rect.setSize({std::max(size.x(), 80.0), std::max(size.y(), 60.0)});
            }
        break;
    case Drag::Note:
        for (NoteItem& note : scene_.notes)
            if ("note:" + note.name == selectedDecoration_)
                note.rect.translate(step / zoom_);
        break;
    case Drag::Box:
    case Drag::None:
        break;
    }
    update();
}

void Canvas::mouseReleaseEvent(QMouseEvent* event)
{
    last_ = event->position();
    const Drag drag = std::exchange(drag_, Drag::None);
    const bool dragged = std::exchange(dragging_, false);
    unsetCursor();
    scene_.ensure();
    switch (drag) {
    case Drag::Nodes:
        if (dragged)
            endNodes();
        else if (!(event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier)))
            if (const int card = scene_.cardAt(toScene(last_)); card >= 0)
                select({scene_.cards[std::size_t(card)].name});
        break;
    case Drag::Wire:
        endPull(last_, event->modifiers());
        break;
    case Drag::Cut:
        cutAlong();
        break;
    case Drag::Bend:
        if (dragged) {
            const Wire wire = scene_.wires[std::size_t(bend_.first)];
            document_.setBends(scope(), wire.link, wire.bends);
        }
        break;
    case Drag::Box:
        if (dragged) {
            const QRectF box = QRectF(toScene(pressed_), toScene(last_)).normalized();
            std::vector<std::string> chosen;
            if (event->modifiers() & (Qt::ShiftModifier | Qt::ControlModifier))
                chosen = selection();
            for (const Card& card : scene_.cards)
                if (box.intersects(card.rect))
                    chosen.push_back(card.name);
            select(chosen);
        }
        break;
    case Drag::Backdrop:
    case Drag::BackdropSize:
        if (dragged) {
            const graph::Graph* g = document_.graph(scope());
            const std::string name = selectedDecoration_.substr(6);
            std::map<std::string, QPointF> places;
            for (const auto& [card, from] : dragFrom_)
                places[scene_.cards[std::size_t(card)].name] =
                    scene_.cards[std::size_t(card)].rect.topLeft();
            std::map<std::string, QPointF> notes;
            for (const NoteItem& note : scene_.notes)
                if (dragNotes_.contains(note.name))
                    notes[note.name] = note.rect.topLeft();
            QRectF rect;
            for (const Backdrop& one : scene_.backdrops)
                if (one.name == name)
                    rect = one.rect;
            dragFrom_.clear();
            dragNotes_.clear();
            if (g && g->backdrops.is_object() && g->backdrops.contains(name)) {
                document_.begin(drag == Drag::Backdrop ? tr("Move frame") : tr("Resize frame"));
                Json json = g->backdrops.at(name);
                json["rect"] = {rect.x(), rect.y(), rect.width(), rect.height()};
                document_.setBackdrop(scope(), name, json);
                for (const auto& [note, place] : notes) {
                    Json moved = g->notes.at(note);
                    moved["x"] = place.x();
                    moved["y"] = place.y();
                    document_.setNote(scope(), note, moved);
                }
                document_.moveNodes(scope(), places);
                document_.end();
            }
        }
        break;
    case Drag::Note:
        if (dragged) {
            const std::string name = selectedDecoration_.substr(5);
            const graph::Graph* g = document_.graph(scope());
            for (const NoteItem& note : scene_.notes)
                if (note.name == name && g && g->notes.is_object() && g->notes.contains(name)) {
                    Json json = g->notes.at(name);
                    const QPointF place = snapped(note.rect.topLeft());
                    json["x"] = place.x();
                    json["y"] = place.y();
                    document_.setNote(scope(), name, json);
                    break;
                }
        }
        break;
    case Drag::Pan:
    case Drag::None:
        break;
    }
    cut_.clear();
    hover(last_);
    update();
}

void Canvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    cancelDrag();
    scene_.ensure();
    const QPointF point = toScene(event->position());
    if (const auto bend = scene_.bendAt(point, reach(zoom_)); bend.first >= 0) {
        const Wire wire = scene_.wires[std::size_t(bend.first)];
        auto bends = wire.bends;
        bends.erase(bends.begin() + bend.second);
        document_.setBends(scope(), wire.link, bends);
        return;
    }
    if (const int index = scene_.cardAt(point); index >= 0) {
        const Card card = scene_.cards[std::size_t(index)];
        if (card.instance && point.y() > card.rect.top() + kHeaderHeight)
            enter(card.name);
        else
            rename(card.name);
        return;
    }
    if (const int index = scene_.wireAt(point, 6 / zoom_); index >= 0) {
        const Wire wire = scene_.wires[std::size_t(index)];
        // Between the two bends where it adds least length.
        std::vector<QPointF> bends = wire.bends;
        std::vector<QPointF> stops{scene_.start(wire)};
        stops.insert(stops.end(), bends.begin(), bends.end());
        stops.push_back(scene_.end(wire));
        std::size_t best = 0;
        double least = 1e30;
        for (std::size_t i = 0; i + 1 < stops.size(); ++i) {
            const double more = QLineF(stops[i], point).length() +
                                QLineF(point, stops[i + 1]).length() -
                                QLineF(stops[i], stops[i + 1]).length();
            if (more < least) {
                least = more;
                best = i;
            }
        }
        bends.insert(bends.begin() + std::ptrdiff_t(best), snapped(point));
        document_.setBends(scope(), wire.link, bends);
        return;
    }
    if (const std::string note = noteAt(point); !note.empty())
        return editNote(note);
    bool corner = false;
    if (const std::string backdrop = backdropAt(point, corner); !backdrop.empty())
        return editBackdrop(backdrop);
    openSearch(event->position());
}

void Canvas::wheelEvent(QWheelEvent* event)
{
    if (event->modifiers().testFlag(Qt::ShiftModifier) ||
        event->modifiers().testFlag(Qt::ControlModifier)) {
        const QPoint d = event->angleDelta();
        const double along = d.y() ? d.y() : d.x();
        setView(zoom_,
                origin_ + (event->modifiers().testFlag(Qt::ShiftModifier) ? QPointF(along, 0)
                                                                          : QPointF(0, along)));
    } else {
        zoomBy(std::pow(1.0015, event->angleDelta().y()), event->position());
    }
    event->accept();
}

void Canvas::hover(QPointF point)
{
    scene_.ensure();
    const QPointF at = toScene(point);
    Attention next = attention_;
    next.hoverSocket = zoom_ >= 0.22 ? scene_.socketAt(at, reach(zoom_)) : Scene::SocketHit{};
    next.hoverCard = next.hoverSocket ? -1 : scene_.cardAt(at);
    next.hoverWire = next.hoverSocket || next.hoverCard >= 0 ? -1 : scene_.wireAt(at, 6 / zoom_);
    if (next.hoverCard != attention_.hoverCard || next.hoverWire != attention_.hoverWire ||
        !(next.hoverSocket == attention_.hoverSocket)) {
        attention_ = next;
        setCursor(next.hoverSocket ? Qt::CrossCursor : Qt::ArrowCursor);
        update();
    }
}

void Canvas::leaveEvent(QEvent*)
{
    attention_.hoverCard = attention_.hoverWire = -1;
    attention_.hoverSocket = {};
    update();
}

void Canvas::cancelDrag()
{
    drag_ = Drag::None;
    dragging_ = false;
    pull_.reset();
    refusal_.clear();
    cut_.clear();
    dragNotes_.clear();
    moving_.clear();
    resting_ = {};
    if (!dragFrom_.empty() || bend_.first >= 0) {
        dragFrom_.clear();
        bend_ = {-1, -1};
        scene_.invalidate(); // back to where the document has it
    }
    attention_.hoverWire = -1;
    unsetCursor();
    update();
}

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
    resting_ = {};
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
    resting_ = {};
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
    update();
}

/// The socket under the pointer; over a card's body, its first free input that fits.
Scene::SocketHit Canvas::dropTarget(QPointF widgetPoint)
{
    const QPointF point = toScene(widgetPoint);
    if (const auto hit = scene_.socketAt(point, 1.6 * reach(zoom_)))
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
        document_.link(scope(), link);
        document_.end();
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

// --------------------------------------------------------------------------------- decorations

std::string Canvas::backdropAt(QPointF point, bool& corner) const
{
    for (auto it = scene_.backdrops.rbegin(); it != scene_.backdrops.rend(); ++it) {
        const QRectF& rect = it->rect;
        corner = QRectF(rect.bottomRight() - QPointF(18, 18), rect.bottomRight() + QPointF(4, 4))
                     .contains(point);
        QRectF title = rect;
        title.setHeight(28);
        if (corner || title.contains(point))
            return it->name;
    }
    corner = false;
    return {};
}

std::string Canvas::noteAt(QPointF point) const
{
    for (auto it = scene_.notes.rbegin(); it != scene_.notes.rend(); ++it)
        if (it->rect.contains(point))
            return it->name;
    return {};
}

void Canvas::contextMenuEvent(QContextMenuEvent* event)
{
    if (event->modifiers().testFlag(Qt::ControlModifier))
        return; // a cut
    scene_.ensure();
    const QPointF point = toScene(event->pos());
    QMenu menu(this);
    const auto add = [&](std::initializer_list<const char*> ids) {
        for (const char* id : ids)
            if (QAction* action = command(id))
                menu.addAction(action);
        menu.addSeparator();
    };
    if (const int card = scene_.cardAt(point); card >= 0) {
        const std::string name = scene_.cards[std::size_t(card)].name;
        if (!selection_.contains(name))
            select({name});
        if (scene_.cards[std::size_t(card)].instance)
            add({"canvas.enter"});
        add({"canvas.bypass", "canvas.rename", "canvas.colour"});
        add({"canvas.cut", "canvas.copy", "canvas.duplicate", "canvas.delete"});
        add({"canvas.group", "canvas.backdrop", "canvas.tidy"});
        add({"canvas.help"});
    } else if (const int wire = scene_.wireAt(point, 6 / zoom_); wire >= 0) {
        const graph::Link link = scene_.wires[std::size_t(wire)].link;
        connect(menu.addAction(tr("Cut wire")), &QAction::triggered, this,
                [this, link] { document_.unlink(scope(), {link}); });
        if (!document_.bends(scope(), link).empty())
            connect(menu.addAction(tr("Straighten wire")), &QAction::triggered, this,
                    [this, link] { document_.setBends(scope(), link, {}); });
    } else {
        searchAt_ = point;
        add({"canvas.add", "canvas.paste"});
        add({"canvas.note", "canvas.backdrop", "canvas.tidy"});
        add({"canvas.frameAll", "canvas.leave"});
    }
    menu.exec(event->globalPos());
}

} // namespace floe::editor
