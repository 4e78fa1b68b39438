#include "floe/view/pick.hpp"

#include "ray.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace floe::view {

namespace {

/// The nearest hit so far.
struct Hit {
    enum class Kind { Mesh, Particle, Gaussian };
    double distance = std::numeric_limits<double>::infinity();
    Kind kind = Kind::Mesh;
    std::size_t part = 0; ///< of the scene's meshes, sets of particles or sets of Gaussians
    std::size_t particle = 0;
};

using Cut = std::optional<render::Cut>;

bool isCut(const Cut& cut, const Double3& at)
{
    return cut && dot(doubles(cut->normal), at) > cut->offset;
}

void hitParticles(const Ray& ray, const ParticlesValue& particles, double radius, std::size_t set,
                  const Cut& cut, Hit& nearest)
{
    const std::span<const float> at = particles.get<float>("x", 3);
    for (std::size_t i = 0; 3 * i < at.size(); ++i)
        if (const double t = hitBall(ray, {at[3 * i], at[3 * i + 1], at[3 * i + 2]}, radius);
            t < nearest.distance && !isCut(cut, {at[3 * i], at[3 * i + 1], at[3 * i + 2]}))
            nearest = {t, Hit::Kind::Particle, set, i};
}

void hitMesh(const Ray& ray, const render::Mesh& mesh, std::size_t index, const Cut& cut,
             Hit& nearest)
{
    const auto corner = [&mesh](std::uint32_t point) {
        return transformed(mesh.transform, mesh.points[point]);
    };
    for (const auto& [a, b, c] : mesh.triangles)
        if (const double t = hitTriangle(ray, corner(a), corner(b), corner(c));
            t < nearest.distance && !isCut(cut, ray.origin + t * ray.direction))
            nearest = {t, Hit::Kind::Mesh, index, 0};
}

/// What a Gaussian takes of the light along a ray, and where it takes most.
struct Veil {
    double distance, opacity;
    std::size_t set, index;
};

/// Adds the Gaussians of a set that are seen along a ray.
void addVeils(const Ray& ray, const render::GaussianSet& gaussians, std::size_t set, const Cut& cut,
              std::vector<Veil>& veils)
{
    constexpr double kFaintest = 1.0 / 255;
    for (std::size_t i = 0; i < gaussians.positions.size(); ++i) {
        const double opacity = gaussians.opacities[i];
        const auto& [x, y, z, w] = gaussians.rotations[i];
        const double size = double(x) * x + double(y) * y + double(z) * z + double(w) * w;
        if (!(opacity >= kFaintest && size > 1e-12) || isCut(cut, doubles(gaussians.positions[i])))
            continue;
        // In the Gaussian's own axes, each in its standard deviations.
        const double a = 2 / size;
        const Double3 axes[3] = {
            {1 - a * (double(y) * y + double(z) * z), a * (double(x) * y + double(w) * z),
             a * (double(x) * z - double(w) * y)},
            {a * (double(x) * y - double(w) * z), 1 - a * (double(x) * x + double(z) * z),
             a * (double(y) * z + double(w) * x)},
            {a * (double(x) * z + double(w) * y), a * (double(y) * z - double(w) * x),
             1 - a * (double(x) * x + double(y) * y)}};
        const Double3 from = ray.origin - doubles(gaussians.positions[i]);
        Double3 origin, direction;
        for (std::size_t k = 0; k < 3; ++k) {
            const double deviation = std::max<double>(gaussians.scales[i][k], 1e-9);
            origin[k] = dot(from, axes[k]) / deviation;
            direction[k] = dot(ray.direction, axes[k]) / deviation;
        }
        const double along = -dot(origin, direction) / dot(direction, direction);
        const double missed = dot(origin, origin) - along * along * dot(direction, direction);
        const double taken = opacity * std::exp(-0.5 * std::max(missed, 0.0));
        if (along > 0 && taken >= kFaintest)
            veils.push_back({along, std::min(taken, 0.99), set, i});
    }
}

/// Gaussians are hit where they have taken half of the light.
void hitGaussians(std::vector<Veil> veils, Hit& nearest)
{
    std::sort(veils.begin(), veils.end(),
              [](const Veil& a, const Veil& b) { return a.distance < b.distance; });
    double through = 1;
    for (const Veil& veil : veils) {
        if (veil.distance >= nearest.distance)
            return;
        through *= 1 - veil.opacity;
        if (through > 0.5)
            continue;
        nearest = {veil.distance, Hit::Kind::Gaussian, veil.set, veil.index};
        return;
    }
}

} // namespace

std::optional<Picked> pick(const ViewScene& scene, const render::Camera& camera, double x, double y,
                           int width, int height, const std::optional<render::Cut>& cut)
{
    const Ray ray = Lens(camera, width, height).through(x, y);
    const render::Scene& drawn = scene.picture->scene;
    Hit hit;
    std::vector<Ref<const ParticlesValue>> sets; // in host memory
    for (const auto& particles : scene.picture->arrays().particles) {
        sets.push_back(inHostMemory(particles));
        hitParticles(ray, *sets.back(), drawn.particles[sets.size() - 1].radius, sets.size() - 1,
                     cut, hit);
    }
    // Surfaces that follow stand for particles, which are hit.
    for (std::size_t mesh = 0; mesh < scene.meshNodes.size(); ++mesh)
        hitMesh(ray, drawn.meshes[mesh], mesh, cut, hit);
    std::vector<Veil> veils;
    for (std::size_t set = 0; set < drawn.gaussians.size(); ++set)
        addVeils(ray, drawn.gaussians[set], set, cut, veils);
    hitGaussians(std::move(veils), hit);
    if (!std::isfinite(hit.distance))
        return std::nullopt;
    Picked result;
    for (std::size_t i = 0; i < 3; ++i)
        result.position[i] = ray.origin[i] + hit.distance * ray.direction[i];
    result.distance = camera.orthographic
                          ? dot(result.position - doubles(camera.eye), ray.direction)
                          : hit.distance;
    result.particle = hit.particle;
    switch (hit.kind) {
    case Hit::Kind::Mesh:
        result.node = scene.meshNodes[hit.part];
        break;
    case Hit::Kind::Particle:
        result.node = scene.particleNodes[hit.part];
        result.particles = sets[hit.part];
        break;
    case Hit::Kind::Gaussian:
        result.node = scene.gaussianNodes[hit.part];
        result.particles = scene.picture->arrays().gaussians[hit.part];
        break;
    }
    return result;
}

} // namespace floe::view
