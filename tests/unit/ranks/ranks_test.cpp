// One rank alone, what launchers say, and the note of a lost rank. Several processes: tests/ranks.

#include "floe/ranks/ranks.hpp"
#include "heartbeat.hpp"
#include "temporary_folder.hpp"
#include "thread_ranks.hpp"

#include <floe/sdk/parallel/ranks.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

using floe::sdk::parallel::Ranks;
using floe::sdk::parallel::RanksFailure;
using floe::test::TemporaryFolder;
using floe::test::ThreadRanks;

class Environment {
public:
    Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Environment() { ::unsetenv(name_); }

private:
    const char* name_;
};

using Messages = std::vector<std::vector<std::byte>>;

std::vector<std::byte> bytes(std::initializer_list<int> values)
{
    std::vector<std::byte> result;
    for (const int value : values)
        result.push_back(static_cast<std::byte>(value));
    return result;
}

} // namespace

TEST(LoneRank, EveryFunctionWorksAndNothingTravels)
{
    const Ranks ranks(floe::ranks::join());
    EXPECT_FALSE(floe::ranks::several());
    EXPECT_EQ(ranks.rank(), 0);
    EXPECT_EQ(ranks.size(), 1);
    double numbers[] = {3, -2};
    ranks.reduce(FLOE_RANKS_SUM, std::span<double>(numbers));
    EXPECT_EQ(numbers[0], 3);
    EXPECT_EQ(numbers[1], -2);
    EXPECT_EQ(ranks.exchange({bytes({1, 2})}), Messages{bytes({1, 2})});
    EXPECT_EQ(ranks.gather(bytes({7})), Messages{bytes({7})});
    EXPECT_EQ(ranks.traffic().messages, 0u);
    EXPECT_TRUE(floe::ranks::agree(5));
    std::uint64_t size = 1;
    char all = 0;
    const floe_ranks& table = floe::ranks::join();
    EXPECT_EQ(table.gather(&table, nullptr, 0, "x", 1, &all, &size), FLOE_OK);
    EXPECT_EQ(all, 'x');
}

TEST(LoneRank, WrongCallsAreRefused)
{
    const Ranks ranks(floe::ranks::join());
    double number[] = {1};
    EXPECT_THROW(ranks.beginReduce(FLOE_RANKS_OR, std::span<double>(number)), RanksFailure);
    EXPECT_THROW(ranks.beginReduce(0, std::span<double>(number)), RanksFailure);
    const floe_ranks_part part = Ranks::part(1, number, sizeof number);
    EXPECT_THROW(ranks.beginExchange({&part, 1}, {}), RanksFailure);
}

TEST(Launchers, AreKnownByTheirEnvironment)
{
    EXPECT_FALSE(floe::ranks::launched());
    EXPECT_EQ(floe::ranks::launchedRank(), 0);
    {
        const Environment size("OMPI_COMM_WORLD_SIZE", "4"), rank("OMPI_COMM_WORLD_RANK", "3");
        EXPECT_TRUE(floe::ranks::launched());
        EXPECT_EQ(floe::ranks::launchedRank(), 3);
    }
    {
        const Environment size("PMI_SIZE", "2"), rank("PMI_RANK", "1");
        EXPECT_EQ(floe::ranks::launchedRank(), 1);
    }
    { // one process needs no others
        const Environment size("OMPI_COMM_WORLD_SIZE", "1"), rank("OMPI_COMM_WORLD_RANK", "0");
        EXPECT_FALSE(floe::ranks::launched());
    }
    for (const char* nonsense : {"", "x", "-2", "99999999999999999999"}) {
        const Environment size("OMPI_COMM_WORLD_SIZE", nonsense), rank("OMPI_COMM_WORLD_RANK", "0");
        EXPECT_FALSE(floe::ranks::launched()) << nonsense;
    }
}

TEST(LostRank, IsNotedOnceAndForThisRunOnly)
{
    const TemporaryFolder folder;
    floe::ranks::join();
    std::ofstream(floe::ranks::lossNote(folder.path())) << "of an older run";
    floe::ranks::watchFor(folder.path());
    EXPECT_FALSE(floe::ranks::loss());
    {
        const Environment size("OMPI_COMM_WORLD_SIZE", "4"), rank("OMPI_COMM_WORLD_RANK", "2");
        floe::ranks::noteLoss(folder.path(), "the process was killed");
        floe::ranks::noteLoss(folder.path(), "what followed from it");
    }
    ASSERT_TRUE(floe::ranks::loss());
    const std::string text = floe::ranks::loss()->sentence;
    EXPECT_FALSE(floe::ranks::loss()->silent);
    EXPECT_TRUE(text.starts_with("rank 2 on host ")) << text;
    EXPECT_TRUE(text.ends_with(" is lost: the process was killed")) << text;
    std::ofstream(floe::ranks::lossNote(folder.path())) << std::string(1 << 20, 'x');
    EXPECT_LE(floe::ranks::loss().value_or(floe::ranks::Loss{}).sentence.size(),
              2000u); // not what somebody else put there
}

