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

QPointF Canvas::snapped(QPointF point)
{
    constexpr double kSnap = 10; // scene units
    return {std::round(point.x() / kSnap) * kSnap, std::round(point.y() / kSnap) * kSnap};
}

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

    if (mapRect().contains(pressed_)) {
        drag_ = Drag::Map;
        return lookAt(pressed_);
    }
    const bool add = modifiers & (Qt::ShiftModifier | Qt::ControlModifier);
    if (const auto hit = scene_.socketAt(point, reach()); hit && zoom_ >= 0.22)
        return beginPull(hit);
    if (const auto bend = scene_.bendAt(point, reach()); bend.first >= 0) {
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
        repaint();
        return;
    }
    if (const std::string note = noteAt(point); !note.empty()) {
        select({});
        selectedDecoration_ = "note:" + note;
        repaint();
        drag_ = Drag::Note;
        return;
    }
    bool corner = false;
    if (const std::string backdrop = backdropAt(point, corner); !backdrop.empty()) {
        select({});
        selectedDecoration_ = "frame:" + backdrop;
        repaint();
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
    case Drag::Map:
        lookAt(now);
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
    if (drag_ == Drag::Bend || drag_ == Drag::Backdrop || drag_ == Drag::BackdropSize ||
        drag_ == Drag::Note)
        repaint();
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
                for (const auto& [note, place] : notes)
                    document_.moveNote(scope(), note, place);
                document_.moveNodes(scope(), places);
                document_.end();
            }
        }
        break;
    case Drag::Note:
        if (dragged) {
            const std::string name = selectedDecoration_.substr(5);
            for (const NoteItem& note : scene_.notes)
                if (note.name == name) {
                    document_.moveNote(scope(), name, snapped(note.rect.topLeft()));
                    break;
                }
        }
        break;
    case Drag::Pan:
    case Drag::Map:
    case Drag::None:
        break;
    }
    cut_.clear();
    hover(last_);
    repaint();
}

void Canvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    cancelDrag();
    scene_.ensure();
    const QPointF point = toScene(event->position());
    if (const auto bend = scene_.bendAt(point, reach()); bend.first >= 0) {
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
    select({}); // what is added here belongs to nothing yet
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
    if (mapRect().contains(point)) {
        attention_.hoverCard = attention_.hoverWire = -1;
        attention_.hoverSocket = {};
        setCursor(Qt::PointingHandCursor);
        return update();
    }
    next.hoverSocket = zoom_ >= 0.22 ? scene_.socketAt(at, reach()) : Scene::SocketHit{};
    next.hoverCard = next.hoverSocket ? -1 : scene_.cardAt(at);
    next.hoverWire = next.hoverSocket || next.hoverCard >= 0 ? -1 : scene_.wireAt(at, 6 / zoom_);
    if (next.hoverCard != attention_.hoverCard || next.hoverWire != attention_.hoverWire ||
        !(next.hoverSocket == attention_.hoverSocket)) {
        attention_ = next;
        setCursor(next.hoverSocket ? Qt::CrossCursor : Qt::ArrowCursor);
        update();
    }
}

/// While the pointer is here, Tab searches nodes wherever the focus is: it may still be in the
/// number typed last.
void Canvas::enterEvent(QEnterEvent*)
{
    QApplication::instance()->installEventFilter(this);
}

void Canvas::leaveEvent(QEvent*)
{
    QApplication::instance()->removeEventFilter(this);
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
    backing_.leaveOut({});
    if (!dragFrom_.empty() || bend_.first >= 0) {
        dragFrom_.clear();
        bend_ = {-1, -1};
        scene_.invalidate(); // back to where the document has it
    }
    attention_.hoverWire = -1;
    unsetCursor();
    repaint();
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
        add({"canvas.bypass", "canvas.ghost", "canvas.rename", "canvas.colour"});
        add({"canvas.cut", "canvas.copy", "canvas.duplicate", "canvas.delete"});
        add({"canvas.group", "canvas.asset", "canvas.backdrop", "canvas.tidy"});
        add({"canvas.help"});
    } else if (const int wire = scene_.wireAt(point, 6 / zoom_); wire >= 0) {
        const graph::Link link = scene_.wires[std::size_t(wire)].link;
        connect(menu.addAction(tr("Cut wire")), &QAction::triggered, this,
                [this, link] { document_.unlink(scope(), {link}); });
        connect(menu.addAction(tr("Note on wire")), &QAction::triggered, this,
                [this, link] { editWireNote(link); });
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
