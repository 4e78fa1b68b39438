// Cloth and ropes against statics and mechanics.
#include "sheet_scene.hpp"
#include "threads.hpp"

#include "floe/sdk/world/forces.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace floe::pbd {
namespace {

constexpr double kStep = 1.0 / 480; // 20 a frame
constexpr double g = 9.81;

Trial hanging()
{
    Trial trial;
    trial.solver.scene.materials[0].kind = Material::Kind::body;
    return trial;
}

/// Until it hangs still, in thick air.
void rest(Trial& trial, int steps, double dt)
{
    for (int k = 0; k < steps; ++k) {
        trial.run(dt, dt);
        for (Vec3f& v : trial.solver.scene.particles.v)
            v = 0.9f * v;
    }
}

/// Parameter of the catenary of a length between two points that are 2 half apart and equally high.
double catenary(double half, double length)
{
    double low = 0.1, high = 10;
    for (int k = 0; k < 60; ++k) {
        const double a = 0.5 * (low + high);
        (2 * a * std::sinh(half / a) > length ? low : high) = a;
    }
    return low;
}

} // namespace

// A curtain falls onto the ground and folds: no layer passes through another. Without
// self-collision they do.
TEST(Cloth, FoldsLieOnEachOther)
{
    const auto closest = [](bool meetsItself) {
        Trial trial = hanging();
        trial.colliders = {std::make_shared<Ground>(0.5f)};
        test::Mesh mesh = rectangle(0.3, 1, 10, 33, false);
        for (std::size_t i = 0; i < mesh.points.size(); i += 3) {
            mesh.points[i + 1] += 1.1f;
            mesh.points[i + 2] = 0.01f * std::sin(9 * mesh.points[i + 1]); // which way it folds
        }
        Cloth cloth = makeCloth(mesh.view(), std::vector<std::uint8_t>(mesh.points.size() / 3, 0),
                                0.2, 0, {.stretch = 500, .shear = 50, .bend = 1e-5});
        cloth.sheet.meetsItself = meetsItself;
        add(trial, cloth, 2);
        const Particles& particles = trial.solver.scene.particles;
        const double apart = 2 * double{particles.radius[0]};
        double least = 1;
        for (int k = 0; k < 15; ++k) {
            trial.run(0.1, kStep);
            for (std::size_t i = 0; i < particles.size(); ++i)
                for (std::size_t j = i + 1; j < particles.size(); ++j)
                    if (physics::length(cloth.body.particles[i].offset -
                                        cloth.body.particles[j].offset) > 1.5 * apart)
                        least = std::min(least,
                                         physics::length(particles.x[i] - particles.x[j]) / apart);
        }
        double top = 0;
        for (const Vec3d& x : particles.x)
            top = std::max(top, x.y);
        EXPECT_LT(top, 0.35); // it lies
        return least;
    };
    EXPECT_GT(closest(true), 0.75);
    EXPECT_LT(closest(false), 0.4);
}

// Hooke: a hanging rope of mass m and stiffness E A stretches by m g L / (2 E A), and no more with
// few iterations or large steps.
TEST(Rope, StretchesByItsWeight)
{
    for (const double stiffness : {50.0, 5000.0, 500000.0})
        for (const auto& [iterations, dt] :
             {std::pair{1, kStep}, std::pair{4, kStep}, std::pair{1, 1.0 / 60}}) {
            Trial trial = hanging();
            trial.solver.settings.iterations = iterations;
            add(trial,
                makeRope(line({0, 0, 0}, {0, -1, 0}, 20), firstOf(21), 0.2, 0.01,
                         {.stretch = stiffness, .bend = 0}),
                0);
            rest(trial, static_cast<int>(1.5 / dt), dt);
            const double expected = 0.2 * g / (2 * stiffness);
            // One in a hundred, and the rounding of displacements.
            EXPECT_NEAR(-trial.solver.scene.particles.x.back().y - 1, expected,
                        0.01 * expected + 2e-5)
                << stiffness << " " << iterations << " " << dt;
        }
}

