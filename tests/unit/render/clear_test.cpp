#include "procedural.hpp"
#include "shared_renderer.hpp"

#include <cmath>
#include <tuple>

using namespace floe::render;

namespace {

constexpr float kSpacing = 0.04f;

/// Spheres of the volume that each stands for, so that they fill it once.
const float kRadius = kSpacing * std::cbrt(3 / (4 * 3.14159265f));

class ClearMatter : public Rendering {
protected:
    static std::vector<Float3> slab(float thickness)
    {
        return procedural::fill({{-0.8f, -0.8f, -0.5f * thickness}, {0.8f, 0.8f, 0.5f * thickness}},
                                kSpacing, [](const Float3&) { return true; });
    }

    static ParticleSet matter(const std::vector<Float3>& positions, float opacity)
    {
        ParticleSet set;
        set.positions = positions;
        set.radius = kRadius;
        set.look = plainLook({0.3f, 0.55f, 0.8f});
        set.look.opacity = opacity;
        set.look.colourDepth = 0.5f;
        return set;
    }

    /// A wall of light: what is seen is what gets through.
    static Scene brightScene()
    {
        Scene scene = plainScene();
        scene.background = {.top = {1, 1, 1}, .horizon = {1, 1, 1}};
        return scene;
    }

    static Float3 middle(const Image& image)
    {
        Float3 sum{};
        for (int y = 28; y < 36; ++y)
            for (int x = 44; x < 52; ++x)
                for (std::size_t c = 0; c < 3; ++c)
                    sum[c] += linearAt(image, x, y)[c] / 64;
        return sum;
    }
};

// Beer and Lambert: through twice the way, the square of each colour's share.
TEST_F(ClearMatter, AbsorbsByTheWayThroughIt)
{
    for (const float thickness : {0.25f, 0.5f, 1.0f}) {
        Scene scene = brightScene();
        const std::vector<Float3> points = slab(thickness);
        scene.particles = {matter(points, 0)};
        const Float3 seen = middle(renderer().render(scene));
        for (std::size_t c = 0; c < 3; ++c) {
            const float through = std::pow(scene.particles[0].look.colour[c], thickness / 0.5f);
            // Four hundredths are mirrored of a horizon 1.8 times as bright as what is behind.
            // Jittered spheres leave some percent of a column's length to chance.
            EXPECT_NEAR(seen[c], 0.96f * through + 0.04f * 1.8f, 0.07f * through + 0.01f)
                << thickness << " m, channel " << c;
        }
    }
}

// Gaussians before clear matter hide it; those behind are seen through it as anything else is.
TEST_F(ClearMatter, IsBehindAndBeforeGaussians)
{
    // Three discs at one place, all but opaque and turned to the eye, green.
    const std::vector<Float3> scales(3, {0.4f, 0.4f, 0.02f});
    const std::vector<std::array<float, 4>> rotations(3, {0, 0, 0, 1});
    const std::vector<float> opacities(3, 0.97f);
    std::vector<float> harmonics;
    for (int i = 0; i < 3; ++i)
        for (const float colour : {0.3f, 0.7f, 0.4f})
            harmonics.push_back((colour - 0.5f) / 0.28209479f);
    const std::vector<Float3> water = slab(0.5f);
    const auto seen = [&](float z, bool withWater, ToneMap toneMap, const Float3& colour) {
        const std::vector<Float3> positions(3, {0, 0, z});
        Scene scene = brightScene();
        scene.effects.toneMap = toneMap;
        GaussianSet set;
        set.positions = positions;
        set.scales = scales;
        set.rotations = rotations;
        set.opacities = opacities;
        set.harmonics = harmonics;
        scene.gaussians = {set};
        if (withWater) {
            scene.particles = {matter(water, 0)};
            scene.particles[0].look.colour = colour;
        }
        const Image image = renderer().render(scene);
        if (toneMap == ToneMap::None)
            return middle(image);
        const std::size_t at = 4 * (32 * 96 + 48);
        return Float3{image.display[at] / 255.0f, image.display[at + 1] / 255.0f,
                      image.display[at + 2] / 255.0f};
    };
    const Float3 blue = {0.3f, 0.55f, 0.8f};
    const Float3 before = seen(0.7f, true, ToneMap::None, blue),
                 beforeAlone = seen(0.7f, false, ToneMap::None, blue),
                 behind = seen(-0.7f, true, ToneMap::None, blue),
                 behindAlone = seen(-0.7f, false, ToneMap::None, blue);
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(before[c], beforeAlone[c], 1e-3) << c;
        // By Beer and Lambert, as the wall of light is in the test above.
        const float through = blue[c] * behindAlone[c];
        EXPECT_NEAR(behind[c], 0.96f * through + 0.04f * 1.8f, 0.07f * through + 0.015f) << c;
    }
    // Shown colours survive the way into light and back: of clear water, only what it mirrors is
    // added, 0.04 of a light of 1.8 (and the film shows a little less of it).
    const Float3 clear = {0.99f, 0.99f, 0.99f};
    const Float3 filmed = seen(-0.7f, true, ToneMap::Filmic, clear),
                 filmedAlone = seen(-0.7f, false, ToneMap::Filmic, clear);
    for (std::size_t c = 0; c < 3; ++c) {
        const double added = std::pow(filmed[c], 2.2) - std::pow(filmedAlone[c], 2.2);
        EXPECT_NEAR(added, 0.5 * 0.04 * 1.8, 0.5 * 0.04 * 1.8) << c;
    }
}

