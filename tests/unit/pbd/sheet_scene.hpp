/// Cloth and ropes that tests make.
#pragma once

#include "solver_scene.hpp"

namespace floe::pbd {

inline std::vector<Vec3d> line(const Vec3d& from, const Vec3d& to, int segments)
{
    std::vector<Vec3d> points;
    for (int k = 0; k <= segments; ++k)
        points.push_back(from + (double(k) / segments) * (to - from));
    return points;
}

/// Which are pinned: the first, or both ends.
inline std::vector<std::uint8_t> firstOf(std::size_t count, bool lastToo = false)
{
    std::vector<std::uint8_t> pinned(count, 0);
    pinned.front() = 1;
    pinned.back() = lastToo;
    return pinned;
}

inline void add(Trial& trial, const Cloth& cloth, float damping = 0, float tear = 0,
                Vec3d v = {0, 0, 0})
{
    trial.solver.scene.addSheet(std::make_shared<Cloth>(cloth), 0, {.v = v}, damping, tear);
    trial.solver.changed();
}

/// A rectangle in the plane z = 0, hanging down from y = 0.
/// @param cross      diagonals both ways
/// @param irregular  of a square: how far vertices inside are moved about
inline test::Mesh rectangle(double width, double height, int across, int along, bool cross,
                            double irregular = 0)
{
    test::Mesh mesh;
    const auto at = [&](int i, int j) {
        return static_cast<std::uint32_t>(j * (across + 1) + i);
    };
    for (int j = 0; j <= along; ++j)
        for (int i = 0; i <= across; ++i) {
            const bool inside = i > 0 && i < across && j > 1 && j < along;
            const double off = inside ? irregular : 0, turn = 12.9898 * i + 78.233 * j;
            mesh.add(width * (i + off * std::sin(turn)) / across,
                     -height * (j + off * std::cos(3 * turn)) / along, 0);
        }
    for (int j = 0; j < along; ++j)
        for (int i = 0; i < across; ++i) {
            const std::uint32_t a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1),
                                d = at(i, j + 1);
            if (cross && (i + j) % 2)
                mesh.corners.insert(mesh.corners.end(), {a, d, b, b, d, c});
            else
                mesh.corners.insert(mesh.corners.end(), {a, c, b, a, d, c});
        }
    return mesh;
}

} // namespace floe::pbd
