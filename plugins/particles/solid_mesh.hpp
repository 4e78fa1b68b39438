/// A closed mesh as a solid: its volume, and what lies inside.
#pragma once

#include "floe/sdk/node.hpp"
#include "floe/sdk/world/triangle_surface.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace floe::particles {

using sdk::world::Vec3d;

/// Does not change; may be asked from many threads.
class SolidMesh {
public:
    /// @throws Failure  the mesh is open, empty or without a volume
    SolidMesh(std::span<const float> points, std::span<const uint32_t> triangles);

    const sdk::world::TriangleSurface& surface() const { return surface_; }
    double volume() const { return volume_; } ///< [m^3], > 0
    /// Returns whether a point is inside: where the surface winds around it.
    bool contains(const Vec3d& point) const;
    /// Where a line along z crosses the surface: its height [m], and +1 to the inside, -1 out of
    /// it. Ascending.
    struct Crossing {
        double z;
        int turn;
        bool operator<(const Crossing& other) const
        {
            return z < other.z || (z == other.z && turn < other.turn);
        }
    };
    void crossings(double x, double y, std::vector<Crossing>& found) const;

private:
    void requireClosed(std::span<const float> points, std::span<const uint32_t> triangles) const;

    sdk::world::TriangleSurface surface_;
    double volume_ = 0;
    int outwards_ = 1; ///< -1 where the triangles are turned inside out
};

} // namespace floe::particles
