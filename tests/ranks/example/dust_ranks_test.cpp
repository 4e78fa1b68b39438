// The example solver on several ranks: the files of one, also when it goes on on another number.
#include "rank_runs.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <string>

namespace floe {
namespace {

using namespace test;

constexpr const char* kScene = "../plugins/examples/dust/dust_falls.floe.json";

std::string dust(const std::string& options, const fs::path& output)
{
    return runCommand(kScene,
                      options + " --set pictures.width=160 --set pictures.height=90 "
                                "--set solver.cellSize=0.1 --set solver.sharing=8 --cache "
                                "--checkpoint-every 4",
                      output);
}

/// The same files, but for checkpoints, which are in parts.
void expectSameOutput(const fs::path& one, const fs::path& several)
{
    for (const fs::path& folder : {one, several})
        fs::remove_all(folder / "checkpoints");
    expectSameFiles(one, several);
}

TEST(ExampleRanks, DustFallsAsOnOne)
{
    ::setenv("FLOE_PLUGIN_PATH", FLOE_EXAMPLE_PLUGINS, 1);
    const TemporaryFolder folder;
    const auto one = shell(dust("--end 12", folder / "1"));
    ASSERT_EQ(one.code, 0) << one.output;
    const Json report = loadJson((folder / "1/run.json").string());
    EXPECT_GT(report["frames"].back()["nodes"]["solver"]["particles"].get<double>(), 500);
    for (const int ranks : {2, 3}) {
        const fs::path output = folder / std::to_string(ranks);
        const auto part = shell(launcher(ranks) + " " + dust("--end 8", output));
        ASSERT_EQ(part.code, 0) << part.output;
        const auto rest = shell(launcher(5 - ranks) + " " + dust("--end 12 --resume", output));
        ASSERT_EQ(rest.code, 0) << rest.output;
        expectSameOutput(folder / "1", output);
    }
}

} // namespace
} // namespace floe
