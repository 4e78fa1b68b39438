#include "floe/view/measure.hpp"

#include "ray.hpp"
#include "shared_renderer.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"
#include "floe/view/gaussians.hpp"
#include "floe/view/picture_scene.hpp"

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

namespace floe::view {

namespace {

/// The point of a surface that a ray meets.
struct Met {
    Double3 point{}, normal{}; ///< the normal turned to the eye
    Double3 step{};            ///< how far the point has moved since the frame before [m]
};

/// Something that pixels show.
struct Seen {
    std::uint32_t object = 0; ///< its place among all inputs
    // Particles:
    std::span<const float> x, v;
    std::span<const std::uint32_t> material;
    double radius = 0;
    // A mesh:
    const render::Mesh* mesh = nullptr;
    std::span<const float> velocities;
    render::Float4x4 before = render::kIdentity; ///< its transform at the frame before
};

Double3 threeOf(std::span<const float> values, std::size_t at)
{
    return {values[3 * at], values[3 * at + 1], values[3 * at + 2]};
}

Double3 facing(const Double3& normal, const Ray& ray)
{
    const Double3 n = unit(normal);
    return dot(n, ray.direction) > 0 ? -1.0 * n : n;
}

/// Pixels at an outline may show what their own ray just misses: then the nearest point to it.
Met meetBall(const Ray& ray, const Seen& seen, std::size_t particle, double frameDuration)
{
    const Double3 centre = threeOf(seen.x, particle);
    double t = hitBall(ray, centre, seen.radius);
    if (!std::isfinite(t))
        t = dot(centre - ray.origin, ray.direction);
    Met met;
    met.point = ray.origin + t * ray.direction;
    met.normal = facing(met.point - centre, ray);
    met.step = seen.v.empty() ? Double3{} : frameDuration * threeOf(seen.v, particle);
    return met;
}

Met meetTriangle(const Ray& ray, const Seen& seen, std::size_t triangle, double frameDuration)
{
    const render::Mesh& mesh = *seen.mesh;
    const auto& corners = mesh.triangles[triangle];
    Double3 at[3], steps[3];
    for (std::size_t k = 0; k < 3; ++k) {
        const render::Float3& own = mesh.points[corners[k]];
        at[k] = transformed(mesh.transform, own);
        steps[k] = at[k] - transformed(seen.before, own);
        if (!seen.velocities.empty())
            steps[k] = steps[k] + frameDuration * threeOf(seen.velocities, corners[k]);
    }
    Met met;
    const Double3 face = cross(at[1] - at[0], at[2] - at[0]);
    const double slope = dot(ray.direction, face);
    const double t =
        slope != 0 ? dot(at[0] - ray.origin, face) / slope : dot(at[0] - ray.origin, ray.direction);
    met.point = ray.origin + t * ray.direction;
    met.normal = facing(face, ray);
    // Barycentric, by areas; kept within the triangle.
    const double area = dot(face, face);
    double share[3], sum = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        const Double3 part = cross(at[(k + 1) % 3] - met.point, at[(k + 2) % 3] - met.point);
        sum += share[k] = area > 0 ? std::max(dot(part, face) / area, 0.0) : 1;
    }
    for (std::size_t k = 0; k < 3; ++k)
        met.step = met.step + (sum > 0 ? share[k] / sum : 1.0 / 3) * steps[k];
    return met;
}

/// What the numbers of render::Visible stand for, from 1 on.
std::vector<Seen> seenOf(const PictureRequest& request, const PictureScene& prepared,
                         std::deque<Ref<const ParticlesValue>>& hosts)
{
    std::vector<Seen> all;
    const render::Scene& scene = prepared.scene;
    std::uint32_t object = 0;
    for (const ValueRef& value : request.particles) {
        const auto& given = expect<ParticlesValue>(value);
        if (given.count() > 0 && !isGaussians(given)) {
            hosts.push_back(inHostMemory(Ref<const ParticlesValue>::share(&given)));
            Seen seen;
            seen.object = object;
            seen.x = hosts.back()->get<float>("x", 3);
            seen.v = hosts.back()->get<float>("v", 3);
            seen.material = hosts.back()->get<std::uint32_t>("material", 1);
            seen.radius = scene.particles[all.size()].radius;
            all.push_back(seen);
        }
        ++object;
    }
    std::size_t mesh = 0;
    for (const ValueRef& value : request.meshes) {
        Seen seen;
        seen.object = object++;
        seen.mesh = &scene.meshes[mesh++];
        seen.velocities = expect<MeshValue>(value).velocities();
        all.push_back(seen);
    }
    for (const ValueRef& value : request.colliders) {
        const auto& collider = expect<RecordValue>(value);
        if (const auto* shape = as<MeshValue>(collider.find("mesh"))) {
            Seen seen;
            seen.object = object;
            seen.mesh = &scene.meshes[mesh++];
            seen.velocities = shape->velocities();
            if (const auto* transform = as<TransformValue>(collider.find("transform"))) {
                const auto m = transform->matrixAt(request.frame - 1);
                std::transform(m.begin(), m.end(), seen.before.begin(),
                               [](double a) { return static_cast<float>(a); });
            }
            all.push_back(seen);
        }
        ++object;
    }
    return all;
}

template <std::size_t N>
void put(std::span<float> to, std::size_t at, const std::array<double, N>& values)
{
    for (std::size_t k = 0; k < N; ++k)
        to[N * at + k] = static_cast<float>(values[k]);
}

} // namespace

