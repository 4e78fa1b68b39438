// Walls of triangles, thinner than a cell: matter stays on its side, and feels that side alone.

#include "cup.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <vector>

using namespace floe::mpm;

namespace {

using floe::sdk::world::SurfaceCollider;
using floe::test::Cup;

constexpr double kCell = 0.02;

SolverSettings settingsOf(double cell = kCell)
{
    SolverSettings s;
    s.cellSize = cell;
    return s;
}

std::vector<floe_transform_key> still(Vec3d at = {0, 0, 0})
{
    return {{0, {at.x, at.y, at.z}, {0, 0, 0, 1}, 1}};
}

std::shared_ptr<SurfaceCollider> colliderOf(const floe::test::MeshArrays& mesh,
                                            const std::vector<floe_transform_key>& keys,
                                            Contact contact = Contact::separate, float friction = 0)
{
    auto collider =
        std::make_shared<SurfaceCollider>(floe::test::surfaceOf(mesh), keys, floe::test::clockOf());
    collider->contact = contact;
    collider->friction = friction;
    return collider;
}

/// One square that divides space, for all that a test sees of it. @param axis  across it
floe::test::MeshArrays plate(int axis, double at, double half = 2)
{
    floe::test::MeshArrays mesh;
    const int corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (const auto& [a, b] : corners) {
        double x[3];
        x[axis] = at;
        x[(axis + 1) % 3] = a * half;
        x[(axis + 2) % 3] = b * half;
        mesh.add(x[0], x[1], x[2]);
    }
    mesh.corners = {0, 1, 2, 0, 2, 3};
    return mesh;
}

/// Particles in a cup, on a lattice.
Lattice filling(const Cup& cup, double height, double cell)
{
    Lattice all({-cup.radius, 0, -cup.radius}, {cup.radius, height, cup.radius}, cell), in;
    for (std::size_t i = 0; i < all.count(); ++i) {
        const Vec3d x{all.x[3 * i], all.x[3 * i + 1], all.x[3 * i + 2]};
        if (std::hypot(x.x, x.z) < cup.radius * std::cos(std::numbers::pi / 24) - 0.1 * cell)
            in.add(x, {0, 0, 0}, all.volume[i]);
    }
    return in;
}

} // namespace

// What lies beyond a plate changes nothing on this side, as near as it may be.
TEST(ThinWalls, MatterFeelsItsOwnSideAlone)
{
    for (const Kernel kernel : {Kernel::quadratic, Kernel::cubic})
        for (const Transfer transfer : {Transfer::apic, Transfer::picFlip}) {
            const auto moved = [&](bool beyond) {
                SolverSettings settings = settingsOf();
                settings.kernel = kernel;
                settings.transfer = transfer;
                settings.longestStep = 2e-4;
                SerialExecutor serial;
                Solver solver(settings, serial);
                solver.setMaterials({material("fixedCorotated", 1000)});
                solver.setColliders({colliderOf(plate(0, 0.013), still())});
                const Lattice near({0.0132, 0, 0}, {0.1, 0.1, 0.1}, kCell, {-2, 0.3, 0});
                const Lattice far({-0.1, 0, 0}, {0.0128, 0.1, 0.1}, kCell, {3, -1, 0.5});
                solver.addParticles(near.particles());
                if (beyond)
                    solver.addParticles(far.particles());
                for (int k = 0; k < 100; ++k)
                    solver.advance(2e-4);
                Frame frame(solver);
                const auto own = static_cast<std::ptrdiff_t>(3 * near.count());
                for (auto i = own; i < static_cast<std::ptrdiff_t>(frame.x.size()); i += 3)
                    EXPECT_LT(frame.x[static_cast<std::size_t>(i)], 0.013);
                EXPECT_GE(*std::min_element(frame.x.begin(), frame.x.begin() + own), -1);
                EXPECT_EQ(solver.takeStatistics().leaked, 0u);
                return std::pair(std::vector(frame.x.begin(), frame.x.begin() + own),
                                 std::vector(frame.v.begin(), frame.v.begin() + own));
            };
            const auto alone = moved(false), beside = moved(true);
            // Particles are sorted at other times, and sums have another order.
            for (std::size_t i = 0; i < alone.first.size(); ++i) {
                ASSERT_NEAR(alone.first[i], beside.first[i], 1e-4 * kCell) << i;
                ASSERT_NEAR(alone.second[i], beside.second[i], 1e-3) << i;
            }
            for (std::size_t i = 0; i < alone.first.size(); i += 3)
                ASSERT_GT(alone.first[i], 0.013);
        }
}

