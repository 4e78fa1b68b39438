#pragma once

#include "views/handle_shapes.hpp"
#include "views/node_handles.hpp"

namespace floe::views {

/// An arrow over the picture along each direction of something, whose tip turns it on a sphere
/// about the place. Always the same size on the screen; the vector keeps its length.
class DirectionHandle {
public:
    /// Nothing: the middle of the view.
    std::optional<Vec3> position;
    std::vector<NodeHandles::Direction> directions;

    /// From the place to a tip in a picture of that size [logical pixels].
    static double reach(QSizeF size);
    /// @return number of the arrow whose tip is under the mouse, from 1 on; 0: none
    int hit(const OrbitCamera& camera, QSizeF size, QPointF mouse) const;
    void paint(QPainter& p, const OrbitCamera& camera, QSizeF size, int lit,
               bool held = false) const;

    void begin(int arrow, QPointF mouse, const OrbitCamera& camera, QSizeF size);
    /// Beyond the edge of the sphere the mouse leads the tip around to its other side.
    /// @return the vector then; what is typed is the turn since the drag began [degrees], towards
    ///         where the mouse is
    Vec3 drag(const OrbitCamera& camera, QSizeF size, const Pull& pull);
    double turned() const { return turned_; } ///< since the drag began [degrees]

private:
    Vec3 placeIn(const OrbitCamera& camera) const { return position.value_or(camera.target); }
    std::optional<QPointF> tip(const Vec3& value, const OrbitCamera& camera, QSizeF size) const;

    NodeHandles::Direction origin_;
    QPointF grip_;     ///< from the mouse to the tip, seen without perspective [logical pixels]
    bool near_ = true; ///< the tip was on the side of the viewer at first
    double turned_ = 0;
};

} // namespace floe::views