Ref<const ParticlesValue> measurePixels(const PictureRequest& request, double fps)
{
    if (!(fps > 0))
        throw InputError({.parameter = "fps"}, "is not above 0");
    PictureRequest host = request; // Gaussians have no surface to measure
    std::erase_if(host.particles,
                  [](const ValueRef& value) { return isGaussians(expect<ParticlesValue>(value)); });
    const PictureScene prepared(host);
    const render::Scene& scene = prepared.scene;
    std::deque<Ref<const ParticlesValue>> hosts;
    const std::vector<Seen> seen = seenOf(request, prepared, hosts);
    render::Visible visible;
    withRenderer(nullptr, [&](render::Renderer& renderer) { visible = renderer.visible(scene); });

    std::vector<std::uint32_t> pixels;
    for (std::size_t i = 0; i < visible.pixels.size(); ++i)
        if (visible.pixels[i].object > 0)
            pixels.push_back(static_cast<std::uint32_t>(i));
    auto result = make<ParticlesValue>(pixels.size());
    const auto x = result->add<float>("x", 3), normal = result->add<float>("normal", 3);
    const auto depth = result->add<float>("depth", 1), v = result->add<float>("v", 3);
    const auto flow = result->add<float>("flow", 2);
    const auto pixel = result->add<std::uint32_t>("pixel", 1);
    const auto object = result->add<std::uint32_t>("object", 1);
    const auto element = result->add<std::uint32_t>("element", 1);
    const auto material = result->add<std::int32_t>("material", 1);
    const Lens lens(scene.camera, scene.width, scene.height);
    const auto* camera = as<RecordValue>(request.camera.get());
    const Value* earlier = camera ? camera->find("before") : nullptr;
    const Lens lensBefore =
        earlier ? Lens(cameraOf(earlier, scene), scene.width, scene.height) : lens;
    const auto width = static_cast<std::uint32_t>(scene.width);
    compute::parallelFor(pixels.size(), 0, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            const render::Visible::Pixel& shown = visible.pixels[pixels[i]];
            const Seen& thing = seen.at(shown.object - 1);
            const Ray ray = lens.through(pixels[i] % width + 0.5, pixels[i] / width + 0.5);
            const Met met = thing.mesh ? meetTriangle(ray, thing, shown.element, 1 / fps)
                                       : meetBall(ray, thing, shown.element, 1 / fps);
            put(x, i, met.point);
            put(normal, i, met.normal);
            put(v, i, fps * met.step);
            depth[i] = static_cast<float>(dot(met.point - lens.eye, lens.forward));
            const auto now = lens.place(met.point), before = lensBefore.place(met.point - met.step);
            put(flow, i, std::array<double, 2>{now[0] - before[0], now[1] - before[1]});
            pixel[i] = pixels[i];
            object[i] = thing.object;
            element[i] = shown.element;
            material[i] = thing.material.empty()
                              ? -1
                              : static_cast<std::int32_t>(thing.material[shown.element]);
        }
    });
    const auto number = [&](const char* name, double value) {
        result->setField(name, make<NumberValue>(value));
    };
    number("width", scene.width);
    number("height", scene.height);
    number("focal", lens.focal);
    const auto vector = [&](const char* name, const Double3& value) {
        result->setField(name, make<VectorValue>(value));
    };
    vector("eye", lens.eye);
    vector("right", lens.right);
    vector("down", lens.down);
    vector("forward", lens.forward);
    result->seal();
    return result;
}

} // namespace floe::view
