// Volumes and forces of formulas, noise, motion and particles: numbers known from elsewhere.
#include "cooked_node.hpp"

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/records.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace floe::test;
using floe::expect;
using floe::ValueRef;
using floe::VolumeValue;
using floe::sdk::VectorField;
using ::testing::HasSubstr;

floe_volume viewOf(const ValueRef& value)
{
    const auto& volume = expect<VolumeValue>(value);
    return {sizeof(floe_volume), FLOE_SPACE_HOST, volume.grid(), volume.gridBytes()};
}

/// A grid of vectors, read at world positions.
class Vectors {
public:
    explicit Vectors(ValueRef volume) : volume_(std::move(volume)), field_(viewOf(volume_)) {}
    Vec at(const Vec& position) const { return field_.sampler().vector(position); }
    bool valid() const { return field_.valid(); }

private:
    ValueRef volume_;
    VectorField field_;
};

double lengthOf(const Vec& v)
{
    return std::hypot(v[0], v[1], v[2]);
}

/// What cooking fails with; empty: it does not.
std::string failure(const std::string& type, const Settings& settings, const Links& links = {})
{
    try {
        cook(type, settings, links);
        return {};
    } catch (const std::exception& error) {
        return error.what();
    }
}

ValueRef curlNoise(const Settings& settings, double frame = 1, const Links& links = {})
{
    Settings all = settings;
    all.try_emplace("eddySize", 0.5);
    all.try_emplace("voxelSize", 0.05);
    all.try_emplace("center", Vec{0, 0, 0});
    all.try_emplace("size", Vec{2, 2, 2});
    return cook("floe.volume.curl_noise", all, links, frame).output("volume");
}

/// Visits the voxels of a lattice of 0.05 m from -reach to reach.
template <class Visit>
void eachVoxel(int reach, const Visit& visit)
{
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = -reach; k <= reach; ++k)
                visit(Vec{0.05 * i, 0.05 * j, 0.05 * k});
}

TEST(CurlNoise, HasNoDivergenceAndTheSpeedAskedFor)
{
    const Vectors flow(curlNoise({{"speed", 3.0}, {"octaves", 2}, {"seed", 4}}));
    double divergence = 0, gradient = 0, square = 0, count = 0;
    Vec mean{};
    eachVoxel(19, [&](const Vec& p) { // all but the outermost of the 41 voxels
        double sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Vec before = p, after = p;
            before[axis] -= 0.05;
            after[axis] += 0.05;
            const double slope = (flow.at(after)[axis] - flow.at(before)[axis]) / 0.1;
            sum += slope;
            gradient = std::max(gradient, std::fabs(slope));
        }
        divergence = std::max(divergence, std::fabs(sum));
        const Vec v = flow.at(p);
        for (std::size_t axis = 0; axis < 3; ++axis)
            mean[axis] += v[axis];
        square += v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        ++count;
    });
    // Zero but for the rounding of speeds of up to 10 m/s to floats over 0.1 m: 3 * 1e-6 / 0.1.
    EXPECT_GT(gradient, 5);
    EXPECT_LT(divergence, 1e-4);
    // 64 of the largest eddies, each an eighth of the whole off: a tenth. Differences over 0.1 m
    // miss a few percent of the smaller ones, of 0.25 m.
    EXPECT_NEAR(std::sqrt(square / count), 3.0, 0.35);
    EXPECT_LT(lengthOf(mean) / count, 0.5);
}