TEST_F(ClearMatter, ShowsWhatIsWithinUnlessItIsOpaque)
{
    const std::vector<Float3> water = slab(0.6f), inside = {{0, 0, 0}};
    ParticleSet object;
    object.positions = inside;
    object.radius = 0.2f;
    object.look = plainLook({0.9f, 0.05f, 0.05f});
    const auto difference = [&](float opacity) {
        Scene scene = brightScene();
        scene.particles = {matter(water, opacity)};
        const Image without = renderer().render(scene);
        scene.particles.push_back(object);
        const Image with = renderer().render(scene);
        float most = 0;
        for (std::size_t i = 0; i < with.linear.size(); ++i)
            most = std::max(most, std::abs(with.linear[i] - without.linear[i]));
        return most;
    };
    EXPECT_GT(difference(0), 0.2f);
    EXPECT_GT(difference(0.1f), 0.15f);
    EXPECT_EQ(difference(1), 0);
    // Milky matter hides more than clear matter.
    EXPECT_LT(difference(0.9f), 0.5f * difference(0));
}

// Within one set, as a solver gives it: the palette says which particles are clear.
TEST_F(ClearMatter, IsToldApartWithinASet)
{
    std::vector<Float3> points = slab(0.6f);
    std::vector<std::uint8_t> indices(points.size(), 0);
    for (const Float3& p : procedural::fill({{-0.2f, -0.2f, -0.05f}, {0.2f, 0.2f, 0.05f}}, kSpacing,
                                            [](const Float3&) { return true; })) {
        points.push_back(p);
        indices.push_back(1);
    }
    Scene scene = brightScene();
    scene.particles = {matter(points, 0)};
    ParticleSet& set = scene.particles[0];
    set.colourBy = ColourBy::Index;
    set.indices = indices;
    set.palette = {set.look, plainLook({0.9f, 0.05f, 0.05f})};
    const Float3 seen = middle(renderer().render(scene));
    EXPECT_LT(seen[2], 0.15f); // the wall of light is hidden, red shows through 25 cm of blue
    EXPECT_GT(seen[0], 2 * seen[2]);
    scene.effects.clear = false;
    const Float3 hidden = middle(renderer().render(scene));
    EXPECT_NEAR(hidden[0], 0.3f, 0.03f); // the slab's own colour
    EXPECT_NEAR(hidden[2], 0.8f, 0.03f);
}

TEST_F(ClearMatter, OpaqueOnRequestIsAsIfItWereOpaque)
{
    const std::vector<Float3> water = slab(0.3f);
    Scene scene = brightScene();
    scene.effects.clear = false;
    scene.particles = {matter(water, 0)};
    const Image quick = renderer().render(scene);
    scene.effects.clear = true;
    scene.particles = {matter(water, 1)};
    EXPECT_EQ(quick.linear, renderer().render(scene).linear);
}

