#include "views/wipe.hpp"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace floe::views {

namespace {
constexpr double kReach = 7;  // pixels beside the line
constexpr double kRim = 0.02; // of the width: the line stays in sight
const QColor kGround(0x1d, 0x20, 0x24);
} // namespace

void paintFilling(QPainter& p, const QRectF& area, const QImage& picture)
{
    if (picture.isNull())
        return p.fillRect(area, kGround);
    // Its height fills the area: while the area is resized, the scene keeps its size.
    const double wide = picture.width() * area.height() / picture.height();
    const QRectF target(area.center().x() - wide / 2, area.top(), wide, area.height());
    p.save();
    p.setClipRect(area, Qt::IntersectClip);
    if (target.left() > area.left())
        p.fillRect(area, kGround);
    p.setRenderHint(QPainter::SmoothPixmapTransform,
                    std::abs(picture.height() - area.height() * p.device()->devicePixelRatioF()) >
                        0.5);
    p.drawImage(target, picture);
    p.restore();
}

bool Wipe::isOnLine(QSizeF size, QPointF point) const
{
    return shown && layout == Layout::Over && std::abs(point.x() - line(size)) <= kReach;
}

void Wipe::drag(QSizeF size, QPointF point)
{
    at = std::clamp(point.x() / std::max(1.0, size.width()), kRim, 1 - kRim);
}

QRectF Wipe::area(QSizeF size, bool otherOne) const
{
    if (layout == Layout::Over)
        return {QPointF(), size};
    const double half = size.width() / 2;
    return {otherOne ? half : 0, 0, half, size.height()};
}

void Wipe::paint(QPainter& p, QSizeF size, const QImage& first) const
{
    const double x = line(size);
    const QRectF left(0, 0, x, size.height()), right(x, 0, size.width() - x, size.height());
    p.save();
    p.setClipRect(left);
    paintFilling(p, area(size, false), hidesMine ? instead : first);
    p.setClipRect(right);
    paintFilling(p, area(size, true), other);
    p.setClipping(false);
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(QColor(16, 18, 21, 160), 4));
    p.drawLine(QPointF(x, 0), QPointF(x, size.height()));
    p.setPen(QPen(QColor(0xe6, 0xe8, 0xea), 1.6));
    p.drawLine(QPointF(x, 0), QPointF(x, size.height()));
    if (layout == Layout::Over) { // the grip
        const QPointF middle(x, size.height() / 2);
        p.setPen(QPen(QColor(16, 18, 21, 200), 1));
        p.setBrush(QColor(0xe6, 0xe8, 0xea));
        p.drawEllipse(middle, 9, 9);
        p.setPen(QPen(QColor(40, 44, 50), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        p.setBrush(Qt::NoBrush);
        for (const double side : {-1.0, 1.0})
            p.drawPolyline(
                QPolygonF({middle + QPointF(side * 2.5, -3.5), middle + QPointF(side * 6, 0),
                           middle + QPointF(side * 2.5, 3.5)}));
    }
    paintLabel(p, left, mine, mineNote);
    paintLabel(p, right, theirs, note);
    p.restore();
}

void Wipe::paintLabel(QPainter& p, const QRectF& room, const Label& label,
                      const QString& more) const
{
    if (room.width() < 60)
        return;
    QFont bold = p.font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics name(bold), small(p.font());
    QStringList lines{label.name};
    if (!label.numbers.isEmpty())
        lines += label.numbers.split('\n');
    if (!more.isEmpty())
        lines += more;
    int wide = name.horizontalAdvance(label.name);
    for (const QString& text : lines)
        wide = std::max(wide, small.horizontalAdvance(text));
    const int step = small.height() + 1;
    const QRectF box(room.left() + 10, room.top() + 10, std::min(wide + 24.0, room.width() - 20),
                     double(lines.size()) * step + 12);
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(16, 18, 21, 175));
    p.drawRoundedRect(box, 4, 4);
    QRectF row(box.left() + 10, box.top() + 6, box.width() - 20, step);
    const QFont usual = p.font();
    for (qsizetype i = 0; i < lines.size(); ++i, row.translate(0, step)) {
        p.setFont(i == 0 ? bold : usual);
        p.setPen(i == 0 ? QColor(0xe6, 0xe8, 0xea) : QColor(0xb9, 0xbf, 0xc6));
        p.drawText(row, Qt::AlignLeft | Qt::AlignVCenter,
                   p.fontMetrics().elidedText(lines[i], Qt::ElideRight, int(row.width())));
    }
    p.setFont(usual);
}

} // namespace floe::views
