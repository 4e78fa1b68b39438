// Damaged files of values: an IoError each time, never a crash, never much memory.
#include "floe/base/error.hpp"
#include "floe/compute/memory.hpp"
#include "floe/data/value_stream.hpp"
#include "fuzz.hpp"
#include "values.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace floe {

namespace {

ValueRef read(const std::string& bytes)
{
    ++test::fuzzInputs.count;
    return readValue(std::as_bytes(std::span(bytes)));
}

/// Like oneOfEach without the grid, so that most bytes are structure.
std::string smallBytes()
{
    const auto all = test::oneOfEach();
    const auto record = make<RecordValue>("small");
    for (const Field& field : all->fields().list())
        if (field.name != "volume")
            record->setField(field.name, field.value);
    return writeValue(*record);
}

} // namespace

TEST(DamagedValues, CutOffAnywhere)
{
    const std::string bytes = smallBytes();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_THROW(read(bytes.substr(0, length)), IoError) << length;
        std::istringstream stream(bytes.substr(0, length));
        EXPECT_THROW(readValue(stream), IoError) << length;
    }
}

// Every single bit is covered by the checksum.
TEST(DamagedValues, AnyBitFlipped)
{
    const std::string bytes = smallBytes();
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
        EXPECT_THROW(read(damaged), IoError) << "bit " << bit;
    }
}

TEST(DamagedValues, ManyBytesAtRandom)
{
    const std::string bytes = smallBytes();
    std::mt19937 random(test::fuzzSeed(1));
    std::uniform_int_distribution<int> anyByte(0, 255);
    for (int round = 0; round < 20000; ++round) {
        std::string damaged = bytes;
        for (int k = anyByte(random) % 8; k >= 0; --k)
            damaged[random() % damaged.size()] = static_cast<char>(anyByte(random));
        if (damaged == bytes)
            continue;
        EXPECT_THROW(read(damaged), IoError);
    }
}

// Sizes at any place replaced by huge ones: refused before memory is taken for them.
TEST(DamagedValues, SizeBombs)
{
    const std::string bytes = smallBytes();
    const std::uint64_t peakBefore = compute::peakHostBytes();
    for (const std::uint64_t bomb : {~0ull, 1ull << 62, 1ull << 40, 1ull << 31})
        for (std::size_t place = 12; place + 8 <= bytes.size(); ++place) {
            std::string damaged = bytes;
            std::memcpy(damaged.data() + place, &bomb, sizeof bomb);
            if (damaged == bytes)
                continue; // the ids are all ones already
            EXPECT_THROW(read(damaged), IoError) << place;
        }
    EXPECT_LT(compute::peakHostBytes(), peakBefore + (1u << 20));
}

TEST(DamagedValues, LeaveNothingBehind)
{
    const std::uint64_t values = Value::liveCount();
    const std::uint64_t memory = compute::hostBytes();
    const std::string bytes = smallBytes();
    for (std::size_t length = 0; length < bytes.size(); length += 3)
        EXPECT_THROW(read(bytes.substr(0, length)), IoError);
    EXPECT_EQ(Value::liveCount(), values);
    EXPECT_EQ(compute::hostBytes(), memory);
}

} // namespace floe
