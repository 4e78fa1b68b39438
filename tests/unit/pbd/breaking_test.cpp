// Bodies that break: how they are cut, when, and what their pieces keep.
#include "breakables.hpp"
#include "threads.hpp"

#include "bodies/body_field.hpp"
#include "bodies/clipping.hpp"
#include "bodies/fracture.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <map>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480;

/// A cube of edge 1 around a hole of edge 0.6.
test::Mesh hollowCube()
{
    test::Mesh mesh = test::cube(1), hole = test::cube(0.6);
    const auto first = static_cast<std::uint32_t>(mesh.points.size() / 3);
    mesh.points.insert(mesh.points.end(), hole.points.begin(), hole.points.end());
    for (std::size_t k = 0; k + 2 < hole.corners.size(); k += 3)
        mesh.corners.insert(
            mesh.corners.end(),
            {first + hole.corners[k], first + hole.corners[k + 2], first + hole.corners[k + 1]});
    return mesh;
}

/// Every edge is as often there as it is back.
bool isClosed(const std::vector<std::uint32_t>& corners)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (std::size_t t = 0; t + 2 < corners.size(); t += 3)
        for (std::size_t k = 0; k < 3; ++k) {
            const std::uint32_t a = corners[t + k], b = corners[t + (k + 1) % 3];
            edges[std::minmax(a, b)] += a < b ? 1 : -1;
        }
    return std::all_of(edges.begin(), edges.end(), [](const auto& edge) { return !edge.second; });
}

Surface surfaceOf(const RestBody& body)
{
    return welded({{&body.meshPoints[0].x, 3 * body.meshPoints.size()}, body.triangles});
}

} // namespace

// The section of the hollow cube is a ring; its two sides are closed by caps that cover it once.
TEST(Clipping, ClosesWhatItCutsAlsoAroundHoles)
{
    const Surface whole = welded(hollowCube().view());
    const double volume = 1 - 0.6 * 0.6 * 0.6;
    ASSERT_NEAR(volumeOf(whole), volume, 1e-6);
    for (Vec3d n : {Vec3d{0, 0, 1}, Vec3d{0.3, -0.5, 0.8}, Vec3d{1, 1, 1}}) {
        n = (1 / physics::length(n)) * n;
        for (const double offset : {0.0, 0.1, -0.23, 0.3}) {
            const Surface below = clippedBelow(whole, n, offset);
            const Surface above = clippedBelow(whole, -1.0 * n, -offset);
            EXPECT_TRUE(isClosed(below.corners));
            EXPECT_TRUE(isClosed(above.corners));
            EXPECT_GT(volumeOf(below), 0.05);
            EXPECT_NEAR(volumeOf(below) + volumeOf(above), volume, 1e-6);
            // Caps: triangles in the plane. None is turned over.
            double signedArea = 0, area = 0;
            for (std::size_t t = 0; t < below.corners.size(); t += 3) {
                const Vec3d &a = below.points[below.corners[t]],
                            &b = below.points[below.corners[t + 1]],
                            &c = below.points[below.corners[t + 2]];
                if (std::max({std::abs(physics::dot(n, a) - offset),
                              std::abs(physics::dot(n, b) - offset),
                              std::abs(physics::dot(n, c) - offset)}) > 1e-9)
                    continue;
                const Vec3d cross = physics::cross(b - a, c - a);
                signedArea += 0.5 * physics::dot(n, cross);
                area += 0.5 * physics::length(cross);
            }
            EXPECT_NEAR(area, signedArea, 1e-9);
            if (n.z == 1) {
                EXPECT_NEAR(area, 1 - 0.36, 1e-6) << offset;
            }
        }
    }
    EXPECT_TRUE(clippedBelow(whole, {0, 1, 0}, -2).corners.empty());
    EXPECT_EQ(clippedBelow(whole, {0, 1, 0}, 2).corners.size(), whole.corners.size());
}

