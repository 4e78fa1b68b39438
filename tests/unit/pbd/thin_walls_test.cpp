// Walls thinner than anything hold what is in them, however they are moved; what gets through all
// the same is counted.
#include "cup.hpp"
#include "solver_scene.hpp"
#include "threads.hpp"

#include "floe/sdk/sampling.hpp"
#include "floe/sdk/world/surface_collider.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

using sdk::world::SurfaceCollider;
using sdk::world::TriangleSurface;
using test::Cup, test::clockOf, test::shaken, test::surfaceOf, test::track;

constexpr float kRadius = 0.01f;
constexpr double kStep = 1.0 / 480;

struct Shaken : Trial {
    Cup cup{.wall = 0.1 * double{kRadius}};
    std::shared_ptr<SurfaceCollider> collider;

    Shaken(Material::Kind kind, double seconds)
    {
        solver.scene.materials[0].kind = kind;
        collider = std::make_shared<SurfaceCollider>(
            surfaceOf(cup.mesh()),
            track(seconds + 2, [&](double at) { return shaken(at, seconds); }), clockOf());
        collider->friction = 0.3f;
        colliders = {collider};
        for (int k = 0; k < 6 * 8 * 8; ++k) {
            const Vec3d x = double{kRadius} *
                            Vec3d{2.0 * (k % 8) - 7, 2.0 * (k / 64) + 1.1, 2.0 * (k / 8 % 8) - 7};
            if (std::hypot(x.x, x.z) < cup.radius - 1.2 * double{kRadius})
                solver.scene.addParticle(x, {0, 0, 0}, kRadius, 0);
        }
    }
    double held() const
    {
        double count = 0;
        for (const Vec3d& x : solver.scene.particles.x)
            count += cup.holds(sdk::world::toOwn(collider->later(), x));
        return count;
    }
};

class ThinCup : public testing::TestWithParam<Material::Kind> {};

} // namespace

TEST(TriangleSurface, FindsWhatAWayCrosses)
{
    const test::Mesh box = test::gridBox({0, 0, 0}, {1, 1, 1}, 3);
    const TriangleSurface surface(box.points, box.corners);
    sdk::RandomSequence random(5);
    const auto inside = [](const Vec3d& x) {
        return std::min({x.x, x.y, x.z}) > 0 && std::max({x.x, x.y, x.z}) < 1;
    };
    for (int k = 0; k < 20000; ++k) {
        Vec3d x, y;
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = 1.5 * random.uniform() - 0.25;
            y[axis] = 1.5 * random.uniform() - 0.25;
        }
        if (inside(x) != inside(y)) {
            const auto hit = surface.crossed(x, y);
            ASSERT_TRUE(hit) << k;
            const Vec3d at = x + hit.share * (y - x);
            ASSERT_TRUE(surface.isWithin(at, 1e-9)) << k;
            ASSERT_EQ(inside(x + (hit.share - 1e-6) * (y - x)), inside(x)) << k;
        } else if (inside(x)) {
            ASSERT_FALSE(surface.crossed(x, y)) << k;
        }
    }
    // Along edges and through corners there is no gap either.
    for (int k = 0; k <= 12; ++k) {
        EXPECT_TRUE(surface.crossed({k / 12.0, k / 12.0, -1}, {k / 12.0, k / 12.0, 0.5})) << k;
        EXPECT_TRUE(surface.crossed({k / 12.0, 2, 1.0 / 3}, {k / 12.0, 0.5, 1.0 / 3})) << k;
    }
    EXPECT_TRUE(surface.crossed({-1, -1, -1}, {0.5, 0.5, 0.5}));
    EXPECT_FALSE(surface.crossed({-1, -1, -1}, {-1, 2, 2}));
}

// A can whose wall is a tenth of a particle's radius thick, shaken hard for ten seconds, loses
// nobody and keeps its level.
TEST_P(ThinCup, ShakenLosesNobody)
{
    constexpr double kSeconds = 10;
    Shaken scene(GetParam(), kSeconds), once(GetParam(), 1);
    const auto all = static_cast<double>(scene.solver.scene.particles.size());
    ASSERT_GT(all, 180);
    once.run(3, kStep); // off the lattice that it was filled with
    double stirred = 0;
    for (int k = 0; k < 40; ++k) {
        scene.run(kSeconds / 40, kStep);
        ASSERT_EQ(scene.held(), all) << k;
        stirred = std::max(stirred, scene.kineticEnergy());
    }
    EXPECT_GT(stirred, 0.2 * all * double{scene.solver.scene.particles.mass[0]} * 0.3);
    scene.run(2, kStep);
    EXPECT_EQ(scene.held(), all);
    EXPECT_EQ(scene.solver.counts().leaked, 0u);
    if (GetParam() == Material::Kind::liquid) { // grains are shaken down
        EXPECT_NEAR(scene.meanHeight(), once.meanHeight(), 0.01 * once.meanHeight());
    }
}
INSTANTIATE_TEST_SUITE_P(Matter, ThinCup,
                         testing::Values(Material::Kind::liquid, Material::Kind::grains),
                         [](const auto& of) {
                             return of.param == Material::Kind::liquid ? "Liquid" : "Grains";
                         });

