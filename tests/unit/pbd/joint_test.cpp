// Joints and motors against mechanics.
#include "ties.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480; // 20 a frame
constexpr double g = 9.81;

} // namespace

// A box that hangs at a distance d from its centre swings with 2 pi sqrt(I / (m g d)), with I about
// the pin, times 1 + angle^2 / 16.
TEST(Joint, AHingedBoxIsAPhysicalPendulum)
{
    for (const JointKind kind : {JointKind::hinge, JointKind::ball}) {
        Trial trial;
        const double d = 0.5, angle = 0.2, edge = 0.4;
        trial.addBox(edge, 0.1,
                     {.x = {d * std::sin(angle), -d * std::cos(angle), 0},
                      .R = rotationAbout(Vec3d{0, 0, angle})});
        trial.solver.joints = {tie(trial, kind, {0, 0, 0}, {0, 0, 1})};
        const Body& body = trial.solver.scene.bodies[0];
        const double inertia = body.rest->inertia[2][2] + body.rest->mass * d * d;
        double last = body.x.x, first = 0, latest = 0;
        int crossings = 0;
        for (int k = 0; k < 480 * 9; ++k) {
            trial.run(kStep, kStep);
            if (last > 0 && body.x.x <= 0) {
                latest = trial.time - kStep * (0 - body.x.x) / (last - body.x.x);
                first = crossings++ ? first : latest;
            }
            last = body.x.x;
        }
        ASSERT_GE(crossings, 5);
        const double period = (latest - first) / (crossings - 1);
        const double expected = 2 * 3.14159265 * std::sqrt(inertia / (body.rest->mass * g * d)) *
                                (1 + angle * angle / 16);
        EXPECT_NEAR(period, expected, 0.01 * expected);
        EXPECT_NEAR(physics::length(body.x), d, 1e-3);
        EXPECT_NEAR(body.x.z, 0, 1e-6);
    }
}

// A motor reaches its speed and keeps it; until then it accelerates with torque / moment.
TEST(Joint, AMotorTurnsAtItsSpeed)
{
    Trial trial;
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.4, 0.1, {.x = {0, 0, 0}});
    Joint joint = tie(trial, JointKind::hinge, {0, 0, 0}, {0, 0, 1});
    const Body& body = trial.solver.scene.bodies[0];
    const double moment = body.rest->inertia[2][2];
    joint.motor = true;
    joint.speed = 10;
    joint.torque = 4 * moment; // 4 rad/s each second
    trial.solver.joints = {joint};
    trial.run(1, kStep);
    EXPECT_NEAR(body.angularMomentum.z / moment, 4, 0.02);
    trial.run(3, kStep);
    EXPECT_NEAR(body.angularMomentum.z / moment, 10, 0.01);
    trial.solver.joints[0].speed = -1; // and brakes
    trial.run(4, kStep);
    EXPECT_NEAR(body.angularMomentum.z / moment, -1, 0.01);
}

// Two boxes that fly tied to each other keep what the joint holds: a point, an axis, or all; and
// momentum, linear and angular, but for rounding.
TEST(Joint, BoxesFlyTied)
{
    for (const JointKind kind : {JointKind::ball, JointKind::hinge, JointKind::fixed}) {
        Trial trial;
        trial.solver.settings.gravity = {0, 0, 0};
        trial.addBox(0.4, 0.1, {.x = {0, 0, 0}, .v = {1, 0, 0}, .spin = {0, 1, 2}});
        trial.addBox(0.2, 0.1, {.x = {0.45, 0.1, 0}, .v = {1, 0.5, 0}});
        trial.solver.joints = {tie(trial, kind, {0.3, 0, 0}, {0, 0, 1}, 1)};
        const auto& bodies = trial.solver.scene.bodies;
        const Joint& joint = trial.solver.joints[0];
        const Vec3d linear = trial.momentum(), angular = trial.angularMomentum();
        trial.run(2, kStep);
        EXPECT_GT(physics::length(bodies[0].x), 1);
        EXPECT_GT(physics::length(bodies[0].angularMomentum), 0.1);
        const Vec3d a = bodies[0].x + bodies[0].R * joint.a.anchor,
                    b = bodies[1].x + bodies[1].R * joint.b.anchor;
        EXPECT_LT(physics::length(a - b), 1e-3) << int(kind);
        const Vec3d axis = bodies[0].R * joint.a.axis, other = bodies[1].R * joint.b.axis;
        const Mat3d turned = physics::transpose(bodies[0].R) * bodies[1].R;
        EXPECT_GT(kind == JointKind::ball ? 1 : physics::dot(axis, other), 0.99999) << int(kind);
        const bool same = physics::trace(turned) > 2.9999;
        EXPECT_EQ(same, kind == JointKind::fixed) << int(kind); // the others may turn, and do
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(trial.momentum()[k], linear[k], 1e-6 * physics::length(linear));
            EXPECT_NEAR(trial.angularMomentum()[k], angular[k], 1e-6 * physics::length(angular));
        }
    }
}

