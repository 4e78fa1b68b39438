#include "canvas/canvas.hpp"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>

#include <cmath>

namespace floe::editor {

void Canvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Y && !event->isAutoRepeat()) {
        cutKey_ = true;
        setCursor(Qt::CrossCursor);
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        if (drag_ != Drag::None)
            return cancelDrag();
        if (!selection_.empty() || !selectedWires_.empty() || !selectedDecoration_.empty())
            return select({});
    }
    if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier)
        return command("canvas.add")->trigger();
    const bool arrow = event->key() >= Qt::Key_Left && event->key() <= Qt::Key_Down;
    if (arrow && event->modifiers().testFlag(Qt::ControlModifier)) {
        const double step = 10;
        return nudge({event->key() == Qt::Key_Left    ? -step
                      : event->key() == Qt::Key_Right ? step
                                                      : 0,
                      event->key() == Qt::Key_Up     ? -step
                      : event->key() == Qt::Key_Down ? step
                                                     : 0});
    }
    if (arrow)
        return stepSelection(event->key());
    if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Equal)
        return zoomBy(1.2, rect().center());
    if (event->key() == Qt::Key_Minus)
        return zoomBy(1 / 1.2, rect().center());
    QWidget::keyPressEvent(event);
}

bool Canvas::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && !hasFocus()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (key->key() == Qt::Key_Tab && key->modifiers() == Qt::NoModifier && widget &&
            widget->window() == window() && !QApplication::activePopupWidget() &&
            !QApplication::activeModalWidget()) {
            setFocus(Qt::MouseFocusReason); // what was being typed is taken
            command("canvas.add")->trigger();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void Canvas::keyReleaseEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Y && !event->isAutoRepeat()) {
        cutKey_ = false;
        unsetCursor();
    }
    QWidget::keyReleaseEvent(event);
}

void Canvas::focusOutEvent(QFocusEvent* event)
{
    cutKey_ = false;
    QWidget::focusOutEvent(event);
    update();
}

/// Left and right follow wires, up and down go to the nearest card.
void Canvas::stepSelection(int key)
{
    const Scene& s = scene();
    if (s.cards.empty())
        return;
    const int from = selection_.empty() ? -1 : s.find(*selection_.begin());
    if (from < 0)
        return select({s.cards.front().name});
    const Card& card = s.cards[std::size_t(from)];
    int best = -1;
    double least = 1e30;
    const QPointF centre = card.rect.center();
    const auto consider = [&](int index, double penalty) {
        const QPointF d = s.cards[std::size_t(index)].rect.center() - centre;
        const double along = key == Qt::Key_Left    ? -d.x()
                             : key == Qt::Key_Right ? d.x()
                             : key == Qt::Key_Up    ? -d.y()
                                                    : d.y();
        const double across =
            key == Qt::Key_Left || key == Qt::Key_Right ? std::abs(d.y()) : std::abs(d.x());
        if (index == from || (along <= 1 && penalty > 0))
            return;
        if (const double cost = std::abs(along) + 2 * across + penalty; cost < least) {
            least = cost;
            best = index;
        }
    };
    if (key == Qt::Key_Left || key == Qt::Key_Right)
        for (const int index : card.wires) {
            const Wire& wire = s.wires[std::size_t(index)];
            if (key == Qt::Key_Left && wire.to == from)
                consider(wire.from, 0);
            if (key == Qt::Key_Right && wire.from == from)
                consider(wire.to, 0);
        }
    if (best < 0)
        for (std::size_t i = 0; i < s.cards.size(); ++i)
            consider(int(i), 1);
    if (best < 0)
        return;
    select({s.cards[std::size_t(best)].name});
    if (!visible().contains(s.cards[std::size_t(best)].rect))
        setView(zoom_,
                QPointF(width(), height()) / 2 - s.cards[std::size_t(best)].rect.center() * zoom_);
}

void Canvas::nudge(QPointF by)
{
    std::map<std::string, QPointF> places;
    for (const std::string& name : selection_)
        places[name] = document_.position(scope(), name) + by;
    document_.moveNodes(scope(), places);
}

} // namespace floe::editor