// Between two pins a rope of length L over a span of 2 l hangs as a catenary: sag
// a (cosh(l / a) - 1) where L = 2 a sinh(l / a).
TEST(Rope, HangsAsACatenary)
{
    Trial trial = hanging();
    const double half = 1, length = 2.4;
    const double a = catenary(half, length), sag = a * (std::cosh(half / a) - 1);
    // It begins as a triangle of its length.
    const double depth = std::sqrt(0.25 * length * length - half * half);
    std::vector<Vec3d> points = line({-half, 0, 0}, {0, -depth, 0}, 24);
    const auto other = line({0, -depth, 0}, {half, 0, 0}, 24);
    points.insert(points.end(), other.begin() + 1, other.end());
    add(trial,
        makeRope(points, firstOf(points.size(), true), 0.3, 0.005, {.stretch = 1e5, .bend = 0}), 5);
    rest(trial, 300, 1.0 / 120);
    // Forty-eight straight pieces, and a bend of none.
    const std::vector<Vec3d>& place = trial.solver.scene.particles.x;
    EXPECT_NEAR(-place[24].y, sag, 0.002 * sag);
    double whole = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
        EXPECT_NEAR(place[i].y, a * std::cosh(place[i].x / a) - a - sag, 0.003 * sag) << i;
        whole += i > 0 ? physics::length(place[i] - place[i - 1]) : 0;
    }
    EXPECT_NEAR(whole, length, 1e-3 * length);
}

// A clamped cable bends by q L^4 / (8 E I) under its weight.
TEST(Rope, BendsAsABeam)
{
    Trial trial = hanging();
    const double length = 0.5, EI = 2, density = 0.4;
    std::vector<std::uint8_t> pinned = firstOf(21);
    pinned[1] = 1; // a clamp half way between the two
    add(trial, makeRope(line({0, 0, 0}, {length, 0, 0}, 20), pinned, density, 0.005,
                        {.stretch = 1e5, .bend = EI}));
    rest(trial, 200, 1.0 / 120);
    const double expected = density * g * std::pow(length * 19.5 / 20, 4) / (8 * EI);
    EXPECT_NEAR(-trial.solver.scene.particles.x.back().y, expected, 0.01 * expected);
}

// A bob on a thread swings with 2 pi sqrt(L / g) (1 + angle^2 / 16).
TEST(Rope, PendulumKeepsItsPeriod)
{
    Trial trial = hanging();
    const double angle = 0.2;
    add(trial, makeRope(line({0, 0, 0}, {std::sin(angle), -std::cos(angle), 0}, 1), firstOf(2), 1,
                        0.01, {.stretch = 1e6, .bend = 0}));
    const Vec3d& x = trial.solver.scene.particles.x[1];
    double last = x.x, first = 0, latest = 0;
    int crossings = 0;
    for (int k = 0; k < 480 * 11; ++k) {
        trial.run(kStep, kStep);
        if (last > 0 && x.x <= 0) {
            latest = trial.time - kStep * (0 - x.x) / (last - x.x);
            first = crossings++ ? first : latest;
        }
        last = x.x;
    }
    ASSERT_GE(crossings, 5);
    const double period = (latest - first) / (crossings - 1);
    EXPECT_NEAR(period, 2 * 3.14159265 * std::sqrt(1 / g) * (1 + angle * angle / 16),
                0.01 * period);
    EXPECT_NEAR(physics::length(x), 1, 1e-4);
}

// A rope that is pulled apart breaks where it bears most: at its pin.
TEST(Rope, BreaksWhereItBearsMost)
{
    Trial trial = hanging();
    add(trial,
        makeRope(line({0, 0, 0}, {0, -1, 0}, 10), firstOf(11), 1, 0.01,
                 {.stretch = 100, .bend = 0}),
        50, 0.088f); // its weight stretches the first segment by 0.093, the next by 0.083
    trial.run(2, kStep);
    const Body& body = trial.solver.scene.bodies[0];
    // Groups reorder segments; the one at the pin is the one that begins at particle 0.
    std::size_t torn = 0;
    for (std::size_t e = 0; e < body.torn.size(); ++e)
        if (body.torn[e]) {
            ++torn;
            EXPECT_EQ(body.sheet->edges[e].at[0], 0u);
        }
    EXPECT_EQ(torn, 1u);
    EXPECT_LT(trial.solver.scene.particles.x[5].y, -3); // it falls
}