TEST(CurlNoise, ChangesSmoothlyInTimeAndTravels)
{
    const Settings changing = {{"speed", 1.0}, {"rate", 2.0}, {"octaves", 1}};
    const auto difference = [&](double from, double to) {
        const Vectors a(curlNoise(changing, from)), b(curlNoise(changing, to));
        double square = 0, count = 0;
        eachVoxel(10, [&](const Vec& p) {
            const Vec u = a.at(p), v = b.at(p);
            square += std::pow(lengthOf({u[0] - v[0], u[1] - v[1], u[2] - v[2]}), 2);
            ++count;
        });
        return std::sqrt(square / count);
    };
    // Uncorrelated fields of speed 1 differ by sqrt(2); eddies live for half a second, 12 frames.
    EXPECT_GT(difference(1, 31), 1.0);
    // The steepest change between two of them is pi/2 * 3/2 * rate: 0.2 a frame.
    EXPECT_LT(difference(6, 7), 0.25);
    EXPECT_LT(difference(11.9, 12.1), 0.05); // where one pair of noises follows another
    EXPECT_GT(difference(6, 7), 0.05);

    const Settings still = {{"rate", 0.0}, {"drift", Vec{1.2, 0, 0}}};
    const Vectors now(curlNoise(still, 1)), later(curlNoise(still, 2));
    for (const Vec& p : {Vec{0, 0, 0}, Vec{0.3, -0.2, 0.5}}) // 1.2 m/s / 24 = 0.05 m a frame
        for (std::size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(later.at({p[0] + 0.05, p[1], p[2]})[axis], now.at(p)[axis], 1e-4);
}

TEST(CurlNoise, TurnsAtTheSidesAndAtObstacles)
{
    const Vectors closed(curlNoise({{"closed", true}, {"boundaryWidth", 0.3}, {"rate", 0.0}}));
    double through = 0, along = 0;
    for (int j = -18; j <= 18; ++j)
        for (int k = -18; k <= 18; ++k) {
            const Vec v = closed.at({1, 0.05 * j, 0.05 * k});
            through = std::max(through, std::fabs(v[0]));
            along = std::max(along, std::hypot(v[1], v[2]));
        }
    EXPECT_LT(through, 1e-6);
    EXPECT_GT(along, 0.5);

    const ValueRef ball = shape("floe.shape.sphere",
                                {{"radius", 0.5}, {"center", Vec{0, 0, 0}}, {"voxelSize", 0.025}});
    const Vectors around(curlNoise({{"rate", 0.0}, {"boundaryWidth", 0.3}, {"voxelSize", 0.025}}, 1,
                                   {{"obstacle", {ball}}}));
    const Vectors free(curlNoise({{"rate", 0.0}, {"voxelSize", 0.025}}));
    const auto normalSpeed = [&](const Vectors& flow) {
        double square = 0;
        int count = 0;
        for (int n = 0; n < 400; ++n) { // a Fibonacci sphere
            const double y = 1 - (n + 0.5) / 200, r = std::sqrt(1 - y * y), angle = 2.39996 * n;
            const Vec normal{r * std::cos(angle), y, r * std::sin(angle)};
            const Vec v = flow.at({0.5 * normal[0], 0.5 * normal[1], 0.5 * normal[2]});
            square += std::pow(v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2], 2);
            ++count;
        }
        return std::sqrt(square / count);
    };
    // What is left comes from interpolation between voxels inside, at rest, and outside.
    EXPECT_LT(normalSpeed(around), 0.1 * normalSpeed(free));
    EXPECT_EQ(lengthOf(around.at({0, 0, 0})), 0);
}

TEST(FormulaVolume, HoldsTheValuesOfItsFormulas)
{
    const Settings settings = {{"x", "a * sin(pi * y) + t"},
                               {"y", "x > 0 ? x^2 : 0"},
                               {"z", "clamp(z, -0.5, b)"},
                               {"a", 2.0},
                               {"b", 0.25},
                               {"center", Vec{0, 0, 0}},
                               {"size", Vec{2, 2, 2}},
                               {"voxelSize", 0.25}};
    // The range starts at frame 0; frame 12 of 24 a second: t = 0.5.
    const Vectors field(cook("floe.volume.formula", settings, {}, 12).output("volume"));
    for (const Vec& p : {Vec{0.5, 0.25, -0.75}, Vec{-0.5, 1, 1}, Vec{1, -1, 0.25}}) {
        const Vec v = field.at(p);
        EXPECT_NEAR(v[0], 2 * std::sin(std::numbers::pi * p[1]) + 0.5, 1e-6);
        EXPECT_NEAR(v[1], p[0] > 0 ? p[0] * p[0] : 0, 1e-6);
        EXPECT_NEAR(v[2], std::clamp(p[2], -0.5, 0.25), 1e-6);
    }
    EXPECT_EQ(lengthOf(field.at({2, 0, 0})), 0); // outside
}

TEST(FormulaVolume, MakesShapes)
{
    const Distances ball(cook("floe.volume.formula", {{"kind", "distances"},
                                                      {"value", "sqrt(x^2 + y^2 + z^2) - a"},
                                                      {"a", 0.5},
                                                      {"center", Vec{0, 0, 0}},
                                                      {"size", Vec{1.6, 1.6, 1.6}}})
                             .output("volume"));
    EXPECT_NEAR(ball.at({0.3, 0, 0}), -0.2, 0.003); // half a voxel squared over the radius
    EXPECT_NEAR(ball.at({0, 0.55, 0}), 0.05, 0.003);
    EXPECT_GT(ball.at({3, 0, 0}), 0.25); // far outside: not less than on the box's faces, 0.3
    EXPECT_THAT(failure("floe.volume.formula", {{"kind", "distances"}, {"value", "y - 1"}}),
                HasSubstr("reaches the sides"));
}

