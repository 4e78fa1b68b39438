#include "surface_tension.hpp"

#include "kernel.hpp"
#include "tension.hpp"
#include "wetting.hpp"

#include <cmath>
#include <numbers>

namespace floe::pbd {

namespace {

/// Where the amount of liquid changes by less in a kernel's radius, particles are out of order and
/// there is no surface.
constexpr float kLeastSlope = 0.2f;

/// Tension along a surface, of which two particles exchange what acts along the line between them.
/// On average over directions a stress S does as (2 S + tr S) / 5 then: the trace is a pressure,
/// and the rest is made up for. Half of a surface, its outer side, has no particles.
/// @param slope  gradient of the amount of liquid [1/m]
Stress stressOf(float tension, const Vec3f& slope)
{
    const float size = physics::length(slope);
    const Vec3f n = (1 / size) * slope;
    const float s = 2.5f * 2 * tension * size;
    return {s * (1 - n.x * n.x), s * (1 - n.y * n.y), s * (1 - n.z * n.z),
            -s * n.x * n.y,      -s * n.x * n.z,      -s * n.y * n.z};
}

/// A neighbour of the same liquid.
struct Neighbour {
    std::size_t place;
    Vec3f from;     ///< to the particle itself [m]
    float distance; ///< length of `from`, above 0 [m]
    float h;        ///< the kernel's radius [m]

    float q() const { return distance / h; }
    Vec3f line() const { return (1 / distance) * from; }
    /// d kernel / d distance
    float slope(float factor) const { return factor * kernelSlope(q()) / (h * h * h * h); }
};

template <class Work>
void forNeighbours(const Liquid& liquid, const Scene& scene, const std::vector<LiquidSpot>& at,
                   std::size_t i, const Work& work)
{
    const Particles& particles = scene.particles;
    const std::uint32_t own = particles.material[liquid.particle(i)];
    for (const std::uint32_t j : liquid.row(i)) {
        if (!liquid.isLiquid(j))
            break; // solids, and what fills up, come last
        if (const std::uint32_t other = particles.material[liquid.particle(j)];
            other != own && !(scene.materials[other] == scene.materials[own]))
            continue; // the same liquid of another emitter has a number of its own
        const Vec3f d{at[i].x - at[j].x, at[i].y - at[j].y, at[i].z - at[j].z};
        const float distance = physics::length(d), h = liquid.kernelRadius(i, j);
        if (distance < h && distance > 0)
            work(Neighbour{j, d, distance, h});
    }
}

} // namespace

void applySurfaceTension(const Liquid& liquid, const Scene& scene, Motion& motion,
                         const std::vector<LiquidSpot>& at, const NearPlanes& planes, double dt,
                         std::vector<LiquidImpulse>& onSolids, sdk::parallel::Executor& executor)
{
    static const float unit = tensionOfAttraction();
    const Particles& particles = scene.particles;
    const auto tensionOf = [&](std::size_t i) {
        return kMeasured * scene.materials[particles.material[liquid.particle(i)]].surfaceTension;
    };
    std::vector<Stress> stress(liquid.liquids());
    executor.parallelFor(liquid.liquids(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const float tension = tensionOf(i);
            if (tension <= 0)
                continue;
            Vec3f slope{0, 0, 0};
            forNeighbours(liquid, scene, at, i, [&](const Neighbour& near) {
                slope =
                    slope + (liquid.volume(near.place) * near.slope(liquid.factor())) * near.line();
            });
            const float wetting = scene.materials[particles.material[liquid.particle(i)]].wetting;
            if (wetting > 0)
                slope = wettedSlope(slope, wetting, liquid, scene, planes, motion, at, i);
            if (physics::length(slope) * liquid.kernelRadius(i, i) > kLeastSlope)
                stress[i] = stressOf((1 - kAttracts) * tension, slope);
        }
    });
    applyWetting(liquid, scene, planes, motion, at, stress, dt, onSolids, executor);
    const auto step = static_cast<float>(dt * dt);
    executor.parallelFor(liquid.liquids(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const float tension = tensionOf(i);
            if (tension <= 0)
                continue;
            Vec3f force{0, 0, 0}; // over both volumes
            forNeighbours(liquid, scene, at, i, [&](const Neighbour& near) {
                const float h2 = near.h * near.h;
                const Vec3f line = near.line();
                const float pull =
                    kAttracts * tension * attraction(near.q()) / (unit * h2 * h2 * near.h);
                const float along = physics::dot(line, (stress[i] + stress[near.place]) * line);
                force = force +
                        (liquid.volume(near.place) * (along * near.slope(liquid.factor()) - pull)) *
                            line;
            });
            const std::uint32_t own = liquid.particle(i);
            motion.particle[own] =
                motion.particle[own] + (step * liquid.volume(i) * motion.weight[own]) * force;
        }
    });
}

double capillaryStep(const Material& material, double radius)
{
    const double spacing = 2 * radius;
    return 0.5 * std::sqrt(double{material.density} * spacing * spacing * spacing /
                           (2 * std::numbers::pi * double{material.surfaceTension}));
}

} // namespace floe::pbd
