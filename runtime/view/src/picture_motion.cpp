#include "floe/view/picture_scene.hpp"

#include "floe/compute/parallel.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "picture_parts.hpp"

#include <algorithm>

namespace floe::view {

namespace {

using render::Float3;

/// Three floats a particle; empty: there are none.
std::span<const float> velocitiesOf(const ParticlesValue& particles)
{
    const Attribute* v = particles.find("v");
    if (!v || v->element != Element::float32 || v->components != 3 ||
        particles.space() != compute::Space::host)
        return {};
    return particles.get<float>("v", 3);
}

/// Goes on as the camera went from the frame before to this one.
void moveCamera(render::Scene& scene, const Value* record, float frames)
{
    const auto* camera = as<RecordValue>(record);
    const Value* earlier = camera ? camera->find("before") : nullptr;
    if (!earlier)
        return;
    const render::Camera now = cameraOf(camera, scene), before = cameraOf(earlier, scene);
    const auto along = [frames](const Float3& a, const Float3& b) {
        Float3 result;
        for (std::size_t k = 0; k < 3; ++k)
            result[k] = a[k] + frames * (a[k] - b[k]);
        return result;
    };
    scene.camera.eye = along(now.eye, before.eye);
    scene.camera.target = along(now.target, before.target);
    scene.camera.up = along(now.up, before.up);
    scene.camera.verticalFov =
        std::clamp(now.verticalFov + frames * (now.verticalFov - before.verticalFov), 1.0f, 170.0f);
}

} // namespace

void PictureScene::moveTo(float moment)
{
    const double frames = shutter_ * moment;
    if (exposures <= 1 || shutter_ <= 0)
        return;
    const auto seconds = static_cast<float>(frames / request_.fps);
    arrays_.moved.clear();
    const auto moved = [&](std::span<const Float3> from, std::span<const float> velocities,
                           float timeScale = 1) {
        const float own = timeScale * seconds;
        std::vector<Float3>& to = arrays_.moved.emplace_back(from.begin(), from.end());
        compute::parallelFor(to.size(), 0, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    to[i][k] += own * velocities[3 * i + k];
        });
        return std::span<const Float3>(to);
    };
    for (std::size_t i = 0; i < scene.particles.size(); ++i) {
        const ParticlesValue& particles = *arrays_.particles[i];
        if (const auto v = velocitiesOf(particles); !v.empty())
            scene.particles[i].positions =
                moved(float3s(particles.get<float>("x", 3)), v, timeScaleOf(particles));
    }
    for (std::size_t i = 0; i < scene.gaussians.size(); ++i) {
        const ParticlesValue& particles = *arrays_.gaussians[i];
        if (const auto v = velocitiesOf(particles); !v.empty())
            scene.gaussians[i].positions =
                moved(float3s(particles.get<float>("x", 3)), v, timeScaleOf(particles));
    }
    std::size_t number = 0;
    for (const ValueRef& value : request_.meshes) {
        const auto& mesh = expect<MeshValue>(value);
        if (!mesh.velocities().empty())
            scene.meshes[number].points = moved(float3s(mesh.points()), mesh.velocities());
        ++number;
    }
    for (const ValueRef& value : request_.colliders) {
        const auto& collider = expect<RecordValue>(value);
        if (!as<MeshValue>(collider.find("mesh")))
            continue;
        scene.meshes[number].transform =
            matrixOf(as<TransformValue>(collider.find("transform")), request_.frame + frames);
        ++number;
    }
    for (const auto& [mesh, look] : arrays_.surfaces) {
        if (!mesh->velocities().empty())
            scene.meshes[number].points = moved(float3s(mesh->points()), mesh->velocities());
        ++number;
    }
    moveCamera(scene, request_.camera.get(), static_cast<float>(frames));
}

} // namespace floe::view
