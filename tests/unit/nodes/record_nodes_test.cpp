#include "cooked_node.hpp"

#include "floe/sdk/file_pattern.hpp"
#include "floe/sdk/physics/parameters.hpp"
#include "floe/sdk/records.h"
#include "floe/sdk/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace {

using namespace floe::test;
using floe::expect;
using floe::Json;
using floe::RecordValue;

Json materialManifest()
{
    return floe::loadJson(FLOE_SOURCE_DIR "/plugins/materials/plugin.json").at("nodes").at(0);
}

/// Every law's parameters record has exactly the numbers that the law reads, in range.
void expectGoodMaterial(const RecordValue& record)
{
    const auto* law = floe::physics::findLaw(record.string("law"));
    ASSERT_NE(law, nullptr) << record.string("law");
    const auto& numbers = expect<RecordValue>(record.find("parameters"));
    EXPECT_EQ(numbers.schema(), "material." + record.string("law"));
    for (const auto& parameter : law->parameters) {
        const double value = numbers.number(parameter.name, NAN);
        EXPECT_GE(value, parameter.minimum) << law->name << "." << parameter.name;
        EXPECT_LE(value, parameter.maximum) << law->name << "." << parameter.name;
    }
    EXPECT_GT(record.number("density", 0), 0);
}

TEST(Material, EveryLawGetsItsNumbers)
{
    const Json manifest = materialManifest();
    for (const Json& parameter : manifest.at("parameters"))
        if (parameter.at("name") == "law") {
            std::set<std::string> offered;
            for (const Json& choice : parameter.at("choices")) {
                const auto law = choice.at("value").get<std::string>();
                offered.insert(law);
                expectGoodMaterial(cook("floe.material", {{"law", law}}).record("material"));
            }
            for (const auto& law : floe::physics::kLaws)
                EXPECT_TRUE(offered.count(law.name)) << law.name;
        }
}

TEST(Material, ThePresetsWorkAndDiffer)
{
    const Json manifest = materialManifest();
    std::set<std::string> names, laws;
    for (const Json& preset : manifest.at("presets")) {
        Settings settings;
        for (const auto& [name, value] : preset.at("values").items()) {
            if (value.is_string())
                settings.emplace(name, value.get<std::string>());
            else if (value.is_array())
                settings.emplace(name, value.get<Vec>());
            else
                settings.emplace(name, value.get<double>());
        }
        const CookedNode cooked = cook("floe.material", settings);
        expectGoodMaterial(cooked.record("material"));
        EXPECT_EQ(cooked.record("material").string("name"), preset.at("label").get<std::string>());
        names.insert(preset.at("name").get<std::string>());
        laws.insert(cooked.record("material").string("law"));
    }
    EXPECT_EQ(names, (std::set<std::string>{"snow", "soil", "mud", "concrete", "metal", "jello",
                                            "rubber", "water", "honey", "sand", "damp sand",
                                            "toothpaste", "cream", "stiff sand"}));
    EXPECT_GE(laws.size(), 7u);
}

TEST(Domain, SaysWhatItsSidesDo)
{
    const CookedNode cooked = cook("floe.domain", {{"yMax", "open"}, {"xMin", "stick"}});
    const auto& record = cooked.record("domain");
    EXPECT_TRUE(record.boolean("bounded", false));
    EXPECT_EQ(record.string("yMax"), "open");
    EXPECT_EQ(record.string("xMin"), "stick");
    EXPECT_EQ(record.string("zMax"), "separate");
}

TEST(Forces, CarryWhatTheSolverReads)
{
    const CookedNode gravity = cook("floe.force.gravity");
    EXPECT_EQ(gravity.record("force").string("type"), "gravity");
    EXPECT_DOUBLE_EQ(expect<floe::VectorValue>(gravity.record("force").find("vector")).vector()[1],
                     -9.81);
    const CookedNode wind = cook("floe.force.wind", {{"turbulence", 2.0}});
    EXPECT_DOUBLE_EQ(wind.record("force").number("turbulence", 0), 2);
    const CookedNode attractor = cook("floe.force.attractor");
    EXPECT_DOUBLE_EQ(attractor.record("force").number("falloff", 0), 2);
    EXPECT_DOUBLE_EQ(cook("floe.force.drag").record("force").number("strength", 0), 0.1);
}

