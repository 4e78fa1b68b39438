// Viscosity, smoothing, vorticity and surface tension: what neighbours do to the motion of liquids.
#include "liquid.hpp"
#include "liquid_rules.hpp"
#include "surface_tension.hpp"
#include "viscosity.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

using namespace liquid_rules;

void Liquid::pull(const Scene& scene, Motion& motion, const Surroundings& around, double dt,
                  sdk::parallel::Executor& executor)
{
    const auto tense = [](const Material& material) {
        return material.kind == Material::Kind::liquid && material.surfaceTension > 0;
    };
    if (!any() || std::none_of(scene.materials.begin(), scene.materials.end(), tense))
        return;
    moveSpots(scene, motion, executor);
    for (std::size_t s = order_.liquids(); s < size(); ++s) {
        const Vec3f x = order_.at(s); // what solids do follows
        spot_[s] = {x.x, x.y, x.z, 0};
    }
    std::fill(impulse_.begin(), impulse_.end(), LiquidImpulse{0, 0, 0});
    const NearPlanes planes(around, order_.origin());
    applySurfaceTension(*this, scene, motion, spot_, planes, dt, impulse_, executor);
    pushSolids(scene, motion);
}

void Liquid::finish(Scene& scene, double dt, sdk::parallel::Executor& executor)
{
    viscousIterations_ = 0;
    if (!any())
        return;
    Particles& particles = scene.particles;
    bool smooths = false, confines = false, viscous = false;
    for (const Material& material : scene.materials)
        if (material.kind == Material::Kind::liquid) {
            smooths = smooths || material.smoothing > 0;
            confines = confines || material.vorticity > 0;
            viscous = viscous || material.viscosity > 0;
        }
    if (!smooths && !confines && !viscous)
        return;
    executor.parallelFor(size(), 2048, [&](std::size_t from, std::size_t to) {
        for (std::size_t s = from; s < to; ++s) {
            const Vec3f x = toFloat(particles.x[particle(s)] - order_.origin());
            spot_[s] = {x.x, x.y, x.z, 0};
        }
    });
    if (smooths || confines) {
        motion_.resize(size() + 1);
        motion_[size()] = {0, 0, 0, 0};
    }
    if (smooths)
        smooth(scene, dt, executor);
    if (confines)
        confine(scene, dt, executor);
    if (viscous)
        viscousIterations_ = applyViscosity(*this, scene, spot_, dt, executor);
}

void Liquid::smooth(Scene& scene, double dt, sdk::parallel::Executor& executor)
{
    std::vector<float> share; // of materials
    for (const Material& material : scene.materials)
        share.push_back(material.density *
                        (1 - std::exp(-material.smoothing * static_cast<float>(dt))));
    executor.parallelFor(size(), 2048, [&](std::size_t from, std::size_t to) {
        for (std::size_t s = from; s < to; ++s) {
            const std::uint32_t i = particle(s);
            const Vec3f& v = scene.particles.v[i];
            motion_[s] = {v.x, v.y, v.z, isLiquid(s) ? share[scene.particles.material[i]] : 0};
        }
    });
    exchange(scene, executor);
}

/// Vorticity confinement (Macklin and Mueller 2013, section 5): a force across the axis of an eddy
/// and the way to its middle. Who is pushed pushes his neighbours back, in shares of the kernel, so
/// that momentum is kept: eddies spin faster at the expense of what is around them.
void Liquid::confine(Scene& scene, double dt, sdk::parallel::Executor& executor)
{
    const Particles& particles = scene.particles;
    curl_.resize(size() + 1);
    executor.parallelFor(size(), 2048, [&](std::size_t from, std::size_t to) {
        for (std::size_t s = from; s < to; ++s) {
            const Vec3f& v = particles.v[particle(s)];
            motion_[s] = {v.x, v.y, v.z, 0};
        }
    });
    curl_[size()] = {0, 0, 0, 0};
    for (std::size_t s = liquids(); s < size(); ++s)
        curl_[s] = {0, 0, 0, 0};
    const auto derive = [&](const std::vector<LiquidMotion>& of, const auto& work) {
        forChunks(
            liquids(), executor, [&](const LiquidRows& rows, std::size_t from, std::size_t to) {
                std::array<LiquidDerivatives, kChunk> derivatives;
                liquidKernels().derive(rows, spot_.data(), of.data(), from, to, derivatives.data());
                for (std::size_t s = from; s < to; ++s)
                    work(s, derivatives[s - from]);
            });
    };
    derive(motion_, [&](std::size_t s, const LiquidDerivatives& of) {
        const Vec3f curl{of.curlX, of.curlY, of.curlZ};
        curl_[s] = {curl.x, curl.y, curl.z, physics::length(curl)};
    });
    derive(curl_, [&](std::size_t s, const LiquidDerivatives& of) {
        const Material& material = scene.materials[particles.material[particle(s)]];
        const Vec3f slope{of.slopeX, of.slopeY, of.slopeZ};
        const Vec3f curl{curl_[s].x, curl_[s].y, curl_[s].z};
        const float h = 2 * halfSupport_ * trait(s).radius;
        const Vec3f push = eddyPush(slope, curl, curl_[s].share, h, material.density,
                                    material.vorticity, static_cast<float>(dt));
        motion_[s] = {-push.x, -push.y, -push.z, 1};
    });
    for (std::size_t s = liquids(); s < size(); ++s)
        motion_[s] = {0, 0, 0, 0};
    exchange(scene, executor);
}

/// Gives liquid what it takes of its neighbours' motion.
void Liquid::exchange(Scene& scene, sdk::parallel::Executor& executor) const
{
    Particles& particles = scene.particles;
    forChunks(liquids(), executor, [&](const LiquidRows& rows, std::size_t from, std::size_t to) {
        std::array<LiquidImpulse, kChunk> impulse;
        liquidKernels().smooth(rows, spot_.data(), motion_.data(), from, to, impulse.data());
        for (std::size_t s = from; s < to; ++s) {
            const LiquidImpulse& push = impulse[s - from];
            const std::uint32_t i = particle(s);
            particles.v[i] =
                particles.v[i] + (1 / particles.mass[i]) * Vec3f{push.x, push.y, push.z};
        }
    });
}

} // namespace floe::pbd
