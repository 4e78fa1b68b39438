#include "floe/sdk/parallel/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <thread>

namespace floe::sdk::parallel {

namespace {

/// The C library's memory, counted.
class CountedMemory final : public MemorySource {
public:
    std::size_t asked = 0; ///< bytes of the last allocation
    int alive = 0;         ///< allocations

    void* allocate(std::size_t bytes) override
    {
        asked = bytes;
        ++alive;
        return plainMemory().allocate(bytes);
    }
    void release(void* memory) noexcept override
    {
        --alive;
        plainMemory().release(memory);
    }
};

} // namespace

TEST(FloatPool, GivesAlignedPiecesThatDoNotOverlapAndUsesThemAgain)
{
    CountedMemory memory;
    {
        FloatPool pool(48, memory);
        std::set<float*> pieces;
        for (int i = 0; i < 1000; ++i) {
            float* piece = pool.take();
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0u);
            const auto after = pieces.lower_bound(piece);
            EXPECT_TRUE(after == pieces.end() || *after - piece >= 48);
            EXPECT_TRUE(after == pieces.begin() || piece - *std::prev(after) >= 48);
            pieces.insert(piece);
        }
        const std::size_t bytes = pool.bytes();
        for (float* piece : pieces)
            pool.give(piece);
        for (int i = 0; i < 1000; ++i)
            EXPECT_EQ(pieces.count(pool.take()), 1u);
        EXPECT_EQ(pool.bytes(), bytes);
    }
    EXPECT_EQ(memory.alive, 0);
}

TEST(FloatPool, PiecesCrossThreads)
{
    FloatPool pool(16, plainMemory());
    const auto turnOver = [&] {
        for (int i = 0; i < 2000; ++i) {
            float* piece = pool.take();
            *piece = static_cast<float>(i);
            pool.give(piece);
        }
    };
    std::thread other(turnOver);
    turnOver();
    other.join();
    EXPECT_EQ(pool.bytes(), std::size_t{2} << 20); // one chunk was enough for both
}

TEST(Pooled, ObjectsAreZeroedWhoeverHadTheirPieceBefore)
{
    struct Sample {
        alignas(64) float value[20];
    };
    FloatPool pool(kFloatsOf<Sample>, plainMemory());
    EXPECT_EQ(kFloatsOf<Sample>, 32u);
    Pooled<Sample> first = makePooled<Sample>(pool);
    std::fill_n(first->value, 20, 3.0f);
    first.reset();
    const Pooled<Sample> second = makePooled<Sample>(pool);
    for (const float value : second->value)
        EXPECT_EQ(value, 0);
}

TEST(FloatBuffer, KeepsWhatItIsToldAndGrowsAheadUpToTheMaximum)
{
    CountedMemory memory;
    FloatBuffer buffer(memory);
    buffer.reserve(1600, 0);
    EXPECT_EQ(memory.asked, 1600 * sizeof(float)); // exact at first
    for (int i = 0; i < 1600; ++i)
        buffer.data()[i] = static_cast<float>(i);
    buffer.reserve(1616, 1600, 2000);
    EXPECT_EQ(memory.asked, 2000 * sizeof(float)); // half as much again is more than will be asked
    for (int i = 0; i < 1600; ++i)
        ASSERT_EQ(buffer.data()[i], static_cast<float>(i));
    buffer.reserve(4000, 1600, 2000); // what is needed comes first
    EXPECT_EQ(memory.asked, 4000 * sizeof(float));
    EXPECT_EQ(buffer.bytes(), 4000 * sizeof(float));
    EXPECT_EQ(memory.alive, 1);
}

TEST(AllocateFloats, RefusesWhatNoMachineHas)
{
    EXPECT_THROW(allocateFloats(~std::size_t{0}, plainMemory()), std::bad_alloc);
}

} // namespace floe::sdk::parallel
