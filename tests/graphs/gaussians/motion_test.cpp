// A small edition of tests/bench/gaussian_motion: which way of following a motion is how good.
#include "study.hpp"
#include "temporary_folder.hpp"

#include <gtest/gtest.h>

namespace floe::bench {
namespace {

// The order of Xie et al. 2024 (table of lattice deformations): each part of the method improves
// it.
TEST(GaussianMotion, EachPartOfTheMethodImprovesIt)
{
    const test::TemporaryFolder folder;
    StudySettings settings;
    settings.gaussians = 5000; // as close, in pictures of this size, as the benchmark's
    settings.truthGaussians = 30'000;
    settings.views = 3;
    settings.side = 180;
    const Model stool = proceduralModels(folder.path())[1];
    for (const Motion& motion : kMotions) {
        SCOPED_TRACE(motion.name);
        const Qualities found = study(stool, motion, settings, folder / motion.name);
        ASSERT_EQ(found.size(), 5u);
        const auto &fixed = found[0], &rigid = found[1], &harmonics = found[2], &full = found[3],
                   &limit = found[4];
        EXPECT_GT(rigid.psnr, fixed.psnr + 1);
        EXPECT_GT(full.psnr, harmonics.psnr + 1);
        EXPECT_GT(full.psnr, rigid.psnr + 0.1);
        EXPECT_GT(full.ssim, rigid.ssim);
        // All that is missing is what another scattering of the same surface misses too.
        EXPECT_NEAR(full.psnr, limit.psnr, 0.7);
    }
}

} // namespace
} // namespace floe::bench
