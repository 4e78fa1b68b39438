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

/// From one end to the other, not from the middle.
bool isWhole(Handle kind)
{
    return kind == Handle::Size || kind == Handle::Width || kind == Handle::Height ||
           kind == Handle::Length;
}

} // namespace

std::vector<SizeHandle::Box> SizeHandle::boxes(const SpaceCamera& camera, QSizeF size) const
{
    std::vector<Box> made;
    double ring = 0; // radius of what a tube goes around
    for (const NodeHandles::Extent& extent : extents)
        if (extent.kind == Handle::Radius)
            ring = extent.value[0];
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const NodeHandles::Extent& extent = extents[i];
        const Vec3 middle = middles[i];
        const double pixel = camera.metresPerPixel(middle, size.height());
        const UnitQuaternion own = orientationOf(extent.turned ? angles : Vec3{});
        const auto add = [&](int along, double side, const Vec3& from) {
            Box box{.extent = i, .axis = extent.single ? -1 : along, .along = along};
            box.direction = rotated(own, axisOf(along) * side);
            box.from = from;
            const double value = extent.value[extent.single ? 0 : along];
            double away = std::abs(isWhole(extent.kind) ? 0.5 * value : value);
            if (extent.kind == Handle::Scale)
                away = kHandleLength * pixel;
            away = std::max(away, kNearest * pixel);
            const bool below = extent.kind == Handle::Rise && value < 0;
            box.place = from + box.direction * (below ? -away : away);
            made.push_back(box);
        };
        const auto addBoth = [&](int along) {
            add(along, 1, middle);
            add(along, -1, middle);
        };
        switch (extent.kind) {
        case Handle::Scale:
            for (int axis = 0; axis < 3; ++axis)
                add(axis, 1, middle);
            break;
        case Handle::Size:
            for (int axis = 0; axis < 3; ++axis)
                if (!extent.single || axis != 1)
                    addBoth(axis);
            break;
        case Handle::Radius:
            addBoth(0);
            addBoth(2);
            break;
        case Handle::Width:
            addBoth(0);
            break;
        case Handle::Height:
            addBoth(1);
            break;
        case Handle::Length:
            addBoth(2);
            break;
        case Handle::Rise:
            add(1, 1, middle);
            break;
        case Handle::Tube:
            for (const double side : {1.0, -1.0})
                add(1, 1, middle + rotated(own, axisOf(0) * (side * ring)));
            break;
        default:
            break;
        }
        if (!extent.single)
            made.push_back({.extent = i,
                            .axis = -1,
                            .along = 0,
                            .direction = {},
                            .from = middle,
                            .place = middle});
    }
    return made;
}

std::optional<QPointF> SizeHandle::seen(const Box& box, const SpaceCamera& camera,
                                        QSizeF size) const
{
    const auto from = camera.project(box.from, size), at = camera.project(box.place, size);
    const bool far = from && at && QLineF(*from, *at).length() >= kHandleShortest;
    return box.isMiddle() || far ? at : std::nullopt;
}

int SizeHandle::hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const
{
    int best = 0;
    double nearest = kHandleReach + 2;
    const std::vector<Box> all = boxes(camera, size);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto at = seen(all[i], camera, size);
        if (!at)
            continue;
        if (const double away = QLineF(*at, mouse).length(); away < nearest) {
            nearest = away;
            best = static_cast<int>(i) + 1;
        }
    }
    return best;
}

void SizeHandle::paint(QPainter& p, const SpaceCamera& camera, QSizeF size, int lit,
                       bool held) const
{
    p.save();
    p.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const NodeHandles::Extent& extent = extents[i];
        if (extent.kind != Handle::Radius)
            continue;
        const UnitQuaternion own = orientationOf(extent.turned ? angles : Vec3{});
        QPolygonF rim;
        for (int piece = 0; piece <= kPieces; ++piece) {
            const double t = 2 * std::numbers::pi * piece / kPieces;
            const Vec3 at{extent.value[0] * std::cos(t), 0, extent.value[0] * std::sin(t)};
            if (const auto seen = camera.project(middles[i] + rotated(own, at), size))
                rim.append(*seen);
        }
        paintHandleLine(p, rim, QColor(0xe6, 0xe6, 0xe6, 130), false);
    }
    const std::vector<Box> all = boxes(camera, size);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto at = seen(all[i], camera, size);
        if (!at)
            continue;
        const bool on = lit == static_cast<int>(i) + 1;
        QColor colour = on                  ? kHandleLit
                        : all[i].isMiddle() ? QColor(0xe6, 0xe6, 0xe6)
                                            : kHandleColours[all[i].along];
        if (held && !on)
            colour.setAlpha(70);
        if (const auto from = camera.project(all[i].from, size); from && !all[i].isMiddle())
            paintHandleLine(p, QPolygonF({*from, *at}), colour, on);
        p.setPen(QPen(QColor(0, 0, 0, 110), 1));
        p.setBrush(colour);
        p.drawRect(QRectF(at->x() - 5, at->y() - 5, 10, 10));
    }
    p.restore();
}

void SizeHandle::begin(int box, QPointF mouse, const SpaceCamera& camera, QSizeF size)
{
    const std::vector<Box> all = boxes(camera, size);
    held_ = all.at(static_cast<std::size_t>(box - 1));
    origin_ = extents[held_.extent];
    start_ = mouse;
}

Vec3 SizeHandle::drag(const SpaceCamera& camera, QSizeF size, const Pull& pull) const
{
    const QPointF moved = pull.mouse - start_;
    const double pixel = camera.metresPerPixel(held_.from, size.height());
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
    const double along = movedAlong(held_.direction, held_.from, moved, camera, size).value_or(0);
    double& value = to[held_.axis < 0 ? 0 : static_cast<std::size_t>(held_.axis)];
    if (pull.typed)
        value = made(*pull.typed);
    else if (factor)
        value = made(value * std::max(1 + along / (kHandleLength * pixel), 0.01));
    else if (origin_.kind == Handle::Rise)
        value = made(value + along);
    else
        value = made(std::max(value + (isWhole(origin_.kind) ? 2 : 1) * along, 0.0));
    return to;
}

} // namespace floe::views
