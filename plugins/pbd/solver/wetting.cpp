#include "wetting.hpp"

#include <algorithm>

namespace floe::pbd {

namespace {

/// Calls work(pair) if a solid and a place of liquid are near each other.
template <class Work>
void meet(const Liquid& liquid, const std::vector<LiquidSpot>& at, std::size_t solid,
          std::size_t place, const Work& work)
{
    whereNear({at[place].x - at[solid].x, at[place].y - at[solid].y, at[place].z - at[solid].z},
              liquid.kernelRadius(place, place), work);
}

/// Calls work(solid, pair) for the solids near a place of liquid, which are last in its row.
template <class Work>
void forSolids(const Liquid& liquid, const std::vector<LiquidSpot>& at, std::size_t place,
               const Work& work)
{
    const auto row = liquid.row(place);
    for (auto k = row.size(); k > 0 && !liquid.isLiquid(row[k - 1]); --k)
        if (const std::uint32_t solid = row[k - 1]; solid < liquid.size())
            meet(liquid, at, solid, place, [&](const NearPair& pair) { work(solid, pair); });
}

Vec3f positionOf(const std::vector<LiquidSpot>& at, std::size_t place)
{
    return {at[place].x, at[place].y, at[place].z};
}

} // namespace

SolidSums solidsNear(const Liquid& liquid, const Scene& scene, const NearPlanes& planes,
                     const Motion& motion, const std::vector<LiquidSpot>& at, std::size_t place)
{
    const std::uint32_t own = liquid.particle(place);
    const float h = liquid.kernelRadius(place, place);
    SolidSums sums;
    forSolids(liquid, at, place, [&](std::uint32_t solid, const NearPair& pair) {
        sums.add(pair, liquid.volume(solid), liquid.factor());
    });
    planes.visit(scene, own, positionOf(at, place), motion.particle[own],
                 [&](const Vec3f& normal, float distance, float weight) {
                     sums.addPlane(normal, distance, weight, h);
                 });
    return sums;
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
    const auto forceOn = [&](std::size_t i, const NearPair& pair) {
        return wettingOfPair(pair, stress[i], strengthOf(i), liquid.factor());
    };
    const auto step = static_cast<float>(dt * dt);
    executor.parallelFor(liquid.liquids(), 256, [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            const float strength = strengthOf(i);
            if (strength <= 0)
                continue;
            Vec3f force{0, 0, 0}; // on a unit volume
            forSolids(liquid, at, i, [&](std::uint32_t solid, const NearPair& pair) {
                force = force + liquid.volume(solid) * forceOn(i, pair);
            });
            const std::uint32_t own = liquid.particle(i);
            const float h = liquid.kernelRadius(i, i);
            planes.visit(scene, own, positionOf(at, i), motion.particle[own],
                         [&](const Vec3f& normal, float distance, float weight) {
                             addWettingOfPlane(force, halfSpace, stress[i], normal, distance,
                                               weight, h, strength, liquid.factor());
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
                    meet(liquid, at, solid, i, [&](const NearPair& pair) {
                        force = force - liquid.volume(i) * forceOn(i, pair);
                    });
            const Vec3f push = (step * liquid.volume(solid)) * force;
            onSolids[k] = {push.x, push.y, push.z};
        }
    });
}

} // namespace floe::pbd
