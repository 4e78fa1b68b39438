#include "cooked_node.hpp"
#include "emission_region.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <numbers>

namespace {

using namespace floe::test;
using floe::expect;
using floe::ParticlesValue;
using floe::Ref;
using floe::ValueRef;

ValueRef material()
{
    return cook("floe.material").output("material");
}

ValueRef emitterOf(const ValueRef& shape, const Settings& settings = {}, Links links = {})
{
    links["shape"] = {shape};
    links["material"] = {material()};
    return cook("floe.emitter", settings, links).output("emitter");
}

Vec at(std::span<const float> array, std::size_t i)
{
    return {array[3 * i], array[3 * i + 1], array[3 * i + 2]};
}

/// Particles in every cell that a box 2 cells smaller all round holds.
double perCellInside(const ParticlesValue& particles, double cell, double half)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < particles.count(); ++i) {
        const Vec p = at(particles.get<float>("x", 3), i);
        count += std::fabs(p[0]) < half && std::fabs(p[1]) < half && std::fabs(p[2]) < half;
    }
    return static_cast<double>(count) / std::pow(2 * half / cell, 3);
}

TEST(Emitter, PutsTheWantedNumberIntoEachCell)
{
    const ValueRef box = shape("floe.shape.box", {{"size", Vec{2, 2, 2}}});
    for (const int wanted : {1, 2, 5, 8, 13, 27, 64}) {
        const auto particles =
            emit(emitterOf(box, {{"particlesPerCell", wanted}}), {.cellSize = 0.1});
        ASSERT_TRUE(particles);
        // One in each sub-cell: exact, whatever the jitter.
        EXPECT_NEAR(perCellInside(*particles, 0.1, 0.8), wanted, 1e-9);
        // Their volumes fill the box; its faces lie on cell faces.
        double volume = 0;
        for (const float v : particles->get<float>("volume", 1))
            volume += v;
        EXPECT_NEAR(volume, 8, 0.01 * 8);
    }
}

TEST(Emitter, WithoutJitterPutsParticlesOnALattice)
{
    const ValueRef box = shape("floe.shape.box", {{"size", Vec{1, 1, 1}}});
    const auto particles = emit(emitterOf(box, {{"jitter", 0}}), {.cellSize = 0.1});
    ASSERT_TRUE(particles);
    EXPECT_EQ(particles->count(), 8000u);
    for (const float x : particles->get<float>("x", 3))
        ASSERT_NEAR(std::remainder(x - 0.025, 0.05), 0, 1e-6);
}

// A shape thinner than its voxels has no voxel inside; without a shell that is no error.
TEST(Emitter, TakesAShapeThinnerThanItsVoxels)
{
    const ValueRef sliver = shape(
        "floe.shape.box",
        {{"size", Vec{0.5, 0.02, 0.5}}, {"center", Vec{0.02, 0.025, 0.02}}, {"voxelSize", 0.05}});
    EXPECT_NO_THROW(emit(emitterOf(sliver), {.cellSize = 0.05}));
}

// The spin is about the middle, so it gives no momentum.
TEST(Emitter, SpinsAboutTheMiddle)
{
    const ValueRef box = shape("floe.shape.box", {{"size", Vec{1, 1, 1}}, {"voxelSize", 0.1}});
    const auto particles =
        emit(emitterOf(box, {{"jitter", 0}, {"spin", Vec{0, 90, 0}}}), {.cellSize = 0.1});
    ASSERT_TRUE(particles);
    Vec sum{};
    const auto v = particles->get<float>("v", 3);
    for (std::size_t i = 0; i < v.size(); ++i)
        sum[i % 3] += v[i];
    for (const double part : sum)
        EXPECT_NEAR(part / static_cast<double>(particles->count()), 0, 1e-6);
}

TEST(Emitter, HoldsEightACellInABallAndNoneOutside)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"center", Vec{0.31, 0.17, -0.05}}});
    const auto particles = emit(emitterOf(ball), {.cellSize = 0.04});
    ASSERT_TRUE(particles);
    const double expected = 4.0 / 3 * std::numbers::pi * 0.125 / std::pow(0.04, 3) * 8;
    // Only samples in cells that the surface cuts are left to chance: 8.00 +- 0.02 a cell.
    EXPECT_NEAR(static_cast<double>(particles->count()) / expected, 1, 0.02 / 8);
    const Distances distance(ball);
    const auto x = particles->get<float>("x", 3);
    for (std::size_t i = 0; i < particles->count(); ++i)
        ASSERT_LT(distance.at(at(x, i)), 0);
}