// What remains of a killed run still notes its losses when the next one, with --resume, has begun.
TEST(LostRank, OfAnEarlierRunIsNotOfThisOne)
{
    const TemporaryFolder folder;
    floe::ranks::join();
    const Environment size("OMPI_COMM_WORLD_SIZE", "2"), rank("OMPI_COMM_WORLD_RANK", "1");
    const Environment now("PMIX_NAMESPACE", "1722351617");
    std::ofstream(folder / ".rank-0a1b2c3d-1") << "0000000000000009 rank 1 of a run long ago";
    floe::ranks::watchFor(folder.path());
    EXPECT_FALSE(std::filesystem::exists(folder / ".rank-0a1b2c3d-1"));
    {
        const Environment before("PMIX_NAMESPACE", "1722351616");
        floe::ranks::noteLoss(folder.path(), "its launcher was killed");
    }
    EXPECT_FALSE(floe::ranks::loss());
    const Environment again("PMIX_NAMESPACE", "1722351617");
    floe::ranks::noteLoss(folder.path(), "the process was killed");
    EXPECT_TRUE(floe::ranks::loss());
}

namespace {

/// Looks for a while as a rank that waits does. @return the sentence, or ""
std::string watch(floe::ranks::Heartbeat& heart, std::chrono::milliseconds duration)
{
    for (const auto end = std::chrono::steady_clock::now() + duration;
         std::chrono::steady_clock::now() < end;) {
        if (const auto silent = heart.silent())
            return *silent;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return {};
}

} // namespace

TEST(Heartbeat, OneThatKeepsStillIsNamedAndOneThatBeatsIsNot)
{
    using floe::ranks::Heartbeat;
    using std::chrono::milliseconds;
    const TemporaryFolder folder;
    // Four beats; half a second is far from it even where the machine is busy.
    constexpr milliseconds kPatience{2000};
    Heartbeat first(folder.path(), "a1", 0, 2, "rank 0 on host here", kPatience);
    EXPECT_EQ(watch(first, 2 * kPatience), ""); // it has never given a sign: nobody to judge
    {
        Heartbeat second(folder.path(), "a1", 1, 2, "rank 1 on host there", kPatience);
        EXPECT_EQ(watch(first, 2 * kPatience), "");
        EXPECT_EQ(watch(second, milliseconds(200)), "");
    }
    EXPECT_FALSE(std::filesystem::exists(folder / ".rank-a1-1")); // it has left
    std::ofstream(folder / ".rank-a1-1") << "0000000000000009 rank 1 on host there";
    EXPECT_EQ(watch(first, milliseconds(300)), "");
    std::this_thread::sleep_for(kPatience + milliseconds(300)); // this one was stopped itself
    EXPECT_EQ(watch(first, milliseconds(300)), "");
    EXPECT_TRUE(watch(first, 3 * kPatience).starts_with("rank 1 on host there does not answer"));

    Heartbeat patient(folder.path(), "a1", 0, 2, "rank 0 on host here", milliseconds(0));
    EXPECT_EQ(watch(patient, kPatience + milliseconds(300)), "");
}

TEST(Heartbeat, ItsPatienceIsTheUsers)
{
    using floe::ranks::Heartbeat;
    const auto usual = Heartbeat::chosenPatience();
    EXPECT_GE(usual, std::chrono::seconds(5));
    const Environment chosen("FLOE_RANK_PATIENCE", "1.5");
    EXPECT_EQ(Heartbeat::chosenPatience(), std::chrono::milliseconds(1500));
    for (const char* nonsense : {"", "-1", "soon", "1e300", "nan"}) {
        const Environment variable("FLOE_RANK_PATIENCE", nonsense);
        EXPECT_EQ(Heartbeat::chosenPatience(), usual) << nonsense;
    }
}

TEST(ThreadRanks, ExchangeReduceAndGather)
{
    ThreadRanks group(3);
    group.run([](const floe_ranks& table) {
        const Ranks ranks(table);
        const int own = ranks.rank();
        std::int64_t numbers[] = {own, -own, std::int64_t{1} << own};
        ranks.reduce(FLOE_RANKS_MAX, std::span<std::int64_t>(numbers, 2));
        ranks.reduce(FLOE_RANKS_OR, std::span<std::int64_t>(numbers + 2, 1));
        EXPECT_EQ(numbers[0], 2);
        EXPECT_EQ(numbers[1], 0);
        EXPECT_EQ(numbers[2], 7);
        // Rank r sends r bytes to the next one, and nothing to the others.
        std::vector<std::vector<std::byte>> toEach(3);
        toEach[static_cast<std::size_t>((own + 1) % 3)].resize(static_cast<std::size_t>(own),
                                                               std::byte{9});
        const auto fromEach = ranks.exchange(toEach);
        for (int peer = 0; peer < 3; ++peer)
            EXPECT_EQ(fromEach[static_cast<std::size_t>(peer)].size(),
                      (peer + 1) % 3 == own ? static_cast<std::size_t>(peer) : 0u);
        const auto all = ranks.gather(bytes({own}));
        if (own == 0)
            EXPECT_EQ(all, (Messages{bytes({0}), bytes({1}), bytes({2})}));
        else
            EXPECT_TRUE(all.empty());
    });
}
