#pragma once

// The linear algebra that the renderer needs on the host.

#include "floe/render/scene.hpp"

#include <array>
#include <cmath>

namespace floe::render {

inline Float3 add(const Float3& a, const Float3& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Float3 subtract(const Float3& a, const Float3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Float3 scaled(const Float3& a, float s)
{
    return {a[0] * s, a[1] * s, a[2] * s};
}
inline float dot(const Float3& a, const Float3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Float3 cross(const Float3& a, const Float3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline float length(const Float3& a)
{
    return std::hypot(a[0], a[1], a[2]);
}
/// Returns `otherwise` for vectors without a direction.
inline Float3 normalized(const Float3& a, const Float3& otherwise = {0, 1, 0})
{
    const float size = length(a);
    return size > 1e-30f && std::isfinite(size) ? scaled(a, 1 / size) : otherwise;
}
inline bool finite(const Float3& a)
{
    return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}
inline Float3 transformed(const Float4x4& m, const Float3& p)
{
    return {m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3],
            m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
            m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]};
}

inline constexpr Bounds kNoBounds = {{INFINITY, INFINITY, INFINITY},
                                     {-INFINITY, -INFINITY, -INFINITY}};

inline bool isEmpty(const Bounds& bounds)
{
    return !(bounds.low[0] <= bounds.high[0]);
}
inline void include(Bounds& bounds, const Float3& p)
{
    for (int i = 0; i < 3; ++i) {
        bounds.low[i] = std::fmin(bounds.low[i], p[i]);
        bounds.high[i] = std::fmax(bounds.high[i], p[i]);
    }
}
inline Float3 corner(const Bounds& bounds, int i)
{
    return {(i & 1 ? bounds.high : bounds.low)[0], (i & 2 ? bounds.high : bounds.low)[1],
            (i & 4 ? bounds.high : bounds.low)[2]};
}

/// Column by column, as shaders read it.
using ShaderMatrix = std::array<float, 16>;

inline ShaderMatrix forShader(const Float4x4& m)
{
    ShaderMatrix columns;
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < 4; ++column)
            columns[4 * column + row] = m[4 * row + column];
    return columns;
}

} // namespace floe::render
