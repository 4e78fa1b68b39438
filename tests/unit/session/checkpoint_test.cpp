#include "floe/session/checkpoint.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/compute/memory.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace floe::session {
namespace {

Checkpoint example()
{
    Checkpoint checkpoint;
    checkpoint.frame = 12;
    checkpoint.states = {{"solver", std::string("\0state\xff", 7)}, {"other/solver", ""}};
    checkpoint.types = {{"solver", "a 1"}, {"other/solver", "b 2"}};
    checkpoint.histories = {{"solver", hashBytes("x")}, {"other/solver", hashBytes("y")}};
    return checkpoint;
}

TEST(Checkpoint, ComesBackAsWritten)
{
    const test::TemporaryFolder folder;
    const auto path = checkpointPath(folder.path(), 12);
    writeCheckpoint(path, example());
    const Checkpoint read = readCheckpoint(path);
    EXPECT_EQ(read.frame, 12);
    EXPECT_EQ(read.states, example().states);
    EXPECT_EQ(read.types, example().types);
    EXPECT_EQ(read.histories, example().histories);
    EXPECT_EQ(checkpointFrames(folder.path()), std::vector<int>{12});
}

void overwrite(const std::filesystem::path& path, const std::string& content)
{
    std::ofstream(path, std::ios::binary) << content;
}

// Whatever byte is damaged and wherever the file ends, it is noticed.
TEST(Checkpoint, EveryDamageIsFound)
{
    const test::TemporaryFolder folder;
    const auto path = folder / "frame.0001.checkpoint";
    writeCheckpoint(path, example());
    const std::string whole = readFile(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x10);
        overwrite(path, broken);
        EXPECT_THROW(readCheckpoint(path), IoError) << "byte " << at;
        overwrite(path, whole.substr(0, at));
        EXPECT_THROW(readCheckpoint(path), IoError) << "length " << at;
    }
}

// Its states count as memory of the run from before they are read until they are dropped.
TEST(Checkpoint, ReadingTakesNoMoreMemoryThanTheRunMay)
{
    const test::TemporaryFolder folder;
    const auto path = folder / "frame.0012.checkpoint";
    Checkpoint large = example();
    large.states["solver"].resize(8u << 20);
    writeCheckpoint(path, large);
    const std::uint64_t before = compute::hostBytes();
    compute::setHostMemoryLimit(before + (4u << 20));
    try {
        readCheckpoint(path);
        ADD_FAILURE() << "it was read";
    } catch (const MemoryError& error) {
        EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
    compute::setHostMemoryLimit(0);
    {
        const Checkpoint read = readCheckpoint(path);
        EXPECT_GE(compute::hostBytes(), before + (8u << 20));
    }
    EXPECT_EQ(compute::hostBytes(), before);
}

TEST(Checkpoint, FoldersAreListedByFrame)
{
    const test::TemporaryFolder folder;
    for (const int frame : {110, 20, 3, -5})
        writeFileAtomically(checkpointPath(folder.path(), frame), "");
    writeFileAtomically(folder / "frame.abc.checkpoint", "");
    writeFileAtomically(folder / "frame.0007.checkpoint.bak", "");
    EXPECT_EQ(checkpointFrames(folder.path()), (std::vector<int>{-5, 3, 20, 110}));
    EXPECT_TRUE(checkpointFrames(folder / "missing").empty());
}

} // namespace
} // namespace floe::session
