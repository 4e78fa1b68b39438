// The activation nodes: what their records say to a solver, and what their strategies decide.
#include "cooked_node.hpp"
#include "temporary_folder.hpp"

#include "floe/base/file.hpp"
#include "floe/sdk/records.h"

#include <gtest/gtest.h>

#include <cstring>

namespace floe::test {
namespace {

/// Blocks for a strategy to judge: 8 m of domain, so that its own threshold is 0.02 m/s.
struct Blocks {
    explicit Blocks(std::vector<float> speeds)
        : speed(std::move(speeds)), rest(speed.size(), 0.0f), known(speed.size(), 0),
          push(speed.size(), 0.0f), sound(speed.size(), 30.0f), liquid(speed.size(), 0.0f),
          state(speed.size(), FLOE_ACTIVE)
    {
        for (std::size_t i = 0; i < speed.size(); ++i)
            block.insert(block.end(), {static_cast<std::int32_t>(10 * i), 0, 0});
    }

    floe_activation_request request() const
    {
        floe_activation_request r{};
        r.struct_size = sizeof r;
        r.block_count = static_cast<std::uint32_t>(speed.size());
        r.block = block.data();
        r.max_speed = speed.data();
        r.rest_time = rest.data();
        r.push_known = known.data();
        r.push_speed = push.data();
        r.sound_speed = sound.data();
        r.liquid_share = liquid.data();
        r.future_speed = future.empty() ? nullptr : future.data();
        r.field_count = static_cast<std::uint32_t>(fieldBlock.size() / 3);
        r.field_block = fieldBlock.data();
        r.field_speed = fieldSpeed.data();
        r.cell_size = 0.1;
        r.domain_scale = 8;
        r.fps = 24;
        r.frame = 5;
        r.horizon = 1.0 / 24;
        r.time_scale = timeScale;
        return r;
    }

