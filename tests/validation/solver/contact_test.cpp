// Blocks on slopes against Coulomb: minutes of simulated contact, which sanitizers need not see.

#include "plane.hpp"

#include <gtest/gtest.h>

using namespace floe::mpm;

namespace {

struct Slide {
    double acceleration, drop, speed;
};

/// A stiff block on a plane tilted by `angle`; its acceleration down the slope once it has settled.
Slide slide(double angle, float friction, bool domainFloor, double damping = 0)
{
    SerialExecutor serial;
    SolverSettings settings;
    settings.cellSize = 0.05;
    // The plane stays level and gravity tilts: the same physics, and the lattice fits the grid.
    settings.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
    Solver solver(settings, serial);
    solver.setMaterials(
        {material("fixedCorotated", 1000, {{"youngModulus", 1e6}, {"damping", damping}})});
    if (domainFloor) {
        Domain domain;
        domain.bounded = true;
        domain.center = {0, 10, 0};
        domain.halfSize = {100, 10, 100};
        domain.faces[2] = Contact::separate;
        domain.friction = friction;
        solver.setDomain(domain);
    } else {
        auto plane = std::make_shared<Plane>(Vec3d{0, 1, 0});
        plane->friction = friction;
        solver.setColliders({plane});
    }
    solver.addParticles(Lattice({0, 0, 0}, {0.4, 0.2, 0.4}, 0.05).particles());
    run(solver, 0.3);
    const double v0 = Frame(solver).meanVelocity().x, y0 = Frame(solver).meanPosition().y;
    run(solver, 0.5);
    const Frame end(solver);
    return {(end.meanVelocity().x - v0) / 0.5, y0 - end.meanPosition().y, end.meanVelocity().x};
}

} // namespace

// a = g (sin - mu cos); 3 % for the block's rocking as it meets the nodes of the plane.
TEST(Contact, ABlockOnASlopeFollowsCoulomb)
{
    for (const bool domainFloor : {false, true})
        for (const double degrees : {20.0, 35.0}) {
            const double angle = degrees * M_PI / 180;
            for (const float mu : {0.0f, 0.2f, 0.3f}) {
                const double expected = 9.81 * (std::sin(angle) - mu * std::cos(angle));
                const Slide s = slide(angle, mu, domainFloor);
                EXPECT_NEAR(s.acceleration, expected, 0.03 * 9.81 * std::sin(angle))
                    << degrees << " degrees, mu " << mu << ", domain " << domainFloor;
                EXPECT_NEAR(s.drop, 0, 0.01); // it lies on the plane
            }
        }
}
TEST(Contact, ABlockSticksWhereFrictionExceedsTheSlope)
{
    EXPECT_NEAR(slide(0.25, 0.5f, false).acceleration, 0, 0.02);
}

// Just above tan 30 = 0.577 too, where the vibrations of an undamped block would carry it on.
TEST(Contact, ADampedBlockSticksAsSoonAsFrictionReachesTheSlope)
{
    const Slide s = slide(M_PI / 6, 0.6f, false, 0.003);
    EXPECT_NEAR(s.acceleration, 0, 0.005);
    EXPECT_NEAR(s.speed, 0, 0.001);
}
