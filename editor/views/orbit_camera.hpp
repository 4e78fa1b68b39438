#pragma once

#include "client/messages.hpp"

#include <QPointF>
#include <QSizeF>

#include <array>
#include <optional>

namespace floe::views {

using Vec3 = std::array<double, 3>; ///< world space [m], y up, right handed

/// The free camera of a viewport: looks at a target from a distance; who turns it
/// never gets it upside down.
struct OrbitCamera {
    Vec3 target{0, 0.5, 0};
    double distance = 4;     ///< from target to eye [m]
    double yaw = 30;         ///< around y, 0 looks from +z [deg]
    double pitch = 18;       ///< above the horizon, -89 to 89 [deg]
    double roll = 0;         ///< of the picture about the line of sight, until it is turned [deg]
    double fieldOfView = 40; ///< vertical [deg]
    /// Parallel rays: the picture is everywhere as high as it is at the target in perspective.
    bool orthographic = false;

    Vec3 eye() const;
    Vec3 forward() const; ///< unit vectors of the picture
    Vec3 right() const;
    Vec3 up() const;
    Vec3 level() const; ///< right() without the roll

    static OrbitCamera lookingAt(const client::Camera& camera); ///< also straight up or down
    client::Camera seen() const;                                ///< for the runtime

    void orbit(double dx, double dy);              ///< by a drag [logical pixels]
    void pan(double dx, double dy, double height); ///< what is under the mouse stays under it
    void zoom(double steps);                       ///< notches of a wheel, > 0 comes nearer
    /// Sees the whole box, with a margin, from where it looks now.
    void frame(const Vec3& low, const Vec3& high, double aspect);

    Vec3 towards(const Vec3& point) const; ///< of length 1, from a point to the viewer
    /// Where a point lies in a picture of that size. Empty: behind the camera.
    std::optional<QPointF> project(const Vec3& point, QSizeF size) const;
    /// Where the line of sight through a point of such a picture meets the plane of that height.
    /// Empty: nowhere before the camera.
    std::optional<Vec3> onLevel(double height, QPointF at, QSizeF size) const;
    /// False when no point of the box can be in such a picture.
    bool seesBox(const Vec3& low, const Vec3& high, QSizeF size) const;
    /// Metres that a pixel covers at the depth of a point.
    double metresPerPixel(const Vec3& point, double height) const;

    bool operator==(const OrbitCamera&) const = default;
};

Vec3 operator+(const Vec3& a, const Vec3& b);
Vec3 operator-(const Vec3& a, const Vec3& b);
Vec3 operator*(const Vec3& a, double s);
Vec3 cross(const Vec3& a, const Vec3& b);
double dot(const Vec3& a, const Vec3& b);
double length(const Vec3& a);

} // namespace floe::views
