#pragma once

/// Surface tension and wetting of liquids, as solver/surface_tension.cpp and solver/wetting.cpp
/// have them.

#include "liquid_kernels.cuh"

#include "solver/wetting_rules.hpp"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

struct LiquidTension {
    const std::uint32_t* kind;  ///< of materials: the first of those that are equal
    const HalfSpace* halfSpace; ///< null: nothing is wetted
    Stress* stress;             ///< of places of liquid
    float unit;                 ///< tensionOfAttraction()

    FLOE_HD float strengthOf(const Material& material) const
    {
        return attractionOf(material) / unit;
    }
};

FLOE_HD const Material& materialOf(const Matter& matter, const LiquidPlaces& liquid,
                                   std::uint32_t s)
{
    return matter.materials[matter.material[liquid.particle[s]]];
}
/// Calls work(other place, pair) for neighbours.
template <class Work>
__device__ void forNear(const LiquidPlaces& liquid, std::uint32_t s, const Work& work)
{
    liquid.forNeighbours(liquid.spot, s, [&](std::uint32_t other, const Vec3f& d, float, float) {
        whereNear(d, liquid.kernelRadius(s, other),
                  [&](const NearPair& pair) { work(other, pair); });
    });
}

/// Puts liquid where displacements have it, and solids where they are: what they do follows.
__global__ void placeTension(Matter matter, LiquidPlaces liquid)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const std::uint32_t i = liquid.particle[s];
    Vec3f at = liquid.from(matter.x[i]);
    if (liquid.isLiquid(s))
        at = at + matter.predicted.particle[i];
    liquid.spot[s] = {at.x, at.y, at.z, 0};
}
__global__ void findStresses(Matter matter, LiquidPlaces liquid, LiquidTension tension,
                             Environment environment)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count || !liquid.isLiquid(s))
        return;
    const std::uint32_t i = liquid.particle[s], kind = tension.kind[matter.material[i]];
    const Material& material = materialOf(matter, liquid, s);
    tension.stress[s] = {};
    if (!(tensionOf(material) > 0))
        return;
    const float h = liquid.kernelRadius(s, s);
    Vec3f slope{0, 0, 0};
    SolidSums solids;
    forNear(liquid, s, [&](std::uint32_t other, const NearPair& pair) {
        const float volume = liquid.trait[other].volume;
        if (!liquid.isLiquid(other))
            solids.add(pair, volume, liquid.factor);
        else if (tension.kind[matter.material[liquid.particle[other]]] == kind)
            slope = slope + (volume * pair.slope(liquid.factor)) * pair.line;
    });
    if (material.wetting > 0) {
        const LiquidSpot& at = liquid.spot[s];
        forPlanes(matter, liquid, environment, i, {at.x, at.y, at.z}, matter.predicted.particle[i],
                  [&](const Vec3f& normal, float distance, float weight) {
                      solids.addPlane(normal, distance, weight, h);
                  });
        slope = wettedSlope(slope, solids, material.wetting);
    }
    tension.stress[s] = stressOf(tensionOf(material), slope, h);
}

/// What solids do to a unit volume of liquid that wets them.
__device__ Vec3f wettingAt(const Matter& matter, const LiquidPlaces& liquid,
                           const LiquidTension& tension, const Environment& environment,
                           std::uint32_t s)
{
    const std::uint32_t i = liquid.particle[s];
    const float strength = tension.strengthOf(materialOf(matter, liquid, s)),
                h = liquid.kernelRadius(s, s);
    Vec3f force{0, 0, 0};
    if (!(strength > 0))
        return force;
    const Stress stress = tension.stress[s];
    forNear(liquid, s, [&](std::uint32_t other, const NearPair& pair) {
        if (!liquid.isLiquid(other))
            force = force + liquid.trait[other].volume *
                                wettingOfPair(pair, stress, strength, liquid.factor);
    });
    const LiquidSpot& at = liquid.spot[s];
    forPlanes(matter, liquid, environment, i, {at.x, at.y, at.z}, matter.predicted.particle[i],
              [&](const Vec3f& normal, float distance, float weight) {
                  addWettingOfPlane(force, *tension.halfSpace, stress, normal, distance, weight, h,
                                    strength, liquid.factor);
              });
    return force;
}
/// What surfaces of liquid do to a unit volume of a solid that they wet.
__device__ Vec3f wettingOnSolid(const Matter& matter, const LiquidPlaces& liquid,
                                const LiquidTension& tension, std::uint32_t s)
{
    Vec3f force{0, 0, 0};
    forNear(liquid, s, [&](std::uint32_t other, const NearPair& pair) {
        const float strength = tension.strengthOf(materialOf(matter, liquid, other));
        if (!(strength > 0)) // a solid has liquid neighbours only
            return;
        const NearPair back{-1.0f * pair.line, pair.q, pair.h}; // as the liquid sees it
        force = force - liquid.trait[other].volume *
                            wettingOfPair(back, tension.stress[other], strength, liquid.factor);
    });
    return force;
}
/// Moves liquid and solids; notes what pushes rigid bodies' particles. @param step  dt^2
__global__ void pullPlaces(Matter matter, LiquidPlaces liquid, LiquidTension tension,
                           Environment environment, float step)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const std::uint32_t i = liquid.particle[s];
    const float volume = liquid.trait[s].volume;
    Vec3f& moved = matter.predicted.particle[i];
    if (!liquid.isLiquid(s)) {
        if (!tension.halfSpace)
            return;
        const Vec3f push = (step * volume) * wettingOnSolid(matter, liquid, tension, s);
        if (matter.isRigid(i))
            liquid.impulse[s] = {push.x, push.y, push.z};
        else
            moved = moved + matter.weight[i] * push;
        return;
    }
    const float amount = tensionOf(materialOf(matter, liquid, s));
    if (!(amount > 0))
        return;
    const std::uint32_t kind = tension.kind[matter.material[i]];
    const Stress stress = tension.stress[s];
    Vec3f force{0, 0, 0}; // over both volumes
    forNear(liquid, s, [&](std::uint32_t other, const NearPair& pair) {
        if (liquid.isLiquid(other) && tension.kind[matter.material[liquid.particle[other]]] == kind)
            force = force + (liquid.trait[other].volume *
                             tensionOfPair(pair, stress + tension.stress[other], amount,
                                           liquid.factor, tension.unit)) *
                                pair.line;
    });
    const float yields = step * volume * matter.weight[i];
    if (tension.halfSpace)
        moved = moved + yields * wettingAt(matter, liquid, tension, environment, s);
    moved = moved + yields * force;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
