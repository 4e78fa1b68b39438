#include "views/translate_handle.hpp"

#include <QLineF>

#include <cmath>

namespace floe::views {

std::optional<QPointF> TranslateHandle::tip(int axis, const SpaceCamera& camera, QSizeF size) const
{
    const double metres = kHandleLength * camera.metresPerPixel(position, size.height());
    return camera.project(position + axisOf(axis) * metres, size);
}

TranslateHandle::Part TranslateHandle::hit(const SpaceCamera& camera, QSizeF size,
                                           QPointF mouse) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return Part::None;
    if (QLineF(*centre, mouse).length() <= kHandleReach + 1)
        return Part::Screen;
    Part best = Part::None;
    double nearest = kHandleReach;
    for (int axis = 0; axis < 3; ++axis) {
        const auto end = tip(axis, camera, size);
        if (!end || QLineF(*centre, *end).length() < kHandleShortest)
            continue;
        const double away = distanceToSegment(mouse, *centre, *end);
        if (away < nearest) {
            nearest = away;
            best = static_cast<Part>(axis + 1);
        }
    }
    return best;
}

void TranslateHandle::paint(QPainter& p, const SpaceCamera& camera, QSizeF size, Part lit,
                            bool held) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return;
    static const char* const kNames[] = {"x", "y", "z"};
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    for (int axis = 0; axis < 3; ++axis) {
        const auto end = tip(axis, camera, size);
        if (!end)
            continue;
        const QLineF line(*centre, *end);
        if (line.length() < kHandleShortest)
            continue;
        const bool on = lit == static_cast<Part>(axis + 1);
        QColor colour = on ? kHandleLit : kHandleColours[axis];
        if (held && !on)
            colour.setAlpha(70);
        paintHandleLine(p, QPolygonF({*centre, *end}), colour, on);
        const QPointF along = (line.p2() - line.p1()) / line.length();
        const QPointF across(-along.y(), along.x());
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        p.drawPolygon(QPolygonF({*end + along * 10, *end + across * 5, *end - across * 5}));
        p.setPen(colour);
        p.drawText(*end + along * 18 + QPointF(-3, 4), QLatin1String(kNames[axis]));
    }
    p.setPen(QPen(QColor(0, 0, 0, 110), 1));
    p.setBrush(lit == Part::Screen ? kHandleLit : QColor(0xe6, 0xe6, 0xe6, held ? 70 : 255));
    p.drawRect(QRectF(centre->x() - 5, centre->y() - 5, 10, 10));
    p.restore();
}

void TranslateHandle::begin(Part part, QPointF mouse)
{
    part_ = part;
    start_ = mouse;
    origin_ = position;
}

Vec3 TranslateHandle::drag(const SpaceCamera& camera, QSizeF size, const Pull& pull) const
{
    const QPointF moved = pull.mouse - start_;
    const double metres = camera.metresPerPixel(origin_, size.height());
    Vec3 to = origin_;
    if (part_ == Part::Screen) {
        to = origin_ + camera.right() * (moved.x() * metres) - camera.up() * (moved.y() * metres);
    } else if (part_ != Part::None) {
        // The move along the axis whose picture is nearest to the mouse's.
        const Vec3 axis = axisOf(static_cast<int>(part_) - 1);
        if (pull.typed)
            return origin_ + axis * *pull.typed;
        to = origin_ + axis * movedAlong(axis, origin_, moved, camera, size).value_or(0);
    }
    if (pull.snap) // what moves comes to lie on a grid
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (std::abs(to[axis] - origin_[axis]) > 1e-3 * metres)
                to[axis] = rounded(to[axis], snapStep(12 * metres));
    return to;
}

} // namespace floe::views
