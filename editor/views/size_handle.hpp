#pragma once

#include "views/handle_shapes.hpp"
#include "views/node_handles.hpp"

#include <optional>
#include <vector>

namespace floe::views {

/// Boxes over the picture that make something larger and smaller: on the ends of its lengths, on
/// the rim of its radius or of its tube, or, for factors, on arms that are always the same size on
/// the screen. They lie along its own axes; one in the middle changes all three alike.
class SizeHandle {
public:
    Vec3 angles{};
    std::vector<NodeHandles::Extent> extents;
    std::vector<Vec3> middles; ///< of each of them [m]

    /// @return number of the box under the mouse, from 1 on; 0: none
    int hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const;
    void paint(QPainter& p, const SpaceCamera& camera, QSizeF size, int lit,
               bool held = false) const;

    void begin(int box, QPointF mouse, const SpaceCamera& camera, QSizeF size);
    /// @return the value of extent() then; what is typed is the length or factor itself, in the
    ///         middle the factor
    Vec3 drag(const SpaceCamera& camera, QSizeF size, const Pull& pull) const;
    std::size_t extent() const { return held_.extent; } ///< that is dragged
    int axis() const { return held_.axis; } ///< of it; -1: all three, or a single number

private:
    struct Box {
        std::size_t extent = 0;
        int axis = -1;    ///< of the value; -1: all of it
        int along = 0;    ///< own axis that it lies on
        Vec3 direction{}; ///< from `from`, of length 1; none: it is the middle
        Vec3 from{}, place{};
        bool isMiddle() const { return direction == Vec3{}; }
    };
    std::vector<Box> boxes(const SpaceCamera& camera, QSizeF size) const;

    /// Whether it is seen well enough to be taken.
    std::optional<QPointF> seen(const Box& box, const SpaceCamera& camera, QSizeF size) const;

    Box held_;
    QPointF start_;
    NodeHandles::Extent origin_;
};

} // namespace floe::views
