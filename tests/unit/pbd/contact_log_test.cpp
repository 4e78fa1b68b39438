// Impulses of contacts against what they did to momentum.
#include "solver/contact_log.hpp"
#include "solver_scene.hpp"
#include "threads.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480; // 20 a frame
using Kind = ContactLog::Kind;

Vec3d angularMomentumOf(const Body& body)
{
    return body.angularMomentum + body.rest->mass * physics::cross(body.x, body.v);
}

/// A box of 0.4 m that stands at (1, 0, -2).
struct BoxAtRest : Trial {
    BoxAtRest()
    {
        colliders = {std::make_shared<Ground>(0.5f)};
        addBox(0.4, 0.1, {.x = {1, 0.2, -2}});
        run(1, kStep);
    }
};

} // namespace

TEST(ContactLog, ABoxAtRestPushesWithItsWeight)
{
    BoxAtRest trial;
    ContactLog log;
    trial.solver.log = &log;
    trial.run(1.0 / 24, kStep);
    const Body& body = trial.solver.scene.bodies[0];
    const auto entries = log.entries();
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].a, (ContactLog::Side{Kind::body, 0}));
    EXPECT_EQ(entries[0].b, (ContactLog::Side{Kind::collider, 0}));
    const double weight = body.rest->mass * 9.81 / 24;
    EXPECT_NEAR(entries[0].impulse.y, weight, 1e-4 * weight);
    EXPECT_NEAR(entries[0].impulse.x, 0, 1e-4 * weight);
    EXPECT_NEAR(entries[0].normal.y, 1, 1e-6);
    EXPECT_NEAR(entries[0].point.y, 0, 1e-3);
    // It presses below its centre: the torque about that is 0.
    const Vec3d torque =
        physics::cross(entries[0].point - body.x, entries[0].impulse) + entries[0].couple;
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(torque[axis], 0, 1e-3 * 0.2 * weight);
    trial.solver.log = nullptr;
    log.clear();
    trial.run(1.0 / 24, kStep);
    EXPECT_TRUE(log.entries().empty());
}

TEST(ContactLog, ByCellsTheSumIsTheSame)
{
    BoxAtRest trial;
    ContactLog log;
    log.clear({.edge = 0.1});
    trial.solver.log = &log;
    trial.run(1.0 / 24, kStep);
    const auto entries = log.entries();
    ASSERT_EQ(entries.size(), 16u); // particles below
    Vec3d impulse{0, 0, 0}, moment{0, 0, 0};
    for (const ContactLog::Entry& entry : entries) {
        impulse = impulse + entry.impulse;
        moment =
            moment + entry.couple + physics::cross(entry.point - Vec3d{1, 0, -2}, entry.impulse);
        EXPECT_NEAR(std::abs(entry.point.x - 1),
                    entry.point.x < 0.9 || entry.point.x > 1.1 ? 0.15 : 0.05, 1e-3);
    }
    const double weight = trial.solver.scene.bodies[0].rest->mass * 9.81 / 24;
    EXPECT_NEAR(impulse.y, weight, 1e-4 * weight);
    EXPECT_NEAR(moment.x, 0, 1e-3 * 0.2 * weight);
    EXPECT_NEAR(moment.z, 0, 1e-3 * 0.2 * weight);
}

// Two spinning boxes collide off centre, with friction: what each gained is what is recorded.
TEST(ContactLog, ACollisionIsTheChangeOfMomentum)
{
    Material material;
    material.staticFriction = material.kineticFriction = 0.4f;
    material.restitution = 0.5f;
    Trial trial(material);
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.4, 0.1, {.v = {2, 0, 0}, .spin = {0, 1, 3}});
    trial.addBox(0.4, 0.1, {.x = {0.9, 0.2, 0.1}, .v = {-1, 0.1, 0}});
    const auto& bodies = trial.solver.scene.bodies;
    const Vec3d v[] = {bodies[0].v, bodies[1].v};
    const Vec3d L[] = {angularMomentumOf(bodies[0]), angularMomentumOf(bodies[1])};
    ContactLog log;
    trial.solver.log = &log;
    trial.run(1, kStep);
    const auto entries = log.entries();
    ASSERT_EQ(entries.size(), 1u);
    const ContactLog::Entry& entry = entries[0];
    EXPECT_EQ(entry.a, (ContactLog::Side{Kind::body, 0}));
    EXPECT_EQ(entry.b, (ContactLog::Side{Kind::body, 1}));
    const double size = physics::length(entry.impulse);
    EXPECT_GT(size, 50) << "they did not meet";
    EXPECT_LT(physics::dot(entry.normal, bodies[1].x - bodies[0].x), 0);
    const Vec3d turn = physics::cross(entry.point, entry.impulse) + entry.couple;
    for (int axis = 0; axis < 3; ++axis)
        for (int b = 0; b < 2; ++b) {
            const double sign = b == 0 ? 1 : -1;
            const Body& body = bodies[static_cast<std::size_t>(b)];
            EXPECT_NEAR((body.rest->mass * (body.v - v[b]))[axis], sign * entry.impulse[axis],
                        1e-5 * size);
            EXPECT_NEAR((angularMomentumOf(body) - L[b])[axis], sign * turn[axis], 0.002 * size);
        }
}

// Grains fall onto the ground and a box onto them: the ground takes what weight gave and momentum
// did not keep, on any number of threads to the bit.
TEST(ContactLog, GrainsAndABoxOnTheGroundAreWeightLessMomentum)
{
    std::vector<ContactLog::Entry> first;
    for (const int threads : {1, 3}) {
        Trial trial;
        trial.colliders = {std::make_shared<Ground>(0.5f)};
        trial.fill({-0.4, 0.05, -0.4}, {8, 3, 8}, 0.05f);
        trial.addBox(0.4, 0.1, {.x = {0, 0.7, 0}});
        ContactLog log;
        trial.solver.log = &log;
        test::ThreadExecutor executor(threads);
        const double seconds = 0.5;
        trial.run(seconds, kStep, executor);
        double mass = 0;
        for (const float m : trial.solver.scene.particles.mass)
            mass += m;
        Vec3d ground{0, 0, 0};
        bool boxOnGrains = false;
        const auto entries = log.entries();
        for (const ContactLog::Entry& entry : entries) {
            if (entry.b.kind == Kind::collider)
                ground = ground + entry.impulse;
            boxOnGrains = boxOnGrains || (entry.a.kind == Kind::body &&
                                          entry.b.kind == Kind::particles && entry.impulse.y > 0);
        }
        EXPECT_TRUE(boxOnGrains);
        const double weight = mass * 9.81 * seconds;
        const Vec3d kept = trial.momentum();
        EXPECT_NEAR(ground.y - weight, kept.y, 1e-4 * weight);
        EXPECT_NEAR(ground.x, kept.x, 1e-4 * weight);
        if (threads == 1)
            first = entries;
        ASSERT_EQ(first.size(), entries.size());
        for (std::size_t k = 0; k < entries.size(); ++k)
            for (int axis = 0; axis < 3; ++axis) {
                EXPECT_EQ(entries[k].impulse[axis], first[k].impulse[axis]);
                EXPECT_EQ(entries[k].couple[axis], first[k].couple[axis]);
            }
    }
}

} // namespace floe::pbd