TEST(Emitter, FillsSubCellsOnceEach)
{
    const ValueRef box = shape("floe.shape.box", {{"size", Vec{1, 1, 1}}});
    const auto particles = emit(emitterOf(box), {.cellSize = 0.1});
    std::map<std::array<int, 3>, int> found;
    const auto x = particles->get<float>("x", 3);
    for (std::size_t i = 0; i < particles->count(); ++i) {
        const Vec p = at(x, i);
        ++found[{static_cast<int>(std::floor(p[0] / 0.05)),
                 static_cast<int>(std::floor(p[1] / 0.05)),
                 static_cast<int>(std::floor(p[2] / 0.05))}];
    }
    for (const auto& [subCell, count] : found)
        EXPECT_LE(count, 1); // rounding to float may move one across a border in 1e6
    EXPECT_NEAR(static_cast<double>(found.size()), 8000, 8);
}

TEST(Emitter, GivesTheSameParticlesOnAnyNumberOfThreads)
{
    const ValueRef ball = shape("floe.shape.sphere");
    const ValueRef emitter = emitterOf(ball, {{"stiffnessVariation", 0.3},
                                              {"densityVariation", 0.2},
                                              {"radialSpeed", 2.0},
                                              {"particlesPerCell", 10}});
    std::vector<Ref<const ParticlesValue>> results;
    for (const int threads : {1, 2, 7}) {
        floe::compute::setThreadCount(threads);
        results.push_back(emit(emitter, {}));
    }
    floe::compute::setThreadCount(0);
    for (const char* name : {"x", "v", "volume", "stiffnessScale", "densityScale"}) {
        const auto* first = results[0]->find(name);
        ASSERT_NE(first, nullptr) << name;
        for (const auto& result : results) {
            const auto* other = result->find(name);
            ASSERT_EQ(first->data.bytes(), other->data.bytes());
            EXPECT_EQ(std::memcmp(first->data.data(), other->data.data(), first->data.bytes()), 0)
                << name;
        }
    }
}

TEST(Emitter, AnotherSeedPlacesOtherParticles)
{
    const ValueRef ball = shape("floe.shape.sphere");
    const auto a = emit(emitterOf(ball), {}), b = emit(emitterOf(ball, {{"seed", 1}}), {});
    EXPECT_NE(a->get<float>("x", 3)[0], b->get<float>("x", 3)[0]);
}

TEST(Emitter, SurfaceOnlyFillsAShell)
{
    const ValueRef ball = shape("floe.shape.sphere");
    const auto particles =
        emit(emitterOf(ball, {{"surfaceOnly", true}, {"thickness", 0.1}}), {.cellSize = 0.025});
    const double shell = 4.0 / 3 * std::numbers::pi * (0.125 - 0.064);
    EXPECT_NEAR(static_cast<double>(particles->count()) * std::pow(0.025, 3) / 8 / shell, 1, 0.01);
    // In a level set that holds only a band, a deeper shell cannot be told from the inside.
    const ValueRef banded =
        shape("floe.shape.box", {{"size", Vec{20, 20, 20}}, {"voxelSize", 0.05}});
    EXPECT_THROW(emitterOf(banded, {{"surfaceOnly", true}, {"thickness", 1.0}}), floe::Error);
}

TEST(Emitter, StartVelocitiesAddUp)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"center", Vec{1, 2, 3}}});
    const auto particles = emit(emitterOf(ball, {{"velocity", Vec{1, 0, 0}},
                                                 {"radialSpeed", 3.0},
                                                 {"spin", Vec{0, 180 / std::numbers::pi, 0}}}),
                                {});
    const auto x = particles->get<float>("x", 3), v = particles->get<float>("v", 3);
    for (std::size_t i = 0; i < particles->count(); i += 97) {
        const Vec p = at(x, i), speed = at(v, i);
        const Vec arm = {p[0] - 1, p[1] - 2, p[2] - 3};
        const double r = std::sqrt(arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]);
        // The middle is known to a voxel's rounding of the box; omega = (0, 1, 0).
        const double slack = 0.05 + 3 * 0.02 / r;
        EXPECT_NEAR(speed[0], 1 + 3 * arm[0] / r + arm[2], slack);
        EXPECT_NEAR(speed[1], 3 * arm[1] / r, slack);
        EXPECT_NEAR(speed[2], 3 * arm[2] / r - arm[0], slack);
    }
}