// A hanging cloth of weight W over a width b stretches by W H / (2 k b), however it is meshed: by
// its middle, since sideways it contracts for no reason.
TEST(ClothSheet, StretchesByItsWeightOnAnyMesh)
{
    for (const bool cross : {false, true})
        for (const int iterations : {1, 4}) {
            Trial trial = hanging();
            trial.solver.settings.iterations = iterations;
            const double k = 200, width = 0.4, height = 0.8, density = 1;
            const test::Mesh mesh = rectangle(width, height, 8, 16, cross);
            std::vector<std::uint8_t> pinned(mesh.points.size() / 3, 0);
            std::fill_n(pinned.begin(), 9, std::uint8_t{1});
            add(trial, makeCloth(mesh.view(), pinned, density, 0.005, {k, k / 2, 0}), 100);
            rest(trial, 150, 1.0 / 120);
            double low = 0;
            for (std::size_t i = 16 * 9; i < 17 * 9; ++i)
                low += trial.solver.scene.particles.x[i].y / 9;
            // Green's strain: for 2 % the force grows by 3 % more than the strain.
            const double expected = density * g * height * height / (2 * k);
            EXPECT_NEAR(-low - height, expected, 0.06 * expected) << cross << " " << iterations;
        }
}

// A strip clamped at one end bends by q L^4 / (8 D) under its weight, on regular and irregular
// meshes, with few and with many iterations, in short and in long steps.
TEST(ClothSheet, BendsAsABeam)
{
    const double length = 0.3, width = 0.12, D = 0.02, density = 0.04;
    struct Case {
        double irregular, dt;
        int iterations;
    };
    for (const Case& is : {Case{0, 1.0 / 60, 1}, Case{0, 1.0 / 60, 4}, Case{0, 1.0 / 240, 1},
                           Case{0.2, 1.0 / 60, 2}}) {
        Trial trial = hanging();
        trial.solver.settings.iterations = is.iterations;
        test::Mesh mesh = rectangle(width, length, 6, 15, false, is.irregular);
        for (std::size_t i = 0; i < mesh.points.size(); i += 3) { // lies flat, along x
            mesh.points[i + 2] = mesh.points[i];
            mesh.points[i] = -mesh.points[i + 1];
            mesh.points[i + 1] = 0;
        }
        std::vector<std::uint8_t> pinned(mesh.points.size() / 3, 0);
        std::fill_n(pinned.begin(), 14, std::uint8_t{1}); // two rows: a clamp half way between
        add(trial, makeCloth(mesh.view(), pinned, density, 0.002, {1e4, 5e3, D}));
        rest(trial, 120, is.dt);
        double low = 0;
        const std::vector<Vec3d>& x = trial.solver.scene.particles.x;
        for (std::size_t i = x.size() - 7; i < x.size(); ++i)
            low -= x[i].y / 7;
        const double expected = density * g * std::pow(length * 14.5 / 15, 4) / (8 * D);
        // It bends by a twentieth of its length, which tilts its weight; irregular triangles are
        // softer by some 4 %.
        EXPECT_NEAR(low, expected, (is.irregular > 0 ? 0.06 : 0.015) * expected)
            << is.irregular << " " << is.dt << " " << is.iterations;
    }
}

// Hung from both ends, a limp strip is a catenary.
TEST(ClothSheet, HangsAsACatenary)
{
    Trial trial = hanging();
    const double half = 0.5, length = 1.25;
    const int along = 40;
    test::Mesh mesh = rectangle(0.1, length, 3, along, false);
    const double depth = std::sqrt(0.25 * length * length - half * half);
    for (std::size_t i = 0; i < mesh.points.size(); i += 3) { // begins as a triangle
        const double way = -mesh.points[i + 1] / length, side = 1 - std::abs(2 * way - 1);
        mesh.points[i + 2] = mesh.points[i];
        mesh.points[i] = static_cast<float>(half * (2 * way - 1));
        mesh.points[i + 1] = static_cast<float>(-depth * side);
    }
    std::vector<std::uint8_t> pinned(mesh.points.size() / 3, 0);
    std::fill_n(pinned.begin(), 4, std::uint8_t{1});
    std::fill_n(pinned.end() - 4, 4, std::uint8_t{1});
    add(trial, makeCloth(mesh.view(), pinned, 0.2, 0.002, {5000, 500, 1e-7}), 5);
    rest(trial, 250, 1.0 / 120);
    const double a = catenary(half, length), sag = a * (std::cosh(half / a) - 1);
    for (const Vec3d& x : trial.solver.scene.particles.x)
        EXPECT_NEAR(x.y, a * std::cosh(x.x / a) - a - sag, 0.005 * sag);
}

