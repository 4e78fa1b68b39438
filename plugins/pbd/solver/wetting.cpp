#include "wetting.hpp"

#include "kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace floe::pbd {

namespace {

/// What a half space q kernel radii away does to a unit volume.
class HalfSpace {
public:
    HalfSpace()
    {
        constexpr int kParts = 1000;
        for (std::size_t k = 0; k <= kEntries; ++k) {
            const double q = double(k) / kEntries, width = (1 - q) / kParts;
            Entry& entry = entries_[k];
            for (int part = 0; part < kParts; ++part) {
                const double s = q + width * (part + 0.5), t2 = q * q / (s * s);
                const auto ring = static_cast<float>(2 * std::numbers::pi * width * s * s),
                           outer = static_cast<float>(1 - t2 * t2) / 4,
                           inner = static_cast<float>(1 - t2) / 2;
                entry.pull += ring * inner * attraction(static_cast<float>(s));
                const float slope = -ring * static_cast<float>(kernelSlope(s));
                entry.across += slope * outer;
                entry.along += slope * (inner - outer);
            }
        }
    }
    /// Towards it, for an attraction(q) between unit volumes, over h^3.
    float pull(float q) const { return at(q).pull; }
    /// That of a stress which goes on in it, over the kernel's factor and 1 / h.
    Vec3f force(const Stress& stress, const Vec3f& normal, float q) const
    {
        const Entry entry = at(q);
        const Vec3f traction = stress * normal;
        const float across = physics::dot(traction, normal),
                    along = 0.5f * (stress.xx + stress.yy + stress.zz - across);
        return -2.0f * ((across * entry.across + along * entry.along) * normal +
                        entry.along * (traction - across * normal));
    }

private:
    struct Entry {
        float pull = 0;              ///< integral of attraction and cosine
        float across = 0, along = 0; ///< of the kernel's slope, cosine^3 and cosine sine^2
    };
    Entry at(float q) const
    {
        const float at = std::clamp(q, 0.0f, 1.0f) * kEntries;
        const auto k = std::min(static_cast<std::size_t>(at), kEntries - 1);
        const float part = at - static_cast<float>(k);
        const auto between = [&](float Entry::*of) {
            return entries_[k].*of + part * (entries_[k + 1].*of - entries_[k].*of);
        };
        return {between(&Entry::pull), between(&Entry::across), between(&Entry::along)};
    }

    static constexpr std::size_t kEntries = 64;
    std::array<Entry, kEntries + 1> entries_;
};

/// How strongly solids attract a liquid, as a tension [N/m]. The theory of sharp surfaces has a
/// whole in place of the measured share, with which drops of ten to twenty particles' radius have
/// contact angles of 60 to 120 degrees within 10. To wet better takes more.
float attractionOf(const Material& material)
{
    const float measured = 0.4f + 2 * std::max(material.wetting - 0.75f, 0.0f);
    return measured * kAttracts * kMeasured * material.surfaceTension * material.wetting;
}

/// A solid and a liquid place that are near each other.
struct Contact {
    Vec3f line; ///< unit, from solid to liquid
    float q, h; ///< distance in kernel radii, and that [m]

    /// d kernel / d distance
    float slope(float factor) const { return factor * kernelSlope(q) / (h * h * h * h); }
};

/// Calls work(contact) if they are near.
template <class Work>
void meet(const Liquid& liquid, const std::vector<LiquidSpot>& at, std::size_t solid,
          std::size_t place, const Work& work)
{
    const Vec3f d{at[place].x - at[solid].x, at[place].y - at[solid].y, at[place].z - at[solid].z};
    const float distance = physics::length(d), h = liquid.kernelRadius(place, place);
    if (distance < h && distance > 0)
        work(Contact{(1 / distance) * d, distance / h, h});
}

/// Calls work(solid, contact) for the solids near a place of liquid, which are last in its row.
template <class Work>
void forSolids(const Liquid& liquid, const std::vector<LiquidSpot>& at, std::size_t place,
               const Work& work)
{
    const auto row = liquid.row(place);
    for (auto k = row.size(); k > 0 && !liquid.isLiquid(row[k - 1]); --k)
        if (const std::uint32_t solid = row[k - 1]; solid < liquid.size())
            meet(liquid, at, solid, place, [&](const Contact& contact) { work(solid, contact); });
}

Vec3f positionOf(const std::vector<LiquidSpot>& at, std::size_t place)
{
    return {at[place].x, at[place].y, at[place].z};
}

} // namespace