TEST(Emitter, EmitsOnceAtItsFrameAndNeverAgain)
{
    const ValueRef emitter = emitterOf(shape("floe.shape.sphere"), {{"startFrame", 5.0}});
    EXPECT_FALSE(emit(emitter, {.frame = 1, .start = true}));
    EXPECT_FALSE(emit(emitter, {.frame = 4, .start = false}));
    EXPECT_TRUE(emit(emitter, {.frame = 5, .start = false}));
    EXPECT_FALSE(emit(emitter, {.frame = 6, .start = false}));
    // A simulation that begins later has it on its first frame.
    EXPECT_TRUE(emit(emitter, {.frame = 20, .start = true}));
}

// A nozzle of cross-section A and speed v brings A v t cubic metres in t seconds.
TEST(Emitter, ContinuousFlowCarriesItsVolume)
{
    for (const double speed : {0.5, 3.0, 20.0}) { // 0.02, 0.125 and 0.83 m a frame; box 0.3 m
        const ValueRef box = shape("floe.shape.box", {{"size", Vec{0.3, 0.4, 0.4}}});
        const ValueRef emitter = emitterOf(
            box, {{"mode", "continuous"}, {"velocity", Vec{speed, 0, 0}}, {"endFrame", 13.0}});
        EXPECT_TRUE(emit(emitter, {.cellSize = 0.04, .frame = 1, .start = true}));
        double volume = 0;
        for (int frame = 2; frame <= 13; ++frame) {
            const auto particles =
                emit(emitter, {.cellSize = 0.04, .frame = double(frame), .start = false});
            if (!particles)
                continue;
            for (const float v : particles->get<float>("volume", 1))
                volume += v;
        }
        // Jitter at the slab's two faces: some percent where it is thinner than a cell.
        EXPECT_NEAR(volume / (0.16 * speed * 12 / 24), 1, 0.04) << speed;
        EXPECT_FALSE(emit(emitter, {.cellSize = 0.04, .frame = 14, .start = false}));
    }
}

// A jet that crosses thousands of cells in a frame has no gaps, and costs what its particles cost:
// the box around its way holds 1e9 cells. A ball of radius r sweeps a cylinder of pi r^2 L.
TEST(Emitter, AFastJetIsWholeAndCostsWhatItEmits)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"radius", 0.1}, {"voxelSize", 0.02}});
    for (const Vec speed : {Vec{12000, 0, 0}, Vec{1100, -900, 1000}}) {
        const ValueRef emitter =
            emitterOf(ball, {{"mode", "continuous"}, {"velocity", speed}, {"particlesPerCell", 1}});
        const auto particles = emit(emitter, {.cellSize = 0.04, .frame = 2, .start = false});
        ASSERT_TRUE(particles);
        double volume = 0;
        for (const float v : particles->get<float>("volume", 1))
            volume += v;
        const double way = std::hypot(speed[0], speed[1], speed[2]) / 24;
        // Chance samples, one a cell of which most are cut: 1 % of 10^4, and the scallops between
        // balls half a cell apart.
        EXPECT_NEAR(volume / (std::numbers::pi * 0.01 * way), 1, 0.03);
    }
}

TEST(Emitter, ContinuousRateFillsTheShapeAsOftenASecond)
{
    const ValueRef box = shape("floe.shape.box", {{"size", Vec{0.8, 0.8, 0.8}}});
    const double full = static_cast<double>(emit(emitterOf(box), {})->count());
    for (const double rate : {6.0, 24.0, 60.0}) {
        const ValueRef emitter = emitterOf(box, {{"mode", "continuous"}, {"rate", rate}});
        double count = 0;
        for (int frame = 2; frame < 26; ++frame)
            if (const auto particles = emit(emitter, {.frame = double(frame), .start = false}))
                count += static_cast<double>(particles->count());
        EXPECT_NEAR(count / (full * rate), 1, 0.02) << rate;
    }
}

TEST(Emitter, RefillsWithoutOverlapWhenNothingFlows)
{
    const ValueRef emitter = emitterOf(shape("floe.shape.sphere"), {{"mode", "continuous"}});
    EXPECT_TRUE(expect<floe::RecordValue>(emitter).boolean("avoidOverlap", false));
    EXPECT_TRUE(emit(emitter, {.frame = 8, .start = false}));
}

