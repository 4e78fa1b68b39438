// Networks on blocks give what PyTorch gives, wherever the blocks lie and on any number of threads,
// and files that are no networks are refused.
#include "threads.hpp"

#include "floe/base/json.hpp"
#include "floe/sdk/network/block_weights.hpp"
#include "floe/sdk/network/cpu_block_network.hpp"

#include <gtest/gtest.h>

namespace floe::sdk::network::test {
namespace {

const std::string kFolder = FLOE_SOURCE_DIR "/tests/unit/network/";

/// A network with random weights, inputs, and what PyTorch makes of them (training/reference.py).
struct Reference {
    explicit Reference(const std::string& name)
        : file(loadBlockNetwork(kFolder + name + ".safetensors")),
          json(loadJson(kFolder + "block_reference.json").at(name))
    {}
    BlockSet blocks(const grid::BlockCoordinate& origin = {0, 0, 0}) const
    {
        std::vector<grid::BlockCoordinate> result;
        for (const Json& block : json.at("blocks"))
            result.push_back({block[0].get<int>() + origin[0], block[1].get<int>() + origin[1],
                              block[2].get<int>() + origin[2]});
        return BlockSet(result);
    }
    std::vector<std::vector<BlockTensor>> inputs() const
    {
        std::vector<std::vector<BlockTensor>> result;
        for (const auto& input : file.model.inputs) {
            result.emplace_back();
            for (const Json& step : json.at("inputs").at(input.name)) {
                BlockTensor tensor(blocks(), 4, input.channels);
                EXPECT_EQ(step.size(), tensor.values.size());
                tensor.values = step.get<std::vector<float>>();
                result.back().push_back(tensor);
            }
        }
        return result;
    }
    BlockTensor evaluate(int threads = 1, const grid::BlockCoordinate& origin = {0, 0, 0}) const
    {
        floe::test::ThreadExecutor executor(threads);
        return PreparedBlockModel(file.model, "reference")
            .evaluate(blocks(origin), inputs(), executor);
    }

    BlockNetworkFile file;
    Json json;
};

class BlockNetwork : public ::testing::TestWithParam<const char*> {};

// Float sums over at most 650 products of numbers of about 1, ten layers deep.
TEST_P(BlockNetwork, GivesWhatPyTorchGives)
{
    const Reference reference(GetParam());
    const BlockTensor result = reference.evaluate();
    const auto expected = reference.json.at("result").get<std::vector<double>>();
    ASSERT_EQ(result.values.size(), expected.size());
    double largest = 0, size = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        largest = std::max(largest, std::abs(result.values[i] - expected[i]));
        size = std::max(size, std::abs(expected[i]));
    }
    EXPECT_LT(largest, 1e-5);
    EXPECT_GT(size, 0.05); // it is not all zeros
}

TEST_P(BlockNetwork, IsTheSameFarFromTheOriginAndOnManyThreads)
{
    const Reference reference(GetParam());
    const std::vector<float> here = reference.evaluate().values;
    EXPECT_EQ(reference.evaluate(1, {-90000, 3, 70000}).values, here); // bit for bit
    EXPECT_EQ(reference.evaluate(3).values, here);
}

INSTANTIATE_TEST_SUITE_P(Each, BlockNetwork, ::testing::Values("block_paper", "block_correction"));

TEST(BlockNetworkFile, WithoutBlocksThereIsNothingToDo)
{
    const Reference reference("block_correction");
    parallel::SerialExecutor serial;
    const BlockSet none;
    const BlockTensor result = PreparedBlockModel(reference.file.model, "x")
                                   .evaluate(none, {{BlockTensor(none, 4, 4)}}, serial);
    EXPECT_TRUE(result.values.empty());
    EXPECT_EQ(result.channels, 2);
}

std::string refusalOf(const std::string& bytes)
{
    try {
        parseBlockNetwork(bytes, "file");
    } catch (const Failure& failure) {
        return failure.what();
    }
    return "";
}

std::string fileOf(const std::string& model, const std::string& tensors = "{}")
{
    Json header = Json::parse(tensors);
    header["__metadata__"] = {{"model", model}};
    const std::string text = header.dump();
    std::string bytes(8, '\0');
    for (unsigned i = 0; i < 8; ++i)
        bytes[i] = static_cast<char>(text.size() >> 8 * i & 0xff);
    return bytes + text;
}

TEST(BlockNetworkFile, RefusesWhatIsNoNetwork)
{
    const auto says = [](const std::string& bytes, const std::string& part) {
        const std::string refusal = refusalOf(bytes);
        EXPECT_NE(refusal.find("'file'"), std::string::npos) << refusal;
        EXPECT_NE(refusal.find(part), std::string::npos) << refusal;
    };
    says("abc", "too short");
    says(std::string(8, '\xff'), "longer than the file");
    says(fileOf("nothing"), "another format");
    says(fileOf(R"({"format": 1})"), "lists");
    const std::string inputs = R"("inputs": [{"name": "a", "channels": 2, "steps": 1}])";
    says(fileOf(R"({"format": 1, )" + inputs + R"(, "layers": []})"), "1 to 64 layers");
    const auto layer = [&](const std::string& rest) {
        return R"({"format": 1, )" + inputs + R"(, "layers": [{"name": "b", )" + rest + "}]}";
    };
    says(fileOf(layer(R"("from": ["b"], "kind": "down", "out": 1)")), "does not come before");
    says(fileOf(layer(R"("from": ["a"], "kind": "sideways", "out": 1)")), "must be of kind");
    says(fileOf(layer(R"("from": ["a"], "kind": "down", "out": 1)")), "no tensor 'b.weight'");
    const std::string outside = R"({"b.weight": {"dtype": "F32", "data_offsets": [0, 400]}})";
    says(fileOf(layer(R"("from": ["a"], "kind": "down", "out": 1)"), outside), "outside");
    const std::string empty = R"({"b.weight": {"dtype": "F32", "data_offsets": [0, 0]},
                                  "b.bias": {"dtype": "F32", "data_offsets": [0, 0]}})";
    says(fileOf(layer(R"("from": ["a"], "kind": "convolution", "out": 1)"), empty),
         "number of weights");
    says(fileOf(layer(R"("from": ["a"], "kind": "up", "out": 1)"), empty), "resolutions");
    says(fileOf(layer(R"("from": ["a"], "kind": "up", "out": 60000)"), empty), "channels");
    EXPECT_THROW(loadBlockNetwork("/nowhere/at/all"), Failure);
}

} // namespace
} // namespace floe::sdk::network::test
