// Liquids against hydrostatics and viscous decay.
#include "solver_scene.hpp"

#include "solver/kernel.hpp"

#include <gtest/gtest.h>

namespace floe::pbd {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// Solid but for a basin with vertical walls and a flat bottom at 0, open above: a mesh's
/// distances, which are known in a band only.
class Basin final : public sdk::world::Collider {
public:
    Basin(double width, float band, double turned = 0)
        : half_(0.5 * width), band_(band), axes_(rotationAbout(Vec3d{0, turned, 0}))
    {}
    void moveTo(double, double) override {}
    bool mayTouch(const Vec3d&, double) const override { return true; }
    void sample(const sdk::world::PointBatch& points,
                sdk::world::ColliderSample& out) const override
    {
        for (int i = 0; i < points.count; ++i) {
            const Vec3d x =
                physics::transpose(axes_) * (points.corner + toDouble(points.offset(i)));
            const double wide = half_ - std::max(std::abs(x.x), std::abs(x.z));
            Vec3d normal{0, 1, 0};
            if (wide < x.y)
                normal = std::abs(x.x) > std::abs(x.z) ? Vec3d{x.x > 0 ? -1.0 : 1.0, 0, 0}
                                                       : Vec3d{0, 0, x.z > 0 ? -1.0 : 1.0};
            const auto distance = static_cast<float>(std::min(wide, x.y));
            if (distance > 0)
                out.set(i, {std::min(distance, band_), {NAN, NAN, NAN}, {NAN, NAN, NAN}});
            else
                out.set(i, {distance, toFloat(axes_ * normal), {0, 0, 0}});
        }
    }

private:
    double half_;
    float band_;
    Mat3d axes_;
};

Material liquid()
{
    Material material;
    material.kind = Material::Kind::liquid;
    material.staticFriction = material.kineticFriction = 0;
    return material;
}

} // namespace

// A wave of shear along a cubic lattice decays as its pairs add up, whatever the step; in the mean
// over directions that is the decay nu k^2 of a continuum.
TEST(Viscosity, AShearWaveDecaysAtItsRate)
{
    const double nu = 0.05, edge = 0.02, h = 2 * edge, k = 2 * kPi / 0.24, seconds = 0.01;
    double along = 0, mean = 0; // rates
    for (int z = -2; z <= 2; ++z)
        for (int y = -2; y <= 2; ++y)
            for (int x = -2; x <= 2; ++x) {
                const double r = edge * std::sqrt(double(x * x + y * y + z * z));
                if (r == 0 || r >= h)
                    continue;
                const double pair = -10 * nu * std::pow(edge, 3) * double{latticeFactor(4)} *
                                    kernelSlope(r / h) / (std::pow(h, 4) * r);
                along += pair * std::pow(x * edge / r, 2) * (1 - std::cos(k * y * edge));
                mean += pair * r * r * k * k / 30;
            }
    EXPECT_NEAR(mean, nu * k * k, 0.03 * nu * k * k);
    for (const double dt : {1.0 / 200, 1.0 / 2000}) {
        Material material = liquid();
        material.viscosity = static_cast<float>(1000 * nu);
        Trial trial(material);
        trial.solver.settings.gravity = {0, 0, 0};
        trial.solver.settings.iterations = 0; // density has no part in it
        trial.fill({0, 0, 0}, {24, 24, 12}, 0.01f);
        Particles& p = trial.solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i)
            p.v[i] = {static_cast<float>(0.02 * std::cos(k * p.x[i].y)), 0, 0};
        const auto amplitude = [&] { // away from surfaces
            double sum = 0, squares = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                const Vec3d& x = p.x[i];
                if (std::abs(x.x - 0.24) > 0.12 || std::abs(x.y - 0.24) > 0.12 ||
                    std::abs(x.z - 0.12) > 0.04)
                    continue;
                const double wave = std::cos(k * x.y);
                sum += wave * p.v[i].x;
                squares += wave * wave;
            }
            return sum / squares;
        };
        const double before = amplitude();
        trial.run(seconds, dt);
        const double expected = std::log(1 + along * dt) / dt; // implicit steps fall behind
        // In a hundredth of a second the surfaces are felt two layers deep.
        EXPECT_NEAR(std::log(before / amplitude()) / seconds, expected, 0.05 * expected) << dt;
    }
}

