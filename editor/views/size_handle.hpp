#pragma once

#include "views/handle_shapes.hpp"
#include "views/node_handles.hpp"

namespace floe::views {

/// Boxes over the picture that make something larger and smaller: on the ends of its lengths, on
/// the rim of its radius, or, for factors, on arms that are always the same size on the screen.
/// They lie along its own axes; one in the middle changes all three alike.
class SizeHandle {
public:
    Vec3 position{}, angles{};
    std::vector<NodeHandles::Extent> extents;

    /// @return number of the box under the mouse, from 1 on; 0: none
    int hit(const OrbitCamera& camera, QSizeF size, QPointF mouse) const;
    void paint(QPainter& p, const OrbitCamera& camera, QSizeF size, int lit,
               bool held = false) const;

    void begin(int box, QPointF mouse, const OrbitCamera& camera, QSizeF size);
    /// @return the value of extent() then; what is typed is the length or factor itself, in the
    ///         middle the factor
    Vec3 drag(const OrbitCamera& camera, QSizeF size, const Pull& pull) const;
    std::size_t extent() const { return held_.extent; } ///< that is dragged
    int axis() const { return held_.axis; } ///< of it; -1: all three, or a single number

private:
    struct Box {
        std::size_t extent = 0;
        int axis = -1;    ///< of the value; -1: all of it
        int along = 0;    ///< own axis that it lies on
        Vec3 direction{}; ///< from the middle, of length 1; none: it is the middle
        Vec3 place{};
        bool isMiddle() const { return direction == Vec3{}; }
    };
    std::vector<Box> boxes(const OrbitCamera& camera, QSizeF size) const;

    Box held_;
    QPointF start_;
    NodeHandles::Extent origin_;
};

} // namespace floe::views
