// Viscosity, smoothing and surface tension: what neighbours do to the motion of liquids.
#include "liquid.hpp"
#include "surface_tension.hpp"
#include "viscosity.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

void Liquid::pull(const Scene& scene, Motion& motion, double dt, sdk::parallel::Executor& executor)
{
    const auto tense = [](const Material& material) {
        return material.kind == Material::Kind::liquid && material.surfaceTension > 0;
    };
    if (!any_ || std::none_of(scene.materials.begin(), scene.materials.end(), tense))
        return;
    const std::size_t count = scene.particles.size();
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (isLiquid(i)) {
                spot_[i].x += motion.particle[i].x;
                spot_[i].y += motion.particle[i].y;
                spot_[i].z += motion.particle[i].z;
            }
    });
    applySurfaceTension(*this, scene, motion, spot_, dt, executor);
}

void Liquid::finish(Scene& scene, double dt, sdk::parallel::Executor& executor)
{
    viscousIterations_ = 0;
    if (!any_)
        return;
    Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    bool smooth = false, viscous = false;
    for (const Material& material : scene.materials)
        if (material.kind == Material::Kind::liquid) {
            smooth = smooth || material.smoothing > 0;
            viscous = viscous || material.viscosity > 0;
        }
    if (!smooth && !viscous)
        return;
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const Vec3f x = toFloat(particles.x[i] - particles.x.front());
            spot_[i] = {x.x, x.y, x.z, 0};
        }
    });
    if (smooth) {
        motion_.resize(count + 1);
        for (std::size_t i = 0; i < count; ++i) {
            motion_[i] = {particles.v[i].x, particles.v[i].y, particles.v[i].z, 0};
            if (!isLiquid(i))
                continue;
            const Material& own = scene.materials[particles.material[i]];
            motion_[i].share =
                own.density * (1 - std::exp(-own.smoothing * static_cast<float>(dt)));
        }
        motion_[count] = {0, 0, 0, 0};
        const LiquidRows all = rows();
        executor.parallelFor(count, 256, [&](std::size_t from, std::size_t to) {
            liquidKernels().smooth(all, motion_.data(), from, to);
        });
        for (std::size_t i = 0; i < count; ++i)
            if (isLiquid(i))
                particles.v[i] = particles.v[i] + (1 / particles.mass[i]) *
                                                      Vec3f{impulse_[3 * i], impulse_[3 * i + 1],
                                                            impulse_[3 * i + 2]};
    }
    if (viscous)
        viscousIterations_ = applyViscosity(*this, scene, spot_, arm_, dt, executor);
}

} // namespace floe::pbd