// A wall is thin and has two surfaces: what meets one does not feel the other.
TEST(ThinWalls, TheFarSurfaceOfAWallChangesNothing)
{
    const auto fallen = [](bool both) {
        SolverSettings settings = settingsOf();
        settings.longestStep = 5e-4;
        floe::test::MeshArrays mesh = plate(1, 0.013);
        if (both) {
            const floe::test::MeshArrays far = plate(1, 0.013 - 0.1 * kCell);
            mesh.points.insert(mesh.points.end(), far.points.begin(), far.points.end());
            for (const std::uint32_t corner : far.corners)
                mesh.corners.push_back(corner + 4);
        }
        SerialExecutor serial;
        Solver solver(settings, serial);
        solver.setMaterials({material("liquid", 1000)});
        solver.setColliders({colliderOf(mesh, still())});
        solver.addParticles(
            Lattice({0, 0.014, 0}, {0.1, 0.114, 0.1}, kCell, {0.5, -1, 0}).particles());
        for (int k = 0; k < 200; ++k)
            solver.advance(5e-4);
        return Frame(solver).x;
    };
    const auto one = fallen(false), two = fallen(true);
    for (std::size_t i = 0; i < one.size(); ++i)
        ASSERT_NEAR(one[i], two[i], 1e-3 * kCell) << i;
}

// Water stands as high over a plate as was poured on it, wherever the plate is among the nodes, and
// presses on it with its weight.
TEST(ThinWalls, WaterStandsOnAPlate)
{
    for (const double at : {0.0, 0.3 * kCell, 0.8 * kCell}) {
        Domain domain;
        domain.bounded = true;
        domain.halfSize = {2 * kCell, 5, 2 * kCell};
        for (int face = 0; face < 6; ++face)
            domain.faces[face] = Contact::slip;
        SerialExecutor serial;
        Solver solver(settingsOf(), serial);
        solver.setDomain(domain);
        solver.setMaterials({material("liquid", 1000, {{"bulkModulus", 1e5}, {"viscosity", 1}})});
        solver.setColliders({colliderOf(plate(1, at), still())});
        const Lattice water({-2 * kCell, at, -2 * kCell}, {2 * kCell, at + 0.16, 2 * kCell}, kCell);
        solver.addParticles(water.particles());
        run(solver, 0.4);
        solver.recordContacts(floe::sdk::ContactCells{1.0});
        solver.takeContacts();
        run(solver, 0.1);
        double height = 0, force = 0;
        const Frame frame(solver);
        for (std::size_t i = 1; i < frame.x.size(); i += 3)
            height += 2 * (frame.x[i] - at) / static_cast<double>(frame.id.size());
        for (const ColliderPush& push : solver.takeContacts())
            force += push.impulse.y / 0.1;
        EXPECT_NEAR(height, 0.16, 0.01 * 0.16) << at;
        const double weight = 1000 * 9.81 * 0.16 * (4 * kCell) * (4 * kCell);
        EXPECT_NEAR(force, weight, 0.05 * weight) << at;
    }
}

// A cup a tenth of a cell thick, shaken and then still, holds its water and as much of it.
TEST(ThinWalls, AShakenCupHoldsItsWater)
{
    const Cup cup{.radius = 0.1, .height = 0.4, .wall = 0.1 * kCell};
    const auto collider = colliderOf(cup.mesh(), floe::test::track(1, [](double at) {
                                         const double way =
                                             at < 0.5 ? 1 - std::cos(8 * std::numbers::pi * at) : 0;
                                         return std::pair(Vec3d{0.01 * way, 0.004 * way, 0}, 0.0);
                                     }));
    SerialExecutor serial;
    Solver solver(settingsOf(), serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.setColliders({collider});
    const Lattice water = filling(cup, 0.1, kCell);
    solver.addParticles(water.particles());
    run(solver, 1);
    const Frame frame(solver);
    std::size_t held = 0;
    double height = 0;
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const Vec3d own = floe::sdk::world::toOwn(
            collider->later(), {frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]});
        held += cup.holds(own);
        height += 2 * own.y / static_cast<double>(frame.id.size());
    }
    EXPECT_EQ(held, water.count());
    EXPECT_EQ(solver.takeStatistics().leaked, 0u);
    EXPECT_NEAR(height, 0.1, 0.3 * kCell);
}

