#include "temporary_folder.hpp"

#include "floe/base/error.hpp"
#include "floe/base/file.hpp"
#include "floe/io/volume.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numbers>
#include <random>

#include <nanovdb/util/GridBuilder.h>
#include <nanovdb/util/Primitives.h>

namespace floe::io {
namespace {

using testing::AllOf;
using testing::HasSubstr;

template <class Handle>
Ref<const VolumeValue> valueOf(const Handle& handle)
{
    const auto volume = make<VolumeValue>(
        std::span(reinterpret_cast<const std::byte*>(handle.data()), handle.size()));
    volume->seal();
    return volume;
}

Ref<const VolumeValue> sphere(double radius, double voxel)
{
    return valueOf(nanovdb::createLevelSetSphere<float>(
        static_cast<float>(radius), nanovdb::Vec3f(1, 2, 3), voxel, 3, nanovdb::Vec3d(0), "ball"));
}

/// Random vectors at random places, with a tile's worth of gaps between them.
Ref<const VolumeValue> noiseField()
{
    std::mt19937 random(3);
    std::uniform_int_distribution<int> place(-60, 60);
    std::normal_distribution<float> value;
    nanovdb::GridBuilder<nanovdb::Vec3f> builder(nanovdb::Vec3f(0));
    auto voxels = builder.getAccessor();
    for (int i = 0; i < 3000; ++i)
        voxels.setValue(nanovdb::Coord(place(random), place(random), place(random)),
                        nanovdb::Vec3f(value(random), value(random), value(random)));
    return valueOf(builder.getHandle<>(0.25, nanovdb::Vec3d(0.5, 0, 0), "wind"));
}

template <class Value>
const nanovdb::NanoGrid<Value>& gridOf(const Ref<const VolumeValue>& volume)
{
    return *static_cast<const nanovdb::NanoGrid<Value>*>(volume->grid());
}

template <class Value>
void expectEqualVoxels(const Ref<const VolumeValue>& a, const Ref<const VolumeValue>& b)
{
    ASSERT_EQ(a->info().activeVoxels, b->info().activeVoxels);
    ASSERT_EQ(a->info().indexBounds, b->info().indexBounds);
    const auto from = gridOf<Value>(a).getAccessor(), to = gridOf<Value>(b).getAccessor();
    const auto& box = a->info().indexBounds;
    for (int x = box[0]; x <= box[3]; ++x)
        for (int y = box[1]; y <= box[4]; ++y)
            for (int z = box[2]; z <= box[5]; ++z) {
                const nanovdb::Coord at(x, y, z);
                ASSERT_EQ(from.isActive(at), to.isActive(at));
                ASSERT_EQ(from.getValue(at), to.getValue(at));
            }
}

std::string failure(const std::filesystem::path& path, const std::string& grid = {})
{
    try {
        readVolume(path, grid);
    } catch (const IoError& error) {
        return error.what();
    }
    return "no error";
}

/// Volume inside a level set, with the voxels at its surface counted by the share that a plane at
/// their distance would cut off.
double enclosedVolume(const Ref<const VolumeValue>& volume)
{
    const auto& box = volume->info().indexBounds;
    const double voxel = volume->info().voxelSize;
    const auto values = gridOf<float>(volume).getAccessor();
    double cells = 0;
    for (int x = box[0]; x <= box[3]; ++x)
        for (int y = box[1]; y <= box[4]; ++y)
            for (int z = box[2]; z <= box[5]; ++z)
                cells += std::clamp(0.5 - values.getValue({x, y, z}) / voxel, 0.0, 1.0);
    return cells * voxel * voxel * voxel;
}

TEST(Volume, VdbAndNvdbKeepEveryVoxel)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"a.vdb", "b.nvdb"}) {
        writeVolume(folder / name, "", noiseField());
        const auto back = readVolume(folder / name);
        EXPECT_EQ(back->info().name, "wind");
        EXPECT_TRUE(back->info().isVector);
        EXPECT_NEAR(back->info().voxelSize, 0.25, 1e-12);
        EXPECT_EQ(back->info().worldBounds, noiseField()->info().worldBounds) << name;
        expectEqualVoxels<nanovdb::Vec3f>(noiseField(), back);
    }
}

// 4/3 pi r^3; voxels of a fiftieth of the radius leave the surface's error far below one percent.
TEST(Volume, ALevelSetReadBackEnclosesTheSpheresVolume)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"a.vdb", "b.nvdb"}) {
        writeVolume(folder / name, "surface", sphere(1.5, 0.03));
        const auto back = readVolume(folder / name, "surface");
        EXPECT_TRUE(back->info().isLevelSet);
        EXPECT_EQ(back->info().name, "surface");
        const double expected = 4.0 / 3 * std::numbers::pi * 1.5 * 1.5 * 1.5;
        EXPECT_NEAR(enclosedVolume(back), expected, 0.01 * expected);
    }
}

