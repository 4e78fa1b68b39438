// Walls of triangles, thinner than a cell: matter stays on its side, and feels that side alone.

#include "cup.hpp"
#include "scene.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
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
                                            Contact contact = Contact::separate,
                                            float friction = 0)
{
    auto collider = std::make_shared<SurfaceCollider>(floe::test::surfaceOf(mesh), keys,
                                                      floe::test::clockOf());
    collider->contact = contact;
    collider->friction = friction;
    return collider;
}

/// One square that divides space, for all that a test sees of it. @param axis  across it
floe::test::MeshArrays plate(int axis, double at, double half = 2)
{
    floe::test::MeshArrays mesh;
    for (const auto& [a, b] : {std::array{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
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

// What lies beyond a plate changes no bit on this side, as near as it may be.
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
            double worst = 0;
            for (std::size_t i = 0; i < alone.first.size(); ++i)
                worst = std::max(worst, std::abs(double{alone.first[i]} - double{beside.first[i]}));
            std::printf("worst %g cells\n", worst / kCell);
            EXPECT_TRUE(alone == beside) << int(kernel) << int(transfer); // every bit
            for (std::size_t i = 0; i < alone.first.size(); i += 3)
                ASSERT_GT(alone.first[i], 0.013);
        }
}

// Water in a cup a tenth of a cell thick, shaken, then still: all of it is there, and as much.
TEST(ThinWalls, AShakenCupHoldsItsWater)
{
    const Cup cup{.radius = 0.2, .height = 0.5, .wall = 0.1 * kCell, .lid = false};
    const auto collider = colliderOf(cup.mesh(), floe::test::track(2, [](double at) {
                                         return floe::test::shaken(at, 0.6);
                                     }));
    SerialExecutor serial;
    Solver solver(settingsOf(), serial);
    solver.setMaterials({material("liquid", 1000, {{"bulkModulus", 1e5}})});
    solver.setColliders({collider});
    const Lattice water = filling(cup, 0.2, kCell);
    solver.addParticles(water.particles());
    run(solver, 1.5);
    const Frame frame(solver);
    std::size_t held = 0;
    double height = 0;
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const Vec3d own =
            floe::sdk::world::toOwn(collider->later(), {frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]});
        held += cup.holds(own);
        height += 2 * own.y / static_cast<double>(frame.id.size());
    }
    EXPECT_EQ(held, water.count());
    EXPECT_EQ(solver.takeStatistics().leaked, 0u);
    std::printf("height %g of 0.2\n", height);
    EXPECT_NEAR(height, 0.2, 0.02);
}

TEST(ThinWallsDebug, Cup)
{
  for (int moves = 0; moves < 2; ++moves) {
    const Cup cup{.radius = 0.1, .height = 0.4, .wall = 0.1 * kCell, .lid = false};
    const auto collider = colliderOf(cup.mesh(), moves == 0 ? still() : moves == 1 ? floe::test::track(2, [](double at) {
                                         return std::pair(Vec3d{0.02 * std::sin(12 * at), 0, 0}, 0.0);
                                     }) : floe::test::track(2, [](double at) {
                                         return floe::test::shaken(at, 0.6);
                                     }));
    SerialExecutor serial;
    Solver solver(settingsOf(), serial);
    solver.setMaterials({material("liquid", 1000, {{"bulkModulus", 1e5}})});
    solver.setColliders({collider});
    const Lattice water = filling(cup, 0.2, kCell);
    solver.addParticles(water.particles());
    for (int k = 0; k < 5; ++k) {
    run(solver, 0.1);
    const Frame frame(solver);
    std::size_t held = 0;
    double height = 0, top = 0, low = 1, J = 0, jlow = 2;
    for (std::size_t i = 0; i < frame.id.size(); ++i) {
        const Vec3d own =
            floe::sdk::world::toOwn(collider->later(), {frame.x[3 * i], frame.x[3 * i + 1], frame.x[3 * i + 2]});
        held += cup.holds(own);
        top = std::max(top, own.y);
        low = std::min(low, own.y);
        J += frame.J[i] / static_cast<double>(frame.id.size());
        jlow = std::min(jlow, double{frame.J[i]});
        height += 2 * own.y / static_cast<double>(frame.id.size());
    }
    std::printf("moves %d t %g: held %zu of %zu height %g of 0.2 top %g low %g J %g least %g steps %u\n", moves, solver.time(), held, water.count(), height, top, low, J, jlow, solver.takeStatistics().steps);
    }
  }
}
