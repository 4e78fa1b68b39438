// Meshes, volumes and images hold what they were given, or say why not.
#include "floe/base/error.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/volume.hpp"
#include "grids.hpp"

#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nanovdb/NanoVDB.h>

namespace floe {

using testing::HasSubstr;

namespace {

std::string refusal(std::span<const std::byte> grid)
{
    try {
        make<VolumeValue>(grid);
    } catch (const InputError& error) {
        return error.what();
    }
    return "nothing was refused";
}

} // namespace

TEST(Meshes, KnowTheirBounds)
{
    const float points[] = {-1, 0, 2, 3, -4, 0, 0, 5, 1};
    const std::uint32_t triangles[] = {0, 1, 2};
    const auto mesh = make<MeshValue>(points, triangles);
    EXPECT_THAT(mesh->bounds(), testing::ElementsAre(-1, -4, 0, 3, 5, 2));
    EXPECT_EQ(mesh->triangleCount(), 1u);
    EXPECT_TRUE(mesh->velocities().empty());
    const auto empty = make<MeshValue>(std::span<const float>(), std::span<const std::uint32_t>());
    EXPECT_EQ(empty->pointCount(), 0u);
}

TEST(Meshes, RefuseWhatDoesNotFitTogether)
{
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::uint32_t good[] = {0, 1, 2};
    const std::uint32_t bad[] = {0, 1, 3};
    EXPECT_THROW(make<MeshValue>(points, bad), InputError);
    EXPECT_THROW(make<MeshValue>(std::span(points, 8), good), InputError);
    EXPECT_THROW(make<MeshValue>(points, std::span(good, 2)), InputError);
    EXPECT_THROW(make<MeshValue>(points, good, std::span(points, 3)), InputError);
    const float lost[] = {0, 0, INFINITY, 1, 0, 0, 0, 1, 0};
    EXPECT_THROW(make<MeshValue>(lost, good), InputError);
}

TEST(Images, RefuseSizesThatDoNotFit)
{
    const float pixels[12] = {};
    EXPECT_EQ(make<ImageValue>(2u, 2u, 3u, pixels)->channels(), 3u);
    EXPECT_THROW(make<ImageValue>(2u, 2u, 4u, pixels), InputError);
    EXPECT_THROW(make<ImageValue>(0u, 2u, 3u, std::span<const float>()), InputError);
    EXPECT_THROW(make<ImageValue>(70000u, 1u, 3u, pixels), InputError);
    EXPECT_THROW(make<ImageValue>(12u, 1u, 0u, pixels), InputError);
}

// A sphere of radius 1 m in voxels of 0.1 m with a band of 3 voxels on both sides: active voxels
// reach 1.3 m from the centre, give or take one voxel.
TEST(Volumes, TellWhatTheGridIs)
{
    const auto volume = make<VolumeValue>(test::sphereGrid(1.0, 0.1));
    const VolumeInfo& info = volume->info();
    EXPECT_TRUE(info.isLevelSet);
    EXPECT_FALSE(info.isVector);
    EXPECT_DOUBLE_EQ(info.voxelSize, 0.1);
    EXPECT_EQ(info.name, "sphere_ls");
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(info.worldBounds[axis], -1.3, 0.11);
        EXPECT_NEAR(info.worldBounds[axis + 3], 1.3, 0.11);
    }
    // The band's volume is 4/3 pi (1.3^3 - 0.7^3) m^3 of voxels of 0.001 m^3; the boundary layer is
    // about one voxel on 2 * 4 pi r^2, a tenth of it.
    EXPECT_NEAR(static_cast<double>(info.activeVoxels), 7765, 776);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(volume->grid()) % 32, 0u);
    const auto* grid = static_cast<const nanovdb::NanoGrid<float>*>(volume->grid());
    EXPECT_NEAR(grid->tree().getValue(nanovdb::Coord(10, 0, 0)), 0, 1e-5); // on the surface
}

TEST(Volumes, TakeAGridFromAnyAddress)
{
    const auto grid = test::sphereGrid(0.5, 0.1);
    std::vector<std::byte> shifted(grid.size() + 1);
    std::memcpy(shifted.data() + 1, grid.data(), grid.size());
    EXPECT_GT(make<VolumeValue>(std::span(shifted).subspan(1))->info().activeVoxels, 0u);
}

TEST(Volumes, SayWhatIsWrongWithAGrid)
{
    const auto good = test::sphereGrid(0.5, 0.1);
    EXPECT_THAT(refusal({}), HasSubstr("cut off"));
    EXPECT_THAT(refusal(std::span(good).first(100)), HasSubstr("cut off"));
    EXPECT_THAT(refusal(std::span(good).first(good.size() - 32)), HasSubstr("bytes long but has"));

    const auto broken = [&](std::size_t place, auto value) {
        auto grid = good;
        std::memcpy(grid.data() + place, &value, sizeof value);
        return refusal(grid);
    };
    // Places in nanovdb::GridData and TreeData, as documented in NanoVDB.h.
    EXPECT_THAT(broken(0, 'X'), HasSubstr("does not begin as one"));
    EXPECT_THAT(broken(16, std::uint32_t{31u << 21}), HasSubstr("version 31"));
    EXPECT_THAT(broken(296 + 4 * 22, std::nan("")), HasSubstr("transform is not finite"));
    EXPECT_THAT(broken(608, -1.0), HasSubstr("voxel size"));
    EXPECT_THAT(broken(636, std::uint32_t{5}), HasSubstr("neither float nor Vec3f"));
    EXPECT_THAT(broken(672 + 24, std::uint64_t{1} << 40), HasSubstr("outside"));
    EXPECT_THAT(broken(672 + 24, std::uint64_t{71}), HasSubstr("not aligned"));
    EXPECT_THAT(broken(672 + 32, ~std::uint32_t{0}), HasSubstr("more nodes than fit"));
}

} // namespace floe