TEST(Pieces, AreTheWhole)
{
    const test::Mesh mesh = hollowCube();
    for (const int generations : {1, 2}) {
        const RestBody whole = makeRestBody(
            mesh.view(), {.voxel = 0.05, .pieces = 12, .generations = generations}, serialLoops);
        ASSERT_EQ(whole.pieces.size(), 12u);
        const auto check = [&](const auto& self, const RestBody& body) -> void {
            if (body.pieces.empty())
                return;
            double mass = 0, volume = 0, last = INFINITY;
            std::size_t next = 0;
            for (const auto& piece : body.pieces) {
                const Surface surface = surfaceOf(*piece);
                EXPECT_TRUE(isClosed(piece->triangles));
                volume += volumeOf(surface);
                mass += piece->mass;
                EXPECT_LE(piece->mass, last); // the heaviest first
                last = piece->mass;
                const Vec3d off = piece->center - body.center;
                for (const RestParticle& particle : piece->particles) {
                    const RestParticle& same = body.particles[next++];
                    EXPECT_LT(
                        physics::length(toDouble(particle.offset) + off - toDouble(same.offset)),
                        1e-6);
                    EXPECT_EQ(particle.mass, same.mass);
                    EXPECT_GE(particle.distance, same.distance - 0.1f); // a cut is no farther
                }
                const BodyField field(*piece, serialLoops); // a mesh that can be filled again
                self(self, *piece);
            }
            EXPECT_EQ(next, body.particles.size());
            EXPECT_NEAR(mass, body.mass, 1e-6 * body.mass);
            EXPECT_NEAR(volume, volumeOf(surfaceOf(body)), 1e-5);
        };
        check(check, whole);
        EXPECT_EQ(whole.pieces[0]->pieces.empty(), generations == 1);
    }
}

// Parts that are given as a mesh become the pieces, with their own surfaces, although they touch;
// what lies in none of them goes to the nearest.
TEST(Parts, AreThePieces)
{
    test::Mesh parts;
    const auto add = [&](std::array<double, 3> low, std::array<double, 3> high) {
        const test::Mesh box = test::gridBox(low, high);
        const auto first = static_cast<std::uint32_t>(parts.points.size() / 3);
        parts.points.insert(parts.points.end(), box.points.begin(), box.points.end());
        for (const std::uint32_t corner : box.corners)
            parts.corners.push_back(first + corner);
    };
    add({-0.4, -0.4, -0.4}, {0.4, 0, 0.4});
    add({-0.4, 0, -0.4}, {0, 0.4, 0.4});
    add({0, 0, -0.4}, {0.4, 0.4, 0.2}); // a corner of 0.4 x 0.4 x 0.2 is in none
    const Triangles view = parts.view();
    const RestBody body =
        makeRestBody(test::cube(0.8).view(),
                     {.voxel = 0.05, .mergeThreshold = -INFINITY, .parts = &view}, serialLoops);
    ASSERT_EQ(body.pieces.size(), 3u);
    EXPECT_NEAR(body.mass, 512, 1e-3);
    double mass = 0;
    for (const auto& piece : body.pieces)
        mass += piece->mass;
    EXPECT_NEAR(mass, 512, 1e-3);
    EXPECT_GE(body.pieces[0]->mass, 256 - 1e-3); // the heaviest first: the lower half
    EXPECT_GE(body.pieces[1]->mass, 128 - 1e-3);
    EXPECT_GE(body.pieces[2]->mass, 96 - 1e-3);
    EXPECT_LT(body.pieces[0]->center.y, 0);
    EXPECT_LT(body.pieces[1]->center.x, 0);
    EXPECT_LT(body.pieces[2]->center.z, 0);
    double volume = 0;
    for (const auto& piece : body.pieces) {
        EXPECT_TRUE(isClosed(piece->triangles));
        EXPECT_EQ(piece->triangles.size(), 36u); // two triangles a face
        EXPECT_TRUE(piece->pieces.empty());
        volume += volumeOf(surfaceOf(*piece));
    }
    EXPECT_NEAR(volume, 0.512 - 0.032, 1e-5);
}

TEST(Parts, ThatCannotBeAreRefused)
{
    const test::Mesh one = test::cube(0.4);
    test::Mesh two = one, far = one;
    for (const std::uint32_t corner : one.corners) // the same twice
        two.corners.push_back(8 + corner);
    two.points.insert(two.points.end(), one.points.begin(), one.points.end());
    for (std::size_t i = 0; i < far.points.size(); ++i)
        far.points[i] += 7;
    for (const test::Mesh* parts :
         {&one, static_cast<const test::Mesh*>(&two), static_cast<const test::Mesh*>(&far)}) {
        const Triangles view = parts->view();
        EXPECT_THROW(
            makeRestBody(test::cube(0.4).view(), {.voxel = 0.05, .parts = &view}, serialLoops),
            std::invalid_argument);
    }
    test::Mesh wrong = two;
    wrong.corners.back() = 99;
    const Triangles view = wrong.view();
    EXPECT_THROW(makeRestBody(test::cube(0.4).view(), {.voxel = 0.05, .parts = &view}, serialLoops),
                 std::invalid_argument);
}