TEST(Activation, SleepsAfterItsDelayAndWakesWhenPushed)
{
    const CookedNode cooked =
        cook("floe.activation.threshold", {{"speed", 0.1}, {"delay", 0.5}, {"wakeFactor", 2.0}});
    EXPECT_DOUBLE_EQ(cooked.record("activation").number("restSpeed", 0), 0.1);
    EXPECT_DOUBLE_EQ(cooked.record("activation").number("wakeSpeed", 0), 0.2);
    const void* found = nullptr;
    void* self = nullptr;
    ASSERT_TRUE(floe::plugin::interfaceOf(cooked.record("activation").find("strategy"),
                                          FLOE_ACTIVATION_INTERFACE, &found, &self));
    const auto* table = static_cast<const floe_activation_interface*>(found);
    EXPECT_DOUBLE_EQ(cooked.record("activation").number("evaluationsPerFrame", 0), 4);

    // Active: fast; slow for a moment; slow for long; slow for long but pushed.
    // Passive: left alone; pushed gently; pushed; pushed once, long ago.
    constexpr std::uint32_t kBlocks = 8;
    const std::int32_t block[3 * kBlocks] = {};
    const float speed[] = {1, 0.05f, 0.05f, 0.05f, 0, 0, 0, 0};
    const float rest[] = {0, 0.4f, 0.6f, 0.6f, 9, 9, 9, 9};
    const std::uint8_t known[] = {0, 0, 0, 1, 0, 1, 1, 0};
    const float push[] = {0, 0, 0, 0.3f, 0, 0.15f, 0.3f, 0.3f};
    std::uint8_t state[] = {1, 1, 1, 1, 0, 0, 2, 0};
    floe_activation_request request{};
    request.struct_size = sizeof request;
    request.block_count = kBlocks;
    request.block = block;
    request.max_speed = speed;
    request.rest_time = rest;
    request.push_known = known;
    request.push_speed = push;
    request.cell_size = 0.1;
    request.fps = 24;
    request.frame = 1;
    CookedNode nothing;
    floe::plugin::CookContext context({}, nothing);
    ASSERT_EQ(table->evaluate(self, context.raw(), &request, state), FLOE_OK);
    const std::uint8_t wanted[] = {1, 1, 0, 1, 0, 0, 1, 0};
    for (std::uint32_t i = 0; i < kBlocks; ++i)
        EXPECT_EQ(state[i], wanted[i]) << "block " << i;
}

TEST(Sampling, UniformNumbersAreUniform)
{
    floe::sdk::RandomSequence random(42);
    double mean = 0, square = 0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
        const double u = random.uniform();
        ASSERT_GE(u, 0);
        ASSERT_LT(u, 1);
        mean += u / kCount;
        square += u * u / kCount;
    }
    // Standard errors are 0.0009 and 0.0009: five of them.
    EXPECT_NEAR(mean, 0.5, 0.005);
    EXPECT_NEAR(square, 1.0 / 3, 0.005);
}

TEST(Sampling, NoiseIsSmoothBoundedAndZeroOnTheLattice)
{
    EXPECT_EQ(floe::sdk::gradientNoise(3, -2, 7, 1), 0);
    double largest = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = 0.0137 * i, y = 0.61 * std::sin(0.1 * i), z = 0.02 * i;
        const double n = floe::sdk::gradientNoise(x, y, z, 9);
        const double m = floe::sdk::gradientNoise(x + 1e-6, y, z, 9);
        EXPECT_LT(std::fabs(n - m), 1e-5);
        largest = std::max(largest, std::fabs(n));
    }
    EXPECT_GT(largest, 0.4);
    EXPECT_LE(largest, 1.1);
    EXPECT_TRUE(std::isfinite(floe::sdk::fractalNoise(1e300, -1e300, 0, 1, 4)));
}

// Neighbouring points mostly share a cell, points two units apart never do.
TEST(Sampling, VoronoiCellsAreAboutOneUnitAcross)
{
    int together = 0, apart = 0;
    for (int i = 0; i < 2000; ++i) {
        const double x = 0.731 * i, y = 0.377 * i, z = -0.519 * i;
        const auto cell = floe::sdk::voronoiCell(x, y, z, 3);
        together += cell == floe::sdk::voronoiCell(x + 0.02, y, z, 3);
        apart += cell != floe::sdk::voronoiCell(x, y + 3.5, z, 3); // wider than any cell can be
    }
    EXPECT_GT(together, 1900);
    EXPECT_EQ(apart, 2000);
    EXPECT_NE(floe::sdk::voronoiCell(0.5, 0.5, 0.5, 1), floe::sdk::voronoiCell(0.5, 0.5, 0.5, 2));
    EXPECT_EQ(floe::sdk::voronoiCell(1e300, 0, 0, 1), 0u);
}

TEST(FilePattern, TakesPrintfAndHashes)
{
    using floe::sdk::numberedPath;
    EXPECT_EQ(numberedPath("a.%04d.vdb", 7), "a.0007.vdb");
    EXPECT_EQ(numberedPath("a.####.vdb", 12345), "a.12345.vdb");
    EXPECT_EQ(numberedPath("a.%d.vdb", -3), "a.-3.vdb");
    EXPECT_EQ(numberedPath("a.%04d.vdb", -3), "a.-003.vdb");
    EXPECT_EQ(numberedPath("plain.vdb", 7), "plain.vdb");
    EXPECT_EQ(numberedPath("/shots/%04d/take ##/a.##.vdb", 7), "/shots/%04d/take ##/a.07.vdb");
    EXPECT_EQ(numberedPath("/shots/%04d/a.vdb", 7), "/shots/%04d/a.vdb");
    EXPECT_EQ(numberedPath("100%s.%n%999999999d.vdb", 7), "100%s.%n%999999999d.vdb");
}

} // namespace