Vec3f wettedSlope(const Vec3f& ofLiquid, float wetting, const Liquid& liquid, const Scene& scene,
                  const NearPlanes& planes, const Motion& motion, const std::vector<LiquidSpot>& at,
                  std::size_t place)
{
    constexpr float kNear = 0.1f; // share of the kernel from which on the angle holds
    const std::uint32_t own = liquid.particle(place);
    const float h = liquid.kernelRadius(place, place);
    float share = 0; // of solids
    Vec3f solid{0, 0, 0};
    forSolids(liquid, at, place, [&](std::uint32_t other, const Contact& contact) {
        const float volume = liquid.volume(other);
        share += volume * liquid.factor() * kernelShape(contact.q) / (h * h * h);
        solid = solid + (volume * contact.slope(liquid.factor())) * contact.line;
    });
    planes.visit(scene, own, positionOf(at, place), motion.particle[own],
                 [&](const Vec3f& normal, float distance, float weight) {
                     if (distance >= h)
                         return;
                     share += weight * shareBehind(distance / h);
                     solid = solid + (weight * shareSlope(distance / h) / h) * normal;
                 });
    const Vec3f slope = ofLiquid + solid;
    const float size = physics::length(slope), steep = physics::length(solid);
    if (share <= 0 || size <= 0 || steep <= 0)
        return slope;
    const Vec3f normal = (-1 / steep) * solid, inwards = (1 / size) * slope,
                along = inwards - physics::dot(inwards, normal) * normal;
    const float length = physics::length(along);
    if (length < 1e-3f)
        return slope;
    const float cosine = 2 * wetting - 1, sine = std::sqrt(std::max(1 - cosine * cosine, 0.0f)),
                part = std::min(share / kNear, 1.0f);
    const Vec3f mixed = (1 - part) * inwards + part * ((sine / length) * along - cosine * normal);
    return (size / std::max(physics::length(mixed), 1e-3f)) * mixed;
}

void applyWetting(const Liquid& liquid, const Scene& scene, const NearPlanes& planes,
                  Motion& motion, const std::vector<LiquidSpot>& at,
                  const std::vector<Stress>& stress, double dt,
                  std::vector<LiquidImpulse>& onSolids, sdk::parallel::Executor& executor)
{
    if (std::none_of(scene.materials.begin(), scene.materials.end(),
                     [](const Material& material) { return material.wetting > 0; }))
        return;
    static const float unit = tensionOfAttraction();
    static const HalfSpace halfSpace;
    const auto strengthOf = [&](std::size_t i) {
        const Material& material = scene.materials[scene.particles.material[liquid.particle(i)]];
        return attractionOf(material) / unit;
    };
    // On unit volumes [N/m^6].
    const auto forceOn = [&](std::size_t i, const Contact& contact) {
        const float h2 = contact.h * contact.h;
        const float pull = strengthOf(i) * attraction(contact.q) / (h2 * h2 * contact.h);
        const float along = 2 * physics::dot(contact.line, stress[i] * contact.line);
        return (along * contact.slope(liquid.factor()) - pull) * contact.line;
    };
    const auto step = static_cast<float>(dt * dt);
    executor.parallelFor(liquid.liquids(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const float strength = strengthOf(i);
            if (strength <= 0)
                continue;
            Vec3f force{0, 0, 0}; // on a unit volume
            forSolids(liquid, at, i, [&](std::uint32_t solid, const Contact& contact) {
                force = force + liquid.volume(solid) * forceOn(i, contact);
            });
            const std::uint32_t own = liquid.particle(i);
            const float h = liquid.kernelRadius(i, i);
            planes.visit(scene, own, positionOf(at, i), motion.particle[own],
                         [&](const Vec3f& normal, float distance, float weight) {
                             if (distance >= h)
                                 return;
                             const float q = distance / h;
                             force = force +
                                     (weight * liquid.factor() / h) *
                                         halfSpace.force(stress[i], normal, q) -
                                     (weight * strength * halfSpace.pull(q) / (h * h)) * normal;
                         });
            motion.particle[own] =
                motion.particle[own] + (step * liquid.volume(i) * motion.weight[own]) * force;
        }
    });
    executor.parallelFor(onSolids.size(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
            const std::size_t solid = liquid.liquids() + k;
            Vec3f force{0, 0, 0};
            for (const std::uint32_t i : liquid.row(solid))
                if (liquid.isLiquid(i) && strengthOf(i) > 0)
                    meet(liquid, at, solid, i, [&](const Contact& contact) {
                        force = force - liquid.volume(i) * forceOn(i, contact);
                    });
            const Vec3f push = (step * liquid.volume(solid)) * force;
            onSolids[k] = {push.x, push.y, push.z};
        }
    });
}

} // namespace floe::pbd
