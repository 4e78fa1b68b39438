#include "document/document.hpp"
#include "panels/parameter_panel.hpp"
#include "panels/parameter_row.hpp"

#include <QGuiApplication>
#include <QMouseEvent>
#include <QStyleHints>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

// On an instance, promoted parameters are dragged into another order by their labels.

namespace floe::panels {

void ParameterRow::mousePressEvent(QMouseEvent* event)
{
    const graph::Node* node = document_->node(scope_, node_);
    const bool promoted =
        node && node->type == graph::kSubgraphType && document_->promoted(node->graph, spec_.name);
    if (promoted && event->button() == Qt::LeftButton && event->position().x() < kLabelWidth)
        pressed_ = event->globalPosition().toPoint().y();
    else
        QWidget::mousePressEvent(event);
}

void ParameterRow::mouseMoveEvent(QMouseEvent* event)
{
    if (!pressed_)
        return QWidget::mouseMoveEvent(event);
    const int y = event->globalPosition().toPoint().y();
    moves_ =
        moves_ || std::abs(y - *pressed_) >= QGuiApplication::styleHints()->startDragDistance();
    if (moves_)
        emit dragged(y, false);
}

void ParameterRow::mouseReleaseEvent(QMouseEvent* event)
{
    if (!pressed_)
        return QWidget::mouseReleaseEvent(event);
    pressed_.reset();
    if (std::exchange(moves_, false))
        emit dragged(event->globalPosition().toPoint().y(), true); // it may be gone then
}

/// It goes below the promoted one that is seen above the mouse.
void ParameterPanel::dragRow(ParameterRow* row, int y, bool finished)
{
    const graph::Node* node = document_->node(scope_, node_);
    const graph::Graph* inside = node ? document_->graph(node->graph) : nullptr;
    if (!inside)
        return;
    const auto& all = inside->promote.parameters;
    const auto indexOf = [&](const ParameterRow* each) {
        return std::find_if(all.begin(), all.end(),
                            [&](const auto& one) { return one.name == each->spec().name; }) -
               all.begin();
    };
    const auto from = indexOf(row);
    auto to = std::ptrdiff_t(0);
    int line = std::numeric_limits<int>::max(); // on the screen
    int above = std::numeric_limits<int>::min();
    for (const ParameterRow* each : rows_) {
        if (!each->isVisible())
            continue;
        const int top = each->mapToGlobal(QPoint(0, 0)).y(), low = top + each->height();
        if (above == std::numeric_limits<int>::min())
            line = std::min(line, top); // above all of them
        if (each == row || (top + low) / 2 > y || low < above)
            continue;
        above = line = low;
        const auto after = indexOf(each);
        to = after < from ? after + 1 : after;
    }
    dropLine_->setVisible(!finished);
    dropLine_->setGeometry(8, mapFromGlobal(QPoint(0, line)).y() - 1, width() - 16, 2);
    dropLine_->raise();
    if (finished && to != from) // later: the row is built again
        QMetaObject::invokeMethod(
            document_,
            [document = document_, scope = node->graph, name = row->spec().name, by = to - from] {
                document->movePromoted(scope, name, int(by));
            },
            Qt::QueuedConnection);
}

} // namespace floe::panels
