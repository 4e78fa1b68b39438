#include "views/handle_shapes.hpp"

#include <QLineF>

#include <algorithm>
#include <cmath>

namespace floe::views {

const QColor kHandleColours[3] = {QColor(0xe8, 0x5d, 0x5d), QColor(0x7c, 0xc4, 0x4f),
                                  QColor(0x4f, 0x94, 0xe8)};
const QColor kHandleLit(0xff, 0xe0, 0x66);

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

void paintHandleLine(QPainter& p, const QPolygonF& line, const QColor& colour, bool lit)
{
    p.setBrush(Qt::NoBrush);
    p.setPen(QPen(QColor(0, 0, 0, colour.alpha() * 110 / 255), 4.5, Qt::SolidLine, Qt::RoundCap));
    p.drawPolyline(line);
    p.setPen(QPen(colour, lit ? 3 : 2.2, Qt::SolidLine, Qt::RoundCap));
    p.drawPolyline(line);
}

double snapStep(double length)
{
    const double power = digitStep(length);
    const double rest = length / power;
    return power * (rest <= 1.001 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

double digitStep(double length)
{
    return std::pow(10, std::floor(std::log10(std::max(length, 1e-9))));
}

double rounded(double value, double step)
{
    // Fractions are divided by whole numbers, so that 0.3 is 0.3.
    return step < 1 ? std::round(value / step) / std::round(1 / step)
                    : std::round(value / step) * step;
}

std::optional<double> movedAlong(const Vec3& direction, const Vec3& from, QPointF moved,
                                 const SpaceCamera& camera, QSizeF size)
{
    const double reach = kHandleLength * camera.metresPerPixel(from, size.height());
    const auto begin = camera.project(from, size);
    const auto end = camera.project(from + direction * reach, size);
    if (!begin || !end)
        return std::nullopt;
    const QPointF line = *end - *begin;
    const double squared = QPointF::dotProduct(line, line);
    if (squared < 1)
        return std::nullopt;
    return QPointF::dotProduct(moved, line) / squared * reach;
}

} // namespace floe::views
