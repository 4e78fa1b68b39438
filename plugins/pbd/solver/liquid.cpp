#include "liquid.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

// Neighbours' projections add up: with whole ones a liquid at rest simmers.
constexpr float kRelaxation = 0.5f;
constexpr float kMargin = 0.25f; ///< of a radius: how far particles move between searches

} // namespace

void Liquid::find(const Scene& scene, const SolverSettings& settings, Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    bool holds = known_ && searched_.size() == count;
    for (std::size_t i = 0; holds && i < count; ++i)
        holds = !any_ || physics::length(toFloat(particles.x[i] - searched_[i])) <
                             kMargin * particles.radius[i];
    arm_.assign(count, {0, 0, 0});
    for (std::size_t i = 0; i < count; ++i)
        if (scene.isRigid(i))
            arm_[i] = toFloat(particles.x[i] - scene.bodies[particles.body[i]].x);
    if (holds)
        return;
    known_ = true;
    searched_ = particles.x;
    support_ = static_cast<float>(settings.support);
    factor_ = latticeFactor(settings.support);
    liquid_.resize(count);
    any_ = false;
    std::vector<std::uint32_t> number; // of those that may be neighbours
    float largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        liquid_[i] = particles.body[i] == kNoBody &&
                     scene.materials[particles.material[i]].kind == Material::Kind::liquid;
        any_ = any_ || liquid_[i];
        if (liquid_[i])
            largest = std::max(largest, particles.radius[i]);
    }
    density_.assign(count, 0);
    multiplier_.assign(count, 0);
    begin_.assign(count + 1, 0);
    neighbours_.clear();
    if (!any_)
        return;
    std::vector<Vec3f> center;
    std::vector<float> reach;
    std::vector<std::uint32_t> group;
    for (std::uint32_t i = 0; i < count; ++i) {
        const RestParticle* rest = scene.restOf(i);
        if (rest && !rest->boundary)
            continue;
        const float own = liquid_[i] ? particles.radius[i] : largest;
        number.push_back(i);
        center.push_back(toFloat(particles.x[i] - particles.x.front()));
        reach.push_back(0.5f * support_ * own + kMargin * particles.radius[i]);
        group.push_back(liquid_[i] ? kNoGroup : 0); // solids do not look for each other
    }
    const std::vector<Pair> pairs = findPairs({center, reach, group}, settings.search, executor);
    const auto each = [&](const auto& visit) {
        for (const Pair& pair : pairs)
            visit(number[pair.first], number[pair.second]);
    };
    each([&](std::uint32_t a, std::uint32_t b) {
        ++begin_[a + 1];
        ++begin_[b + 1];
    });
    for (std::size_t i = 0; i < count; ++i)
        begin_[i + 1] += begin_[i];
    neighbours_.resize(begin_[count]);
    std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
    each([&](std::uint32_t a, std::uint32_t b) {
        const float ra = particles.radius[liquid_[a] ? a : b];
        const float rb = particles.radius[liquid_[b] ? b : a];
        const float h = 0.5f * support_ * (ra + rb);
        neighbours_[next[a]++] = {b, h};
        neighbours_[next[b]++] = {a, h};
    });
}