TEST(FormulaVolume, SaysWhatIsWrongWithAFormula)
{
    const auto fails = [](const std::string& formula) {
        return failure("floe.volume.formula", {{"y", formula}});
    };
    EXPECT_THAT(fails(""), HasSubstr("'y'"));
    EXPECT_THAT(fails(""), HasSubstr("empty"));
    EXPECT_THAT(fails("x +"), HasSubstr("cannot be read"));
    EXPECT_THAT(fails("2 * speed"), HasSubstr("known names are x, y, z, t, a, b, c, d, pi"));
    EXPECT_THAT(fails("vx"), HasSubstr("known names are"));
    EXPECT_THAT(fails("x = 3"), HasSubstr("'=='"));
    EXPECT_THAT(fails("\"text\""), HasSubstr("unexpected character"));
    EXPECT_THAT(fails("x, y"), HasSubstr("2 values"));
    EXPECT_THAT(fails("noise(1, 2, 3, 4)"), HasSubstr("one to three"));
    EXPECT_THAT(fails(std::string(5000, '1')), HasSubstr("longer than 4096"));
    EXPECT_THAT(fails(std::string(100, '(') + "x" + std::string(100, ')')), HasSubstr("deeper"));
    std::string longest = "x";
    while (longest.size() < 4000)
        longest += "+(-x)";
    EXPECT_EQ(fails(longest), "");
    EXPECT_THAT(fails("1 / (x - 0.5)"), HasSubstr("'y' has no finite value at (0.5, 0, -1) m"));
}

TEST(FormulaVolume, ABoxOfTooManyVoxelsIsRefusedWithASize)
{
    const std::string text =
        failure("floe.volume.formula", {{"size", Vec{1000, 1000, 1000}}, {"voxelSize", 0.001}});
    EXPECT_THAT(text, HasSubstr("at most 1.7e+07"));
    EXPECT_THAT(text, HasSubstr("'voxelSize' to 4 m or more"));
    EXPECT_THAT(failure("floe.volume.formula",
                        {{"size", Vec{0.01, 0.01, 0.01}}, {"center", Vec{0.03, 0, 0}}}),
                HasSubstr("holds no voxel"));
}

/// Accelerations of a force record, of points at rest in a row.
struct Asked {
    static constexpr std::uint32_t kCount = 16;
    alignas(64) float x[3][kCount] = {}, v[3][kCount] = {}, a[3][kCount] = {};

    floe_status ask(const ValueRef& force, double time)
    {
        const void* table = nullptr;
        void* self = nullptr;
        EXPECT_TRUE(floe::plugin::interfaceOf(expect<floe::RecordValue>(force).find("model"),
                                              FLOE_FORCE_INTERFACE, &table, &self));
        floe_force_batch batch{};
        batch.struct_size = sizeof batch;
        batch.count = kCount;
        batch.time = time;
        batch.corner[1] = 1000; // far away: offsets keep their precision
        for (int axis = 0; axis < 3; ++axis) {
            batch.x[axis] = x[axis];
            batch.v[axis] = v[axis];
            batch.acceleration[axis] = a[axis];
        }
        floe_device cpu{};
        cpu.struct_size = sizeof cpu;
        return static_cast<const floe_force_interface*>(table)->accelerate(self, &cpu, &batch);
    }
};

TEST(FormulaForce, ComputesEveryPoint)
{
    const ValueRef force =
        cook("floe.force.formula",
             {{"x", "a * (y - 1000)"}, {"y", "sin(t) - vy"}, {"z", "x"}, {"a", 3.0}})
            .output("force");
    Asked asked;
    for (std::uint32_t i = 0; i < Asked::kCount; ++i) {
        asked.x[0][i] = 0.5f;
        asked.x[1][i] = 0.001f * static_cast<float>(i);
        asked.v[1][i] = static_cast<float>(i);
    }
    ASSERT_EQ(asked.ask(force, 0.25), FLOE_OK);
    for (std::uint32_t i = 0; i < Asked::kCount; ++i) {
        EXPECT_NEAR(asked.a[0][i], 0.003 * i, 1e-6);
        EXPECT_NEAR(asked.a[1][i], std::sin(0.25) - i, 1e-5);
        EXPECT_EQ(asked.a[2][i], 0.5f);
    }
    EXPECT_THAT(failure("floe.force.formula", {{"z", "w"}}), HasSubstr("vx, vy, vz"));
}

