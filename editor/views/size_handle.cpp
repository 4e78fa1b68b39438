#include "views/size_handle.hpp"

#include "floe/base/rotation.hpp"

#include <QLineF>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::views {

using graph::Handle;

namespace {

constexpr double kNearest = 20; // of a box to the middle [logical pixels]
constexpr double kScaleSnap = 0.1;
constexpr double kScaleFinest = 0.01;
constexpr int kPieces = 48; // of a circle

} // namespace

std::vector<SizeHandle::Box> SizeHandle::boxes(const OrbitCamera& camera, QSizeF size) const
{
    std::vector<Box> made;
    const double pixel = camera.metresPerPixel(position, size.height());
    const UnitQuaternion own = orientationOf(angles);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const NodeHandles::Extent& extent = extents[i];
        const auto add = [&](int along, double side) {
            Box box{.extent = i, .axis = extent.single ? -1 : along, .along = along};
            box.direction = rotated(own, axisOf(along) * side);
            const double value = std::abs(extent.value[extent.single ? 0 : along]);
            double away = extent.kind == Handle::Radius ? value : 0.5 * value;
            if (extent.kind == Handle::Scale)
                away = kHandleLength * pixel;
            box.place = position + box.direction * std::max(away, kNearest * pixel);
            made.push_back(box);
        };
        switch (extent.kind) {
        case Handle::Scale:
            for (int axis = 0; axis < 3; ++axis)
                add(axis, 1);
            break;
        case Handle::Size:
            for (int axis = 0; axis < 3; ++axis)
                for (const double side : {1.0, -1.0})
                    if (!extent.single || axis != 1)
                        add(axis, side);
            break;
        case Handle::Radius:
            for (const int axis : {0, 2})
                for (const double side : {1.0, -1.0})
                    add(axis, side);
            break;
        case Handle::Height:
            for (const double side : {1.0, -1.0})
                add(1, side);
            break;
        default:
            break;
        }
        if (!extent.single)
            made.push_back(
                {.extent = i, .axis = -1, .along = 0, .direction = {}, .place = position});
    }
    return made;
}

int SizeHandle::hit(const OrbitCamera& camera, QSizeF size, QPointF mouse) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return 0;
    int best = 0;
    double nearest = kHandleReach + 2;
    const std::vector<Box> all = boxes(camera, size);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto at = camera.project(all[i].place, size);
        if (!at || (!all[i].isMiddle() && QLineF(*centre, *at).length() < kHandleShortest))
            continue;
        if (const double away = QLineF(*at, mouse).length(); away < nearest) {
            nearest = away;
            best = static_cast<int>(i) + 1;
        }
    }
    return best;
}

void SizeHandle::paint(QPainter& p, const OrbitCamera& camera, QSizeF size, int lit,
                       bool held) const
{
    const auto centre = camera.project(position, size);
    if (!centre)
        return;
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    const UnitQuaternion own = orientationOf(angles);
    for (const NodeHandles::Extent& extent : extents) {
        if (extent.kind != Handle::Radius)
            continue;
        QPolygonF rim;
        for (int i = 0; i <= kPieces; ++i) {
            const double t = 2 * std::numbers::pi * i / kPieces;
            const Vec3 at{extent.value[0] * std::cos(t), 0, extent.value[0] * std::sin(t)};
            if (const auto seen = camera.project(position + rotated(own, at), size))
                rim.append(*seen);
        }
        paintHandleLine(p, rim, QColor(0xe6, 0xe6, 0xe6, 130), false);
    }
    const std::vector<Box> all = boxes(camera, size);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto at = camera.project(all[i].place, size);
        if (!at || (!all[i].isMiddle() && QLineF(*centre, *at).length() < kHandleShortest))
            continue;
        const bool on = lit == static_cast<int>(i) + 1;
        QColor colour = on                  ? kHandleLit
                        : all[i].isMiddle() ? QColor(0xe6, 0xe6, 0xe6)
                                            : kHandleColours[all[i].along];
        if (held && !on)
            colour.setAlpha(70);
        if (!all[i].isMiddle())
            paintHandleLine(p, QPolygonF({*centre, *at}), colour, on);
        p.setPen(QPen(QColor(0, 0, 0, 110), 1));
        p.setBrush(colour);
        p.drawRect(QRectF(at->x() - 5, at->y() - 5, 10, 10));
    }
    p.restore();
}

void SizeHandle::begin(int box, QPointF mouse, const OrbitCamera& camera, QSizeF size)
{
    const std::vector<Box> all = boxes(camera, size);
    held_ = all.at(static_cast<std::size_t>(box - 1));
    origin_ = extents[held_.extent];
    start_ = mouse;
}

Vec3 SizeHandle::drag(const OrbitCamera& camera, QSizeF size, const Pull& pull) const
{
    const QPointF moved = pull.mouse - start_;
    const double pixel = camera.metresPerPixel(position, size.height());
    const bool factor = origin_.kind == Handle::Scale;
    const auto made = [&](double value) {
        if (!pull.typed) {
            const double finest = factor ? kScaleFinest : digitStep(pixel);
            value =
                rounded(value, pull.snap ? (factor ? kScaleSnap : snapStep(12 * pixel)) : finest);
            if (value == 0 && origin_.low > 0)
                value = finest;
        }
        return std::clamp(value, origin_.low, origin_.high);
    };
    Vec3 to = origin_.value;
    if (held_.isMiddle()) {
        const double times =
            pull.typed ? *pull.typed : std::max(1 + (moved.x() - moved.y()) / kHandleLength, 0.01);
        for (double& value : to)
            value = made(value * times);
        return to;
    }
    const double along = movedAlong(held_.direction, position, moved, camera, size).value_or(0);
    double& value = to[held_.axis < 0 ? 0 : static_cast<std::size_t>(held_.axis)];
    if (pull.typed)
        value = made(*pull.typed);
    else if (factor)
        value = made(value * std::max(1 + along / (kHandleLength * pixel), 0.01));
    else
        value = made(std::max(value + (origin_.kind == Handle::Radius ? 1 : 2) * along, 0.0));
    return to;
}

} // namespace floe::views
