#include "floe/view/preview.hpp"

#include "floe/data/particles.hpp"
#include "floe/view/gaussians.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace floe::view {
namespace {

constexpr std::uint64_t kCount = 4 * kPreviewParticles;

// A fourth of them, twice as wide: what they cover stays the same. Colours are those of degree 0.
TEST(Preview, OfGaussiansCoversAsMuch)
{
    const auto set = make<ParticlesValue>(kCount);
    const auto x = set->add<float>("x", 3), scale = set->add<float>("scale", 3),
               rotation = set->add<float>("rotation", 4), opacity = set->add<float>("opacity", 1),
               sh = set->add<float>("sh", 12);
    std::ranges::fill(scale, 0.25f);
    std::ranges::fill(rotation, 0.5f);
    std::ranges::fill(opacity, 0.75f);
    for (std::uint64_t i = 0; i < kCount; ++i) {
        std::fill_n(&x[3 * i], 3, static_cast<float>(i));
        for (std::uint64_t k = 0; k < 12; ++k)
            sh[12 * i + k] = static_cast<float>(12 * i + k);
    }
    set->seal();
    const FrameValues all = {{"follows", {{"gaussians", set}}}};
    ASSERT_TRUE(worthPreview(all));
    const FrameValues preview = previewOf(all);
    const auto& few = expect<ParticlesValue>(preview.at("follows").at("gaussians"));
    ASSERT_TRUE(isGaussians(few));
    EXPECT_EQ(few.count(), kPreviewParticles);
    EXPECT_TRUE(few.fields().find(kThinning));
    EXPECT_FLOAT_EQ(few.get<float>("scale", 3)[5], 0.5f);
    EXPECT_FLOAT_EQ(few.get<float>("x", 3)[3 * 7], 28);
    EXPECT_FLOAT_EQ(few.get<float>("sh", 3)[3 * 7 + 2], 12 * 28 + 2);
    EXPECT_FLOAT_EQ(few.get<float>("opacity", 1)[7], 0.75f);
    EXPECT_FLOAT_EQ(few.get<float>("rotation", 4)[4 * 7 + 3], 0.5f);
}

} // namespace
} // namespace floe::view
