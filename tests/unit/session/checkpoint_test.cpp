#include "floe/session/checkpoint.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>
#include <vector>

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

std::string stateOf(const StoredCheckpoint& checkpoint, const std::string& node)
{
    const auto state = checkpoint.state(node);
    if (!state)
        return "none";
    std::string bytes(state->size(), '?');
    state->read(0, bytes.data(), bytes.size());
    return bytes;
}

/// Reads all that is in a checkpoint. @throws IoError
void readAll(const std::filesystem::path& folder, int frame)
{
    StoredCheckpoint(folder, frame).verify();
}

void overwrite(const std::filesystem::path& path, const std::string& content)
{
    std::ofstream(path, std::ios::binary) << content;
}

TEST(Checkpoint, ComesBackAsWritten)
{
    const test::TemporaryFolder folder;
    writeCheckpoint(checkpointPath(folder.path(), 12), example());
    const StoredCheckpoint read(folder.path(), 12);
    read.verify();
    EXPECT_EQ(read.frame(), 12);
    for (const auto& [node, state] : example().states)
        EXPECT_EQ(stateOf(read, node), state);
    EXPECT_EQ(stateOf(read, "another"), "none");
    EXPECT_EQ(read.types(), example().types);
    EXPECT_EQ(read.histories(), example().histories);
    EXPECT_EQ(checkpointFrames(folder.path()), std::vector<int>{12});
}

// Whatever byte is damaged and wherever the file ends, it is noticed.
TEST(Checkpoint, EveryDamageIsFound)
{
    const test::TemporaryFolder folder;
    const auto path = checkpointPath(folder.path(), 12);
    writeCheckpoint(path, example());
    const std::string whole = readFile(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x10);
        overwrite(path, broken);
        EXPECT_THROW(readAll(folder.path(), 12), IoError) << "byte " << at;
        overwrite(path, whole.substr(0, at));
        EXPECT_THROW(readAll(folder.path(), 12), IoError) << "length " << at;
    }
}

/// What one of three ranks has of two solvers; only rank 0 has a second one.
Checkpoint partOf(int rank)
{
    Checkpoint part = example();
    part.states = {{"solver", std::string(static_cast<std::size_t>(3 + rank), char('a' + rank))}};
    if (rank == 0)
        part.states["other/solver"] = "whole";
    return part;
}

/// Writes a checkpoint of three ranks.
void writeThree(const std::filesystem::path& folder)
{
    Checkpoint index = example();
    index.states.clear();
    for (const int rank : {0, 1, 2})
        index.parts.push_back(writeCheckpointPart(folder, rank, partOf(rank)));
    writeCheckpoint(checkpointPath(folder, 12), index);
}

TEST(CheckpointInParts, ReadsAsTheStatesOfAllRanksInTheirOrder)
{
    const test::TemporaryFolder folder;
    for (const int rank : {0, 1, 2}) {
        writeCheckpointPart(folder.path(), rank, partOf(rank));
        EXPECT_TRUE(checkpointFrames(folder.path()).empty()); // none without its index
    }
    writeThree(folder.path());
    EXPECT_EQ(checkpointFrames(folder.path()), std::vector<int>{12});
    const StoredCheckpoint read(folder.path(), 12);
    for (const int ranks : {1, 2, 5})
        for (int rank = 0; rank < ranks; ++rank)
            read.verify(rank, ranks);
    EXPECT_EQ(read.types(), example().types);
    EXPECT_EQ(read.histories(), example().histories);
    EXPECT_EQ(stateOf(read, "solver"), "aaabbbbccccc");
    EXPECT_EQ(stateOf(read, "other/solver"), "whole");
    const auto state = read.state("solver");
    for (const auto& [from, expected] : {std::pair{2, "abbbb"}, {7, "ccccc"}, {0, "aaabb"}}) {
        char five[6] = {};
        state->read(static_cast<std::uint64_t>(from), five, 5);
        EXPECT_STREQ(five, expected);
    }
}

