#pragma once

// Things to draw, made from formulas.

#include "floe/render/scene.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

namespace floe::render::procedural {

inline float uniform(std::uint32_t& state)
{
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 16777216.0f;
}

/// Particles in a jittered grid filling `inside`, a function of a point.
template <class Inside>
std::vector<Float3> fill(const Bounds& box, float spacing, Inside inside)
{
    std::vector<Float3> points;
    std::uint32_t state = 1;
    for (float y = box.low[1]; y < box.high[1]; y += spacing)
        for (float z = box.low[2]; z < box.high[2]; z += spacing)
            for (float x = box.low[0]; x < box.high[0]; x += spacing) {
                const Float3 p = {x + spacing * uniform(state), y + spacing * uniform(state),
                                  z + spacing * uniform(state)};
                if (inside(p))
                    points.push_back(p);
            }
    return points;
}

/// A bumpy cone on the ground with its axis at x = z = 0.
inline std::vector<Float3> heap(float radius, float height, float spacing)
{
    return fill({{-radius, 0, -radius}, {radius, height, radius}}, spacing, [&](const Float3& p) {
        const float r = std::hypot(p[0], p[2]);
        const float angle = std::atan2(p[2], p[0]);
        const float rim = radius * (0.88f + 0.07f * std::sin(3 * angle + 1) +
                                    0.04f * std::sin(7 * angle + 5 * p[1]));
        const float slope = 1 - r / rim;
        const float bump =
            0.03f * height * (std::sin(9 * p[0] / radius) * std::sin(11 * p[2] / radius));
        return slope > 0 && p[1] < height * (1 - std::pow(r / rim, 1.4f)) + bump;
    });
}

struct Shape {
    std::vector<Float3> points;
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

inline Shape sphere(const Float3& centre, float radius, std::uint32_t rings = 32)
{
    Shape shape;
    const std::uint32_t around = 2 * rings;
    for (std::uint32_t i = 0; i <= rings; ++i)
        for (std::uint32_t k = 0; k < around; ++k) {
            const float a = 3.14159265f * static_cast<float>(i) / static_cast<float>(rings);
            const float b = 6.2831853f * static_cast<float>(k) / static_cast<float>(around);
            shape.points.push_back({centre[0] + radius * std::sin(a) * std::cos(b),
                                    centre[1] + radius * std::cos(a),
                                    centre[2] + radius * std::sin(a) * std::sin(b)});
        }
    for (std::uint32_t i = 0; i < rings; ++i)
        for (std::uint32_t k = 0; k < around; ++k) {
            const std::uint32_t a = i * around + k, b = i * around + (k + 1) % around;
            shape.triangles.push_back({a, b, b + around});
            shape.triangles.push_back({a, b + around, a + around});
        }
    return shape;
}

inline Shape box(const Float3& low, const Float3& high)
{
    Shape shape;
    for (int i = 0; i < 8; ++i)
        shape.points.push_back(
            {(i & 1 ? high : low)[0], (i & 2 ? high : low)[1], (i & 4 ? high : low)[2]});
    for (const auto& [a, b, c, d] : std::vector<std::array<std::uint32_t, 4>>{
             {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}) {
        shape.triangles.push_back({a, b, c});
        shape.triangles.push_back({a, c, d});
    }
    return shape;
}

inline Mesh meshOf(const Shape& shape)
{
    Mesh mesh;
    mesh.points = shape.points;
    mesh.triangles = shape.triangles;
    return mesh;
}

} // namespace floe::render::procedural
