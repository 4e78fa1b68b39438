#include "floe/sdk/grid/bins.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace floe::sdk::grid {

namespace {

struct Point {
    physics::Vec3<float> x;
    int id;
};

/// What save() and load() ask of a writer and a reader.
struct Bytes {
    std::vector<unsigned char> bytes;
    std::size_t at = 0;

    template <class T>
    void value(const T& object)
    {
        const auto* from = reinterpret_cast<const unsigned char*>(&object);
        bytes.insert(bytes.end(), from, from + sizeof object);
    }
    template <class T>
    void array(const std::vector<T>& objects)
    {
        value(objects.size());
        for (const T& object : objects)
            value(object);
    }
    template <class T>
    T value()
    {
        T object;
        std::memcpy(static_cast<void*>(&object), bytes.data() + at, sizeof object);
        at += sizeof object;
        return object;
    }
    template <class T>
    std::vector<T> array()
    {
        std::vector<T> objects(value<std::size_t>());
        for (T& object : objects)
            object = value<T>();
        return objects;
    }
};

} // namespace

TEST(Bins, HoldEveryParticleInTheBlockItIsIn)
{
    Bins<Point> bins(0.25); // blocks of 1 m
    EXPECT_TRUE(bins.add({0.5, -0.5, 7.75}, {{}, 1}));
    EXPECT_TRUE(bins.add({0.75, -0.25, 7.5}, {{}, 2}));
    EXPECT_TRUE(bins.add({-3, 0, 0}, {{}, 3}));
    EXPECT_FALSE(bins.add({1e9, 0, 0}, {{}, 4}));
    EXPECT_FALSE(bins.add({NAN, 0, 0}, {{}, 5}));
    bins.rebin();
    EXPECT_EQ(bins.size(), 2u);
    EXPECT_EQ(bins.particles(), 3u);
    const auto* bin = bins.find({0, -1, 7});
    ASSERT_NE(bin, nullptr);
    ASSERT_EQ(bin->particles.size(), 2u);
    EXPECT_EQ(bin->particles[0].x.y, 0.5f);
    EXPECT_EQ(bins.placeOf(*bin, bin->particles[0]).y, -0.5);
    EXPECT_EQ(bins.find({0, 0, 7}), nullptr);
}

TEST(Bins, ParticlesThatMoveChangeBinsAndEmptyOnesGo)
{
    Bins<Point> bins(0.25);
    bins.add({0.5, 0.5, 0.5}, {{}, 1});
    bins.rebin();
    bins[0].particles[0].x.x += 2; // two blocks on
    bins.rebin();
    ASSERT_EQ(bins.size(), 1u);
    EXPECT_EQ(bins[0].block, (BlockCoordinate{2, 0, 0}));
    EXPECT_EQ(bins[0].particles[0].x.x, 0.5f);
    EXPECT_EQ(bins.find({0, 0, 0}), nullptr);
    bins[0].particles[0].x.x = 3e9f; // beyond all blocks
    bins.rebin();
    EXPECT_EQ(bins.particles(), 0u);
}

TEST(Bins, ComeBackAsTheyWereSaved)
{
    Bins<Point> bins(0.25);
    for (int i = 0; i < 200; ++i)
        bins.add({std::sin(i) * 5, std::cos(3 * i) * 5, i * 0.01}, {{}, i});
    bins.rebin();
    Bytes saved;
    bins.save(saved);
    const auto loaded = Bins<Point>::load(saved);
    EXPECT_EQ(saved.at, saved.bytes.size());
    Bytes again;
    loaded.save(again);
    EXPECT_EQ(again.bytes, saved.bytes);
    EXPECT_EQ(loaded.particles(), 200u);
}

} // namespace floe::sdk::grid
