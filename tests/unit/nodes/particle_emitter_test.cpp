#include "cooked_node.hpp"
#include "emission_region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace {

using namespace floe::test;
using floe::make;
using floe::ParticlesValue;
using floe::Ref;
using floe::ValueRef;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;
using testing::ThrowsMessage;

/// Two particles; the second moves.
Ref<ParticlesValue> two()
{
    auto particles = make<ParticlesValue>(2);
    particles->copyIn<float>("x", 3, std::array<float, 6>{1, 2, 3, -1, 0.5f, 0});
    particles->copyIn<float>("v", 3, std::array<float, 6>{0, 0, 0, 24, 0, -12});
    return particles;
}

ValueRef emitterOf(const Ref<ParticlesValue>& particles, const Settings& settings = {},
                   Links links = {})
{
    particles->seal();
    links["particles"] = {ValueRef(particles)};
    links["material"] = {cook("floe.material", {{"density", 500.0}}).output("material")};
    return cook("floe.emitter.particles", settings, links).output("emitter");
}

std::vector<float> all(const Ref<const ParticlesValue>& particles, const char* name,
                       std::uint32_t components = 1)
{
    const auto values = particles->get<float>(name, components);
    return {values.begin(), values.end()};
}

TEST(ParticlesAsEmitter, KeepsPositionsAndVelocitiesAtTheStart)
{
    const auto emitted = emit(emitterOf(two()), {.cellSize = 0.1, .frame = 1, .start = true});
    ASSERT_TRUE(emitted);
    EXPECT_THAT(all(emitted, "x", 3), ElementsAre(1, 2, 3, -1, 0.5f, 0));
    EXPECT_THAT(all(emitted, "v", 3), ElementsAre(0, 0, 0, 24, 0, -12));
    EXPECT_THAT(all(emitted, "volume"), Pointwise(FloatNear(1e-10f), {0.001f / 8, 0.001f / 8}));
    EXPECT_EQ(emitted->find("densityScale"), nullptr);
}

// The step that they begin in brings free particles to where they were given.
TEST(ParticlesAsEmitter, LaterEmissionStartsAFrameBack)
{
    const ValueRef emitter = emitterOf(two(), {{"startFrame", 10.0}});
    const auto emitted = emit(emitter, {.frame = 10, .start = false, .fps = 24});
    ASSERT_TRUE(emitted);
    EXPECT_THAT(all(emitted, "x", 3), ElementsAre(1, 2, 3, -2, 0.5f, 0.5f));
    EXPECT_FALSE(emit(emitter, {.frame = 9, .start = false}));
    EXPECT_FALSE(emit(emitter, {.frame = 11, .start = false}));
    EXPECT_FALSE(emit(emitterOf(two(), {{"emit", false}}), {}));
}

TEST(ParticlesAsEmitter, EmitsEveryFrameBetweenStartAndEnd)
{
    const ValueRef emitter =
        emitterOf(two(), {{"mode", "everyFrame"}, {"startFrame", 3.0}, {"endFrame", 4.0}});
    std::vector<bool> emits;
    for (int frame = 2; frame <= 5; ++frame)
        emits.push_back(static_cast<bool>(emit(emitter, {.frame = double(frame), .start = false})));
    EXPECT_THAT(emits, ElementsAre(false, true, true, false));
}

/// Mass of each particle, as a solver with this material computes it.
std::vector<double> masses(const Ref<const ParticlesValue>& emitted)
{
    std::vector<double> result;
    const auto volume = all(emitted, "volume"), scale = all(emitted, "densityScale");
    for (std::size_t i = 0; i < volume.size(); ++i)
        result.push_back(500.0 * volume[i] * (scale.empty() ? 1 : scale[i]));
    return result;
}

