// Several processes, each with a CUDA device under the emulator: the particles of one.
#include "rank_runs.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace floe {
namespace {

using namespace test;

TEST(CudaProcesses, ParticlesAreThoseOfOne)
{
    const TemporaryFolder folder;
    const std::string program = std::string(FLOE_BINARY_DIR) + "/tests/ranks_cuda_probe ";
    const auto one = shell(program + (folder / "1").string());
    ASSERT_EQ(one.code, 0) << one.output;
    const std::string expected = readFile(folder / "1");
    EXPECT_GT(expected.size(), 100000u);
    for (const int ranks : {2, 3}) {
        const fs::path file = folder / std::to_string(ranks);
        const auto several = shell(launcher(ranks) + " " + program + file.string());
        ASSERT_EQ(several.code, 0) << several.output;
        EXPECT_TRUE(readFile(file) == expected) << ranks << " processes";
    }
}

} // namespace
} // namespace floe
