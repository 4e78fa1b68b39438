// Rigid bodies against mechanics.
#include "solver_scene.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480; // 20 a frame

Mat3d turnedBy(double angle, const Vec3d& axis)
{
    return rotationAbout((angle / physics::length(axis)) * axis);
}

} // namespace

// x = v t - g t (t + dt) / 2, symplectic Euler, and a spin that nothing slows.
TEST(RigidBody, FallsAndSpins)
{
    Trial trial;
    trial.addBox(0.4, 0.1, {.v = {1, 2, 0}, .spin = {0, 3, 0}});
    trial.run(0.5, kStep);
    const Body& body = trial.solver.scene.bodies[0];
    EXPECT_NEAR(body.x.x, 0.5, 1e-5);
    EXPECT_NEAR(body.x.y, 1 - 0.5 * 9.81 * 0.5 * (0.5 + kStep), 1e-5);
    EXPECT_NEAR(std::atan2(-body.R[2][0], body.R[0][0]), 1.5, 1e-4);
}

// Free of torque, the axis of a square rod goes round its angular momentum L at |L| / I1, where I1
// is the moment across the rod, at a constant angle (Landau and Lifshitz, Mechanics, section 33).
TEST(RigidBody, AFreeRodPrecesses)
{
    Trial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    const double length = 0.6, width = 0.2;
    const auto rest = std::make_shared<RestBody>(
        makeRestBody(test::gridBox({1, 1, 1}, {1 + width, 1 + length, 1 + width}).view(),
                     {.voxel = 0.05, .density = 1000}, serialLoops));
    trial.solver.scene.addBody(rest, 0, {.spin = {6, 20, 0}}, true);
    const Body& body = trial.solver.scene.bodies[0];
    const Vec3d L = body.angularMomentum;
    const double size = physics::length(L),
                 across = rest->mass / 12 * (length * length + width * width);
    EXPECT_NEAR(rest->inertia[0][0], across, 1e-3 * across);
    const Vec3d up = (1 / size) * L;
    const Vec3d axis = body.R.column(1);
    const double cone = std::acos(physics::dot(axis, up));
    const double energy = trial.kineticEnergy();
    const Vec3d east = (1 / std::sin(cone)) * (axis - std::cos(cone) * up);
    const Vec3d north = physics::cross(up, east);
    double gone = 0, last = 0;
    for (int k = 0; k < 960; ++k) { // 2 s
        trial.run(kStep, kStep);
        const Vec3d now = body.R.column(1);
        const double angle = std::atan2(physics::dot(now, north), physics::dot(now, east));
        gone += std::remainder(angle - last, 2 * 3.14159265358979);
        last = angle;
        ASSERT_NEAR(std::acos(physics::dot(now, up)), cone, 0.01) << k;
    }
    EXPECT_GT(gone, 10);
    EXPECT_NEAR(gone, size / across * 2, 0.005 * gone);
    EXPECT_NEAR(trial.kineticEnergy(), energy, 0.005 * energy);
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(body.angularMomentum[i], L[i]);
}

// What collides without surroundings keeps momentum, linear and angular, to rounding.
TEST(RigidBody, CollisionsKeepMomentum)
{
    Material material;
    material.staticFriction = material.kineticFriction = 0.4f;
    Trial trial(material);
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.4, 0.1, {.x = {0, 0, 0}, .v = {2, 0, 0}, .spin = {0, 1, 3}});
    trial.addBox(0.4, 0.1,
                 {.x = {0.9, 0.2, 0.1}, .R = turnedBy(0.5, {1, 2, 3}), .v = {-1, 0.1, 0}});
    trial.addBox(0.2, 0.1, {.x = {0.8, -0.4, 0.1}, .v = {-1.5, 1, 0}});
    const Vec3d linear = trial.momentum(), angular = trial.angularMomentum();
    const double energy = trial.kineticEnergy();
    trial.run(1.5, kStep);
    EXPECT_LT(trial.kineticEnergy(), 0.8 * energy) << "they did not meet";
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(trial.momentum()[axis], linear[axis], 1e-5 * 130);
        EXPECT_NEAR(trial.angularMomentum()[axis], angular[axis], 1e-3 * 130);
    }
}