void Liquid::project(const Scene& scene, Motion& motion, Executor& executor)
{
    if (!any_)
        return;
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    const auto restDensity = [&](std::uint32_t i) {
        return scene.materials[particles.material[i]].density;
    };
    // What a neighbour j adds to the density of liquid i: its mass, or that of liquid in its place.
    const auto massFor = [&](std::uint32_t i, std::uint32_t j) {
        const float edge = 2 * particles.radius[j];
        return liquid_[j] ? particles.mass[j] : restDensity(i) * edge * edge * edge;
    };
    place_.resize(count);
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            place_[i] =
                toFloat(particles.x[i] - particles.x.front()) + motion.at(scene, i, arm_[i]);
    });
    executor.parallelFor(count, 128, [&](std::size_t from, std::size_t to) {
        for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) {
            if (!liquid_[i])
                continue;
            const float rest = restDensity(i), scale = factor_ / rest;
            float sum = 0;
            Vec3f gradient{0, 0, 0};
            float squares = 0;
            for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) {
                const auto [j, h] = neighbours_[k];
                const Vec3f d = place_[i] - place_[j];
                const float distance = physics::length(d), q = distance / h;
                if (q >= 1)
                    continue;
                const float m = massFor(i, j), h3 = h * h * h;
                sum += scale * m / h3 * kernelShape(q);
                if (distance <= 0)
                    continue;
                const Vec3f n = (1 / distance) * d;
                const Vec3f g = (scale * m * kernelSlope(q) / (h3 * h)) * n;
                gradient = gradient + g;
                const float yields =
                    liquid_[j] ? motion.weight[j] : motion.yields(scene, j, arm_[j], n);
                squares += yields * physics::dot(g, g);
            }
            const float edge = 2 * particles.radius[i], h = 0.5f * support_ * edge;
            density_[i] = sum + scale * particles.mass[i] / (h * h * h);
            squares += motion.weight[i] * physics::dot(gradient, gradient);
            // A lone pair far apart has next to no gradient; it must not fly.
            const float least = 1e-3f * motion.weight[i] / (edge * edge);
            multiplier_[i] = -kRelaxation * std::max(density_[i] - 1, 0.0f) / (squares + least);
        }
    });
    step_.resize(count); // impulses
    executor.parallelFor(count, 128, [&](std::size_t from, std::size_t to) {
        for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) {
            Vec3f impulse{0, 0, 0};
            for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) {
                const auto [j, h] = neighbours_[k];
                if (multiplier_[i] == 0 && multiplier_[j] == 0)
                    continue;
                const Vec3f d = place_[i] - place_[j];
                const float distance = physics::length(d), q = distance / h;
                if (q >= 1 || distance <= 0)
                    continue;
                // Of i's density and of j's, by the same distance.
                float both = 0;
                if (liquid_[i])
                    both += multiplier_[i] * massFor(i, j) / restDensity(i);
                if (liquid_[j])
                    both += multiplier_[j] * massFor(j, i) / restDensity(j);
                impulse =
                    impulse + (both * factor_ * kernelSlope(q) / (h * h * h * h * distance)) * d;
            }
            step_[i] = impulse;
        }
    });
    executor.parallelFor(count, 1024, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i)
            if (!scene.isRigid(i))
                motion.particle[i] = motion.particle[i] + motion.weight[i] * step_[i];
    });
    executor.parallelFor(scene.bodies.size(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t b = from; b < to; ++b) {
            const Body& body = scene.bodies[b];
            if (!body.rigid)
                continue;
            Vec3d push{0, 0, 0}, turn{0, 0, 0};
            for (std::size_t k = 0; k < body.rest->particles.size(); ++k) {
                const Vec3d impulse = toDouble(step_[body.first + k]);
                push = push + impulse;
                turn = turn + physics::cross(toDouble(arm_[body.first + k]), impulse);
            }
            motion.body[b] = motion.body[b] + double{motion.bodyWeight[b]} * push;
            motion.turn[b] = motion.turn[b] + motion.turnWeight[b] * turn;
        }
    });
}

void Liquid::shareVelocity(Scene& scene, double dt, Executor& executor) const
{
    Particles& particles = scene.particles;
    bool viscous = false;
    for (const Material& material : scene.materials)
        viscous = viscous || (material.kind == Material::Kind::liquid && material.viscosity > 0);
    if (!any_ || !viscous)
        return;
    std::vector<Vec3f> change(particles.size(), Vec3f{0, 0, 0});
    const auto viscosity = [&](std::uint32_t i) {
        return scene.materials[particles.material[i]].viscosity;
    };
    executor.parallelFor(particles.size(), 128, [&](std::size_t from, std::size_t to) {
        for (auto i = static_cast<std::uint32_t>(from); i < to; ++i) {
            if (!liquid_[i])
                continue;
            for (std::uint32_t k = begin_[i]; k < begin_[i + 1]; ++k) {
                const auto [j, h] = neighbours_[k];
                if (!liquid_[j])
                    continue;
                const float q = physics::length(toFloat(particles.x[i] - particles.x[j])) / h;
                if (q >= 1)
                    continue;
                const float rate = 0.5f * (viscosity(i) + viscosity(j));
                const auto share = static_cast<float>(1 - std::exp(-double{rate} * dt));
                const float density =
                    0.5f * (density_[i] * scene.materials[particles.material[i]].density +
                            density_[j] * scene.materials[particles.material[j]].density);
                const float weight = share * particles.mass[j] * factor_ * kernelShape(q) /
                                     (h * h * h * std::max(density, 1e-30f));
                change[i] = change[i] + weight * (particles.v[j] - particles.v[i]);
            }
        }
    });
    for (std::size_t i = 0; i < particles.size(); ++i)
        particles.v[i] = particles.v[i] + change[i];
}

} // namespace floe::pbd
