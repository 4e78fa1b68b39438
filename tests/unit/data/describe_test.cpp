// One line about each kind of value.
#include "floe/data/describe.hpp"

#include "floe/data/curve.hpp"
#include "floe/data/image.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/particles.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/volume.hpp"
#include "grids.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace floe {

TEST(Describe, SaysWhatAPersonWouldAsk)
{
    const auto particles = make<ParticlesValue>(1204u);
    for (const char* name : {"x", "v", "material"})
        particles->add<float>(name, 1);
    EXPECT_EQ(describe(*particles), "1,204 particles: x v material");
    EXPECT_EQ(describe(*make<ParticlesValue>(1u)), "1 particle");
    EXPECT_EQ(describe(*make<NumberValue>(0.1)), "0.1");
    EXPECT_EQ(describe(*make<VectorValue>(std::array{1.0, 2.0, -0.5})), "(1, 2, -0.5)");
    EXPECT_EQ(describe(*make<StringValue>("snow")), "'snow'");
    EXPECT_EQ(describe(*make<BooleanValue>(true)), "true");
    const float points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const std::uint32_t triangle[] = {0, 1, 2};
    EXPECT_EQ(describe(*make<MeshValue>(points, triangle)), "mesh of 3 points, 1 triangle");
    const float pixels[6] = {};
    EXPECT_EQ(describe(*make<ImageValue>(2u, 1u, 3u, pixels)), "image of 2 x 1 pixels, 3 channels");
    const auto record = make<RecordValue>("material");
    record->setField("name", make<StringValue>("snow"));
    record->setField("density", make<NumberValue>(400.0));
    EXPECT_EQ(describe(*record), "record 'material': name, density");
    EXPECT_THAT(describe(*make<VolumeValue>(test::sphereGrid(0.5, 0.1))),
                testing::MatchesRegex("level set 'sphere_ls' of [0-9,]+ voxels, 0.1 m each"));
}

TEST(Describe, IsNeverLong)
{
    EXPECT_LT(describe(*make<StringValue>(std::string(100000, 'a'))).size(), 100u);
    const auto record = make<RecordValue>("r");
    for (int i = 0; i < 1000; ++i)
        record->setField("field" + std::to_string(i), make<BooleanValue>(true));
    EXPECT_LT(describe(*record).size(), 1000u);
    EXPECT_THAT(describe(*record), testing::EndsWith("and 988 more"));
    // Cut between characters of two bytes, not within one.
    std::string umlauts = "a";
    for (int i = 0; i < 100; ++i)
        umlauts += "\xc3\xa4";
    EXPECT_THAT(describe(*make<StringValue>(umlauts)), testing::EndsWith("\xc3\xa4...'"));
}

} // namespace floe
