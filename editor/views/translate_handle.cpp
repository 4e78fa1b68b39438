#include "views/translate_handle.hpp"

#include <QLineF>

#include <cmath>

namespace floe::views {

namespace {

constexpr double kReach = 7; // how near the mouse must be [logical pixels]

Vec3 axisOf(int axis)
{
    Vec3 v{};
    v[static_cast<std::size_t>(axis)] = 1;
    return v;
}

double distanceToSegment(QPointF point, QPointF a, QPointF b)
{
    const QPointF ab = b - a, ap = point - a;
    const double squared = QPointF::dotProduct(ab, ab);
    const double t = squared > 0 ? std::clamp(QPointF::dotProduct(ap, ab) / squared, 0.0, 1.0) : 0;
    return QLineF(point, a + ab * t).length();
}

} // namespace

std::optional<QPointF> TranslateHandle::tip(int axis, const OrbitCamera& camera, QSizeF size) const
{
    const double metres = kLength * camera.metresPerPixel(position, size.height());
    return camera.project(position + axisOf(axis) * metres, size);
}

TranslateHandle::Part TranslateHandle::hit(const OrbitCamera& camera, QSizeF size,
                                           QPointF mouse) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return Part::None;
    if (QLineF(*centre, mouse).length() <= kReach + 1)
        return Part::Screen;
    Part best = Part::None;
    double nearest = kReach;
    for (int axis = 0; axis < 3; ++axis) {
        const auto end = tip(axis, camera, size);
        if (!end || QLineF(*centre, *end).length() < 12) // points at the viewer
            continue;
        const double away = distanceToSegment(mouse, *centre, *end);
        if (away < nearest) {
            nearest = away;
            best = static_cast<Part>(axis + 1);
        }
    }
    return best;
}

void TranslateHandle::paint(QPainter& p, const OrbitCamera& camera, QSizeF size, Part lit) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return;
    static const QColor kColours[] = {QColor(0xe8, 0x5d, 0x5d), QColor(0x7c, 0xc4, 0x4f),
                                      QColor(0x4f, 0x94, 0xe8)};
    static const char* const kNames[] = {"x", "y", "z"};
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    for (int axis = 0; axis < 3; ++axis) {
        const auto end = tip(axis, camera, size);
        if (!end)
            continue;
        const QLineF line(*centre, *end);
        if (line.length() < 12)
            continue;
        const bool on = lit == static_cast<Part>(axis + 1);
        const QColor colour = on ? QColor(0xff, 0xe0, 0x66) : kColours[axis];
        p.setPen(QPen(QColor(0, 0, 0, 110), 4.5, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(line);
        p.setPen(QPen(colour, on ? 3 : 2.2, Qt::SolidLine, Qt::RoundCap));
        p.drawLine(line);
        const QPointF along = (line.p2() - line.p1()) / line.length();
        const QPointF across(-along.y(), along.x());
        p.setPen(Qt::NoPen);
        p.setBrush(colour);
        p.drawPolygon(QPolygonF({*end + along * 10, *end + across * 5, *end - across * 5}));
        p.setPen(colour);
        p.drawText(*end + along * 18 + QPointF(-3, 4), QLatin1String(kNames[axis]));
    }
    p.setPen(QPen(QColor(0, 0, 0, 110), 1));
    p.setBrush(lit == Part::Screen ? QColor(0xff, 0xe0, 0x66) : QColor(0xe6, 0xe6, 0xe6));
    p.drawRect(QRectF(centre->x() - 5, centre->y() - 5, 10, 10));
    p.restore();
}

void TranslateHandle::begin(Part part, QPointF mouse)
{
    part_ = part;
    start_ = mouse;
    origin_ = position;
}

Vec3 TranslateHandle::drag(const OrbitCamera& camera, QSizeF size, QPointF mouse) const
{
    const QPointF moved = mouse - start_;
    const double metres = camera.metresPerPixel(origin_, size.height());
    if (part_ == Part::Screen)
        return origin_ + camera.right() * (moved.x() * metres) - camera.up() * (moved.y() * metres);
    if (part_ == Part::None)
        return origin_;
    // The move along the axis whose picture is nearest to the mouse's.
    const Vec3 axis = axisOf(static_cast<int>(part_) - 1);
    const auto from = camera.project(origin_, size);
    const auto to = camera.project(origin_ + axis * (kLength * metres), size);
    if (!from || !to)
        return origin_;
    const QPointF line = *to - *from;
    const double squared = QPointF::dotProduct(line, line);
    if (squared < 1)
        return origin_;
    return origin_ + axis * (QPointF::dotProduct(moved, line) / squared * kLength * metres);
}

} // namespace floe::views
