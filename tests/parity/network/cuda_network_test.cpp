// The network's CUDA kernels: what a convolution is by definition, and what
// the CPU gives.
#include "cuda_device.hpp"
#include "dense_world.hpp"

#include "floe/sdk/network/cpu_network.hpp"
#include "floe/sdk/network/device_network.cuh"

#include <gtest/gtest.h>

namespace floe::sdk::network::test {
namespace {

/// Float sums over at most 500 products of numbers of about 1.
constexpr double kRounding = 1e-5;

std::vector<float> onDevice(const NetworkModel& model, const Question& question,
                            std::size_t firstRoom = 0)
{
    std::vector<float> logits(question.blockCount, NAN);
    evaluateOnDevice(PreparedModel(model), question, cuda::Device(floe::test::cudaDevice()),
                     logits.data(), firstRoom);
    return logits;
}

std::vector<NetworkModel> models()
{
    using enum BlockChannel;
    using enum NetworkModel::Unit;
    return {someNetwork(domain, {1, 1}, {}),
            someNetwork(threshold, {1, 0}, {occupied, speed, liquid, reach, recent}),
            someNetwork(threshold, {0, 1}, {liquid}, 4, 10, 4)};
}

class NetworkKernels : public testing::TestWithParam<std::uint64_t> {
protected:
    void SetUp() override { floe::test::shuffleCudaThreads(GetParam()); }
    void TearDown() override { floe::test::shuffleCudaThreads(0); }
};
INSTANTIATE_TEST_SUITE_P(OrdersOfThreads, NetworkKernels, testing::Values(0, 1, 77));

TEST_P(NetworkKernels, AreTheConvolutionOfItsDefinition)
{
    for (const NetworkModel& model : models())
        for (const Size& size : {Size{1, 1, 1}, Size{3, 1, 5}, Size{4, 3, 2}}) {
            const DenseWorld world(size, {-2, 100, 0});
            const DenseWorld atOrigin(size);
            const std::vector<float> logits = onDevice(model, world.question());
            const std::vector<double> expected = DenseNetwork(model, atOrigin).logits();
            ASSERT_EQ(logits.size(), expected.size());
            for (std::size_t i = 0; i < logits.size(); ++i)
                EXPECT_NEAR(logits[i], expected[i], kRounding);
        }
}

TEST_P(NetworkKernels, BeginAgainWhenTheTableIsFull)
{
    const DenseWorld world({4, 4, 4});
    const NetworkModel model = models()[1];
    const std::vector<float> roomy = onDevice(model, world.question());
    const std::vector<float> tight = onDevice(model, world.question(), 1);
    EXPECT_EQ(tight, roomy); // the order of blocks in the table does not matter
}

TEST(NetworkOnDevice, AgreesWithTheCpu)
{
    const DenseWorld world({6, 5, 4});
    for (const NetworkModel& model : models()) {
        std::vector<float> cpu(world.question().blockCount);
        parallel::SerialExecutor executor;
        evaluateOnCpu(PreparedModel(model), world.question(), executor, cpu.data());
        const std::vector<float> device = onDevice(model, world.question());
        for (std::size_t i = 0; i < cpu.size(); ++i)
            EXPECT_NEAR(device[i], cpu[i], kRounding);
    }
}

TEST(NetworkOnDevice, NothingAskedOrNothingMoving)
{
    const NetworkModel model = models()[0];
    EXPECT_TRUE(onDevice(model, Question{}).empty());
    DenseWorld world({2, 2, 2});
    Question still = world.question();
    still.fieldCount = 0;
    for (const float logit : onDevice(model, still))
        EXPECT_EQ(logit, PreparedModel(model).rest4);
}

} // namespace
} // namespace floe::sdk::network::test
