#pragma once

#include "views/handle_shapes.hpp"

namespace floe::views {

/// Three rings and a fourth around them over the picture that turn something about a point: about
/// the world's axes, or about the line of sight. Always the same size on the screen.
class RotateHandle {
public:
    enum class Part { None, X, Y, Z, View };

    Vec3 position{};
    Vec3 angles{}; ///< about x, then y, then z [degrees]

    Part hit(const SpaceCamera& camera, QSizeF size, QPointF mouse) const;
    void paint(QPainter& p, const SpaceCamera& camera, QSizeF size, Part lit,
               bool held = false) const;

    void begin(Part part, QPointF mouse, const SpaceCamera& camera, QSizeF size);
    /// @return the angles then: of all that are that rotation, those nearest to the ones before;
    ///         what is typed is the turn since the drag began [degrees]
    Vec3 drag(const SpaceCamera& camera, QSizeF size, const Pull& pull);
    double turned() const { return turned_; } ///< since the drag began [degrees]

private:
    Vec3 axis(Part part, const SpaceCamera& camera) const;
    /// Its half that is turned to the viewer, or the other one.
    QPolygonF ring(Part part, bool front, const SpaceCamera& camera, QSizeF size) const;

    Part part_ = Part::None;
    QPointF last_;
    QPointF tangent_; ///< of a ring seen from its edge: [degrees] for each pixel along it
    Vec3 axis_{}, origin_{};
    double pulled_ = 0; ///< by the mouse since the drag began [degrees]
    double turned_ = 0; ///< the same, snapped or typed
};

} // namespace floe::views