// Thrown and crumpled it keeps its momentum: linear to rounding.
TEST(ClothSheet, KeepsMomentum)
{
    Trial trial = hanging();
    trial.solver.settings.gravity = {0, 0, 0};
    const test::Mesh mesh = rectangle(0.5, 0.5, 10, 10, true);
    add(trial, makeCloth(mesh.view(), {}, 0.2, 0.02, {1000, 50, 1e-5}), 5, 0, {1, 2, 0});
    for (std::size_t i = 0; i < trial.solver.scene.particles.size(); ++i) {
        const double x = trial.solver.scene.particles.x[i].x;
        trial.solver.scene.particles.v[i].z = static_cast<float>(std::sin(20 * x));
    }
    const Vec3d before = trial.momentum();
    trial.run(0.5, kStep);
    const Vec3d after = trial.momentum();
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(after[axis], before[axis], 1e-6 * physics::length(before));
}

// Wind pushes a cloth by its faces: fully where it blows at one, not at all where it streams along.
TEST(ClothSheet, TakesWindAlongItsNormal)
{
    for (const double degrees : {0.0, 40.0, 90.0}) {
        Trial trial = hanging();
        trial.solver.settings.gravity = {0, 0, 0};
        add(trial,
            makeCloth(rectangle(0.5, 0.5, 10, 10, true).view(), {}, 0.2, 0.02, {1000, 50, 1e-5}));
        const double angle = degrees * 3.14159265358979 / 180, speed = 10, rate = 2;
        const Vec3d air = speed * Vec3d{std::sin(angle), 0, std::cos(angle)};
        const std::vector<std::shared_ptr<const sdk::world::Force>> forces = {
            std::make_shared<sdk::world::Wind>(air, rate, 0, 0, 0)};
        for (int k = 0; k < 24; ++k)
            trial.solver.step({trial.colliders, forces, &trial.domain}, k * kStep, kStep,
                              serialLoops);
        // Along the normal it comes nearer to the air's speed at the rate; implicit steps lag.
        const double gained = speed * std::cos(angle) * (1 - std::pow(1 + rate * kStep, -24));
        const double mass = trial.solver.scene.bodies[0].rest->mass;
        EXPECT_NEAR(trial.momentum().z / mass, gained, 0.01 * speed * 0.1) << degrees;
        EXPECT_NEAR(trial.momentum().x / mass, 0, 0.01 * speed * 0.1) << degrees;
    }
}

// So does a rope that turns about itself in flight.
TEST(Rope, KeepsMomentum)
{
    Trial trial = hanging();
    trial.solver.settings.gravity = {0, 0, 0};
    add(trial, makeRope(line({0, 0, 0}, {1, 0, 0}, 20), {}, 0.3, 0.01, {.stretch = 1e4}), 0, 0,
        {1, 2, 0});
    for (std::size_t i = 0; i < 21; ++i)
        trial.solver.scene.particles.v[i].z = static_cast<float>(3 * std::sin(0.25 * double(i)));
    const Vec3d before = trial.momentum();
    trial.run(0.5, kStep);
    for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(trial.momentum()[axis], before[axis], 1e-6 * physics::length(before));
}

// A steel cable of 5 N m^2 that is let go bent springs open, and goes nowhere: its stiffness times
// dt^2 is 1e5 times its particles' masses.
TEST(Rope, AStiffOneKeepsMomentumAndGainsNoEnergy)
{
    constexpr int kSegments = 60;
    constexpr double kBend = 5, kSag = 0.2;
    std::vector<Vec3d> arc;
    for (int k = 0; k <= kSegments; ++k) {
        const double s = 2.0 * k / kSegments - 1;
        arc.push_back({0.5 * s, kSag * s * s, 0.1 * s});
    }
    Trial trial = hanging();
    trial.solver.settings.gravity = {0, 0, 0};
    trial.solver.settings.iterations = 4;
    add(trial, makeRope(arc, {}, 0.4, 0.005, {.stretch = 4e6, .bend = kBend}), 1, 0, {0, -1, 0});
    // Of a parabola: B/2 times the square of the curvature, 2 kSag / 0.5^2 at most.
    const double mass = trial.solver.scene.bodies[0].rest->mass,
                 stored = 0.5 * kBend * std::pow(2 * kSag / 0.25, 2) * 1.2;
    for (int k = 0; k < 10; ++k) {
        trial.run(0.05, kStep);
        EXPECT_NEAR(trial.momentum().y / mass, -1, 1e-4) << k;
        EXPECT_NEAR(trial.momentum().x / mass, 0, 1e-4) << k;
        double energy = 0;
        for (std::size_t i = 0; i <= kSegments; ++i) {
            const Vec3f v = trial.solver.scene.particles.v[i];
            energy += 0.5 * trial.solver.scene.particles.mass[i] * double{physics::dot(v, v)};
        }
        EXPECT_LT(energy, 0.5 * mass + stored) << k;
    }
}