// Friction along the lines between particles: a ball of honey goes on spinning, as a solid does.
TEST(Viscosity, KeepsMomentumAndSpin)
{
    Material material = liquid();
    material.viscosity = 20;
    Trial trial(material);
    trial.solver.settings.gravity = {0, 0, 0};
    trial.fill({0, 0, 0}, {8, 8, 8}, 0.01f);
    Particles& p = trial.solver.scene.particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        p.v[i] = toFloat(Vec3d{0.3, 0, 0} +
                         physics::cross(Vec3d{0, 0, 1.5}, p.x[i] - Vec3d{0.08, 0.08, 0.08}));
    const Vec3d linear = trial.momentum();
    const Vec3d center{0.08, 0.08, 0.08};
    const auto spin = [&](const Vec3d& at) {
        return (trial.angularMomentum() - physics::cross(at, trial.momentum())).z;
    };
    const double before = spin(center), energy = trial.kineticEnergy();
    trial.run(0.2, 1.0 / 480);
    const double mass = 4.096; // 0.16^3 of water
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(trial.momentum()[axis], linear[axis], 1e-4 * mass);
    EXPECT_NEAR(spin(center + (0.2 / mass) * linear), before, 0.03 * before);
    EXPECT_GT(trial.kineticEnergy(), 0.95 * energy);
}

// An eddy in a full box, worn out by smoothing: vorticity keeps its middle turning, at the expense
// of what is around it.
TEST(Vorticity, AnEddyKeepsItsMiddleTurning)
{
    const Vec3d center{0.24, 0.24, 0.06};
    const double wide = 0.06;
    struct Turning {
        double middle, all; // mean spin [rad/s], and what is r x v of all [m^2/s]
    };
    const auto after = [&](float vorticity, double seconds) {
        Material material = liquid();
        material.smoothing = 20;
        material.vorticity = vorticity;
        Trial trial(material);
        trial.solver.settings.gravity = {0, 0, 0};
        trial.solver.settings.sleepSpeed = 0;
        trial.basin(2.0 * center);
        trial.domain.faces.fill(sdk::world::Contact::separate);
        trial.fill({0, 0, 0}, {24, 24, 6}, 0.01f);
        Particles& p = trial.solver.scene.particles;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Vec3d d = p.x[i] - center;
            const double spin = 0.7 * std::exp(-(d.x * d.x + d.y * d.y) / (2 * wide * wide));
            p.v[i] = toFloat(physics::cross(Vec3d{0, 0, spin}, d));
        }
        trial.run(seconds, 1.0 / 480);
        double all = 0, middle = 0, inertia = 0;
        for (std::size_t i = 0; i < p.size(); ++i) {
            const Vec3d d = p.x[i] - center;
            const double turning = d.x * p.v[i].y - d.y * p.v[i].x;
            all += turning;
            if (std::hypot(d.x, d.y) > wide)
                continue;
            middle += turning;
            inertia += d.x * d.x + d.y * d.y;
        }
        return Turning{middle / inertia, all};
    };
    const Turning before = after(0, 0), without = after(0, 0.3), with = after(10, 0.3);
    EXPECT_LT(without.middle, 0.8 * before.middle);
    EXPECT_GT(with.middle, 1.1 * without.middle);
    EXPECT_LT(with.middle, before.middle);
    EXPECT_NEAR(with.all, without.all, 0.01 * without.all);
}

// Whoever is pushed pushes back, near a free surface and beside a body too.
TEST(Vorticity, KeepsMomentum)
{
    Trial trial;
    Material material = liquid();
    material.vorticity = 20;
    trial.solver.scene.materials.push_back(material);
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.08, 0.02, {.x = {0.12, 0.20, 0.12}, .v = {1, 0, 0}});
    trial.fill({0, 0, 0}, {12, 8, 12}, 0.01f, 1);
    Particles& p = trial.solver.scene.particles;
    for (std::size_t i = 0; i < p.size(); ++i)
        if (trial.solver.scene.isLiquid(i))
            p.v[i] = {static_cast<float>(0.3 * std::sin(40 * p.x[i].y)),
                      static_cast<float>(0.2 * std::sin(50 * p.x[i].z)), 0};
    const Vec3d before = trial.momentum();
    trial.run(0.1, 1.0 / 480);
    const double mass = 0.512 + 1152 * 0.008;
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(trial.momentum()[axis], before[axis], 1e-5 * mass);
}

// A body that is dragged through honey takes it along; together they keep momentum.
TEST(Viscosity, DragsBodiesAndKeepsMomentum)
{
    Trial trial;
    Material material = liquid();
    material.viscosity = 10;
    trial.solver.scene.materials.push_back(material);
    trial.solver.settings.gravity = {0, 0, 0};
    trial.addBox(0.08, 0.02, {.x = {0.12, 0.20, 0.12}, .v = {1, 0, 0}});
    trial.fill({0, 0, 0}, {12, 8, 12}, 0.01f, 1); // up to its underside
    const Vec3d before = trial.momentum();
    trial.run(0.1, 1.0 / 480);
    const double mass = 0.512 + 1152 * 0.008;
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(trial.momentum()[axis], before[axis], 1e-4 * mass);
    EXPECT_LT(trial.solver.scene.bodies[0].v.x, 0.8);
    EXPECT_GT(trial.solver.scene.bodies[0].v.x, 0);
}