// Against a slope of angle a: rest below mu = tan a, g (sin a - mu cos a) above.
TEST(RigidBody, FrictionConeOnASlope)
{
    const double angle = 0.5; // tan = 0.546
    const Vec3f normal{static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle)), 0};
    const Vec3d down{std::cos(angle), -std::sin(angle), 0};
    for (const double mu : {0.2, 0.5, 0.6}) {
        Trial trial;
        trial.colliders = {std::make_shared<Ground>(static_cast<float>(mu), normal)};
        trial.addBox(0.4, 0.1, {.x = 0.2 * toDouble(normal), .R = turnedBy(-angle, {0, 0, 1})});
        const Vec3d from = trial.solver.scene.bodies[0].x;
        trial.run(1, kStep);
        const Vec3d way = trial.solver.scene.bodies[0].x - from;
        const double rate = 9.81 * (std::sin(angle) - mu * std::cos(angle));
        const double expected = mu < std::tan(angle) ? 0.5 * rate : 0;
        // As if friction were off by a hundredth at most.
        const double hundredth = expected > 0 ? 0.5 * 9.81 * std::cos(angle) * 0.01 : 0.002;
        EXPECT_NEAR(physics::dot(way, down), expected, hundredth) << mu;
        EXPECT_NEAR(physics::dot(way, toDouble(normal)), 0, 0.003) << mu;
    }
}

TEST(RigidBody, TenBoxesStand)
{
    Trial trial;
    trial.colliders = {std::make_shared<Ground>(0.5f)};
    for (int k = 0; k < 10; ++k)
        trial.addBox(0.4, 0.1, {.x = {0, 0.2 + 0.4 * k, 0}});
    trial.run(3, kStep);
    for (int k = 0; k < 10; ++k) {
        const Body& body = trial.solver.scene.bodies[static_cast<std::size_t>(k)];
        EXPECT_NEAR(body.x.x, 0, 0.01) << k;
        EXPECT_NEAR(body.x.z, 0, 0.01) << k;
        // Each joint may sink by the slop, a hundredth of a particle's radius, and a little more.
        EXPECT_NEAR(body.x.y, 0.2 + 0.4 * k, 0.003 * (k + 1)) << k;
        EXPECT_GT(body.R[1][1], 0.999) << k;
        EXPECT_LT(physics::length(body.v), 0.01) << k;
    }
}

// Contact without restitution never adds energy, also where things overlap at first.
TEST(RigidBody, WithoutRestitutionNoEnergyIsGained)
{
    Trial trial;
    trial.colliders = {std::make_shared<Ground>(0.3f)};
    trial.addBox(0.4, 0.1, {.x = {0, 1, 0}, .R = turnedBy(0.7, {1, 0.3, 0.2}), .spin = {1, 2, 3}});
    trial.addBox(0.4, 0.1, {.x = {0.1, 1.6, 0.1}, .R = turnedBy(0.2, {0, 1, 0})});
    trial.addBox(0.4, 0.1, {.x = {0.2, 1.97, 0}}); // into the second
    double last = trial.energy();
    const double scale = last;
    for (int k = 0; k < 480; ++k) {
        trial.run(kStep, kStep);
        // What overlaps is moved apart without speed, which may lift a box by some millimetres.
        ASSERT_LT(trial.energy(), last + 5e-3 * scale) << k;
        last = std::min(last, trial.energy());
    }
    EXPECT_LT(trial.energy(), 0.5 * scale); // they did fall
}

TEST(RigidBody, ReboundsWithItsRestitution)
{
    Material material;
    material.restitution = 0.5f;
    Trial trial(material);
    trial.colliders = {std::make_shared<Ground>(0.f)};
    trial.addBox(0.4, 0.1, {.x = {0, 1.2, 0}}); // falls 1 m, returns to 0.25 m
    trial.run(std::sqrt(2 / 9.81), kStep);
    double top = 0;
    for (int k = 0; k < 300; ++k) {
        trial.run(kStep, kStep);
        top = std::max(top, trial.solver.scene.bodies[0].x.y - 0.2);
    }
    EXPECT_NEAR(top, 0.25, 0.02);
}

