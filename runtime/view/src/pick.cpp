#include "floe/view/pick.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace floe::view {

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

/// Returns the distance along the ray to a ball; infinite when it misses.
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

/// The nearest hit so far.
struct Hit {
    double distance = std::numeric_limits<double>::infinity();
    bool isParticle = false;
    std::size_t part = 0; ///< of the scene's sets of particles, or of its meshes
    std::size_t particle = 0;
};

void hitParticles(const Ray& ray, const ParticlesValue& particles, double radius, std::size_t set,
                  Hit& nearest)
{
    const std::span<const float> at = particles.get<float>("x", 3);
    for (std::size_t i = 0; 3 * i < at.size(); ++i)
        if (const double t = hitBall(ray, {at[3 * i], at[3 * i + 1], at[3 * i + 2]}, radius);
            t < nearest.distance)
            nearest = {t, true, set, i};
}

void hitMesh(const Ray& ray, const render::Mesh& mesh, std::size_t index, Hit& nearest)
{
    const auto corner = [&mesh](std::uint32_t point) {
        return transformed(mesh.transform, mesh.points[point]);
    };
    for (const auto& [a, b, c] : mesh.triangles)
        if (const double t = hitTriangle(ray, corner(a), corner(b), corner(c));
            t < nearest.distance)
            nearest = {t, false, index, 0};
}

} // namespace

std::optional<Picked> pick(const ViewScene& scene, const render::Camera& camera, double x, double y,
                           int width, int height)
{
    const Ray ray = rayThrough(camera, x, y, width, height);
    const render::Scene& drawn = scene.picture->scene;
    Hit hit;
    std::vector<Ref<const ParticlesValue>> sets; // in host memory
    for (const auto& particles : scene.picture->arrays().particles) {
        sets.push_back(inHostMemory(particles));
        hitParticles(ray, *sets.back(), drawn.particles[sets.size() - 1].radius, sets.size() - 1,
                     hit);
    }
    for (std::size_t mesh = 0; mesh < drawn.meshes.size(); ++mesh)
        hitMesh(ray, drawn.meshes[mesh], mesh, hit);
    if (!std::isfinite(hit.distance))
        return std::nullopt;
    Picked result;
    result.distance = hit.distance;
    for (std::size_t i = 0; i < 3; ++i)
        result.position[i] = ray.origin[i] + hit.distance * ray.direction[i];
    result.node = (hit.isParticle ? scene.particleNodes : scene.meshNodes)[hit.part];
    if (hit.isParticle) {
        result.particles = sets[hit.part];
        result.particle = hit.particle;
    }
    return result;
}

} // namespace floe::view