/// A collider of a ball of 0.3 m that turns about y by 90 degrees a frame and moves along x.
ValueRef turningBall()
{
    const ValueRef ball = shape("floe.shape.sphere",
                                {{"radius", 0.3}, {"center", Vec{0, 0, 0}}, {"voxelSize", 0.03}});
    return cook("floe.collider",
                {{"position", animated([](double f) {
                      return Vec{0.05 * (f - 0.5), 0, 0};
                  })},
                 {"rotation", animated([](double f) {
                      return Vec{0, 9 * (f - 0.5), 0};
                  })}},
                {{"shape", {ball}}})
        .output("collider");
}

TEST(MotionVolume, IsTheColliderInsideAndFadesAround)
{
    const Vectors field(cook("floe.volume.motion", {{"reach", 0.3}, {"voxelSize", 0.03}},
                             {{"colliders", {turningBall()}}})
                            .output("volume"));
    // At frame 0.5, in the middle, it is at the origin: 1.2 m/s along x, 9 degrees * 24 = 3.77/s.
    const double omega = 9 * std::numbers::pi / 180 * 24;
    for (const Vec& p : {Vec{0, 0, 0}, Vec{0.15, 0.06, -0.12}, Vec{-0.18, 0, 0.09}}) {
        const Vec v = field.at(p);
        EXPECT_NEAR(v[0], 1.2 + omega * p[2], 0.01); // omega y x p
        EXPECT_NEAR(v[1], 0, 0.01);
        EXPECT_NEAR(v[2], -omega * p[0], 0.01);
    }
    // Above the pole only the translation is left, and it falls to nothing at the reach.
    double last = 1.2;
    for (double y = 0.33; y < 0.57; y += 0.03) {
        const double v = field.at({0, y, 0})[0];
        EXPECT_LE(v, last + 1e-6);
        last = v;
    }
    EXPECT_NEAR(field.at({0, 0.45, 0})[0], 0.6, 0.03);   // half-way: half, to a tenth of a voxel
    EXPECT_NEAR(field.at({0, 0.54, 0})[0], 0.125, 0.01); // at four fifths of it: 1.2 * 0.104
    EXPECT_EQ(lengthOf(field.at({0, 0.7, 0})), 0);
}

TEST(MotionVolume, RefusesWhatItCannotSee)
{
    const ValueRef small =
        shape("floe.shape.sphere",
              {{"radius", 0.3}, {"center", Vec{0.45, 0.45, 0.45}}, {"voxelSize", 0.03}});
    const ValueRef between = cook("floe.collider", {}, {{"shape", {small}}}).output("collider");
    EXPECT_THAT(failure("floe.volume.motion", {{"voxelSize", 0.9}}, {{"colliders", {between}}}),
                HasSubstr("thinner than a voxel"));
    EXPECT_THAT(
        failure("floe.volume.motion", {{"voxelSize", 0.0001}}, {{"colliders", {turningBall()}}}),
        HasSubstr("set 'voxelSize' to"));
}

floe::Ref<floe::ParticlesValue> cloud(int side, const std::function<Vec(const Vec&)>& velocity)
{
    const auto count = static_cast<std::size_t>(side * side * side);
    auto particles = floe::make<floe::ParticlesValue>(count);
    const auto x = particles->add<float>("x", 3);
    const auto v = particles->add<float>("v", 3);
    const auto volume = particles->add<float>("volume", 1);
    for (std::size_t n = 0; n < count; ++n) {
        const auto m = static_cast<int>(n);
        const Vec p{-0.5 + 0.0213 * (m % side), 0.0213 * (m / side % side),
                    0.0213 * (m / side / side)};
        const Vec speed = velocity(p);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            x[3 * n + axis] = static_cast<float>(p[axis]);
            v[3 * n + axis] = static_cast<float>(speed[axis]);
        }
        volume[n] = 1e-5f;
    }
    return particles;
}

