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
    const auto along = [frames](Float3& place, const Float3& a, const Float3& b) {
        for (std::size_t k = 0; k < 3; ++k)
            place[k] += frames * (a[k] - b[k]);
    };
    along(scene.camera.eye, now.eye, before.eye);
    along(scene.camera.target, now.target, before.target);
    along(scene.camera.up, now.up, before.up);
    scene.camera.verticalFov = std::clamp(
        scene.camera.verticalFov + frames * (now.verticalFov - before.verticalFov), 1.0f, 170.0f);
}

} // namespace

PictureScene::Moved PictureScene::moveTo(render::Scene& to, float moment) const
{
    Moved storage;
    const double frames = shutter_ * moment;
    if (exposures <= 1 || shutter_ <= 0)
        return storage;
    const auto seconds = static_cast<float>(frames / request_.fps);
    // Anything with positions or points, which are then not those of its revision.
    const auto move = [&](auto& places, std::uint64_t& revision, std::span<const Float3> from,
                          std::span<const float> velocities, float timeScale = 1) {
        const float own = timeScale * seconds;
        std::vector<Float3>& points = storage.emplace_back(from.begin(), from.end());
        compute::parallelFor(points.size(), 0, [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    points[i][k] += own * velocities[3 * i + k];
        });
        places = points;
        revision = 0;
    };
    for (std::size_t i = 0; i < to.particles.size(); ++i) {
        const ParticlesValue& particles = *arrays_.particles[i];
        if (const auto v = velocitiesOf(particles); !v.empty())
            move(to.particles[i].positions, to.particles[i].revision,
                 float3s(particles.get<float>("x", 3)), v, timeScaleOf(particles));
    }
    for (std::size_t i = 0; i < to.gaussians.size(); ++i) {
        const ParticlesValue& particles = *arrays_.gaussians[i];
        if (const auto v = velocitiesOf(particles); !v.empty())
            move(to.gaussians[i].positions, to.gaussians[i].revision,
                 float3s(particles.get<float>("x", 3)), v, timeScaleOf(particles));
    }
    std::size_t number = 0;
    for (const ValueRef& value : request_.meshes) {
        const auto& mesh = expect<MeshValue>(value);
        if (!mesh.velocities().empty())
            move(to.meshes[number].points, to.meshes[number].revision, float3s(mesh.points()),
                 mesh.velocities());
        ++number;
    }
    for (const ValueRef& value : request_.colliders) {
        const auto& collider = expect<RecordValue>(value);
        if (!as<MeshValue>(collider.find("mesh")))
            continue;
        to.meshes[number].transform =
            matrixOf(as<TransformValue>(collider.find("transform")), request_.frame + frames);
        ++number;
    }
    for (const auto& [mesh, look] : arrays_.surfaces) {
        if (!mesh->velocities().empty())
            move(to.meshes[number].points, to.meshes[number].revision, float3s(mesh->points()),
                 mesh->velocities());
        ++number;
    }
    moveCamera(to, request_.camera.get(), static_cast<float>(frames));
    return storage;
}

} // namespace floe::view
