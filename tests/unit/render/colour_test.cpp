#include "floe/render/colour_map.hpp"

#include <cmath>
#include <gtest/gtest.h>

using namespace floe::render;

namespace {

struct Known {
    ColourMap map;
    float t;
    Float3 srgb;
};

// Ends and middles of the published tables (matplotlib, Mikhailov 2019, Moreland 2009).
// Tolerance: the degree-six fits stay within 0.05 of the tables, the published fit of turbo
// within 0.09.
TEST(ColourMap, MatchesPublishedTables)
{
    const Known known[] = {
        {ColourMap::Viridis, 0.0f, {0.267f, 0.005f, 0.329f}},
        {ColourMap::Viridis, 0.5f, {0.128f, 0.567f, 0.551f}},
        {ColourMap::Viridis, 1.0f, {0.993f, 0.906f, 0.144f}},
        {ColourMap::Plasma, 0.0f, {0.050f, 0.030f, 0.528f}},
        {ColourMap::Plasma, 0.5f, {0.798f, 0.280f, 0.470f}},
        {ColourMap::Plasma, 1.0f, {0.940f, 0.975f, 0.131f}},
        {ColourMap::Inferno, 0.0f, {0.001f, 0.000f, 0.014f}},
        {ColourMap::Inferno, 0.5f, {0.736f, 0.216f, 0.330f}},
        {ColourMap::Inferno, 1.0f, {0.988f, 0.998f, 0.645f}},
        {ColourMap::Turbo, 0.25f, {0.158f, 0.736f, 0.923f}},
        {ColourMap::Turbo, 0.5f, {0.644f, 0.990f, 0.234f}},
        {ColourMap::CoolWarm, 0.0f, {0.230f, 0.299f, 0.754f}},
        {ColourMap::CoolWarm, 0.5f, {0.865f, 0.865f, 0.865f}},
        {ColourMap::CoolWarm, 1.0f, {0.706f, 0.016f, 0.150f}},
        {ColourMap::Grey, 0.25f, {0.25f, 0.25f, 0.25f}},
    };
    for (const Known& k : known) {
        const Float3 c = colourOf(k.map, k.t);
        for (int i = 0; i < 3; ++i)
            EXPECT_NEAR(linearToSrgb(c[i]), k.srgb[i], k.map == ColourMap::Turbo ? 0.09f : 0.05f)
                << colourMapNames()[static_cast<std::size_t>(k.map)] << " at " << k.t;
    }
}

// Maps made to be read by brightness must never get darker on the way up.
TEST(ColourMap, SequentialMapsGrowBrighter)
{
    for (const ColourMap map : {ColourMap::Viridis, ColourMap::Plasma, ColourMap::Inferno,
                                ColourMap::Grey, ColourMap::Ice}) {
        float last = -1;
        for (int i = 0; i <= 32; ++i) {
            const Float3 c = colourOf(map, static_cast<float>(i) / 32);
            const float y = 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
            EXPECT_GT(y, last - 0.004f) << colourMapNames()[static_cast<std::size_t>(map)];
            last = y;
        }
    }
}

TEST(ColourMap, ClampsAndTakesNaNAsLow)
{
    EXPECT_EQ(colourOf(ColourMap::Turbo, -5), colourOf(ColourMap::Turbo, 0));
    EXPECT_EQ(colourOf(ColourMap::Turbo, 7), colourOf(ColourMap::Turbo, 1));
    EXPECT_EQ(colourOf(ColourMap::Turbo, NAN), colourOf(ColourMap::Turbo, 0));
}

TEST(ColourMap, IsFoundByName)
{
    EXPECT_EQ(colourMapNamed("coolwarm"), ColourMap::CoolWarm);
    EXPECT_FALSE(colourMapNamed("rainbow"));
}

TEST(Srgb, EncodesAsTheStandardSays)
{
    EXPECT_NEAR(linearToSrgb(0.2140411f), 0.5f, 1e-5f); // middle of IEC 61966-2-1
    for (float x = 0; x <= 1; x += 0.01f)
        EXPECT_NEAR(srgbToLinear(linearToSrgb(x)), x, 1e-5f); // rounding of float pow
}

} // namespace
