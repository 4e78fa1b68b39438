// What pictures in motion keep of a view's quality, by how long they took.
#include "floe/view/motion_detail.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace floe::view {
namespace {

constexpr double kFast = 5, kSlow = 200; // [ms]
constexpr std::uint64_t kParticles = 100'000;

TEST(MotionDetail, SurfacesBecomeCoarserBeforeThereAreSpheres)
{
    MotionDetail detail;
    std::vector<double> cells;
    for (int i = 0; i < 20 && detail.surfaces().any; ++i) {
        if (cells.empty() || cells.back() != detail.surfaces().cell)
            cells.push_back(detail.surfaces().cell);
        detail.madeSurfaces(kSlow, kParticles);
    }
    ASSERT_FALSE(detail.surfaces().any);
    ASSERT_GE(cells.size(), 3u);
    for (std::size_t i = 1; i < cells.size(); ++i)
        EXPECT_GT(cells[i], cells[i - 1]);
}

TEST(MotionDetail, SurfacesThatAreQuicklyMadeBecomeFiner)
{
    MotionDetail detail;
    for (int i = 0; i < 50; ++i)
        detail.madeSurfaces(kFast, kParticles);
    EXPECT_TRUE(detail.surfaces().any);
    EXPECT_EQ(detail.surfaces().cell, 0) << "those of a still view";
}

TEST(MotionDetail, SurfacesAreTriedAgainWithFarFewerParticlesOrAfterAWhile)
{
    const auto givenUp = [] {
        MotionDetail detail;
        while (detail.surfaces().any)
            detail.madeSurfaces(kSlow, kParticles);
        return detail;
    };
    MotionDetail detail = givenUp();
    detail.madeSpheres(kParticles);
    EXPECT_FALSE(detail.surfaces().any);
    detail.madeSpheres(kParticles / 4);
    EXPECT_TRUE(detail.surfaces().any);
    EXPECT_GT(detail.surfaces().cell, 0) << "the coarsest first";
    detail = givenUp();
    for (int i = 0; i < 1000 && !detail.surfaces().any; ++i)
        detail.madeSpheres(kParticles);
    EXPECT_TRUE(detail.surfaces().any);
}

TEST(MotionDetail, ClearMatterIsOpaqueOnlyWhenNothingElseIsLeft)
{
    MotionDetail detail;
    int reduction = -1;
    for (int i = 0; i < 20 && detail.clear(); ++i) {
        EXPECT_GE(detail.reduction(), reduction);
        reduction = detail.reduction();
        detail.drew(kSlow);
    }
    EXPECT_FALSE(detail.clear());
    EXPECT_EQ(detail.reduction(), reduction) << "as few pixels as there are with clear matter";
    EXPECT_GE(reduction, 3);
    EXPECT_FALSE(detail.shadows()) << "they go before";
    for (int i = 0; i < 100; ++i)
        detail.drew(kFast);
    EXPECT_EQ(detail.reduction(), 0);
    EXPECT_TRUE(detail.clear());
}

// A picture that takes neither long nor little changes nothing, so that motion does not flicker.
TEST(MotionDetail, StaysAsItIsInBetween)
{
    MotionDetail detail(2);
    for (int i = 0; i < 50; ++i) {
        detail.drew(60);
        detail.madeSurfaces(30, kParticles);
    }
    EXPECT_EQ(detail.reduction(), 2);
    EXPECT_EQ(detail.surfaces().cell, MotionDetail().surfaces().cell);
}

// A single slow picture waited for something, such as the driver that makes what it draws with.
TEST(MotionDetail, OneSlowPictureChangesNothing)
{
    MotionDetail detail(2);
    for (int i = 0; i < 10; ++i) {
        detail.drew(i % 2 == 0 ? 10 * kSlow : 60);
        detail.madeSurfaces(i % 2 == 0 ? 10 * kSlow : 30, kParticles);
    }
    EXPECT_EQ(detail.reduction(), 2);
    EXPECT_EQ(detail.surfaces().cell, MotionDetail().surfaces().cell);
}

} // namespace
} // namespace floe::view
