#include "views/rotate_handle.hpp"

#include "floe/base/rotation.hpp"

#include <QLineF>

#include <cmath>
#include <numbers>

namespace floe::views {

namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr int kPieces = 32;     // of half a ring
constexpr double kOuter = 1.18; // radius of the ring about the line of sight, of the others'
constexpr double kEdgeOn = 0.2; // cosine of a ring's axis and the line of sight
constexpr double kSnap = 15;    // [degrees]
constexpr double kFinest = 0.1; // of what the mouse turns [degrees]

/// Two directions that stand on `axis` and on each other.
std::array<Vec3, 2> across(const Vec3& axis, const Vec3& towards)
{
    Vec3 u = cross(axis, towards);
    double size = length(u);
    if (size < 1e-6) {
        u = cross(axis, std::abs(axis[1]) < 0.9 ? Vec3{0, 1, 0} : Vec3{1, 0, 0});
        size = length(u);
    }
    u = u * (1 / size);
    return {u, cross(u, axis)}; // the second one is on the side of `towards`
}

} // namespace

Vec3 RotateHandle::axis(Part part, const SpaceCamera& camera) const
{
    return part == Part::View ? camera.towards(position) : axisOf(static_cast<int>(part) - 1);
}

QPolygonF RotateHandle::ring(Part part, bool front, const SpaceCamera& camera, QSizeF size) const
{
    const double radius = kHandleLength * camera.metresPerPixel(position, size.height()) *
                          (part == Part::View ? kOuter : 1);
    const auto [u, v] = across(axis(part, camera), camera.towards(position));
    QPolygonF line;
    for (int i = 0; i <= kPieces; ++i) {
        const double t = std::numbers::pi * i / kPieces;
        const Vec3 at =
            position + u * (radius * std::cos(t)) + v * (radius * std::sin(t) * (front ? 1 : -1));
        if (const auto seen = camera.project(at, size))
            line.append(*seen);
    }
    return line;
}

RotateHandle::Part RotateHandle::hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const
{
    if (!camera.project(position, size))
        return Part::None;
    Part best = Part::None;
    double nearest = kHandleReach;
    for (const Part part : {Part::X, Part::Y, Part::Z, Part::View})
        for (const bool front : {true, false}) {
            if (!front && part != Part::View &&
                std::abs(dot(axis(part, camera), camera.towards(position))) < 0.97)
                continue; // hidden by what it turns
            const QPolygonF line = ring(part, front, camera, size);
            for (qsizetype i = 1; i < line.size(); ++i)
                if (const double away = distanceToSegment(mouse, line[i - 1], line[i]);
                    away < nearest) {
                    nearest = away;
                    best = part;
                }
        }
    return best;
}

void RotateHandle::paint(QPainter& p, const SpaceCamera& camera, QSizeF size, Part lit,
                         bool held) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return;
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    for (const Part part : {Part::View, Part::X, Part::Y, Part::Z}) {
        const bool on = lit == part;
        QColor colour = on                   ? kHandleLit
                        : part == Part::View ? QColor(0xe6, 0xe6, 0xe6, 150)
                                             : kHandleColours[static_cast<int>(part) - 1];
        if (held && !on)
            colour.setAlpha(70);
        QColor faint = colour;
        faint.setAlpha(part == Part::View || on ? colour.alpha() : colour.alpha() / 5);
        paintHandleLine(p, ring(part, false, camera, size), faint, on);
        paintHandleLine(p, ring(part, true, camera, size), colour, on);
    }
    p.setPen(Qt::NoPen);
    p.setBrush(QColor(0xe6, 0xe6, 0xe6));
    p.drawEllipse(*centre, 2.5, 2.5);
    p.restore();
}

void RotateHandle::begin(Part part, QPointF mouse, const SpaceCamera& camera, QSizeF size)
{
    part_ = part;
    last_ = mouse;
    origin_ = angles;
    pulled_ = turned_ = 0;
    tangent_ = {};
    axis_ = part == Part::None ? Vec3{} : axis(part, camera);
    if (part == Part::None || std::abs(dot(axis_, camera.towards(position))) > kEdgeOn)
        return;
    // Seen from its edge: the mouse pulls it along, as far as the ring's near side goes.
    const double radius = kHandleLength * camera.metresPerPixel(position, size.height());
    const auto [u, v] = across(axis_, camera.towards(position));
    const auto from = camera.project(position + v * radius, size);
    const auto to = camera.project(position + v * radius + cross(axis_, v) * (0.1 * radius), size);
    if (from && to && QLineF(*from, *to).length() > 1e-6) {
        const QPointF along = *to - *from;
        tangent_ = along / QPointF::dotProduct(along, along) * (0.1 / kRadians);
    }
}

Vec3 RotateHandle::drag(const SpaceCamera& camera, QSizeF size, const Pull& pull)
{
    const auto centre = camera.project(position, size);
    if (part_ == Part::None || !centre)
        return angles;
    const QPointF from = last_ - *centre, to = pull.mouse - *centre;
    if (!tangent_.isNull()) {
        pulled_ += QPointF::dotProduct(pull.mouse - last_, tangent_);
    } else { // counter-clockwise as the viewer sees it; y points down
        const double angle =
            std::atan2(from.x() * -to.y() + from.y() * to.x(), QPointF::dotProduct(from, to)) /
            kRadians;
        const bool facing = dot(axis_, camera.towards(position)) > 0;
        pulled_ += facing != camera.mirrors() ? angle : -angle;
    }
    last_ = pull.mouse;
    turned_ = pull.typed ? *pull.typed : rounded(pulled_, pull.snap ? kSnap : kFinest);
    const double half = 0.5 * turned_ * kRadians;
    const UnitQuaternion turn{axis_[0] * std::sin(half), axis_[1] * std::sin(half),
                              axis_[2] * std::sin(half), std::cos(half)};
    Vec3 made = rotationNear(followedBy(orientationOf(origin_), turn), angles);
    for (double& angle : made)
        angle = rounded(angle, pull.typed || pull.snap ? 1e-6 : kFinest);
    return made;
}

} // namespace floe::views
