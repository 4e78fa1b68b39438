// `floe dataset activation`, as a person runs it.
#include "temporary_folder.hpp"

#include "floe/base/file.hpp"
#include "floe/base/json.hpp"
#include "floe/plugin/child_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>

namespace floe::test {
namespace {

namespace fs = std::filesystem;

plugin::ChildResult dataset(const fs::path& folder, std::vector<std::string> more = {})
{
    std::vector<std::string> command = {FLOE_BINARY_DIR "/bin/floe",
                                        "dataset",
                                        "activation",
                                        "--out",
                                        folder.string(),
                                        "--frames",
                                        "2",
                                        "--size",
                                        "32",
                                        "--stiffness",
                                        "0.02",
                                        "--jobs",
                                        "2",
                                        "--limit",
                                        "600"};
    command.insert(command.end(), more.begin(), more.end());
    return plugin::runChild(command, {.time = std::chrono::minutes(20)});
}

/// The samples of a data set by name, whole.
std::map<std::string, std::string> samplesIn(const fs::path& folder)
{
    std::map<std::string, std::string> samples;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".safetensors")
            samples[fs::relative(entry.path(), folder)] = readFile(entry.path());
    return samples;
}

TEST(Dataset, IsAFunctionOfItsSeedAndGoesOnWhereItStopped)
{
    const TemporaryFolder folder;
    const auto first = dataset(folder / "a", {"--scenes", "2"});
    ASSERT_EQ(first.exitCode, 0) << first.output;
    const Json plan = loadJson((folder / "a/dataset.json").string());
    ASSERT_EQ(plan.at("scenes").get<int>() + plan.at("failed").get<int>(), 2) << first.output;
    const auto samples = samplesIn(folder / "a");
    // Two frames after the first each; fewer where obstacles or walls leave nothing.
    ASSERT_GE(samples.size(), 2u);
    for (const auto& [name, bytes] : samples) {
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), 8);
        const Json header = parseJson(bytes.substr(8, length), name);
        EXPECT_GT(header.at("label").at("shape").at(0).get<int>(), 0) << name;
        EXPECT_EQ(header.at("__metadata__").at("domain_scale"), "10");
    }

    // One scene lost, two more wanted: what is there stays, the rest is made as it was.
    fs::remove_all(folder / "a/scene_00000");
    const auto again = dataset(folder / "a", {"--scenes", "3"});
    ASSERT_EQ(again.exitCode, 0) << again.output;
    const auto more = samplesIn(folder / "a");
    for (const auto& [name, bytes] : samples)
        EXPECT_TRUE(more.contains(name) && more.at(name) == bytes) << name;

    const auto other = dataset(folder / "a", {"--scenes", "3", "--seed", "2"});
    EXPECT_EQ(other.exitCode, 3);
    EXPECT_NE(other.output.find("another seed"), std::string::npos) << other.output;
}

TEST(Dataset, SaysWhatIsWrongWithItsOptions)
{
    const TemporaryFolder folder;
    EXPECT_EQ(dataset(folder / "b", {"--size", "8"}).exitCode, 2);
    EXPECT_EQ(dataset(folder / "b", {"--look-ahead", "year"}).exitCode, 2);
    EXPECT_EQ(dataset(folder / "b", {"--shapes", (folder / "none").string()}).exitCode, 3);
    EXPECT_EQ(dataset(folder.file("file", "x") / "c").exitCode, 5);
}

} // namespace
} // namespace floe::test