TEST(ParticlesVolume, LosesNoMassAndKeepsMotion)
{
    const auto particles = cloud(20, [](const Vec& p) { return Vec{2 * p[1], 1, -2 * p[0]}; });
    particles->seal();
    for (const int spread : {1, 2, 5}) {
        const CookedNode cooked = cook(
            "floe.volume.particles", {{"voxelSize", 0.04}, {"spread", spread}, {"density", 800.0}},
            {{"particles", {particles}}});
        const Vectors velocity(cooked.output("velocity"));
        const Distances density(cooked.output("density"));
        double mass = 0;
        for (int i = -30; i <= 20; ++i)
            for (int j = -20; j <= 30; ++j)
                for (int k = -20; k <= 30; ++k)
                    mass += density.at({0.04 * i, 0.04 * j, 0.04 * k}) * std::pow(0.04, 3);
        EXPECT_NEAR(mass, 8000 * 1e-5 * 800, 1e-4) << spread; // floats summed over voxels
        // Deep inside, a velocity that is linear in space is averaged over both sides.
        const Vec at{-0.28, 0.2, 0.2}, v = velocity.at(at);
        EXPECT_NEAR(v[0], 2 * at[1], 0.02) << spread;
        EXPECT_NEAR(v[1], 1, 1e-6) << spread;
        EXPECT_NEAR(v[2], -2 * at[0], 0.02) << spread;
        // 1e-5 m^3 each in a cube of 0.0213 m; the mean over a voxel counts whole particles.
        EXPECT_NEAR(density.at(at), 800 * 1e-5 / std::pow(0.0213, 3), spread == 1 ? 200 : 50);
    }
}

TEST(ParticlesVolume, LeavesOutWhatIsNotFinite)
{
    auto broken = floe::make<floe::ParticlesValue>(3);
    const auto x = broken->add<float>("x", 3);
    const auto v = broken->add<float>("v", 3);
    std::ranges::fill(x, 0.1f);
    std::ranges::fill(v, 1.0f);
    std::ranges::fill(broken->add<float>("volume", 1), 1e-5f);
    x[1] = NAN;
    x[5] = 1e30f;
    broken->seal();
    const CookedNode cooked = cook("floe.volume.particles", {}, {{"particles", {broken}}});
    ASSERT_EQ(cooked.warnings.size(), 1u);
    EXPECT_THAT(cooked.warnings[0], HasSubstr("2 particles are left out"));
    EXPECT_NEAR(Vectors(cooked.output("velocity")).at({0.1, 0.1, 0.1})[0], 1, 1e-6);
}

TEST(VolumeFile, GivesVectorsAndNumbersAndChecksWhich)
{
    const ValueRef vectors = curlNoise({});
    const ValueRef numbers = shape("floe.shape.sphere");
    serveFiles(
        {{"/wind.vdb", vectors}, {"/wind.vdb:density", numbers}, {"/wind.0007.vdb", vectors}});
    EXPECT_EQ(cook("floe.volume.file", {{"path", "/wind.vdb"}}).output("volume"), vectors);
    EXPECT_EQ(
        cook("floe.volume.file", {{"path", "/wind.vdb"}, {"grid", "density"}, {"holds", "numbers"}})
            .output("volume"),
        numbers);
    EXPECT_THAT(failure("floe.volume.file",
                        {{"path", "/wind.vdb"}, {"grid", "density"}, {"holds", "vectors"}}),
                HasSubstr("holds numbers"));
    EXPECT_THAT(failure("floe.volume.file", {}), HasSubstr("'path' is empty"));
    EXPECT_EQ(cook("floe.volume.sequence",
                   {{"path", "/wind.####.vdb"}, {"frameOffset", 4.0}, {"holds", "vectors"}}, {}, 3)
                  .output("volume"),
              vectors);
    EXPECT_EQ(cook("floe.volume.sequence", {{"path", "/wind.####.vdb"}, {"first", 7}, {"last", 7}},
                   {}, 100)
                  .output("volume"),
              vectors);
    // A shape says where vectors belong.
    EXPECT_THAT(failure("floe.shape.file", {{"path", "/wind.vdb"}}), HasSubstr("Volume file"));
}

TEST(Wind, TakesAFieldOfVectorsAlone)
{
    const ValueRef field = curlNoise({});
    const CookedNode blowing = cook("floe.force.wind", {}, {{"field", {field}}});
    EXPECT_EQ(blowing.record("force").find("field"), field.get());
    const CookedNode still = cook("floe.force.wind");
    EXPECT_EQ(still.record("force").find("field"), nullptr);
    EXPECT_THAT(failure("floe.force.wind", {}, {{"field", {shape("floe.shape.sphere")}}}),
                HasSubstr("'field'"));
}

} // namespace
