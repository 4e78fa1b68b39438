#pragma once

#include "views/placement.hpp"

#include <QColor>
#include <QPainter>
#include <QPointF>

/// What the viewport's handles have in common.
namespace floe::views {

inline constexpr double kHandleReach = 7;   ///< how near the mouse must be [logical pixels]
inline constexpr double kHandleLength = 74; ///< of what lies in the screen [logical pixels]
/// What points at the viewer more than that can't be taken hold of [logical pixels].
inline constexpr double kHandleShortest = 12;

extern const QColor kHandleColours[3]; ///< of x, y, z
extern const QColor kHandleLit;        ///< under the mouse, or held

Vec3 axisOf(int axis);
double distanceToSegment(QPointF point, QPointF a, QPointF b);
/// Line with a dark rim, so that it is seen on anything.
void paintHandleLine(QPainter& p, const QPolygonF& line, const QColor& colour, bool lit);

/// 1, 2 or 5 times a power of ten, not below `length`: what snapping goes by.
double snapStep(double length);
/// The largest power of ten not above `length`: digits beyond it say nothing.
double digitStep(double length);
double rounded(double value, double step);

/// How far the mouse has moved along a direction in space [m], whose picture it follows; nothing
/// where the direction points at the viewer.
/// @param moved  of the mouse [logical pixels]
std::optional<double> movedAlong(const Vec3& direction, const Vec3& from, QPointF moved,
                                 const SpaceCamera& camera, QSizeF size);

/// What a handle is dragged by.
struct Pull {
    QPointF mouse;
    bool snap = false;
    std::optional<double> typed; ///< in place of the mouse
};

} // namespace floe::views
