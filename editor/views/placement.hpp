#pragma once

#include "views/orbit_camera.hpp"

#include <optional>
#include <string>
#include <vector>

namespace floe::editor {
class Document;
}

namespace floe::views {

/// Where something is taken: its points are scaled, turned and moved.
struct Placement {
    std::array<Vec3, 3> axes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}; ///< where x, y, z lead
    Vec3 origin{};                                                         ///< [m]

    Vec3 point(const Vec3& p) const { return origin + way(p); }
    Vec3 way(const Vec3& v) const { return axes[0] * v[0] + axes[1] * v[1] + axes[2] * v[2]; }
    /// The point, or way, that is taken there; of a flat placement, zero.
    Vec3 pointBack(const Vec3& p) const { return wayBack(p - origin); }
    Vec3 wayBack(const Vec3& v) const;
    double volume() const; ///< of the unit cube; below 0 where it mirrors
    /// This one of what another one has placed.
    Placement of(const Placement& inner) const;

    bool operator==(const Placement&) const = default;
};

/// Where the node's own position, rotation, pivot and scales take things, as its manifest names
/// them by handles. Nothing: it follows an expression.
std::optional<Placement> ownPlacement(const editor::Document& document, const std::string& scope,
                                      const std::string& node, double frame);

/// The spaces that a node's numbers are in, in the world, one for each place where it appears:
/// transforms that are linked to it move it, and so do the nodes that it leads to, by inputs that
/// move what comes (graph::Socket::moved). Places that follow an expression are left out.
std::vector<Placement> spacesOf(const editor::Document& document, const std::string& scope,
                                const std::string& node, double frame);

/// A camera that sees what lies in a space of its own. Handles work there, so that an axis of
/// theirs is a number of the node's.
struct SpaceCamera {
    const OrbitCamera& camera;
    const Placement& space;

    std::optional<QPointF> project(const Vec3& point, QSizeF size) const;
    /// Of that space, in the mean of all directions.
    double metresPerPixel(const Vec3& point, double height) const;
    Vec3 right() const; ///< what goes to the right in the picture, as far as a metre in the mean
    Vec3 up() const;
    Vec3 towards(const Vec3& point) const; ///< of length 1, from a point to the viewer
    bool mirrors() const { return space.volume() < 0; }

private:
    double scale() const;
};

} // namespace floe::views
