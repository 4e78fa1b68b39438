/// What solids do to liquid that wets them. One text for the CPU and CUDA threads.
#pragma once

#include "tension_rules.hpp"

namespace floe::pbd {

/// What a half space q kernel radii away does to a unit volume.
class HalfSpace {
public:
    HalfSpace()
    {
        constexpr int kParts = 1000;
        for (int k = 0; k <= kEntries; ++k) {
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
    FLOE_HD float pull(float q) const { return at(q).pull; }
    /// That of a stress which goes on in it, over the kernel's factor and 1 / h.
    FLOE_HD Vec3f force(const Stress& stress, const Vec3f& normal, float q) const
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
    FLOE_HD Entry at(float q) const
    {
        const float at = physics::clamp(q, 0.0f, 1.0f) * kEntries;
        const int whole = static_cast<int>(at), k = whole < kEntries ? whole : kEntries - 1;
        const float part = at - static_cast<float>(k);
        const Entry &a = entries_[k], &b = entries_[k + 1];
        return {a.pull + part * (b.pull - a.pull), a.across + part * (b.across - a.across),
                a.along + part * (b.along - a.along)};
    }

    static constexpr int kEntries = 64;
    Entry entries_[kEntries + 1];
};

/// How strongly solids attract a liquid, as a tension [N/m]. The theory of sharp surfaces has a
/// whole in place of the measured share, with which drops of ten to twenty particles' radius have
/// contact angles of 60 to 120 degrees within 10. To wet better takes more.
FLOE_HD float attractionOf(const Material& material)
{
    const float measured = 0.4f + 2 * physics::max(material.wetting - 0.75f, 0.0f);
    return measured * kAttracts * kMeasured * material.surfaceTension * material.wetting;
}

/// Sums over the solids near a place of liquid.
struct SolidSums {
    float share = 0;      ///< of the kernel
    Vec3f slope{0, 0, 0}; ///< of the amount of solids [1/m]

    FLOE_HD void add(const NearPair& pair, float volume, float factor)
    {
        share += volume * factor * kernelShape(pair.q) / (pair.h * pair.h * pair.h);
        slope = slope + (volume * pair.slope(factor)) * pair.line;
    }
    /// @param normal  out of the solid
    FLOE_HD void addPlane(const Vec3f& normal, float distance, float weight, float h)
    {
        if (distance >= h)
            return;
        share += weight * shareBehind(distance / h);
        slope = slope + (weight * shareSlope(distance / h) / h) * normal;
    }
};

/// The gradient of the amount of liquid at a free surface that wets solids: they count as liquid,
/// and near them the surface has its contact angle (Breinlinger et al. 2013).
/// @param ofLiquid  that of the liquid alone [1/m]
/// @param wetting   Material::wetting, above 0
FLOE_HD Vec3f wettedSlope(const Vec3f& ofLiquid, const SolidSums& solids, float wetting)
{
    constexpr float kNear = 0.1f; // share of the kernel from which on the angle holds
    const Vec3f slope = ofLiquid + solids.slope;
    const float size = physics::length(slope), steep = physics::length(solids.slope);
    if (solids.share <= 0 || size <= 0 || steep <= 0)
        return slope;
    const Vec3f normal = (-1 / steep) * solids.slope, inwards = (1 / size) * slope,
                along = inwards - physics::dot(inwards, normal) * normal;
    const float length = physics::length(along);
    if (length < 1e-3f)
        return slope;
    const float cosine = 2 * wetting - 1,
                sine = physics::sqrt(physics::max(1 - cosine * cosine, 0.0f)),
                part = physics::min(solids.share / kNear, 1.0f);
    const Vec3f mixed = (1 - part) * inwards + part * ((sine / length) * along - cosine * normal);
    return (size / physics::max(physics::length(mixed), 1e-3f)) * mixed;
}

/// What a solid does to liquid near it, on unit volumes [N/m^6].
/// @param pair      of the liquid and the solid  @param stress  of the liquid
/// @param strength  attractionOf() over tensionOfAttraction()
FLOE_HD Vec3f wettingOfPair(const NearPair& pair, const Stress& stress, float strength,
                            float factor)
{
    const float h2 = pair.h * pair.h;
    const float pull = strength * attraction(pair.q) / (h2 * h2 * pair.h);
    const float along = 2 * physics::dot(pair.line, stress * pair.line);
    return (along * pair.slope(factor) - pull) * pair.line;
}
/// Adds what a plane does to a unit volume of liquid to a force on it.
/// @param normal  out of the solid
FLOE_HD void addWettingOfPlane(Vec3f& force, const HalfSpace& halfSpace, const Stress& stress,
                               const Vec3f& normal, float distance, float weight, float h,
                               float strength, float factor)
{
    if (distance >= h)
        return;
    const float q = distance / h;
    force = force + (weight * factor / h) * halfSpace.force(stress, normal, q) -
            (weight * strength * halfSpace.pull(q) / (h * h)) * normal;
}

} // namespace floe::pbd