// The seed alone says where a body breaks, for any number of threads.
TEST(Pieces, DependOnTheSeed)
{
    const auto offsets = [](std::uint64_t seed, sdk::parallel::Executor& executor) {
        const RestBody body = makeRestBody(test::cube(0.6).view(),
                                           {.voxel = 0.05, .pieces = 8, .seed = seed}, executor);
        std::vector<float> all;
        for (const auto& piece : body.pieces)
            for (const Vec3f& x : piece->meshPoints)
                all.insert(all.end(), {x.x, x.y, x.z});
        return all;
    };
    test::ThreadExecutor four(4);
    EXPECT_EQ(offsets(1, serialLoops), offsets(1, four));
    EXPECT_NE(offsets(1, serialLoops), offsets(2, serialLoops));
}

TEST(Pieces, TooManyAreRefused)
{
    for (const int pieces : {17, 1000, kMaxCells}) // 64 voxels: 16 at most
        EXPECT_THROW(breakable(0.4, 0.1, pieces), std::invalid_argument) << pieces;
    EXPECT_EQ(breakable(0.4, 0.1, 16)->pieces.size(), 16u);
    for (const int none : {-5, 0, 1})
        EXPECT_TRUE(breakable(0.4, 0.1, none)->pieces.empty());
    // Pieces of four voxels or so break no more.
    const auto again = breakable(0.4, 0.1, 16, 4);
    for (const auto& piece : again->pieces)
        EXPECT_LE(piece->pieces.size(), piece->particles.size() / kVoxelsOfPiece);
}

TEST(Breaking, KeepsMomentumAndParticles)
{
    Trial trial;
    Scene& scene = trial.solver.scene;
    scene.addBody(breakable(0.6, 0.05, 10, 2), 0,
                  {.x = {1, 2, -3},
                   .R = rotationAbout(Vec3d{0.3, 1, 0.2}),
                   .v = {2, -1, 0.5},
                   .spin = {3, 7, -2}},
                  true);
    const Vec3d linear = trial.momentum(), angular = trial.angularMomentum();
    const double energy = trial.kineticEnergy(), mass = scene.bodies[0].rest->mass;
    const Particles before = scene.particles;
    const std::vector<std::uint32_t> pieces = scene.breakBody(0);
    EXPECT_EQ(pieces.front(), 0u);
    scene.breakBody(3);
    EXPECT_GT(scene.bodies.size(), 10u);
    for (int axis = 0; axis < 3; ++axis) { // to the rounding of single precision
        EXPECT_NEAR(trial.momentum()[axis], linear[axis], 1e-6 * 3 * mass);
        EXPECT_NEAR(trial.angularMomentum()[axis], angular[axis], 1e-6 * 12 * mass);
    }
    EXPECT_NEAR(trial.kineticEnergy(), energy, 1e-5 * energy);
    for (const Body& body : scene.bodies)
        scene.followPose(body);
    EXPECT_EQ(scene.particles.id, before.id);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_LT(physics::length(scene.particles.x[i] - before.x[i]), 1e-6);
        EXPECT_LT(physics::length(scene.particles.v[i] - before.v[i]), 2e-5f);
    }
}

// A cube that falls flat is stopped from sqrt(2 g h): stronger ones stay whole, weaker ones break.
// Four iterations leave an eighth of a blow to later substeps.
TEST(Breaking, BeginsAtItsStrength)
{
    const auto rest = breakable(0.4, 0.1, 6);
    const double height = 0.5, speed = std::sqrt(2 * 9.81 * height);
    for (const double strength : {0.8 * speed, 1.1 * speed}) {
        Trial trial;
        trial.colliders = {std::make_shared<Ground>(0.5f)};
        addBreakable(trial, rest, {.x = {0, 0.2 + height, 0}}, strength);
        trial.run(1, kStep);
        EXPECT_EQ(trial.solver.scene.bodies.size(), strength < speed ? 6u : 1u) << strength;
        EXPECT_EQ(trial.solver.counts().broken, strength < speed ? 1u : 0u);
    }
}