// A joint breaks under more than its strength, and holds less.
TEST(Joint, BreaksUnderMoreThanItsStrength)
{
    for (const double share : {0.9, 1.1}) {
        Trial trial;
        trial.addBox(0.4, 0.1, {.x = {0, -0.2, 0}});
        Joint joint = tie(trial, JointKind::ball, {0, 0, 0}, {0, 0, 1});
        const Body& body = trial.solver.scene.bodies[0];
        joint.strength = share * body.rest->mass * g;
        trial.solver.joints = {joint};
        trial.run(1, kStep);
        EXPECT_EQ(trial.solver.joints[0].broken, share < 1);
        if (share < 1)
            EXPECT_LT(body.x.y, -4);
        else
            EXPECT_NEAR(body.x.y, -0.2, 1e-3);
    }
}

// A weight of 8 kg on a rope of 100 g hangs below the rope's pin, which stretches by M g L / (E A)
// and hangs straight, whatever the number of iterations.
TEST(Joint, TiesABodyToALightRope)
{
    for (const int iterations : {1, 4}) {
        Trial trial;
        trial.solver.settings.iterations = iterations;
        trial.addBox(0.2, 0.1, {.x = {0, -1.1, 0}});
        std::vector<Vec3d> line;
        for (int k = 0; k <= 20; ++k)
            line.push_back({0, -0.05 * k, 0});
        std::vector<std::uint8_t> pinned(line.size(), 0);
        pinned[0] = 1;
        const double stiffness = 1e5;
        trial.solver.scene.addSheet(
            std::make_shared<Cloth>(makeRope(line, pinned, 0.1, 0.01, {.stretch = stiffness})), 0,
            {}, 20, 0);
        trial.solver.changed();
        Joint joint = tie(trial, JointKind::ball, {0, -1, 0}, {0, 0, 1});
        joint.b = {};
        joint.b.particle = static_cast<std::uint32_t>(trial.solver.scene.particles.size() - 1);
        trial.solver.joints = {joint};
        trial.run(2, kStep);
        const Body& body = trial.solver.scene.bodies[0];
        trial.solver.joints[0].strength = 1.1 * body.rest->mass * g;
        trial.run(1, kStep);
        const double expected = 1.1 + body.rest->mass * g / stiffness;
        // Of a stretch of 0.78 mm one in twenty; the rope's own weight adds one in two hundred.
        EXPECT_NEAR(-body.x.y, expected, 4e-5) << iterations;
        EXPECT_FALSE(trial.solver.joints[0].broken) << iterations;
        for (std::size_t k = 0; k < line.size(); ++k) {
            const Vec3d& x = trial.solver.scene.particles.x[trial.solver.scene.bodies[1].first + k];
            EXPECT_LT(std::hypot(x.x, x.z), 1e-4) << iterations << " " << k;
        }
        trial.solver.joints[0].strength = 0.9 * body.rest->mass * g; // and it falls
        trial.run(1, kStep);
        EXPECT_TRUE(trial.solver.joints[0].broken) << iterations;
        EXPECT_LT(body.x.y, -4) << iterations;
    }
}

} // namespace floe::pbd
