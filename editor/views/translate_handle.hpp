#pragma once

#include "views/orbit_camera.hpp"

#include <QPainter>

namespace floe::views {

/// Three arrows and a square over the picture that move a point: along an axis, or in the plane of
/// the screen. Always the same size on the screen. Only geometry: the owner paints and asks.
class TranslateHandle {
public:
    enum class Part { None, X, Y, Z, Screen };

    Vec3 position{};

    /// The part under the mouse.
    Part hit(const OrbitCamera& camera, QSizeF size, QPointF mouse) const;
    void paint(QPainter& p, const OrbitCamera& camera, QSizeF size, Part lit) const;

    void begin(Part part, QPointF mouse);
    /// @return where the point goes for this place of the mouse
    Vec3 drag(const OrbitCamera& camera, QSizeF size, QPointF mouse) const;

private:
    static constexpr double kLength = 74; // of an arrow that lies in the screen [logical pixels]
    std::optional<QPointF> tip(int axis, const OrbitCamera& camera, QSizeF size) const;

    Part part_ = Part::None;
    QPointF start_;
    Vec3 origin_{};
};

} // namespace floe::views
