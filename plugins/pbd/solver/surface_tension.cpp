#include "surface_tension.hpp"

#include "kernel.hpp"

#include <cmath>
#include <numbers>

namespace floe::pbd {

namespace {

/// Where the amount of liquid changes by less in a kernel's radius, particles are out of order and
/// there is no surface.
constexpr float kLeastSlope = 0.2f;

/// The share of the tension that particles' attraction gives, the rest being stress. The stress
/// alone loses single particles; attraction alone makes a paste, which does not become round.
constexpr float kAttracts = 0.3f;
/// By which both are stronger than their integrals over a smooth, sharp surface say, for drops to
/// swing at Rayleigh's period: within 6 % of it at radii of 10 to 20 particles.
constexpr float kMeasured = 1.8f;

/// Attraction at a distance of q kernel radii (Akinci et al. 2013, equation 2, without its factor).
float attraction(float q)
{
    const float u = q * (1 - q), u3 = u * u * u;
    return q > 0.5f ? u3 : 2 * u3 - 1.0f / 64;
}

/// Tension of a sharp surface for a force of attraction(r / h) between two unit volumes, over h^5:
/// pi / 8 times the integral of q^4 attraction(q) (Fowler 1937; Tartakovsky and Panchenko 2016).
float tensionOfAttraction()
{
    constexpr int kParts = 1000;
    double sum = 0;
    for (int k = 0; k < kParts; ++k) {
        const double q = (k + 0.5) / kParts;
        sum += q * q * q * q * double{attraction(static_cast<float>(q))} / kParts;
    }
    return static_cast<float>(std::numbers::pi / 8 * sum);
}

/// A symmetric stress [Pa].
struct Stress {
    float xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    Stress operator+(const Stress& o) const
    {
        return {xx + o.xx, yy + o.yy, zz + o.zz, xy + o.xy, xz + o.xz, yz + o.yz};
    }
    Vec3f operator*(const Vec3f& v) const
    {
        return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
                xz * v.x + yz * v.y + zz * v.z};
    }
};

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
                         const std::vector<LiquidSpot>& at, double dt,
                         sdk::parallel::Executor& executor)
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
            if (physics::length(slope) * liquid.kernelRadius(i, i) > kLeastSlope)
                stress[i] = stressOf((1 - kAttracts) * tension, slope);
        }
    });
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