// Dropped bent onto the ground, soft or stiff, it rises no higher than what it has stored lifts it,
// and stays out of the ground.
TEST(Rope, TakesNoEnergyFromTheGround)
{
    for (const double bend : {0.05, 0.5, 5.0}) {
        std::vector<Vec3d> arc;
        for (int k = 0; k <= 60; ++k) {
            const double s = 2.0 * k / 60 - 1;
            arc.push_back({0.5 * s, 0.05 + 0.2 * s * s, 0.1 * s});
        }
        Trial trial = hanging();
        trial.colliders = {std::make_shared<Ground>(0.5f)};
        add(trial, makeRope(arc, {}, 0.4, 0.005, {.stretch = 4e6, .bend = bend}), 1, 0, {0, -1, 0});
        const Scene& scene = trial.solver.scene;
        const double mass = scene.bodies[0].rest->mass, start = scene.bodies[0].x.y,
                     stored = 0.5 * bend * std::pow(2 * 0.2 / 0.25, 2) * 1.2 + 0.5 * mass;
        for (int k = 0; k < 40; ++k) {
            trial.run(0.05, kStep);
            EXPECT_LT(scene.bodies[0].x.y, start + stored / (mass * g)) << bend << " " << k;
            for (std::size_t i = 0; i < scene.particles.size(); ++i)
                EXPECT_GT(scene.particles.x[i].y, 0) << bend << " " << k;
        }
    }
}

// A cloth that falls on a ball lies on it: no particle is inside, and it hangs around it.
TEST(ClothSheet, LiesOnWhatItFallsOn)
{
    Trial trial = hanging();
    trial.colliders = {std::make_shared<Ground>(0.5f)};
    trial.addBox(0.3, 0.05, {.x = {0, 0.15, 0}});
    test::Mesh mesh = rectangle(0.6, 0.6, 16, 16, false);
    for (std::size_t i = 0; i < mesh.points.size(); i += 3)
        mesh.points[i + 2] = mesh.points[i + 1] + 0.3f, mesh.points[i + 1] = 0.36f,
                        mesh.points[i] -= 0.3f;
    add(trial, makeCloth(mesh.view(), {}, 0.2, 0, {1000, 50, 1e-5}), 5);
    trial.run(1.5, kStep);
    const Scene& scene = trial.solver.scene;
    const Body& cloth = scene.bodies[1];
    double low = 1, high = 0;
    for (std::size_t k = 0; k < cloth.rest->particles.size(); ++k) {
        const Vec3d& x = scene.particles.x[cloth.first + k];
        low = std::min(low, x.y);
        high = std::max(high, x.y);
        // Half a particle of the box, whose corners are round.
        EXPECT_FALSE(std::abs(x.x) < 0.125 && std::abs(x.z) < 0.125 && x.y < 0.275) << k;
        EXPECT_GT(x.y, 0) << k;
    }
    EXPECT_NEAR(high, 0.3, 0.04);
    EXPECT_LT(low, 0.22);
    EXPECT_NEAR(scene.bodies[0].x.y, 0.15, 0.01);
}

// A cloth hung by its corners catches grains: all lie in it, and it bears their weight.
TEST(ClothSheet, CatchesGrains)
{
    Trial trial = hanging();
    trial.solver.scene.materials.push_back({.density = 1000}); // 125 g, on vertices of 2.5 g
    test::Mesh mesh = rectangle(0.6, 0.6, 12, 12, false);
    std::vector<std::uint8_t> pinned(mesh.points.size() / 3, 0);
    pinned[0] = pinned[12] = pinned[13 * 12] = pinned[13 * 13 - 1] = 1;
    for (std::size_t i = 0; i < mesh.points.size(); i += 3) {
        mesh.points[i + 2] = mesh.points[i + 1] + 0.3f;
        mesh.points[i + 1] = 0;
        mesh.points[i] -= 0.3f;
    }
    add(trial, makeCloth(mesh.view(), pinned, 1, 0, {3000, 300, 1e-5}), 5);
    trial.fill({-0.1, 0.15, -0.1}, {4, 3, 4}, 0.025f, 1);
    trial.solver.changed();
    trial.run(1.5, kStep);
    const Particles& particles = trial.solver.scene.particles;
    double low = 0;
    for (std::size_t i = 0; i < 169; ++i)
        low = std::min(low, particles.x[i].y);
    EXPECT_LT(low, -0.08); // 6 kg make a bag of it
    for (std::size_t i = 169; i < particles.size(); ++i) {
        EXPECT_GT(particles.x[i].y, low) << i;
        EXPECT_LT(std::hypot(particles.x[i].x, particles.x[i].z), 0.3) << i;
    }
}

