// The neighbours of liquids against all pairs.
#include "solver_scene.hpp"

#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

#include <set>

namespace floe::pbd {
namespace {

/// Liquid of some sizes in a box, grains in and around it, and a drop far away.
Scene mixture(const std::vector<float>& sizes, bool grains)
{
    Scene scene;
    scene.materials.resize(2);
    scene.materials[0].kind = Material::Kind::liquid;
    sdk::RandomSequence random(7);
    const auto within = [&](double low, double high) {
        return low + (high - low) * random.uniform();
    };
    for (int k = 0; k < 1500; ++k) {
        const bool liquid = !grains || k % 3 > 0;
        const double far = liquid ? 0.3 : 0.5;
        const double x = within(-far, far), y = within(-far, far), z = within(-far, far);
        const float radius = sizes[static_cast<std::size_t>(k) % sizes.size()];
        scene.addParticle({x, y, z}, {0, 0, 0}, liquid ? radius : 1.7f * radius, liquid ? 0 : 1);
    }
    scene.addParticle({40, -3, 7}, {0, 0, 0}, sizes[0], 0);
    scene.addParticle({40.01, -3, 7}, {0, 0, 0}, sizes[0], 0);
    return scene;
}

struct Case {
    std::vector<float> sizes;
    bool grains;
};
class LiquidNeighbours : public testing::TestWithParam<Case> {};

} // namespace

TEST_P(LiquidNeighbours, AreAllThatTheKernelReaches)
{
    const Scene scene = mixture(GetParam().sizes, GetParam().grains);
    const std::size_t count = scene.particles.size();
    Motion motion;
    motion.particle.assign(count, {0, 0, 0});
    motion.weight.assign(count, 1);
    const SolverSettings settings;
    Liquid liquid;
    liquid.find(scene, motion, settings, serialLoops);
    std::set<std::uint32_t> seen;
    std::size_t pairs = 0;
    for (std::size_t a = 0; a < liquid.size(); ++a) {
        seen.insert(liquid.particle(a));
        ASSERT_EQ(liquid.isLiquid(a), scene.isLiquid(liquid.particle(a)));
        const auto row = liquid.row(a);
        ASSERT_TRUE(std::is_sorted(row.begin(), row.end()));
        ASSERT_EQ(row.size() % LiquidRows::kLanes, 0u);
        for (std::size_t b = 0; b < liquid.size(); ++b) {
            const bool inRow = std::binary_search(row.begin(), row.end(), b);
            const double distance = physics::length(scene.particles.x[liquid.particle(a)] -
                                                    scene.particles.x[liquid.particle(b)]);
            if (a == b || (!liquid.isLiquid(a) && !liquid.isLiquid(b))) {
                ASSERT_FALSE(inRow);
            } else if (const double reach = double{liquid.kernelRadius(a, b)};
                       distance < 0.999 * reach) {
                ASSERT_TRUE(inRow) << a << ' ' << b;
                ++pairs;
            } else if (distance > 1.03 * reach) { // a little more than the kernel
                ASSERT_FALSE(inRow) << a << ' ' << b;
            }
        }
    }
    EXPECT_GT(pairs, count);
    // Grains are left out only where no liquid is near.
    for (std::uint32_t i = 0; i < count; ++i)
        if (!seen.contains(i)) {
            ASSERT_FALSE(scene.isLiquid(i));
            for (std::size_t s = 0; s < liquid.liquids(); ++s)
                ASSERT_GT(
                    physics::length(scene.particles.x[i] - scene.particles.x[liquid.particle(s)]),
                    double{liquid.kernelRadius(s, s)});
        }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LiquidNeighbours,
                         testing::Values(Case{{0.02f}, false}, Case{{0.02f}, true},
                                         Case{{0.02f, 0.021f, 0.026f}, true},
                                         Case{{0.02f, 0.05f, 0.003f, 0.011f}, true}));

} // namespace floe::pbd