// A block of jelly lies on a shelf without thickness.
TEST(ThinWalls, ASolidLiesOnAShelf)
{
    SerialExecutor serial;
    Solver solver(settingsOf(), serial);
    solver.setMaterials({material("fixedCorotated", 1000)});
    solver.setColliders({colliderOf(plate(1, 0.007, 0.12), still(), Contact::separate, 0.5f)});
    const Lattice jelly({-0.05, 0.008, -0.05}, {0.05, 0.108, 0.05}, kCell);
    solver.addParticles(jelly.particles());
    run(solver, 0.5);
    const Frame frame(solver);
    for (std::size_t i = 1; i < frame.x.size(); i += 3)
        ASSERT_GT(frame.x[i], 0.007);
    EXPECT_NEAR(frame.meanPosition().y, 0.057, 0.25 * kCell);
    EXPECT_LT(std::abs(frame.meanVelocity().y), 0.05);
}

// A plate that sweeps through water at rest takes it along: nothing stays behind it.
TEST(ThinWalls, AMovingPlateTakesAlongWhatItMeets)
{
    SolverSettings settings = settingsOf();
    settings.gravity = {0, 0, 0};
    const auto pushed = colliderOf(plate(0, -0.06, 0.2), floe::test::track(1, [](double at) {
                                       return std::pair(Vec3d{2 * at, 0, 0}, 0.0);
                                   }));
    SerialExecutor serial;
    Solver solver(settings, serial);
    solver.setMaterials({material("liquid", 1000)});
    solver.setColliders({pushed});
    solver.addParticles(Lattice({-0.05, -0.05, -0.05}, {0.05, 0.05, 0.05}, kCell).particles());
    run(solver, 0.1);
    const Frame frame(solver);
    for (std::size_t i = 0; i < frame.x.size(); i += 3)
        ASSERT_GT(frame.x[i], 0.14);
}

TEST(ThinWalls, WhatKnowsNoneSaysSo)
{
    const auto refused = [](const SolverSettings& settings) {
        SerialExecutor serial;
        Solver solver(settings, serial);
        EXPECT_THROW(solver.setColliders({colliderOf(plate(1, 0), still())}),
                     std::invalid_argument);
    };
    SolverSettings settings = settingsOf();
    settings.integrator = Integrator::semiImplicit;
    refused(settings);
    settings = settingsOf();
    settings.bodiesMeet = true;
    refused(settings);
}

// Between frames, when a solver is given its colliders anew, it can be saved and goes on as before.
TEST(ThinWalls, ARunGoesOnFromWhereItWasSaved)
{
    const Cup cup{.radius = 0.1, .height = 0.4, .wall = 0.1 * kCell};
    const auto shaken = [&](Solver& solver) {
        auto clock = floe::test::clockOf();
        clock.begin = solver.time();
        auto collider = std::make_shared<SurfaceCollider>(
            floe::test::surfaceOf(cup.mesh()),
            floe::test::track(1, [](double at) { return floe::test::shaken(at, 0.7); }), clock);
        solver.setColliders({collider});
    };
    SerialExecutor serial;
    Solver whole(settingsOf(), serial), resumed(settingsOf(), serial);
    whole.setMaterials({material("liquid", 1000)});
    resumed.setMaterials({material("liquid", 1000)});
    shaken(whole);
    whole.addParticles(filling(cup, 0.06, kCell).particles());
    run(whole, 1 / floe::test::kFps);
    resumed.load(whole.save());
    for (Solver* solver : {&whole, &resumed}) {
        shaken(*solver);
        run(*solver, 1 / floe::test::kFps);
    }
    EXPECT_EQ(whole.save(), resumed.save());
}

TEST(ThinWallsThreads, ChangeNoBit)
{
    const auto moved = [](int threads) {
        const Cup cup{.radius = 0.1, .height = 0.4, .wall = 0.1 * kCell};
        ThreadExecutor executor(threads);
        Solver solver(settingsOf(), executor);
        solver.setMaterials({material("liquid", 1000)});
        solver.setColliders({colliderOf(cup.mesh(), floe::test::track(1, [](double at) {
                                            return floe::test::shaken(at, 0.7);
                                        }))});
        solver.addParticles(filling(cup, 0.1, kCell).particles());
        run(solver, 0.1);
        return Frame(solver);
    };
    EXPECT_TRUE(moved(1) == moved(4));
}
