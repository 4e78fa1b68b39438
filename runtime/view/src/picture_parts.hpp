#pragma once

#include "floe/data/particles.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/render/scene.hpp"

#include <algorithm>
#include <span>

namespace floe::view {

/// Vectors of three numbers each, as the renderer takes them.
inline std::span<const render::Float3> float3s(std::span<const float> numbers)
{
    static_assert(sizeof(render::Float3) == 3 * sizeof(float));
    return {reinterpret_cast<const render::Float3*>(numbers.data()), numbers.size() / 3};
}

/// Seconds in which particles move by their velocities, for each second of the animation: a solver
/// in slow motion gives its particles a field `timeScale`.
inline float timeScaleOf(const ParticlesValue& particles)
{
    const auto* scale = as<NumberValue>(particles.fields().find("timeScale"));
    return scale ? static_cast<float>(scale->number()) : 1.0f;
}

/// Where something is at a frame; null: at the origin, always.
inline render::Float4x4 matrixOf(const TransformValue* transform, double frame)
{
    if (!transform)
        return render::kIdentity;
    const auto m = transform->matrixAt(frame);
    render::Float4x4 result;
    std::transform(m.begin(), m.end(), result.begin(),
                   [](double x) { return static_cast<float>(x); });
    return result;
}

} // namespace floe::view
