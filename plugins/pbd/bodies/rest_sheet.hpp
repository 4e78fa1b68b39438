/// Cloth and ropes at rest: particles at the vertices, and what holds them together.
#pragma once

#include "rest_body.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace floe::pbd {

/// How matter of no thickness resists. Numbers of cloth are for a unit of width.
struct SheetStiffness {
    double stretch = 1000; ///< cloth: force for a strain of 1 [N/m]; rope: E A [N]
    double shear = 50;     ///< cloth: of the same, for a shear of 1 [N/m]
    double bend = 1e-5;    ///< cloth: flexural rigidity [N m]; rope: E I [N m^2]
};

/// Two particles at a distance: a rope's segment.
struct SheetEdge {
    std::array<std::uint32_t, 2> at;
    double length;    ///< at rest [m]
    double stiffness; ///< [N/m]
};

/// A triangle that keeps its Green strain low.
struct SheetTriangle {
    std::array<std::uint32_t, 3> at;
    std::array<double, 4> inverse;   ///< of its edges at rest, in its plane, row by row [1/m]
    std::array<double, 3> stiffness; ///< against strain along both axes, and shear [J]
};

/// Particles whose places x have the energy 1/2 sum K_ij x_i . x_j, 0 where nothing is bent.
struct SheetBend {
    std::uint32_t count = 0;           ///< of its particles
    std::array<std::uint32_t, 6> at{}; ///< no particle twice in a rope; a cloth may close on itself
    std::array<std::array<double, 6>, 6> stiffness{}; ///< K: symmetric, rows add up to 0 [N/m]
    std::uint32_t parts = 0;                          ///< count of `of`
    std::array<std::uint32_t, 4> of{};                ///< triangles or edges that it needs
};

/// What copies of a cloth or rope share.
struct RestSheet {
    std::vector<SheetEdge> edges; ///< a rope's segments in order; a cloth's only damp
    std::vector<std::vector<std::uint32_t>> edgeGroups; ///< no two of one have a common particle
    std::vector<SheetTriangle> triangles;
    std::vector<SheetBend> bends;
    std::vector<std::uint32_t> faces; ///< a cloth's mesh: three corners for each of `triangles`
    std::vector<std::uint8_t> pinned; ///< one a particle: held where it is
    float radius = 0;                 ///< of a rope [m]
    bool rope = false;
    bool meetsItself = false; ///< particles touch that are not neighbours at rest
    std::size_t parts() const { return rope ? edges.size() : triangles.size(); }
};

struct Cloth {
    RestBody body; ///< particles, mesh, mass
    RestSheet sheet;
};

/// A cloth from a mesh: its vertices become particles.
/// @param pinned  one a point: held where it is
/// @param density  [kg/m^2]   @param radius  of particles [m]; 0: half the mean edge
/// @throws std::invalid_argument  no triangles, or some without area
Cloth makeCloth(const Triangles& mesh, const std::vector<std::uint8_t>& pinned, double density,
                double radius, const SheetStiffness& stiffness);

/// A rope along a line of points.
/// @param density  [kg/m]   @param radius  of the rope [m]
/// @throws std::invalid_argument  fewer than two points, or two at one place
Cloth makeRope(const std::vector<Vec3d>& line, const std::vector<std::uint8_t>& pinned,
               double density, double radius, const SheetStiffness& stiffness);

} // namespace floe::pbd