    double timeScale = 1;
    std::vector<float> speed, rest;
    std::vector<std::uint8_t> known;
    std::vector<float> push, sound, liquid, future;
    std::vector<std::uint8_t> state;
    std::vector<std::int32_t> block, fieldBlock;
    std::vector<float> fieldSpeed;
};

struct Strategy {
    const floe_activation_interface* table;
    void* self;
};
Strategy strategyOf(const CookedNode& cooked)
{
    const void* table = nullptr;
    void* self = nullptr;
    if (!plugin::interfaceOf(cooked.record("activation").find("strategy"),
                             FLOE_ACTIVATION_INTERFACE, &table, &self))
        throw std::runtime_error("no strategy");
    return {static_cast<const floe_activation_interface*>(table), self};
}

/// What the strategy of a node answers.
floe_status ask(const CookedNode& cooked, Blocks& blocks, const std::string& folder = {})
{
    const Strategy strategy = strategyOf(cooked);
    CookedNode nothing;
    plugin::CookContext context({.outputFolder = folder, .frame = 5}, nothing);
    const floe_activation_request request = blocks.request();
    return strategy.table->evaluate(strategy.self, context.raw(), &request, blocks.state.data());
}

using States = std::vector<std::uint8_t>;

TEST(ActivationNodes, SayToTheSolverWhatEveryStrategyMay)
{
    for (const char* type : {"threshold", "impact", "network", "oracle", "record"}) {
        const std::string node = std::string("floe.activation.") + type;
        const auto rate = [&](const char* how) {
            return cook(node, {{"evaluate", how}, {"evaluationsPerFrame", 7}})
                .record("activation")
                .number("evaluationsPerFrame", 99);
        };
        EXPECT_EQ(rate("frame"), 1) << type;
        EXPECT_EQ(rate("several"), 7) << type;
        EXPECT_EQ(rate("step"), -1) << type;
        EXPECT_EQ(rate("automatic"), -2) << type;
        const CookedNode cooked = cook(
            node, {{"neverSleeps", "Jelly, Water"}, {"stiffFrom", 55.0}, {"startsPassive", true}});
        EXPECT_EQ(cooked.record("activation").string("neverSleeps"), "Jelly, Water") << type;
        EXPECT_EQ(cooked.record("activation").number("stiffSpeed", 0), 55) << type;
        EXPECT_TRUE(cooked.record("activation").boolean("startsPassive", false)) << type;
    }
}

TEST(Impact, WakesOnContactAloneAndSleepsAfterItsDelay)
{
    const CookedNode cooked = cook("floe.activation.impact", {{"threshold", 0.1}, {"delay", 0.5}});
    EXPECT_EQ(cooked.record("activation").number("wakeSpeed", 0), 0.1);
    EXPECT_EQ(cooked.record("activation").number("restSpeed", 0), 0.1);
    // Active: fast; slow for a moment; slow for long. Passive: left alone, though it is fast;
    // pushed gently; pushed.
    Blocks blocks({1, 0.05f, 0.05f, 1, 0, 0});
    blocks.rest = {0, 0.4f, 0.6f, 0, 9, 9};
    blocks.known = {0, 0, 0, 0, 1, 1};
    blocks.push = {0, 0, 0, 0, 0.05f, 0.3f};
    blocks.state = {1, 1, 1, 0, 2, 2};
    ASSERT_EQ(ask(cooked, blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{1, 1, 0, 0, 0, 1}));
}

TEST(Impact, MeasuresInTheDomainWhenNoThresholdIsGiven)
{
    const CookedNode cooked = cook("floe.activation.impact", {{"delay", 0.0}});
    EXPECT_LT(cooked.record("activation").number("wakeSpeed", 0), 0); // the solver's to work out
    Blocks blocks({0.019f, 0.021f});
    ASSERT_EQ(ask(cooked, blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{0, 1}));
}

// In slow motion by ten, what moves at ten times the speed looks the same.
TEST(Impact, MeasuresTheDomainInSecondsOfThePicture)
{
    const CookedNode cooked = cook("floe.activation.impact", {{"delay", 0.0}});
    Blocks blocks({0.021f, 0.19f, 0.21f});
    blocks.timeScale = 0.1;
    ASSERT_EQ(ask(cooked, blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{0, 0, 1}));
}

TEST(Oracle, WakesWhatMovesNowOrThen)
{
    Blocks blocks({1, 0, 0, 0.02f});
    blocks.future = {0, 1, 0.01f, 0.02f};
    blocks.state = {0, 0, 1, 1};
    ASSERT_EQ(ask(cook("floe.activation.oracle"), blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{1, 1, 0, 0})); // strictly above: 0.02 is the threshold
}

TEST(Oracle, SaysThatASolverCannotLookAhead)
{
    Blocks blocks({1});
    EXPECT_EQ(ask(cook("floe.activation.oracle"), blocks), FLOE_UNSUPPORTED);
}

TEST(NetworkNode, LeavesWhatRestsAsleepAndWakesWhatMoves)
{
    const CookedNode cooked = cook("floe.activation.network", {{"threshold", 0.1}});
    EXPECT_EQ(cooked.record("activation").number("wakeSpeed", 0), 0.1); // the guard
    EXPECT_EQ(cooked.record("activation").number("restSpeed", 0), 0.1);
    // Blocks far from each other: still for long; fast; one that fast matter surrounds.
    Blocks blocks({0, 5, 0});
    blocks.rest = {60, 0, 60};
    blocks.state = {FLOE_ACTIVE, FLOE_PASSIVE, FLOE_PASSIVE};
    const auto moves = [&blocks](std::int32_t x, std::int32_t y, std::int32_t z) {
        blocks.fieldBlock.insert(blocks.fieldBlock.end(), {x, y, z});
        blocks.fieldSpeed.insert(blocks.fieldSpeed.end(), 64, 5.0f);
    };
    moves(10, 0, 0);
    for (int side = 0; side < 27; ++side)
        if (side != 13)
            moves(20 + side / 9 - 1, side / 3 % 3 - 1, side % 3 - 1);
    ASSERT_EQ(ask(cooked, blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{0, 1, 1}));
}

// A drop in the air has no speed before its first step, nor where it turns back.
TEST(NetworkNode, WhatHasNotRestedForAFrameStaysAwake)
{
    const CookedNode cooked = cook("floe.activation.network", {{"threshold", 0.1}});
    Blocks blocks({0, 0, 0, 0});
    blocks.rest = {0, 0.03f, 0.05f, 0};
    blocks.state = {FLOE_ACTIVE, FLOE_ACTIVE, FLOE_ACTIVE, FLOE_PASSIVE};
    ASSERT_EQ(ask(cooked, blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{1, 1, 0, 0}));
}

// So that speeds are not gathered cell by cell where everything stays active.
TEST(NetworkNode, NeedsNoSpeedsWhereNothingRests)
{
    const CookedNode cooked = cook("floe.activation.network", {{"threshold", 0.1}});
    const Strategy strategy = strategyOf(cooked);
    Blocks blocks({5, 0.2f, 0});
    const auto depends = [&] {
        const floe_activation_request request = blocks.request();
        return strategy.table->depends(strategy.self, &request, blocks.state.data()) != 0;
    };
    EXPECT_FALSE(depends()); // the slow one has only begun
    ASSERT_EQ(ask(cooked, blocks), FLOE_OK);
    EXPECT_EQ(blocks.state, (States{1, 1, 1}));
    blocks.rest[2] = 0.05f;
    EXPECT_TRUE(depends());
    blocks.rest[2] = 0;
    blocks.state[2] = FLOE_PASSIVE;
    EXPECT_TRUE(depends());
}

TEST(NetworkNode, TheGuardCanBeSwitchedOffAndTheDomainGivesTheThreshold)
{
    const CookedNode off = cook("floe.activation.network", {{"guard", false}});
    EXPECT_EQ(off.record("activation").number("wakeSpeed", 9), 0);
    EXPECT_LT(off.record("activation").number("restSpeed", 0), 0); // the solver's to work out
    const CookedNode on = cook("floe.activation.network");
    EXPECT_LT(on.record("activation").number("wakeSpeed", 0), 0);
}

TEST(NetworkNode, SensitivityMultipliesSpeeds)
{
    // Equation 3.9: 0.5 leaves speeds alone, 0.75 doubles them, 0.99 takes them 50 times.
    const auto active = [](double sensitivity, float speed) {
        Blocks blocks({speed});
        blocks.rest = {60};
        blocks.state = {FLOE_PASSIVE};
        EXPECT_EQ(
            ask(cook("floe.activation.network", {{"threshold", 0.1}, {"sensitivity", sensitivity}}),
                blocks),
            FLOE_OK);
        return blocks.state[0] == FLOE_ACTIVE;
    };
    EXPECT_TRUE(active(0.5, 0.101f));
    EXPECT_TRUE(active(0.75, 0.0501f));
    EXPECT_TRUE(active(0.99, 0.00201f));
    EXPECT_FALSE(active(0.5, 0.0f));
    EXPECT_FALSE(active(0.99, 0.0f));
}

TEST(NetworkNode, TakesANetworkOfYourOwnAndRefusesWhatIsNone)
{
    const TemporaryFolder folder;
    const std::string thesis = FLOE_SOURCE_DIR "/plugins/activation/weights/thesis.json";
    EXPECT_NO_THROW(cook("floe.activation.network", {{"network", thesis}}));
    for (const std::string& path :
         {folder.file("bad.json", "{\"format\": 1}").string(), (folder / "none.json").string()})
        try {
            cook("floe.activation.network", {{"network", path}});
            ADD_FAILURE() << "took " << path;
        } catch (const std::exception& error) {
            EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
        }
}

/// One array of a safetensors file, read by its definition.
template <class T>
std::vector<T> arrayOf(const std::string& file, const std::string& name, Json* notes = nullptr)
{
    std::uint64_t length = 0;
    std::memcpy(&length, file.data(), 8);
    const Json header = parseJson(file.substr(8, length), "header");
    if (notes)
        *notes = header.at("__metadata__");
    const Json& range = header.at(name).at("data_offsets");
    const auto begin = range.at(0).get<std::size_t>(), end = range.at(1).get<std::size_t>();
    std::vector<T> values((end - begin) / sizeof(T));
    std::memcpy(values.data(), file.data() + 8 + length + begin, end - begin);
    return values;
}

TEST(Record, WritesTheQuestionAndTheTruth)
{
    const TemporaryFolder folder;
    const CookedNode cooked = cook(
        "floe.activation.record",
        {{"folder", "shots/a"}, {"scene", "scene \"7\""}, {"split", "test"}, {"threshold", 0.5}});
    Blocks blocks({1, 0, 0});
    blocks.future = {0, 2, 0.25f};
    blocks.known = {0, 1, 0};
    blocks.push = {0.125f, 0.75f, 0.5f};
    blocks.state = {1, 2, 0};
    blocks.fieldBlock = {3, -4, 5};
    for (int i = 0; i < 64; ++i)
        blocks.fieldSpeed.push_back(0.5f * static_cast<float>(i));
    const std::vector<std::int32_t> where = blocks.block;
    ASSERT_EQ(ask(cooked, blocks, folder.path().string()), FLOE_OK);
    blocks.state = {0, 0, 0};
    ASSERT_EQ(ask(cooked, blocks, folder.path().string()), FLOE_OK); // again in the same frame
    ASSERT_TRUE(std::filesystem::exists(folder / "shots/a/sample.000005.001.safetensors"));

    const std::string file = readFile(folder / "shots/a/sample.000005.000.safetensors");
    Json notes;
    EXPECT_EQ(arrayOf<std::int32_t>(file, "block", &notes), where);
    EXPECT_EQ(notes.at("scene"), "scene \"7\"");
    EXPECT_EQ(notes.at("split"), "test");
    EXPECT_EQ(notes.at("threshold"), "0.5");
    EXPECT_EQ(notes.at("domain_scale"), "8");
    EXPECT_EQ(arrayOf<float>(file, "max_speed"), blocks.speed);
    EXPECT_EQ(arrayOf<float>(file, "future_speed"), blocks.future);
    EXPECT_EQ(arrayOf<float>(file, "push_speed"), (std::vector<float>{-1, 0.75f, -1}));
    EXPECT_EQ(arrayOf<float>(file, "sound_speed"), blocks.sound);
    EXPECT_EQ(arrayOf<float>(file, "liquid_share"), blocks.liquid);
    EXPECT_EQ(arrayOf<std::int32_t>(file, "field_block"), blocks.fieldBlock);
    EXPECT_EQ(arrayOf<float>(file, "field_speed"), blocks.fieldSpeed);
    EXPECT_EQ(arrayOf<std::uint8_t>(file, "state"), (States{1, 2, 0})); // before
    EXPECT_EQ(arrayOf<std::uint8_t>(file, "label"), (States{1, 1, 0}));
}

TEST(Record, WritesNowhereElse)
{
    EXPECT_ANY_THROW(cook("floe.activation.record", {{"folder", "../elsewhere"}}));
    EXPECT_ANY_THROW(cook("floe.activation.record", {{"folder", "/tmp/elsewhere"}}));
}

} // namespace
} // namespace floe::test