// What lies in a basin has its volume inside, where small particles lie on large ones, and where a
// light liquid lies on a heavy one.
TEST(Liquid, HasItsDensityWhereUnlikeOnesMeet)
{
    for (const bool unlikeSizes : {true, false}) {
        Trial trial(liquid());
        Material& below = trial.solver.scene.materials[0];
        below.smoothing = 5;
        Material above = below;
        if (!unlikeSizes)
            below.density = 3000;
        trial.solver.scene.materials.push_back(above);
        trial.basin({0.24, 2, 0.24});
        trial.fill({0, 0, 0}, {6, 4, 6}, 0.02f, 0);
        if (unlikeSizes)
            trial.fill({0, 0.16, 0}, {12, 8, 12}, 0.01f, 1);
        else
            trial.fill({0, 0.16, 0}, {6, 4, 6}, 0.02f, 1);
        trial.run(1.5, 1.0 / 480);
        const Particles& p = trial.solver.scene.particles;
        const double wide = 0.03; // of the Gaussian that measures: a wall is four away
        for (const double y : {0.12, 0.15}) {
            double volume = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                const Vec3d d = p.x[i] - Vec3d{0.12, y, 0.12};
                volume += std::pow(2.0 * double{p.radius[i]}, 3) *
                          std::exp(-physics::dot(d, d) / (2 * wide * wide));
            }
            // Kernels of two sizes do not sum to 1 exactly where they meet.
            EXPECT_NEAR(volume / std::pow(2 * kPi * wide * wide, 1.5), 1, unlikeSizes ? 0.06 : 0.03)
                << (unlikeSizes ? "sizes, " : "densities, ") << y << " m";
        }
    }
}

// The share of the spline behind a plane, by adding up rings.
TEST(Kernel, HasItsShareBehindAPlane)
{
    constexpr int kSteps = 400;
    for (const float q : {0.0f, 0.1f, 0.3f, 0.5f, 0.8f}) {
        double share = 0;
        for (int k = 0; k < kSteps; ++k)
            for (int j = 0; j < kSteps; ++j) {
                const double z = double{q} + (1 - double{q}) * (k + 0.5) / kSteps,
                             r = (j + 0.5) / kSteps;
                share += 2 * kPi * r * 8 / kPi * kernelShape(std::min(std::hypot(z, r), 1.0)) *
                         (1 - double{q}) / (kSteps * kSteps);
            }
        EXPECT_NEAR(shareBehind(q), share, 1e-4) << q;
        EXPECT_NEAR(shareBehind(-q), 1 - share, 1e-4) << q;
        EXPECT_NEAR(shareSlope(q), (shareBehind(q + 1e-3f) - shareBehind(q - 1e-3f)) / 2e-3f, 2e-3);
    }
    // A cubic lattice of cubes at the wall lacks what the shifted share adds.
    EXPECT_NEAR(shareBehind(0.25f + latticeShift(4)), 0.1497, 1e-3);
}

// Liquid in a basin stands as high as its volume, but for the layer at its free surface, and rests.
TEST(Liquid, StandsAsHighAsItsVolume)
{
    Trial trial(liquid());
    trial.solver.scene.materials[0].smoothing = 5;
    trial.basin({0.32, 2, 0.32});
    trial.fill({0, 0, 0}, {8, 10, 8}, 0.02f); // 0.4 m high
    trial.run(2, 1.0 / 480);
    double height = 0;
    const Particles& p = trial.solver.scene.particles;
    for (const Vec3d& x : p.x)
        height += x.y / static_cast<double>(p.size());
    EXPECT_NEAR(height, 0.2, 0.007);
    const double mass = 1000 * 0.32 * 0.32 * 0.4;
    EXPECT_LT(std::sqrt(2 * trial.kineticEnergy() / mass), 0.02);
}

// The same in a basin that is a mesh, along the lattice of the filling and turned: as in the walls
// of a domain, and whatever the width of the band in which distances are known.
TEST(Liquid, StandsAsHighInAMesh)
{
    struct Case {
        double turned;
        float band;
    };
    for (const Case& at : {Case{0, 0.12f}, Case{0, 0.03f}, Case{0.6, 0.12f}}) {
        Trial trial(liquid());
        trial.solver.scene.materials[0].smoothing = 5;
        auto basin = std::make_shared<Basin>(0.32, at.band, at.turned);
        basin->friction = 0;
        trial.colliders = {basin};
        trial.fill({-0.16, 0, -0.16}, {8, 10, 8}, 0.02f);
        Particles& p = trial.solver.scene.particles;
        for (Vec3d& x : p.x)
            x = rotationAbout(Vec3d{0, at.turned, 0}) * x;
        trial.run(2, 1.0 / 480);
        double height = 0;
        for (const Vec3d& x : p.x)
            height += x.y / static_cast<double>(p.size());
        EXPECT_NEAR(height, 0.2, 0.008) << at.turned << ' ' << at.band;
        const double mass = 1000 * 0.32 * 0.32 * 0.4;
        EXPECT_LT(std::sqrt(2 * trial.kineticEnergy() / mass), 0.02) << at.turned << ' ' << at.band;
    }
}

} // namespace floe::pbd
