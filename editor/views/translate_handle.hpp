#pragma once

#include "views/handle_shapes.hpp"

namespace floe::views {

/// Three arrows and a square over the picture that move a point: along an axis, or in the plane of
/// the screen. Always the same size on the screen. Only geometry: the owner paints and asks.
class TranslateHandle {
public:
    enum class Part { None, X, Y, Z, Screen };

    Vec3 position{};

    /// The part under the mouse.
    Part hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const;
    /// @param held  the lit part is being dragged: the others step back
    void paint(QPainter& p, const SpaceCamera& camera, QSizeF size, Part lit,
               bool held = false) const;

    void begin(Part part, QPointF mouse);
    /// @return where the point goes; what is typed is its way along the arrow [m]
    Vec3 drag(const SpaceCamera& camera, QSizeF size, const Pull& pull) const;
    Vec3 way() const { return position - origin_; } ///< since the drag began

private:
    std::optional<QPointF> tip(int axis, const SpaceCamera& camera, QSizeF size) const;

    Part part_ = Part::None;
    QPointF start_;
    Vec3 origin_{};
};

} // namespace floe::views