// A belt carries what lies on it.
TEST(RigidBody, IsCarriedByAMovingCollider)
{
    Trial trial;
    trial.colliders = {std::make_shared<Ground>(0.5f, Vec3f{0, 1, 0}, Vec3f{1, 0, 0})};
    trial.addBox(0.4, 0.1, {.x = {0, 0.2, 0}});
    trial.run(1, kStep);
    // mu g until it is as fast: 0.204 s, 0.102 m lost.
    EXPECT_NEAR(trial.solver.scene.bodies[0].x.x, 1 - 0.102, 0.02);
    EXPECT_NEAR(trial.solver.scene.bodies[0].v.x, 1, 0.01);
}

// Driven into each other, bodies come apart on the side that they came from (Jia 2017, figure 4.3).
TEST(RigidBody, DoNotInterlock)
{
    Trial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.6, 0.1, {.x = {0, 0, 0}});
    trial.addBox(0.6, 0.1, {.x = {0.42, 0.03, 0.02}}); // overlaps by almost two layers
    trial.run(1, kStep);
    const Vec3d apart = trial.solver.scene.bodies[1].x - trial.solver.scene.bodies[0].x;
    EXPECT_GT(apart.x, 0.57);
    EXPECT_LT(apart.x, 0.7);
    EXPECT_LT(trial.kineticEnergy(), 1e-6);
}

// At 50 m/s a box goes 10 cm in a substep, more than a wall of 2 cm whose distances are known
// within 6 cm: it is stopped in front of it all the same; and what passes by is not touched.
TEST(RigidBody, DoesNotTunnelThroughAThinCollider)
{
    /// The box |x|, |y| < 0.3, |z| < 0.01.
    class Wall final : public sdk::world::Collider {
    public:
        void moveTo(double, double) override {}
        bool mayTouch(const Vec3d&, double) const override { return true; }
        void sample(const sdk::world::PointBatch& points,
                    sdk::world::ColliderSample& out) const override
        {
            for (int i = 0; i < points.count; ++i) {
                const Vec3f x = toFloat(points.corner + toDouble(points.offset(i)));
                const Vec3f q{std::abs(x.x) - 0.3f, std::abs(x.y) - 0.3f, std::abs(x.z) - 0.01f};
                Vec3f beyond = q;
                for (int axis = 0; axis < 3; ++axis)
                    beyond[axis] = std::max(q[axis], 0.0f);
                const float most = std::max({q.x, q.y, q.z});
                const float distance =
                    std::min(physics::length(beyond) + std::min(most, 0.0f), 0.06f);
                out.set(i, {distance, {0, 0, x.z > 0 ? 1.0f : -1.0f}, {0, 0, 0}});
            }
        }
    };
    for (const double start : {-0.5, -0.53, -0.56, -0.59})
        for (const bool misses : {false, true}) {
            Trial trial;
            trial.solver.settings.gravity = {0, 0, 0};
            trial.colliders = {std::make_shared<Wall>()};
            trial.addBox(0.06, 0.02, {.x = {misses ? 0.36 : 0.05, 0, start}, .v = {0, 0, 50}});
            trial.solver.scene.addParticle({misses ? -0.36 : -0.1, 0.1, start}, {0, 0, 50}, 0.01f,
                                           0);
            trial.solver.changed();
            trial.run(0.05, kStep);
            const Scene& scene = trial.solver.scene;
            EXPECT_EQ(scene.bodies[0].x.z > 1, misses) << start;
            EXPECT_EQ(scene.particles.x.back().z > 1, misses) << start;
            if (!misses) {
                EXPECT_LT(scene.bodies[0].x.z, 0) << start;
                EXPECT_LT(scene.particles.x.back().z, 0) << start;
            }
        }
}

TEST(RigidBodyThreads, ChangeNoBit)
{
    const auto run = [](int threads) {
        test::ThreadExecutor executor(threads);
        Trial trial;
        trial.colliders = {std::make_shared<Ground>(0.5f)};
        for (int k = 0; k < 6; ++k)
            trial.addBox(0.4, 0.1, {.x = {0.15 * k, 0.3 + 0.45 * k, 0.05 * k}});
        trial.run(0.7, kStep, executor);
        return trial.solver.scene;
    };
    const Scene one = run(1), four = run(4);
    for (std::size_t i = 0; i < one.particles.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            ASSERT_EQ(one.particles.x[i][axis], four.particles.x[i][axis]);
}

} // namespace floe::pbd