TEST(Emitter, MovesWithItsTransform)
{
    const auto motion =
        cook("floe.transform", {{"position", animated([](double frame) {
                                     return floe::plugin::Parameter(Vec{0.1 * frame, 0, 0});
                                 })}},
             {}, 10);
    const ValueRef emitter = emitterOf(shape("floe.shape.sphere"), {{"startFrame", 10.0}},
                                       {{"transform", {motion.output("transform")}}});
    const auto particles = emit(emitter, {.frame = 10, .start = false});
    ASSERT_TRUE(particles);
    Vec mean{}, speed{};
    for (std::size_t i = 0; i < particles->count(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
            mean[k] += particles->get<float>("x", 3)[3 * i + k] / double(particles->count());
            speed[k] += particles->get<float>("v", 3)[3 * i + k] / double(particles->count());
        }
    EXPECT_NEAR(mean[0], 0.9, 0.005); // where it is when the step to frame 10 begins
    EXPECT_NEAR(speed[0], 0.1 * 24, 1e-4);
}

TEST(Emitter, RefusesCellsThatDoNotSuitTheShape)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"voxelSize", 0.05}});
    EXPECT_THROW(emit(emitterOf(ball), {.cellSize = 0.01}), std::runtime_error);
    EXPECT_THROW(
        emit(emitterOf(shape("floe.shape.sphere", {{"radius", 100.0}, {"voxelSize", 0.4}})),
             {.cellSize = 0.1}),
        std::runtime_error);
}

TEST(Emitter, VariesStiffnessAroundOne)
{
    const ValueRef ball = shape("floe.shape.sphere");
    const auto particles =
        emit(emitterOf(ball, {{"stiffnessVariation", 0.8}, {"variationWavelength", 0.1}}), {});
    const auto scales = particles->get<float>("stiffnessScale", 1);
    ASSERT_FALSE(scales.empty());
    double mean = 0, square = 0;
    for (const float s : scales) {
        EXPECT_GT(s, 0.04f);
        EXPECT_LT(s, 2.0f);
        mean += s / double(scales.size());
        square += s * s / double(scales.size());
    }
    EXPECT_NEAR(mean, 1, 0.05);
    EXPECT_GT(std::sqrt(square - mean * mean), 0.05);
    EXPECT_EQ(particles->find("densityScale"), nullptr);
}

// Patches hold the two ends, cells the ends and the middle, and nothing in between.
TEST(Emitter, SpreadsStiffnessInPatchesAndCells)
{
    const ValueRef ball = shape("floe.shape.sphere");
    for (const std::string pattern : {"patches", "cells"}) {
        const auto particles = emit(emitterOf(ball, {{"stiffnessVariation", 0.6},
                                                     {"variationWavelength", 0.1},
                                                     {"variationPattern", pattern}}),
                                    {});
        std::map<float, double> share;
        const auto scales = particles->get<float>("stiffnessScale", 1);
        for (const float s : scales)
            share[s] += 1 / double(scales.size());
        ASSERT_EQ(share.size(), pattern == "cells" ? 3u : 2u);
        EXPECT_FLOAT_EQ(share.begin()->first, 0.4f);
        EXPECT_FLOAT_EQ(share.rbegin()->first, 1.6f);
        for (const auto& [scale, part] : share) // some hundred patches: each value has its part
            EXPECT_GT(part, 0.2) << pattern << " " << scale;
    }
}

// Several ranks ask each for its own: cubes that do not lie as the emitter's own blocks do.
TEST(Emitter, GivesPartsOfSpaceTheParticlesOfTheWhole)
{
    const ValueRef ball = shape("floe.shape.sphere", {{"radius", 0.4}});
    const ValueRef once = emitterOf(
        ball, {{"particlesPerCell", 5}, {"stiffnessVariation", 0.3}, {"spin", Vec{10, 20, 30}}});
    expectPartsOfTheWhole(once, {.cellSize = 0.05}, 0.23, 2);
    expectPartsOfTheWhole(once, {.cellSize = 0.05}, 0.07, 5);
    const ValueRef flow =
        emitterOf(ball, {{"mode", "continuous"}, {"velocity", Vec{3, 1, 0}}, {"startFrame", 1}});
    expectPartsOfTheWhole(flow, {.cellSize = 0.05, .frame = 3, .start = false}, 0.2, 3);
    const ValueRef refill = emitterOf(ball, {{"mode", "continuous"}, {"rate", 60}});
    expectPartsOfTheWhole(refill, {.cellSize = 0.05, .frame = 3, .start = false}, 0.2, 3);
}

} // namespace