// A rope thrown over a bar that is held hangs on it by friction, if not too unevenly.
TEST(Rope, HangsOverABar)
{
    /// A horizontal cylinder of 5 cm radius along z.
    class Bar final : public sdk::world::Collider {
    public:
        void moveTo(double, double) override {}
        bool mayTouch(const Vec3d&, double) const override { return true; }
        void sample(const sdk::world::PointBatch& points,
                    sdk::world::ColliderSample& out) const override
        {
            for (int i = 0; i < points.count; ++i) {
                const Vec3f x = toFloat(points.corner + toDouble(points.offset(i)));
                const float r = std::hypot(x.x, x.y);
                out.set(i, {r - 0.05f, {x.x / r, x.y / r, 0}, {0, 0, 0}});
            }
        }
    };
    // Euler and Eytelwein: it holds while one side is heavier by less than exp(pi mu).
    for (const double mu : {0.15, 0.45}) {
        Trial trial = hanging();
        auto bar = std::make_shared<Bar>();
        bar->friction = static_cast<float>(mu);
        trial.colliders = {bar};
        std::vector<Vec3d> points; // 0.3 m on one side, 0.6 m on the other: exp(0.3 pi) = 2.6
        const double r = 0.06, half = 3.14159265 * r;
        for (int k = 0; k <= 100; ++k) {
            const double s = k * (0.9 + half) / 100 - 0.3, angle = s / r;
            points.push_back(s < 0      ? Vec3d{-r, s, 0}
                             : s < half ? Vec3d{-r * std::cos(angle), r * std::sin(angle), 0}
                                        : Vec3d{r, half - s, 0});
        }
        add(trial, makeRope(points, {}, 0.3, 0.01, {.stretch = 2e4, .bend = 0}), 5);
        trial.run(0.6, kStep);
        const double high = trial.solver.scene.particles.x.front().y;
        if (mu > 0.3)
            EXPECT_NEAR(high, -0.3, 0.02);
        else
            EXPECT_GT(high, -0.2); // it slides off
    }
}

TEST(ClothSheetThreads, ChangeNoBit)
{
    const auto simulate = [](sdk::parallel::Executor& executor) {
        Trial trial = hanging();
        const test::Mesh mesh = rectangle(0.6, 0.6, 30, 30, false);
        std::vector<std::uint8_t> pinned(mesh.points.size() / 3, 0);
        pinned[0] = pinned[30] = 1;
        add(trial, makeCloth(mesh.view(), pinned, 0.2, 0, {1000, 50, 1e-5}), 2, 0.2f);
        trial.run(6 * kStep, kStep, executor);
        return trial.solver.scene.particles.x;
    };
    test::ThreadExecutor four(4);
    const auto one = simulate(serialLoops), other = simulate(four);
    EXPECT_EQ(std::memcmp(one.data(), other.data(), one.size() * sizeof one[0]), 0);
}

TEST(ClothSheet, RefusesMeshesWithoutArea)
{
    test::Mesh mesh;
    mesh.add(0, 0, 0);
    mesh.add(1, 0, 0);
    mesh.add(2, 0, 0);
    EXPECT_THROW(makeCloth(mesh.view(), {}, 1, 0, {}), std::invalid_argument);
    mesh.corners = {0, 1, 2};
    EXPECT_THROW(makeCloth(mesh.view(), {}, 1, 0, {}), std::invalid_argument);
    mesh.corners = {0, 1, 7};
    EXPECT_THROW(makeCloth(mesh.view(), {}, 1, 0, {}), std::invalid_argument);
    EXPECT_THROW(makeRope({{0, 0, 0}}, {}, 1, 0.1, {}), std::invalid_argument);
    EXPECT_THROW(makeRope({{0, 0, 0}, {0, 0, 0}}, {}, 1, 0.1, {}), std::invalid_argument);
}

} // namespace floe::pbd