// Foam and spray: what lies before the surface is drawn over it.
TEST_F(ClearMatter, IsHiddenByWhatLiesBefore)
{
    const std::vector<Float3> water = slab(0.3f), before = {{0, 0, 0.6f}};
    ParticleSet foam;
    foam.positions = before;
    foam.radius = 0.3f;
    foam.look = plainLook({0.9f, 0.9f, 0.9f});
    Scene scene = brightScene();
    scene.particles = {foam};
    const Float3 alone = middle(renderer().render(scene));
    scene.particles = {matter(water, 0.1f), foam};
    EXPECT_EQ(middle(renderer().render(scene)), alone);
}

// The sun's light comes through, tinted.
TEST_F(ClearMatter, ThrowsColouredShadows)
{
    Scene scene = plainScene();
    scene.camera = {.eye = {0, 1.5f, 5}, .target = {0, 0, 0}, .verticalFov = 40};
    scene.sky.intensity = 0;
    scene.sun = {.direction = {0, -1, -0.35f}, .colour = {1, 1, 1}, .intensity = 1};
    scene.ground = {.visible = true, .height = 0, .colour = {1, 1, 1}, .lineColour = {1, 1, 1}};
    const std::vector<Float3> roof = procedural::fill({{-1.5f, 1.8f, 0}, {1.5f, 2.1f, 2.5f}},
                                                      kSpacing, [](const Float3&) { return true; });
    const auto onTheGround = [&](float opacity) {
        scene.particles = {matter(roof, opacity)};
        return middle(renderer().render(scene));
    };
    const Float3 clear = onTheGround(0), opaque = onTheGround(1);
    scene.particles.clear();
    const Float3 bare = middle(renderer().render(scene));
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_LT(opaque[c], 0.2f * bare[c]); // a little falls between the balls
        EXPECT_GT(clear[c], 2 * opaque[c]);
        EXPECT_LT(clear[c], 0.97f * bare[c]);
    }
    EXPECT_GT(clear[2] / bare[2], 1.2f * clear[0] / bare[0]);
}

// A surface of balls reflects like water: neighbouring pixels do not tell the balls apart.
TEST_F(ClearMatter, HasASmoothSurface)
{
    Scene scene = plainScene(192, 128);
    scene.points = {{.position = {1.5f, 1.5f, 2}, .intensity = 4}};
    scene.sun = {.direction = {-0.4f, -0.5f, -1}, .intensity = 1, .shadow = false};
    const std::vector<Float3> water = slab(0.3f);
    const auto roughness = [&](float opacity) {
        scene.particles = {matter(water, opacity)};
        const Image image = renderer().render(scene);
        double sum = 0;
        for (int y = 44; y < 84; ++y)
            for (int x = 66; x < 126; ++x)
                sum += std::abs(linearAt(image, x, y)[1] - linearAt(image, x + 1, y)[1]);
        return sum / linearAt(image, 96, 64)[1];
    };
    EXPECT_LT(roughness(0.95f), 0.3 * roughness(1));
}

TEST_F(ClearMatter, IsDrawnTheSameEachTime)
{
    const std::vector<Float3> water = slab(0.3f);
    Scene scene = brightScene();
    scene.ground.visible = true;
    scene.ground.height = -1;
    scene.sun.intensity = 1;
    scene.samples = 4;
    scene.particles = {matter(water, 0.2f)};
    const Image first = renderer().render(scene);
    for (const int width : {33, 96}) { // images are made anew
        scene.width = width;
        renderer().render(scene);
    }
    EXPECT_EQ(renderer().render(scene).linear, first.linear);
}

TEST_F(ClearMatter, AnySizeAndPlaceIsFine)
{
    std::vector<Float3> points = slab(0.05f);
    points.push_back({0, 0, 3.999f}); // around the eye
    points.push_back({0, 0, 40});     // behind it
    points.push_back({NAN, 0, 0});
    for (const auto& [width, height, samples] :
         {std::tuple(1, 1, 1), std::tuple(51, 3, 9), std::tuple(33, 31, 4)}) {
        Scene scene = brightScene();
        scene.width = width;
        scene.height = height;
        scene.samples = samples;
        scene.particles = {matter(points, 0.2f)};
        const Image image = renderer().render(scene);
        for (const float value : image.linear)
            ASSERT_TRUE(std::isfinite(value));
    }
}

} // namespace