// Large steps too: contacts alone do not hold what the lid and the floor are thrown at.
TEST(ThinWalls, HoldInLargeSteps)
{
    Shaken scene(Material::Kind::grains, 4);
    scene.solver.settings.iterations = 1;
    scene.solver.settings.stabilisations = 0;
    const auto all = static_cast<double>(scene.solver.scene.particles.size());
    for (int k = 0; k < 40; ++k) {
        scene.run(0.1, 1.0 / 40);
        ASSERT_EQ(scene.held(), all) << k;
    }
    EXPECT_EQ(scene.solver.counts().leaked, 0u);
}

// A shot grain stops at a sheet without thickness, from either side; by a hole it goes on, and that
// is no leak.
TEST(ThinWalls, StopWhatIsShotFromEitherSide)
{
    test::Mesh sheet;
    for (const double z : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
            sheet.add(0, y, z);
    sheet.corners = {0, 1, 2, 2, 1, 3};
    Trial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    trial.colliders = {std::make_shared<SurfaceCollider>(
        surfaceOf(sheet), std::vector<floe_transform_key>{{0, {}, {0, 0, 0, 1}, 1}}, clockOf())};
    for (const float side : {-1.0f, 1.0f}) {
        trial.solver.scene.addParticle({0.3 * double{side}, 0.1 * double{side}, 0.2},
                                       {-400 * side, 0, 0}, kRadius, 0);
        trial.solver.scene.addParticle({0.3 * double{side}, 1.1, 0.2 * double{side}},
                                       {-400 * side, 0, 0}, kRadius, 0);
    }
    trial.run(0.05, kStep);
    const Particles& p = trial.solver.scene.particles;
    EXPECT_NEAR(p.x[0].x, -double{kRadius}, 0.2 * double{kRadius});
    EXPECT_NEAR(p.x[2].x, double{kRadius}, 0.2 * double{kRadius});
    EXPECT_GT(p.x[1].x, 10);
    EXPECT_LT(p.x[3].x, -10);
    EXPECT_EQ(trial.solver.counts().leaked, 0u);
}

// What is left on the other side of a can that is put elsewhere is counted, each once.
TEST(ThinWalls, CountWhoChangesSides)
{
    Shaken scene(Material::Kind::grains, 0);
    scene.run(0.1, kStep);
    const std::size_t all = scene.solver.scene.particles.size();
    ASSERT_EQ(scene.solver.counts().leaked, 0u);
    scene.colliders = {std::make_shared<SurfaceCollider>(
        scene.collider->shared(), std::vector<floe_transform_key>{{0, {1, 0, 0}, {0, 0, 0, 1}, 1}},
        clockOf())};
    scene.run(0.05, kStep);
    EXPECT_EQ(scene.solver.counts().leaked, all);
}

// A wall that strikes what is at rest carries it along; a rigid body lies in a cup of any thinness.
TEST(ThinWalls, PushWhatTheyMeet)
{
    Trial trial;
    Cup cup;
    cup.lid = false;
    cup.radius = 0.3;
    const auto still = std::make_shared<SurfaceCollider>(
        surfaceOf(cup.mesh()), std::vector<floe_transform_key>{{0, {}, {0, 0, 0, 1}, 1}},
        clockOf());
    still->friction = 0.5f;
    trial.colliders = {still};
    trial.addBox(0.2, 0.05, {.x = {0, 0.3, 0}, .v = {0, -3, 0}});
    trial.run(1.5, kStep);
    EXPECT_NEAR(trial.solver.scene.bodies[0].x.y, 0.1, 0.003);
    EXPECT_EQ(trial.solver.counts().leaked, 0u);

    Trial struck;
    struck.solver.settings.gravity = {0, 0, 0};
    struck.colliders = {
        std::make_shared<SurfaceCollider>(surfaceOf(cup.mesh()),
                                          track(1,
                                                [](double time) {
                                                    return std::pair(Vec3d{0, 20 * time, 0}, 0.0);
                                                }),
                                          clockOf())};
    struck.solver.scene.addParticle({0, 0.15, 0}, {0, 0, 0}, kRadius, 0);
    struck.run(0.5, 1.0 / 48);
    EXPECT_GE(struck.solver.scene.particles.x[0].y, 10);
    EXPECT_LT(struck.solver.scene.particles.x[0].y, 11);
}

TEST(ThinWallsThreads, ChangeNoBit)
{
    const auto run = [](int threads) {
        test::ThreadExecutor executor(threads);
        Shaken scene(Material::Kind::liquid, 2);
        scene.run(1, kStep, executor);
        return scene.solver.scene.particles.x;
    };
    const auto one = run(1), four = run(4);
    for (std::size_t i = 0; i < one.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            ASSERT_EQ(one[i][axis], four[i][axis]);
}

} // namespace floe::pbd
