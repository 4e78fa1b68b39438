// The network in the solver's process gives what PyTorch gives, and what the definition of a
// convolution gives, wherever the blocks lie.
#include "dense_world.hpp"

#include "floe/base/json.hpp"
#include "floe/sdk/network/cpu_network.hpp"
#include "floe/sdk/network/weights.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace floe::sdk::network::test {
namespace {

/// Float sums over at most 500 products of numbers of about 1.
constexpr double kRounding = 1e-5;

class ThreadExecutor final : public parallel::Executor {
public:
    void parallelFor(std::size_t count, std::size_t grain,
                     const std::function<void(std::size_t, std::size_t)>& body) override
    {
        std::vector<std::thread> threads;
        grain = std::max<std::size_t>(std::min(grain, count / 4), 1);
        for (std::size_t begin = 0; begin < count; begin += grain)
            threads.emplace_back([=] { body(begin, std::min(begin + grain, count)); });
        for (std::thread& thread : threads)
            thread.join();
    }
};

template <class Executor = parallel::SerialExecutor>
std::vector<float> logitsOf(const NetworkModel& model, const Question& question)
{
    std::vector<float> logits(question.blockCount, NAN);
    Executor executor;
    evaluateOnCpu(PreparedModel(model), question, executor, logits.data());
    return logits;
}

TEST(Network, GivesWhatPyTorchGives)
{
    const Json reference = loadJson(FLOE_SOURCE_DIR "/tests/unit/network/pytorch_reference.json");
    ASSERT_EQ(reference.at("cases").size(), 10u);
    for (const Json& test : reference.at("cases")) {
        const bool thesis = test.at("thesis").get<bool>();
        const NetworkModel model = parseNetwork(
            reference.at("models").at(thesis ? "thesis" : "physical").dump(), "reference");
        const DenseWorld world(test.at("size").get<Size>());
        const std::vector<float> logits = logitsOf(model, world.question());
        double largest = 0;
        for (std::size_t i = 0; i < logits.size(); ++i)
            largest = std::max(
                largest, std::abs(logits[i] - test.at("logits").at(world.place[i]).get<double>()));
        EXPECT_LT(largest, kRounding) << test.at("size").dump() << (thesis ? " thesis" : "");
    }
}

TEST(Network, TheThesisNetworkHas658Parameters)
{
    const Json reference = loadJson(FLOE_SOURCE_DIR "/tests/unit/network/pytorch_reference.json");
    EXPECT_EQ(parseNetwork(reference.at("models").at("thesis").dump(), "x").parameterCount(), 658u);
}

TEST(Network, IsTheConvolutionOfItsDefinition)
{
    using enum BlockChannel;
    using enum NetworkModel::Unit;
    const NetworkModel models[] = {
        someNetwork(domain, {1, 1}, {}),
        someNetwork(threshold, {1, 0}, {occupied, speed, liquid, reach, recent}),
        someNetwork(threshold, {0, 1}, {liquid}, 4, 10, 4),
        someNetwork(domain, {0, 0}, {reach, speed}, 1, 1, 1),
        someNetwork(threshold, {1, 0}, {}, 16, 16, 16)};
    for (const NetworkModel& model : models)
        for (const Size& size : {Size{1, 1, 1}, Size{3, 1, 5}, Size{4, 6, 2}}) {
            const DenseWorld world(size);
            const std::vector<float> logits = logitsOf(model, world.question());
            const std::vector<double> expected = DenseNetwork(model, world).logits();
            for (std::size_t i = 0; i < logits.size(); ++i)
                EXPECT_NEAR(logits[i], expected[i], kRounding);
        }
}

TEST(Network, IsTheSameFarFromTheOriginAndOnManyThreads)
{
    const NetworkModel model = someNetwork(NetworkModel::Unit::threshold, {1, 0},
                                           {BlockChannel::occupied, BlockChannel::speed});
    const DenseWorld here({6, 5, 7}), there({6, 5, 7}, {-900000, 3, 70000});
    const std::vector<float> expected = logitsOf(model, here.question());
    EXPECT_EQ(logitsOf(model, there.question()), expected);
    EXPECT_EQ(logitsOf<ThreadExecutor>(model, here.question()), expected); // bit for bit
}

TEST(Network, RestHasOneAnswer)
{
    // Without motion all blocks of a network without block channels are alike.
    const NetworkModel model = someNetwork(NetworkModel::Unit::domain, {1, 1}, {});
    DenseWorld world({4, 4, 4});
    Question still = world.question();
    still.fieldCount = 0;
    const std::vector<float> logits = logitsOf(model, still);
    for (const float logit : logits)
        EXPECT_EQ(logit, logits[0]);
    EXPECT_NE(logitsOf(model, world.question()), logits);
}

TEST(Network, ThinDustFindsRoom)
{
    // Every block alone has 26 of its own around it: more than the table begins with.
    const NetworkModel model = someNetwork(NetworkModel::Unit::domain, {1, 1}, {});
    std::vector<std::int32_t> block;
    for (int i = 0; i < 5000; ++i)
        block.insert(block.end(), {10 * (i % 17), 10 * (i / 17 % 17), 10 * (i / 289)});
    Question question;
    question.blockCount = 5000;
    question.block = block.data();
    for (const float logit : logitsOf<ThreadExecutor>(model, question))
        EXPECT_EQ(logit, PreparedModel(model).rest4);
}

TEST(Network, SensitivityMultipliesSpeeds)
{
    const NetworkModel model = someNetwork(NetworkModel::Unit::domain, {1, 1}, {});
    const DenseWorld world({3, 3, 3});
    Question twice = world.question();
    twice.gain *= 2;
    DenseWorld fast = world;
    for (float& speed : fast.fieldSpeed)
        speed *= 2;
    EXPECT_EQ(logitsOf(model, twice), logitsOf(model, fast.question()));
}

TEST(NetworkFile, RefusesWhatIsNotANetwork)
{
    const Json reference = loadJson(FLOE_SOURCE_DIR "/tests/unit/network/pytorch_reference.json");
    const Json good = reference.at("models").at("physical");
    EXPECT_NO_THROW(parseNetwork(good.dump(), "good"));
    const std::vector<std::pair<const char*, std::function<void(Json&)>>> faults = {
        {"a newer format",
         [](Json& m) {
             m["format"] = 2;
         }},
        {"no layers",
         [](Json& m) {
             m.erase("layers");
         }},
        {"three layers",
         [](Json& m) {
             m["layers"].erase(0);
         }},
        {"a missing weight",
         [](Json& m) {
             m["layers"][1]["weight"].erase(0);
         }},
        {"a text for a weight",
         [](Json& m) {
             m["layers"][1]["weight"][3] = "1";
         }},
        {"a weight beyond float",
         [](Json& m) {
             m["layers"][1]["weight"][3] = 1e300;
         }},
        {"layers that do not fit",
         [](Json& m) {
             m["layers"][2]["in"] = 5;
         }},
        {"a billion channels",
         [](Json& m) {
             m["layers"][0]["out"] = 1000000000;
         }},
        {"a negative size",
         [](Json& m) {
             m["layers"][0]["out"] = -1;
         }},
        {"no deviation",
         [](Json& m) {
             m["input"]["deviation"] = 0;
         }},
        {"an unknown channel",
         [](Json& m) {
             m["blockChannels"][0] = "taste";
         }},
        {"an unknown unit",
         [](Json& m) {
             m["input"]["unit"] = "furlong";
         }},
        {"a wide padding",
         [](Json& m) {
             m["padding"][0] = 2;
         }},
        {"a list", [](Json& m) {
             m = Json::array();
         }}};
    for (const auto& [what, spoil] : faults) {
        Json bad = good;
        spoil(bad);
        try {
            parseNetwork(bad.dump(), "bad.json");
            ADD_FAILURE() << "took " << what;
        } catch (const Failure& failure) {
            EXPECT_NE(std::string(failure.what()).find("bad.json"), std::string::npos) << what;
        }
    }
    EXPECT_THROW(parseNetwork("{\"format\":", "cut"), Failure);
    EXPECT_THROW(loadNetwork("/nowhere/network.json"), Failure);
}

} // namespace
} // namespace floe::sdk::network::test
