#include "surface_tension.hpp"

#include "wetting.hpp"

#include <cmath>
#include <numbers>

namespace floe::pbd {

namespace {

/// Calls work(place, pair) for a place's neighbours of the same liquid.
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
        whereNear({at[i].x - at[j].x, at[i].y - at[j].y, at[i].z - at[j].z},
                  liquid.kernelRadius(i, j), [&](const NearPair& pair) { work(j, pair); });
    }
}

} // namespace

void applySurfaceTension(const Liquid& liquid, const Scene& scene, Motion& motion,
                         const std::vector<LiquidSpot>& at, const NearPlanes& planes, double dt,
                         std::vector<LiquidImpulse>& onSolids, sdk::parallel::Executor& executor)
{
    static const float unit = tensionOfAttraction();
    const Particles& particles = scene.particles;
    const auto materialOf = [&](std::size_t i) -> const Material& {
        return scene.materials[particles.material[liquid.particle(i)]];
    };
    std::vector<Stress> stress(liquid.liquids());
    executor.parallelFor(liquid.liquids(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const float tension = tensionOf(materialOf(i));
            if (tension <= 0)
                continue;
            Vec3f slope{0, 0, 0};
            forNeighbours(liquid, scene, at, i, [&](std::uint32_t j, const NearPair& pair) {
                slope = slope + (liquid.volume(j) * pair.slope(liquid.factor())) * pair.line;
            });
            if (const float wetting = materialOf(i).wetting; wetting > 0)
                slope =
                    wettedSlope(slope, solidsNear(liquid, scene, planes, motion, at, i), wetting);
            stress[i] = stressOf(tension, slope, liquid.kernelRadius(i, i));
        }
    });
    applyWetting(liquid, scene, planes, motion, at, stress, dt, onSolids, executor);
    const auto step = static_cast<float>(dt * dt);
    executor.parallelFor(liquid.liquids(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const float tension = tensionOf(materialOf(i));
            if (tension <= 0)
                continue;
            Vec3f force{0, 0, 0}; // over both volumes
            forNeighbours(liquid, scene, at, i, [&](std::uint32_t j, const NearPair& pair) {
                force = force + (liquid.volume(j) * tensionOfPair(pair, stress[i] + stress[j],
                                                                  tension, liquid.factor(), unit)) *
                                    pair.line;
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
