// Drops on solids against their contact angles.
#include "solver_scene.hpp"

#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace floe::pbd {
namespace {

constexpr float kRadius = 0.001f;
constexpr double kPi = std::numbers::pi;

Material water(double contactAngle)
{
    Material material;
    material.kind = Material::Kind::liquid;
    material.staticFriction = material.kineticFriction = 0;
    material.viscosity = 0.02f;
    material.smoothing = 5;
    material.surfaceTension = 0.072f;
    material.wetting = static_cast<float>(0.5 + 0.5 * std::cos(contactAngle * kPi / 180));
    return material;
}

/// Half a ball above the ground. @param radius  in a particle's
void addHalfBall(Trial& trial, double radius, std::uint32_t material = 0)
{
    sdk::RandomSequence random(3);
    const int half = static_cast<int>(0.5 * radius) + 1;
    for (int z = -half; z < half; ++z)
        for (int y = 0; y < half; ++y)
            for (int x = -half; x < half; ++x) {
                const auto at = [&](int k) {
                    return 2 * (k + random.uniform());
                };
                const double px = at(x), py = at(y), pz = at(z);
                if (px * px + py * py + pz * pz < radius * radius)
                    trial.solver.scene.addParticle(double{kRadius} * Vec3d{px, py, pz}, {0, 0, 0},
                                                   kRadius, material);
            }
}

/// Mean height of a cap on the ground over the cube root of its volume.
double heightOfCap(double angle)
{
    const double height = 1 - std::cos(angle), // of a ball of radius 1
        volume = kPi * height * height * (3 - height) / 3,
                 center = 3 * (2 - height) * (2 - height) / (4 * (3 - height));
    return (center - (1 - height)) / std::cbrt(volume);
}

/// The contact angle of a cap whose liquid has this mean height over the root of its volume [deg].
double angleOf(double height)
{
    double low = 0.02, high = kPi;
    for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (low + high);
        (heightOfCap(middle) < height ? low : high) = middle;
    }
    return low * 180 / kPi;
}

enum class Solid { wall, mesh, grains };

/// The contact angle of a drop that has come to rest on the ground [deg].
double angleOn(Solid solid, double contactAngle)
{
    Trial trial(water(contactAngle));
    trial.solver.settings.gravity = {0, 0, 0};
    trial.solver.settings.sleepSpeed = 0;
    trial.solver.scene.materials.emplace_back();
    std::size_t first = 0;
    if (solid == Solid::wall) {
        trial.basin({0.2, 0.2, 0.2});
        trial.domain.center = {0, 0.1, 0};
    } else if (solid == Solid::mesh) {
        trial.colliders = {std::make_shared<Ground>(0.0f)};
    } else {
        for (int x = -16; x < 16; ++x)
            for (int z = -16; z < 16; ++z) {
                trial.solver.scene.addParticle({0.002 * x + 0.001, -0.001, 0.002 * z + 0.001},
                                               {0, 0, 0}, kRadius, 1);
                trial.solver.scene.particles.mass.back() = INFINITY;
            }
        first = trial.solver.scene.particles.size();
    }
    addHalfBall(trial, 12);
    trial.solver.changed();
    trial.solver.settle({trial.colliders, {}, &trial.domain}, 30, serialLoops);
    trial.run(0.3, 1.0 / 2000);
    const Particles& p = trial.solver.scene.particles;
    const auto count = static_cast<double>(p.size() - first);
    double height = 0;
    for (std::size_t i = first; i < p.size(); ++i)
        height += p.x[i].y / count;
    return angleOf(height / (2 * double{kRadius} * std::cbrt(count)));
}

} // namespace

// Kernels are a third of these drops' radius, which are no sharp caps.
TEST(Wetting, DropsHaveTheirContactAngle)
{
    for (const double angle : {120.0, 90.0, 75.0, 60.0})
        EXPECT_NEAR(angleOn(Solid::wall, angle), angle, 10) << angle;
    EXPECT_LT(angleOn(Solid::wall, 40), 55);
}

// A mesh and particles are wetted as a wall is.
TEST(Wetting, SolidsOfAllKindsAreWetted)
{
    const double wall = angleOn(Solid::wall, 90);
    EXPECT_NEAR(angleOn(Solid::mesh, 90), wall, 10);
    EXPECT_NEAR(angleOn(Solid::grains, 90), wall, 10);
}

// A drop hangs from a ceiling that it wets, and falls from one that it does not.
TEST(Wetting, ADropHangs)
{
    for (const bool wets : {true, false}) {
        Trial trial(water(wets ? 40 : 180));
        trial.basin({0.2, 0.2, 0.2});
        trial.domain.center = {0, 0.1, 0};
        trial.solver.settings.gravity = {0, 9.81, 0}; // the floor is the ceiling
        addHalfBall(trial, 6);
        trial.run(0.3, 1.0 / 2000);
        const Particles& p = trial.solver.scene.particles;
        EXPECT_EQ(p.size() > 0, wets); // it has left through the open side
        for (const Vec3d& x : p.x)
            EXPECT_LT(x.y, 8 * double{kRadius});
    }
}

// A drop and the crate that it draws to itself pull each other alike.
TEST(Wetting, KeepsMomentum)
{
    Trial trial;
    trial.solver.scene.materials.push_back(water(30));
    trial.solver.settings.gravity = {0, 0, 0};
    trial.solver.settings.sleepSpeed = 0;
    trial.addBox(0.016, 0.002, {.x = {0, -0.008, 0}});
    addHalfBall(trial, 7, 1);
    trial.run(0.05, 1.0 / 2000);
    const Particles& p = trial.solver.scene.particles;
    double mass = 0;
    for (std::size_t i = 0; i < p.size(); ++i)
        mass += double{p.mass[i]};
    EXPECT_LT(physics::length(trial.momentum()), 1e-6 * mass);
    EXPECT_LT(p.x.back().y, 0.02); // they are together
}

} // namespace floe::pbd