TEST(Volume, GridsAreChosenByName)
{
    const test::TemporaryFolder folder;
    const NamedVolume volumes[] = {{"v", noiseField()}, {"density", sphere(1, 0.1)}};
    for (const char* name : {"a.vdb", "b.nvdb"}) {
        writeVolumes(folder / name, volumes);
        EXPECT_TRUE(readVolume(folder / name, "v")->info().isVector);
        EXPECT_FALSE(readVolume(folder / name, "density")->info().isVector);
        EXPECT_THAT(failure(folder / name, "heat"),
                    AllOf(HasSubstr(name), HasSubstr("'heat'"), HasSubstr("'density' (float)"),
                          HasSubstr("'v' (vec3f)")));
    }
}

// A second opinion: OpenVDB's own tool must find the grid, its class and its size.
TEST(Volume, OpenVdbsToolUnderstandsOurFile)
{
    if (std::system("vdb_print -version > /dev/null 2>&1") != 0)
        GTEST_SKIP() << "vdb_print (package libopenvdb-tools) is not installed";
    const test::TemporaryFolder folder;
    writeVolume(folder / "ball.vdb", "ball", sphere(1, 0.1));
    const std::string command =
        "vdb_print -l -m " + (folder / "ball.vdb").string() + " > " + (folder / "out.txt").string();
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string text = readFile(folder / "out.txt");
    EXPECT_THAT(text, HasSubstr("Name: ball"));
    EXPECT_THAT(text, HasSubstr("level set"));
    EXPECT_THAT(text, HasSubstr(std::to_string(sphere(1, 0.1)->info().activeVoxels)));
}

TEST(Volume, BrokenFilesSayWhatIsWrong)
{
    const test::TemporaryFolder folder;
    writeVolume(folder / "a.vdb", "", sphere(1, 0.1));
    writeVolume(folder / "a.nvdb", "", sphere(1, 0.1));
    const std::string vdb = readFile(folder / "a.vdb"), nvdb = readFile(folder / "a.nvdb");
    EXPECT_THAT(failure(folder.file("cut.vdb", vdb.substr(0, vdb.size() / 2))),
                AllOf(HasSubstr("cut.vdb"), HasSubstr("cut off")));
    EXPECT_THAT(failure(folder.file("cut.nvdb", nvdb.substr(0, nvdb.size() / 2))),
                AllOf(HasSubstr("cut.nvdb"), HasSubstr("cut off")));
    EXPECT_THAT(failure(folder.file("text.vdb", "hello, this is no volume at all")),
                HasSubstr("text.vdb"));
    EXPECT_THAT(failure(folder.file("text.nvdb", "hello, this is no volume")),
                HasSubstr("not a NanoVDB file"));
    EXPECT_THAT(failure(folder / "missing.vdb"), HasSubstr("missing.vdb"));
    EXPECT_THAT(failure(folder.file("a.mesh", "")), HasSubstr("use .vdb or .nvdb"));
}

// The format has a checksum over grid, tree and nodes: one wrong bit anywhere in them is noticed.
TEST(Volume, AFlippedBitInANanoVdbGridIsNoticed)
{
    const test::TemporaryFolder folder;
    const auto volume = sphere(1, 0.2);
    writeVolume(folder / "a.nvdb", "", volume);
    const std::string good = readFile(folder / "a.nvdb");
    const std::size_t begin = good.size() - volume->gridBytes();
    std::mt19937 random(11);
    std::size_t accepted = 0;
    for (int i = 0; i < 200; ++i) {
        std::string bytes = good;
        bytes[begin + random() % volume->gridBytes()] ^= static_cast<char>(1 << random() % 8);
        if (failure(folder.file("flipped.nvdb", bytes)) == "no error")
            ++accepted;
    }
    EXPECT_EQ(accepted, 0u);
}

// OpenVDB tells files by random bytes; ours are the same for the same content.
TEST(Volume, TheSameVolumeGivesTheSameFile)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"a.vdb", "b.vdb", "a.nvdb", "b.nvdb"})
        writeVolume(folder / name, "v", sphere(1, 0.1));
    EXPECT_TRUE(readFile(folder / "a.vdb") == readFile(folder / "b.vdb"));
    EXPECT_TRUE(readFile(folder / "a.nvdb") == readFile(folder / "b.nvdb"));
    writeVolume(folder / "other.vdb", "v", sphere(1.1, 0.1));
    const auto identifier = [&](const char* name) {
        return readFile(folder / name).substr(21, 36);
    };
    EXPECT_NE(identifier("a.vdb"), identifier("other.vdb"));
    EXPECT_EQ(identifier("a.vdb")[14], '8'); // a UUID of version 8
}

} // namespace
} // namespace floe::io