TEST(ParticlesAsEmitter, KeepsVolumesAndMasses)
{
    const auto withVolume = two();
    withVolume->copyIn<float>("volume", 1, std::array<float, 2>{0.002f, 0.003f});
    EXPECT_THAT(all(emit(emitterOf(withVolume), {}), "volume"), ElementsAre(0.002f, 0.003f));

    const auto withRadius = two();
    withRadius->copyIn<float>("pscale", 1, std::array<float, 2>{0.1f, 0.2f});
    const float ball = static_cast<float>(4.0 / 3 * std::numbers::pi * 1e-3);
    EXPECT_THAT(all(emit(emitterOf(withRadius), {}), "volume"),
                Pointwise(FloatNear(1e-8f), {ball, 8 * ball}));

    const auto withMass = two();
    withMass->copyIn<float>("mass", 1, std::array<float, 2>{2, 5});
    const auto fromMass = emit(emitterOf(withMass), {});
    EXPECT_THAT(all(fromMass, "volume"), ElementsAre(0.004f, 0.01f));
    EXPECT_EQ(fromMass->find("densityScale"), nullptr);

    const auto withBoth = two();
    withBoth->copyIn<float>("mass", 1, std::array<float, 2>{2, 5});
    withBoth->copyIn<float>("volume", 1, std::array<float, 2>{0.002f, 0.003f});
    const auto both = emit(emitterOf(withBoth), {});
    EXPECT_THAT(all(both, "volume"), ElementsAre(0.002f, 0.003f));
    EXPECT_NEAR(masses(both)[0], 2, 1e-6); // floats hold seven digits
    EXPECT_NEAR(masses(both)[1], 5, 1e-6);
}

TEST(ParticlesAsEmitter, FollowsATransformAndAddsVelocity)
{
    const ValueRef transform =
        cook("floe.transform",
             {{"position", Vec{0, 10, 0}}, {"rotation", Vec{0, 90, 0}}, {"scale", 2.0}})
            .output("transform");
    const auto emitted = emit(emitterOf(two(), {{"velocityScale", 0.5}, {"velocity", Vec{0, 1, 0}}},
                                        {{"transform", {transform}}}),
                              {.cellSize = 0.1});
    // A quarter turn about y takes x to -z and z to x.
    EXPECT_THAT(all(emitted, "x", 3),
                Pointwise(FloatNear(1e-6f), {6.f, 14.f, -2.f, 0.f, 11.f, 2.f}));
    EXPECT_THAT(all(emitted, "v", 3),
                Pointwise(FloatNear(1e-5f), {0.f, 1.f, 0.f, -12.f, 1.f, -24.f}));
}

TEST(ParticlesAsEmitter, RefusesNumbersThatNoSolverCanUse)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto says = [](const char* name, std::uint32_t components, std::vector<float> values,
                         const char* words) {
        auto particles = make<ParticlesValue>(2);
        if (std::string(name) != "x")
            particles->copyIn<float>("x", 3, std::array<float, 6>{});
        particles->copyIn<float>(name, components, std::span<const float>(values));
        EXPECT_THAT([&] { emit(emitterOf(particles), {}); },
                    ThrowsMessage<std::exception>(HasSubstr(words)))
            << name;
    };
    says("x", 3, {0, 0, 0, 0, nan, 0}, "particle 1 has a position that is not finite");
    says("v", 3, {0, nan, 0, 0, 0, 0}, "particle 0 has a velocity that is not finite");
    says("volume", 1, {1, 0}, "particle 1 has a volume");
    says("pscale", 1, {1e30f, 1}, "particle 0 has a volume");
    says("mass", 1, {-1, 1}, "particle 0 has a mass");
    says("densityScale", 1, {nan, 1}, "particle 0 has a density");
    auto nowhere = make<ParticlesValue>(3);
    EXPECT_THAT([&] { emitterOf(nowhere); },
                ThrowsMessage<std::exception>(HasSubstr("has no positions")));
    EXPECT_FALSE(emit(emitterOf(make<ParticlesValue>(0)), {}));
}

TEST(ParticlesAsEmitter, GivesPartsOfSpaceTheParticlesOfTheWhole)
{
    constexpr std::size_t kCount = 3000;
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(-1, 1);
    const auto numbers = [&](std::size_t count, float low) {
        std::vector<float> values(count);
        for (float& value : values)
            value = std::max(number(random), low);
        return values;
    };
    auto cloud = make<ParticlesValue>(kCount);
    cloud->copyIn<float>("x", 3, numbers(3 * kCount, -1));
    cloud->copyIn<float>("v", 3, numbers(3 * kCount, -1));
    cloud->copyIn<float>("mass", 1, numbers(kCount, 0.1f));
    cloud->copyIn<float>("pscale", 1, numbers(kCount, 0.1f));
    cloud->copyIn<float>("stiffnessScale", 1, numbers(kCount, 0.1f));
    expectPartsOfTheWhole(emitterOf(cloud, {{"startFrame", 4.0}}),
                          {.cellSize = 0.1, .frame = 4, .start = false}, 0.3, 3);
}

} // namespace