// What rests does not break under its own weight or that of others, and what is broken lies still.
TEST(Breaking, PiecesComeToRest)
{
    Trial trial;
    trial.colliders = {std::make_shared<Ground>(0.6f)};
    const auto rest = breakable(0.4, 0.05, 8);
    addBreakable(trial, rest, {.x = {0, 0.2, 0}}, 1);
    addBreakable(trial, rest, {.x = {0, 0.6, 0}}, 1);
    trial.run(0.5, kStep);
    EXPECT_EQ(trial.solver.scene.bodies.size(), 2u);
    addBreakable(trial, rest, {.x = {0.05, 1.6, 0}, .spin = {1, 0, 2}}, 1);
    trial.solver.changed();
    trial.run(3, kStep);
    EXPECT_GT(trial.solver.scene.bodies.size(), 9u);
    std::vector<Vec3d> lay;
    for (const Body& body : trial.solver.scene.bodies)
        lay.push_back(body.x);
    trial.run(0.5, kStep);
    double energy = 0;
    int rolling = 0; // a round one may
    for (std::size_t b = 0; b < lay.size(); ++b) {
        const Body& body = trial.solver.scene.bodies[b];
        EXPECT_GT(body.x.y, 0.02);
        EXPECT_LT(body.x.y, 1.3);
        rolling += physics::length(body.x - lay[b]) > 0.01;
        energy += 0.5 * body.rest->mass * physics::dot(body.v, body.v);
    }
    EXPECT_LE(rolling, 1);
    EXPECT_LT(energy, 0.3); // of 190 kg
}

// Two that break on each other keep their momentum together, also where overlap is moved apart.
TEST(Breaking, CollisionsKeepMomentum)
{
    for (const int stabilisations : {0, 1}) {
        Trial trial;
        trial.solver.settings.gravity = {0, 0, 0};
        trial.solver.settings.stabilisations = stabilisations;
        addBreakable(trial, breakable(0.4, 0.05, 9, 2), {.v = {4, 0, 0}, .spin = {0, 1, 3}}, 0.8);
        addBreakable(trial, breakable(0.4, 0.05, 5, 1, 7),
                     {.x = {0.9, 0.1, 0.1}, .v = {-3, 0.1, 0}}, 0.8);
        const Vec3d linear = trial.momentum(), angular = trial.angularMomentum();
        const double energy = trial.kineticEnergy();
        trial.run(0.6, kStep);
        EXPECT_GE(trial.solver.scene.bodies.size(), 14u);
        EXPECT_LT(trial.kineticEnergy(), energy);
        for (int axis = 0; axis < 3; ++axis) { // of 64 kg each, at up to 4 m/s
            EXPECT_NEAR(trial.momentum()[axis], linear[axis], 1e-5 * 256);
            EXPECT_NEAR(trial.angularMomentum()[axis], angular[axis], 5e-5 * 256);
        }
    }
}

// A joint goes on to hold the piece that it is at.
TEST(Breaking, JointsHoldTheirPiece)
{
    Trial trial;
    addBreakable(trial, breakable(0.4, 0.05, 8), {.x = {0, 2, 0}}, 0.5);
    Joint joint;
    joint.a.body = 0;
    joint.a.anchor = {0.17, 0.17, 0.02};
    joint.b.anchor = {0.17, 2.17, 0.02};
    trial.solver.joints.push_back(joint);
    trial.solver.scene.addParticle({-0.1, 1.9, 1}, {0, 0, -12}, 0.15f, 0);
    trial.run(0.5, kStep);
    ASSERT_EQ(trial.solver.scene.bodies.size(), 8u);
    const JointSide& side = trial.solver.joints[0].a;
    const Body& held = trial.solver.scene.bodies[side.body];
    EXPECT_LT(physics::length(held.x + held.R * side.anchor - joint.b.anchor), 1e-3);
    std::size_t fallen = 0;
    for (const Body& body : trial.solver.scene.bodies)
        fallen += body.x.y < 1.5;
    EXPECT_GE(fallen, 4u);
}

TEST(BreakingThreads, ChangeNoBit)
{
    const auto rest = breakable(0.4, 0.0667, 8, 2);
    const auto run = [&](int threads) {
        test::ThreadExecutor executor(threads);
        Trial trial;
        trial.colliders = {std::make_shared<Ground>(0.5f)};
        for (int k = 0; k < 2; ++k)
            addBreakable(trial, rest, {.x = {0.1 * k, 0.4 + 0.45 * k, 0.05 * k}}, 1);
        trial.run(0.35, kStep, executor);
        return trial.solver.scene;
    };
    const Scene one = run(1), four = run(4);
    EXPECT_GT(one.bodies.size(), 9u);
    ASSERT_EQ(one.bodies.size(), four.bodies.size());
    EXPECT_EQ(one.particles.body, four.particles.body);
    for (std::size_t i = 0; i < one.particles.size(); ++i)
        for (int axis = 0; axis < 3; ++axis)
            ASSERT_EQ(one.particles.x[i][axis], four.particles.x[i][axis]);
}

} // namespace floe::pbd