// The index names no part that it was not written with.
TEST(CheckpointInParts, EveryDamageIsFound)
{
    const test::TemporaryFolder folder;
    writeThree(folder.path());
    std::vector<std::filesystem::path> files = {checkpointPath(folder.path(), 12)};
    for (const int rank : {0, 1, 2})
        files.push_back(checkpointPartPath(folder.path(), 12, rank));
    for (const auto& path : files) {
        const std::string whole = readFile(path);
        for (std::size_t at = 0; at < whole.size(); ++at) {
            std::string broken = whole;
            broken[at] = static_cast<char>(broken[at] ^ 0x10);
            overwrite(path, broken);
            EXPECT_THROW(readAll(folder.path(), 12), IoError) << path << " byte " << at;
            overwrite(path, whole.substr(0, at));
            EXPECT_THROW(readAll(folder.path(), 12), IoError) << path << " length " << at;
        }
        overwrite(path, whole + "x");
        EXPECT_THROW(readAll(folder.path(), 12), IoError) << path;
        std::filesystem::remove(path);
        EXPECT_THROW(readAll(folder.path(), 12), IoError) << path;
        overwrite(path, whole);
        readAll(folder.path(), 12);
    }
    std::filesystem::rename(files[1], folder / "aside");
    std::filesystem::rename(files[2], files[1]);
    std::filesystem::rename(folder / "aside", files[2]);
    EXPECT_THROW(readAll(folder.path(), 12), IoError);
    writeThree(folder.path());
    readAll(folder.path(), 12);
    Checkpoint newer = partOf(1);
    newer.states["solver"] = "bbbB"; // as long as the one before
    writeCheckpointPart(folder.path(), 1, newer);
    try {
        readAll(folder.path(), 12);
        ADD_FAILURE() << "it was read";
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("frame.0012.rank1.part"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("older checkpoint"), std::string::npos);
    }
}

// Its checksum says which rank reads which file; the one who does finds the damage.
TEST(CheckpointInParts, IsVerifiedByAllRanksTogether)
{
    const test::TemporaryFolder folder;
    writeThree(folder.path());
    const auto path = checkpointPartPath(folder.path(), 12, 1);
    std::string bytes = readFile(path);
    bytes[bytes.size() - 17] ^= 1; // the last of its state
    overwrite(path, bytes);
    const StoredCheckpoint read(folder.path(), 12);
    int failed = 0;
    for (int rank = 0; rank < 3; ++rank)
        try {
            read.verify(rank, 3);
        } catch (const IoError&) {
            ++failed;
        }
    EXPECT_EQ(failed, 1);
}

TEST(CheckpointInParts, GoesWithItsParts)
{
    const test::TemporaryFolder folder;
    writeThree(folder.path());
    Checkpoint early = partOf(1);
    early.frame = 4; // of a run that ended before its index was written
    writeCheckpointPart(folder.path(), 1, early);
    early.frame = 20; // of frames to come
    writeCheckpointPart(folder.path(), 1, early);
    writeCheckpointPart(folder.path(), 5, partOf(2)); // of a run with more ranks
    const auto there = [&](int frame, int rank) {
        return std::filesystem::exists(checkpointPartPath(folder.path(), frame, rank));
    };
    // Of runs that were killed while they wrote.
    const std::string dead[] = {".frame.0004.rank1.71-3.part.part",
                                ".frame.0012.71-4.part.checkpoint"};
    const std::string others[] = {".frame.0013.rank0.72-1.part.part", ".frame.x.part",
                                  ".framework"};
    for (const std::string& name : dead)
        writeFileAtomically(folder / name, "");
    for (const std::string& name : others)
        writeFileAtomically(folder / name, "");
    removeOtherParts(folder.path(), 12, 3);
    for (const std::string& name : dead)
        EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
    for (const std::string& name : others)
        EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
    EXPECT_FALSE(there(4, 1));
    EXPECT_FALSE(there(12, 5));
    EXPECT_TRUE(there(12, 2));
    EXPECT_TRUE(there(20, 1));
    readAll(folder.path(), 12);
    removeOtherParts(folder.path(), 13, 3);
    readAll(folder.path(), 12);
    removeCheckpoint(folder.path(), 12);
    EXPECT_TRUE(checkpointFrames(folder.path()).empty());
    for (const int rank : {0, 1, 2})
        EXPECT_FALSE(there(12, rank));
    EXPECT_TRUE(there(20, 1));
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
