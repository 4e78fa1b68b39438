#include "views/elided_label.hpp"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace floe::views {

void ElidedLabel::setTip(const QString& tip)
{
    tip_ = tip;
}

QSize ElidedLabel::sizeHint() const
{
    ensurePolished();
    const QMargins edges = contentsMargins();
    return QSize(fontMetrics().horizontalAdvance(text()) + 1 + edges.left() + edges.right(),
                 QLabel::sizeHint().height());
}

QSize ElidedLabel::minimumSizeHint() const
{
    ensurePolished();
    const int few = fontMetrics().horizontalAdvance(text().left(6)) +
                    fontMetrics().horizontalAdvance(QChar(0x2026));
    return {std::min(few, sizeHint().width()), QLabel::minimumSizeHint().height()};
}

QString ElidedLabel::shown() const
{
    return fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
}

bool ElidedLabel::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QLabel::event(event);
    const QString tip = tip_.isEmpty() ? text() : tip_;
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), tip, this);
    return true;
}

void ElidedLabel::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setPen(palette().color(foregroundRole()));
    p.drawText(contentsRect(), Qt::AlignVCenter | Qt::AlignLeft, shown());
}

} // namespace floe::views
