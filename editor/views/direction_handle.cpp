#include "views/direction_handle.hpp"

#include <QLineF>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::views {

namespace {

constexpr double kRadians = std::numbers::pi / 180;
constexpr double kReach = 1.5 * kHandleLength; // beyond the tips of the arrows that move
constexpr double kMaxShare = 0.4;              // of a small picture
constexpr double kSnap = 15;                   // of azimuth and elevation [degrees]
constexpr double kDigits = 1000;               // of the power of ten in a vector's length
constexpr double kTip = 6;                     // [logical pixels]
const QColor kColour(0xff, 0xb0, 0x40);

Vec3 unit(const Vec3& v)
{
    return v * (1 / length(v));
}

/// What is seen to the right, up, and towards the viewer of a place, each of length 1.
std::array<Vec3, 3> seenAxes(const Vec3& place, const OrbitCamera& camera)
{
    const Vec3 towards = camera.towards(place);
    const Vec3 right = unit(camera.right() - towards * dot(camera.right(), towards));
    return {right, cross(towards, right), towards};
}

/// In steps of azimuth and elevation, among which are the axes.
Vec3 snapped(const Vec3& direction)
{
    const double elevation =
        kRadians * rounded(std::asin(std::clamp(direction[1], -1.0, 1.0)) / kRadians, kSnap);
    const double azimuth =
        kRadians * rounded(std::atan2(direction[0], direction[2]) / kRadians, kSnap);
    return {std::cos(elevation) * std::sin(azimuth), std::sin(elevation),
            std::cos(elevation) * std::cos(azimuth)};
}

/// The direction so many degrees from one towards another.
Vec3 turnedFrom(const Vec3& from, const Vec3& to, double degrees)
{
    const Vec3 across = to - from * dot(from, to);
    if (length(across) < 1e-9)
        return from;
    return from * std::cos(degrees * kRadians) + unit(across) * std::sin(degrees * kRadians);
}

} // namespace

double DirectionHandle::reach(QSizeF size)
{
    return std::min(kReach, kMaxShare * std::min(size.width(), size.height()));
}

std::optional<QPointF> DirectionHandle::tip(const Vec3& value, const OrbitCamera& camera,
                                            QSizeF size) const
{
    const Vec3 place = placeIn(camera);
    const double metres = reach(size) * camera.metresPerPixel(place, size.height());
    return camera.project(place + unit(value) * metres, size);
}

int DirectionHandle::hit(const OrbitCamera& camera, QSizeF size, QPointF mouse) const
{
    int best = 0;
    double nearest = kHandleReach + 2;
    for (std::size_t i = 0; i < directions.size(); ++i)
        if (const auto at = tip(directions[i].value, camera, size)) {
            if (const double away = QLineF(*at, mouse).length(); away < nearest) {
                nearest = away;
                best = static_cast<int>(i) + 1;
            }
        }
    return best;
}

void DirectionHandle::paint(QPainter& p, const OrbitCamera& camera, QSizeF size, int lit,
                            bool held) const
{
    const auto from = camera.project(placeIn(camera), size);
    if (!from)
        return;
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < directions.size(); ++i) {
        const auto to = tip(directions[i].value, camera, size);
        const bool on = lit == static_cast<int>(i) + 1;
        if (!to || (held && !on))
            continue;
        const QColor colour = on ? kHandleLit : kColour;
        paintHandleLine(p, QPolygonF({*from, *to}), colour, on);
        p.setPen(QPen(QColor(0, 0, 0, 150), 1));
        p.setBrush(colour);
        const QLineF line(*from, *to);
        if (line.length() > kHandleShortest) {
            const QPointF along = (line.p2() - line.p1()) / line.length();
            const QPointF across(-along.y(), along.x());
            p.drawPolygon(QPolygonF({*to + along * kTip, *to - along * kTip + across * kTip,
                                     *to - along * kTip - across * kTip}));
        } else { // it points at the viewer, or away
            p.drawEllipse(*to, kTip, kTip);
        }
        p.setPen(colour);
        p.drawText(*to + QPointF(10, 4), directions[i].label);
    }
    p.restore();
}

void DirectionHandle::begin(int arrow, QPointF mouse, const OrbitCamera& camera, QSizeF size)
{
    origin_ = directions.at(static_cast<std::size_t>(arrow - 1));
    turned_ = 0;
    const Vec3 place = placeIn(camera), direction = unit(origin_.value);
    const auto [right, up, towards] = seenAxes(place, camera);
    near_ = dot(direction, towards) >= 0;
    if (const auto centre = camera.project(place, size))
        grip_ = *centre + QPointF(dot(direction, right), -dot(direction, up)) * reach(size) - mouse;
}

Vec3 DirectionHandle::drag(const OrbitCamera& camera, QSizeF size, const Pull& pull)
{
    const Vec3 place = placeIn(camera), before = unit(origin_.value);
    const auto centre = camera.project(place, size);
    if (!centre)
        return origin_.value;
    const auto [right, up, towards] = seenAxes(place, camera);
    const QPointF at = (pull.mouse + grip_ - *centre) / reach(size);
    double away = std::hypot(at.x(), at.y());
    Vec3 seen = away > 0 ? (right * at.x() - up * at.y()) * (1 / away) : right;
    bool near = near_;
    if (away > 1) { // around to the other side
        away = std::max(2 - away, 0.0);
        near = !near;
    }
    Vec3 to = seen * away + towards * ((near ? 1 : -1) * std::sqrt(1 - away * away));
    if (pull.typed)
        to = turnedFrom(before, to, *pull.typed);
    else if (pull.snap)
        to = snapped(to);
    turned_ = std::acos(std::clamp(dot(before, to), -1.0, 1.0)) / kRadians;

    double extent = length(origin_.value);
    for (const double part : to) // a shorter one, where the parameter allows no more
        if (origin_.high > 0 && part * extent > origin_.high)
            extent = origin_.high / part;
        else if (origin_.low < 0 && part * extent < origin_.low)
            extent = origin_.low / part;
    const double step = digitStep(extent) / kDigits;
    for (double& part : to)
        part = rounded(part * extent, step) + 0.0; // no negative zero
    return to;
}

} // namespace floe::views
