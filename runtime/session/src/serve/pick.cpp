#include "viewer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace floe::session {

namespace {

using Double3 = std::array<double, 3>;

Double3 operator-(const Double3& a, const Double3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const Double3& a, const Double3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Double3 cross(const Double3& a, const Double3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Double3 unit(const Double3& a)
{
    const double length = std::sqrt(dot(a, a));
    return length > 0 ? Double3{a[0] / length, a[1] / length, a[2] / length} : Double3{0, 0, 1};
}
Double3 doubles(const render::Float3& a)
{
    return {a[0], a[1], a[2]};
}

struct Ray {
    Double3 origin, direction;
};

Ray rayThrough(const render::Camera& camera, double x, double y, int width, int height)
{
    const Double3 forward = unit(doubles(camera.target) - doubles(camera.eye));
    const Double3 right = unit(cross(forward, doubles(camera.up)));
    const Double3 up = cross(right, forward);
    const double tangent = std::tan(camera.verticalFov * std::numbers::pi / 360);
    const double u = (2 * x / width - 1) * tangent * width / height;
    const double v = (1 - 2 * y / height) * tangent;
    Double3 direction;
    for (std::size_t i = 0; i < 3; ++i)
        direction[i] = forward[i] + u * right[i] + v * up[i];
    return {doubles(camera.eye), unit(direction)};
}

/// Distance along the ray to a ball; infinite when it misses.
double hitBall(const Ray& ray, const Double3& center, double radius)
{
    const Double3 to = center - ray.origin;
    const double along = dot(to, ray.direction);
    const double missed = dot(to, to) - along * along;
    if (along <= 0 || missed > radius * radius)
        return std::numeric_limits<double>::infinity();
    return along - std::sqrt(radius * radius - missed);
}

/// The same for a triangle (Moeller and Trumbore 1997).
double hitTriangle(const Ray& ray, const Double3& a, const Double3& b, const Double3& c)
{
    constexpr double kMiss = std::numeric_limits<double>::infinity();
    const Double3 ab = b - a, ac = c - a;
    const Double3 p = cross(ray.direction, ac);
    const double determinant = dot(ab, p);
    if (std::abs(determinant) < 1e-30)
        return kMiss;
    const Double3 s = ray.origin - a;
    const double u = dot(s, p) / determinant;
    const Double3 q = cross(s, ab);
    const double v = dot(ray.direction, q) / determinant;
    const double t = dot(ac, q) / determinant;
    return u >= 0 && v >= 0 && u + v <= 1 && t > 0 ? t : kMiss;
}

Double3 transformed(const render::Float4x4& m, const render::Float3& p)
{
    Double3 result;
    for (std::size_t r = 0; r < 3; ++r)
        result[r] = double(m[4 * r]) * p[0] + double(m[4 * r + 1]) * p[1] +
                    double(m[4 * r + 2]) * p[2] + double(m[4 * r + 3]);
    return result;
}

} // namespace

Json Viewer::pick(double x, double y)
{
    ViewSettings view;
    {
        const std::lock_guard lock(mutex_);
        if (!view_)
            return Json::object();
        view = *view_;
    }
    view.moving = false; // all particles, by their numbers
    prepare(view, Drawer::Own);
    const render::Scene& scene = scene_->picture->scene;
    const Ray ray = rayThrough(cameraOf(view), x, y, view.width, view.height);
    double nearest = std::numeric_limits<double>::infinity();
    std::size_t set = 0, particle = 0, mesh = 0;
    bool isParticle = false;
    std::vector<Ref<const ParticlesValue>> sets; // in host memory
    for (const auto& drawn : scene_->picture->arrays().particles)
        sets.push_back(inHostMemory(drawn));
    for (std::size_t s = 0; s < sets.size(); ++s) {
        const std::span<const float> at = sets[s]->get<float>("x", 3);
        for (std::size_t i = 0; 3 * i < at.size(); ++i)
            if (const double t = hitBall(ray, {at[3 * i], at[3 * i + 1], at[3 * i + 2]},
                                         scene.particles[s].radius);
                t < nearest) {
                nearest = t;
                set = s;
                particle = i;
                isParticle = true;
            }
    }
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
        const render::Mesh& surface = scene.meshes[m];
        for (const auto& triangle : surface.triangles) {
            const double t =
                hitTriangle(ray, transformed(surface.transform, surface.points[triangle[0]]),
                            transformed(surface.transform, surface.points[triangle[1]]),
                            transformed(surface.transform, surface.points[triangle[2]]));
            if (t < nearest) {
                nearest = t;
                mesh = m;
                isParticle = false;
            }
        }
    }
    if (!std::isfinite(nearest))
        return Json::object();
    Json result = {{"node", isParticle ? scene_->particleNodes[set] : scene_->meshNodes[mesh]},
                   {"distance", nearest}};
    Json position = Json::array();
    for (std::size_t i = 0; i < 3; ++i)
        position.push_back(ray.origin[i] + nearest * ray.direction[i]);
    result["position"] = std::move(position);
    if (isParticle) {
        result["particle"] = particle;
        const ParticlesValue& particles = *sets[set];
        if (const auto ids = particles.get<std::uint64_t>("id", 1); !ids.empty())
            result["id"] = ids[particle];
        result["values"] = particleRow(particles, particle);
    }
    return result;
}

} // namespace floe::session
