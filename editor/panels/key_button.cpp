#include "panels/key_button.hpp"

#include "panels/mark_colours.hpp"

#include <QPainter>

#include <utility>

namespace floe::panels {

KeyButton::KeyButton(QWidget* parent) : QToolButton(parent)
{
    setFixedSize(20, 20);
    setFocusPolicy(Qt::TabFocus);
    setAttribute(Qt::WA_Hover);
    setToolTip(tr("Set or remove a key at this frame  [K]"));
    setAccessibleName(tr("Key"));
}

void KeyButton::setMark(Mark mark)
{
    if (std::exchange(mark_, mark) != mark)
        update();
}

void KeyButton::paintEvent(QPaintEvent*)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    QColor quiet = palette().color(QPalette::WindowText);
    quiet.setAlphaF(underMouse() || hasFocus() ? 0.8f : 0.32f);
    const QPointF c(width() / 2.0, height() / 2.0);
    const double r = 4.5;
    const QPolygonF diamond(
        {{c.x(), c.y() - r}, {c.x() + r, c.y()}, {c.x(), c.y() + r}, {c.x() - r, c.y()}});
    if (mark_ == Mark::Expression) {
        p.setPen(QPen(formulaColour(), 1.8, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(c + QPointF(-4, -2.2), c + QPointF(4, -2.2));
        p.drawLine(c + QPointF(-4, 2.2), c + QPointF(4, 2.2));
        return;
    }
    p.setPen(QPen(mark_ == Mark::Constant ? quiet : keyedColour(), 1.3));
    p.setBrush(mark_ == Mark::Here ? QBrush(keyedColour()) : QBrush(Qt::NoBrush));
    p.drawPolygon(diamond);
}

} // namespace floe::panels
