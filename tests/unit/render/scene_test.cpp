#include "procedural.hpp"
#include "shared_renderer.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

using namespace floe;
using namespace floe::render;

namespace {

/// Pixel (x right, y down, not rounded) where a camera sees a point.
std::array<double, 2> pixelOf(const Scene& scene, const Float3& point)
{
    using D = std::array<double, 3>;
    const auto cross = [](const D& p, const D& q) {
        return D{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
    };
    const auto dot = [](const D& p, const D& q) {
        return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    };
    const auto unit = [&](D p) {
        const double n = std::sqrt(dot(p, p));
        return D{p[0] / n, p[1] / n, p[2] / n};
    };
    D view, p;
    for (int i = 0; i < 3; ++i) {
        view[i] = static_cast<double>(scene.camera.target[i]) - scene.camera.eye[i];
        p[i] = static_cast<double>(point[i]) - scene.camera.eye[i];
    }
    const D forward = unit(view), right = unit(cross(forward, {0, 1, 0}));
    const D up = cross(right, forward);
    const double scale = 0.5 * scene.height /
                         std::tan(scene.camera.verticalFov * 3.14159265358979 / 360) /
                         dot(p, forward);
    return {0.5 * scene.width + scale * dot(p, right), 0.5 * scene.height - scale * dot(p, up)};
}

float brightnessAt(const Image& image, const std::array<double, 2>& pixel)
{
    const Float3 c = linearAt(image, static_cast<int>(pixel[0]), static_cast<int>(pixel[1]));
    return (c[0] + c[1] + c[2]) / 3;
}

class Scenes : public Rendering {
protected:
    /// Ground seen from above, sunlit.
    static Scene groundScene()
    {
        Scene scene = plainScene(240, 160);
        scene.camera = {.eye = {0, 6, 6}, .target = {0, 0, 0}, .verticalFov = 45};
        scene.sun = {
            .direction = {1, -1, 0}, .colour = {1, 1, 1}, .intensity = 1, .angularDiameter = 0.5f};
        scene.sky.intensity = 0.2f;
        scene.ground = {.visible = true,
                        .height = 0,
                        .colour = {0.5f, 0.5f, 0.5f},
                        .lineColour = {0.5f, 0.5f, 0.5f},
                        .fade = 1e6f};
        return scene;
    }
};

// The sun stands 45 degrees high on the left, so a thing at height h throws its shadow h to the
// right.
TEST_F(Scenes, ShadowsFallWhereTheLightIsBlocked)
{
    const std::vector<Float3> particle = {{-0.5f, 1, 1.2f}};
    const procedural::Shape ball = procedural::sphere({-1.5f, 1.2f, -1.5f}, 0.3f);
    Scene scene = groundScene();
    scene.particles.resize(1);
    scene.particles[0].positions = particle;
    scene.particles[0].radius = 0.3f;
    scene.meshes = {procedural::meshOf(ball)};
    const Image image = renderer().render(scene);

    const float lit = brightnessAt(image, pixelOf(scene, {2, 0, 1}));
    const Float3 particleShadow = {0.5f, 0, 1.2f}, ballShadow = {-0.3f, 0, -1.5f};
    for (const Float3& middle : {particleShadow, ballShadow}) {
        EXPECT_LT(brightnessAt(image, pixelOf(scene, middle)), 0.5f * lit);
        // The shadow of a ball of 0.3 m on the plane: 0.3 m deep, 0.3 / sin 45 = 0.42 m wide.
        for (const auto& [x, z, dark] :
             std::vector<std::tuple<float, float, bool>>{{0, 0.2f, true},
                                                         {0, -0.2f, true},
                                                         {0.3f, 0, true},
                                                         {0, 0.45f, false},
                                                         {0, -0.45f, false},
                                                         {0.62f, 0, false},
                                                         {-0.62f, 0, false}}) {
            const auto pixel = pixelOf(scene, {middle[0] + x, 0, middle[2] + z});
            if (dark)
                EXPECT_LT(brightnessAt(image, pixel), 0.6f * lit) << x << ", " << z;
            else
                EXPECT_GT(brightnessAt(image, pixel), 0.9f * lit) << x << ", " << z;
        }
    }
    // A mark is seen and leaves the ground as it is; the others keep their shadows.
    scene.meshes[0].shadow = false;
    const Image marked = renderer().render(scene);
    EXPECT_GT(brightnessAt(marked, pixelOf(scene, ballShadow)), 0.9f * lit);
    EXPECT_LT(brightnessAt(marked, pixelOf(scene, particleShadow)), 0.5f * lit);
    const auto mark = pixelOf(scene, {-1.5f, 1.2f, -1.5f});
    EXPECT_NEAR(brightnessAt(marked, mark), brightnessAt(image, mark), 0.02f);
    scene.sun.shadow = false;
    EXPECT_GT(brightnessAt(renderer().render(scene), pixelOf(scene, particleShadow)), 0.9f * lit);
}

// One particle that flew a thousand kilometres away must not cost the others their shadow.
TEST_F(Scenes, ShadowsStaySharpWhenAParticleEscapes)
{
    const std::vector<Float3> particles = {{-0.5f, 1, 0}, {0, 1e6f, 0}, {1e6f, 5, 3}};
    Scene scene = groundScene();
    scene.particles.resize(1);
    scene.particles[0].positions = particles;
    scene.particles[0].radius = 0.3f;
    const Image image = renderer().render(scene);
    const float lit = brightnessAt(image, pixelOf(scene, {2, 0, 1}));
    EXPECT_LT(brightnessAt(image, pixelOf(scene, {0.5f, 0, 0})), 0.5f * lit);
    EXPECT_GT(brightnessAt(image, pixelOf(scene, {0.5f, 0, 0.6f})), 0.9f * lit);
}

TEST_F(Scenes, LitGroundReflectsAsLambertSays)
{
    const Scene scene = groundScene();
    const Image image = renderer().render(scene);
    // 0.5 of the sun at 45 degrees plus the sky, of which the ground's slight gloss reflects some.
    EXPECT_NEAR(brightnessAt(image, pixelOf(scene, {1, 0, 1})), 0.5 * (std::sqrt(0.5) + 0.2), 0.03);
}

// Seen and lit straight on, GGX's distribution is 1 / (pi a^2) and Smith's visibility 1/4: of the
// sun's irradiance, pi times the radiance of white, reflectance / (4 a^2) of that radiance is seen.
TEST_F(Scenes, HighlightsAreAsBrightAsTheirRoughnessSays)
{
    Scene scene = plainScene();
    scene.sky.intensity = 0;
    scene.sun = {.direction = {0, 0, -1}, .colour = {1, 1, 1}, .intensity = 0.5f};
    const auto wall = procedural::box({-2, -2, -0.2f}, {2, 2, 0});
    for (const float roughness : {0.6f, 0.8f}) { // these are kept in bytes exactly
        Mesh mesh = procedural::meshOf(wall);
        mesh.look = {.colour = {0, 0, 0}, .roughness = roughness, .specular = 0.2f};
        scene.meshes = {mesh};
        const float a = roughness * roughness;
        const float seen = linearAt(renderer().render(scene), 48, 32)[1];
        EXPECT_NEAR(seen / (0.5f * 0.2f / (4 * a * a)), 1, 0.01f) << roughness;
    }
}

// What a metal ball mirrors is the same on both sides of the line where sunlight ends.
TEST_F(Scenes, MirroredSkyGoesOnWhereSunlightEnds)
{
    Scene scene = plainScene();
    scene.background = {.top = {1, 1, 1}, .horizon = {1, 1, 1}};
    scene.sun = {.direction = {1, 0, 0}, .colour = {1, 1, 1}, .intensity = 1};
    const auto shape = procedural::sphere({0, 0, 0}, 1);
    Mesh ball = procedural::meshOf(shape);
    ball.look = {.colour = {0.6f, 0.6f, 0.6f}, .roughness = 0.4f, .specular = 0.75f};
    ball.smooth = true;
    scene.meshes = {ball};
    const Image image = renderer().render(scene);
    EXPECT_NEAR(linearAt(image, 51, 32)[1] / linearAt(image, 45, 32)[1], 1, 0.15f);
}

TEST_F(Scenes, GroundEndsAtTheHorizon)
{
    Scene scene = plainScene(64, 100);
    scene.camera = {.eye = {0, 2, 0}, .target = {0, 2, -5}, .verticalFov = 40};
    scene.ground = {.visible = true, .height = 0.5f, .colour = {1, 1, 1}};
    const Image image = renderer().render(scene);
    for (int y = 0; y < 100; ++y) {
        // Looking level, the horizon is the middle of the picture at any height.
        EXPECT_EQ(coverageAt(image, 32, y), y < 50 ? 0 : 1) << y;
        if (y >= 50) { // depth of the plane 1.5 m below, along the viewing direction
            const double down = (y + 0.5 - 50) / 50 * std::tan(20 * 3.14159265358979 / 180);
            EXPECT_NEAR(depthAt(image, 32, y), 1.5 / down, 1e-4 * 1.5 / down);
        }
    }
    scene.camera.eye[1] = scene.camera.target[1] = 0.2f; // from below it is not in the way
    const Image below = renderer().render(scene);
    EXPECT_TRUE(
        std::all_of(below.depth.begin(), below.depth.end(), [](float d) { return std::isinf(d); }));
}

TEST_F(Scenes, GridLinesLieOnMultiplesOfTheSpacing)
{
    Scene scene = plainScene(400, 400);
    scene.camera = {
        .eye = {0.2f, 10, 0.3f}, .target = {0.2f, 0, 0.3f}, .up = {0, 0, -1}, .verticalFov = 40};
    scene.ground = {.visible = true,
                    .colour = {0.8f, 0.8f, 0.8f},
                    .lineColour = {0, 0, 0},
                    .spacing = 1,
                    .fade = 1e6f};
    const Image image = renderer().render(scene);
    const double perPixel = 2 * 10 * std::tan(20 * 3.14159265358979 / 180) / 400;
    int lines = 0;
    for (int x = 0; x < 400; ++x) {
        const double world = 0.2 + (x + 0.5 - 200) * perPixel;
        const double off = std::abs(world - std::round(world));
        const float value = linearAt(image, x, 200 + 14)[0]; // between two lines across
        if (off < 0.5 * perPixel) {
            ++lines;
            EXPECT_LT(value, 0.7f) << world;
        } else if (off > 0.01 + 1.5 * perPixel) {
            EXPECT_NEAR(value, 0.8f, 0.02f) << world; // the ground is slightly glossy
        }
    }
    EXPECT_GE(lines, 3);
}

TEST_F(Scenes, MeshesHideAndAreHidden)
{
    const procedural::Shape box = procedural::box({-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f});
    const std::vector<Float3> before = {{0, 0, 1}}, behind = {{0, 0, -1}};
    Scene scene = plainScene();
    scene.meshes = {procedural::meshOf(box)};
    scene.meshes[0].look = plainLook({0, 0, 1});
    scene.particles.resize(1);
    scene.particles[0].radius = 0.2f;
    scene.particles[0].look = plainLook({1, 0, 0});
    scene.particles[0].positions = before;
    EXPECT_GT(linearAt(renderer().render(scene), 48, 32)[0], 0.9f);
    scene.particles[0].positions = behind;
    const Image hidden = renderer().render(scene);
    EXPECT_GT(linearAt(hidden, 48, 32)[2], 0.9f);
    EXPECT_NEAR(depthAt(hidden, 48, 32), 3.5f, 1e-5f); // the near face

    // Moved 1 m right and turned over; outside of its old place nothing remains.
    scene.particles.clear();
    scene.meshes[0].transform = {-1, 0, 0, 1, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1};
    const Image moved = renderer().render(scene);
    const auto middle = pixelOf(scene, {1, 0, 0.5f});
    EXPECT_EQ(coverageAt(moved, static_cast<int>(middle[0]), static_cast<int>(middle[1])), 1);
    EXPECT_EQ(coverageAt(moved, 40, 32), 0);
}

// Points may have colours of their own: they take the place of the look's, and mix in between.
TEST_F(Scenes, MeshesShowTheColoursOfTheirPoints)
{
    const std::vector<Float3> points = {{-2, -2, 0}, {2, -2, 0}, {2, 2, 0}, {-2, 2, 0}};
    const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
    const std::vector<Float3> colours = {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}};
    Scene scene = plainScene();
    scene.meshes.resize(1);
    scene.meshes[0].points = points;
    scene.meshes[0].triangles = triangles;
    scene.meshes[0].look = plainLook({0, 0, 1});
    const auto seen = [&](float x) {
        const auto at = pixelOf(scene, {x, 0, 0});
        return linearAt(renderer().render(scene), static_cast<int>(at[0]), static_cast<int>(at[1]));
    };
    EXPECT_GT(seen(0.4f)[2], 0.9f);
    scene.meshes[0].colours = colours;
    for (const float x : {-0.9f, 0.0f, 0.9f}) {
        const auto colour = seen(x);
        EXPECT_NEAR(colour[0], 0.5f - 0.25f * x, 0.03f) << x;
        EXPECT_NEAR(colour[1], 0.5f + 0.25f * x, 0.03f) << x;
        EXPECT_NEAR(colour[2], 0, 0.03f) << x;
    }
}

TEST_F(Scenes, OcclusionDarkensTheCornerOnly)
{
    const procedural::Shape wall = procedural::box({-3, 0, -1}, {3, 3, 0});
    Scene scene = plainScene(160, 120);
    scene.camera = {.eye = {0, 2, 5}, .target = {0, 0.4f, 0}, .verticalFov = 40};
    scene.ground = {.visible = true,
                    .colour = {0.8f, 0.8f, 0.8f},
                    .lineColour = {0.8f, 0.8f, 0.8f},
                    .fade = 1e6f};
    scene.meshes = {procedural::meshOf(wall)};
    scene.meshes[0].look = plainLook({0.8f, 0.8f, 0.8f});
    scene.effects.ambientOcclusion = 1;
    scene.effects.occlusionRadius = 0.5f;
    const Image image = renderer().render(scene);
    const float open = brightnessAt(image, pixelOf(scene, {0, 0, 1.5f}));
    EXPECT_LT(brightnessAt(image, pixelOf(scene, {0, 0, 0.06f})), 0.85f * open);
    scene.effects.ambientOcclusion = 0;
    EXPECT_NEAR(brightnessAt(renderer().render(scene), pixelOf(scene, {0, 0, 1.5f})), open,
                0.03f * open); // in the open nothing is taken away
}

TEST_F(Scenes, PointLightsFallOffWithTheSquareOfDistance)
{
    Scene scene = groundScene();
    scene.sun.intensity = 0;
    scene.sky.intensity = 0;
    scene.points = {{.position = {0, 1, 0}, .colour = {1, 1, 1}, .intensity = 1}};
    const Image image = renderer().render(scene);
    const float below = brightnessAt(image, pixelOf(scene, {0, 0, 0}));
    const float aside = brightnessAt(image, pixelOf(scene, {1, 0, 0}));
    EXPECT_NEAR(below, 0.5f, 0.03f);
    EXPECT_NEAR(aside / below, 0.5f * std::sqrt(0.5f), 0.03f); // twice the square, cosine of 45
}

TEST_F(Scenes, MoreSamplesSmoothEdgesAndKeepTheRest)
{
    const std::vector<Float3> particle = {{0, 0, 0}};
    Scene scene = plainScene(64, 64);
    scene.particles.resize(1);
    scene.particles[0].positions = particle;
    scene.particles[0].radius = 0.8f;
    scene.particles[0].look = plainLook({1, 1, 1});
    const auto partly = [](const Image& image) {
        int count = 0;
        for (int y = 0; y < 64; ++y)
            for (int x = 0; x < 64; ++x) {
                const float c = coverageAt(image, x, y);
                count += c > 0 && c < 1;
            }
        return count;
    };
    EXPECT_EQ(partly(renderer().render(scene)), 0);
    for (const int samples : {4, 9, 16}) {
        scene.samples = samples;
        const Image image = renderer().render(scene);
        EXPECT_GT(partly(image), 40) << samples; // the outline is about 110 pixels long
        EXPECT_NEAR(linearAt(image, 32, 32)[0], 1, 0.01);
        EXPECT_NEAR(depthAt(image, 32, 32), 3.2, 0.01);
    }
}

TEST_F(Scenes, LegendAndCaptionAreDrawnOnTheDisplayPicture)
{
    Scene scene = plainScene(640, 400);
    const Image plain = renderer().render(scene);
    scene.legend = {.visible = true, .title = "speed [m/s]", .map = ColourMap::Viridis, .high = 4};
    scene.caption = "frame 12";
    const Image image = renderer().render(scene);
    EXPECT_EQ(image.linear, plain.linear);
    // Somewhere in the upper right stands a column of pixels with the map's colours in order.
    const auto pixel = [&](int x, int y) {
        return image.display.data() + 4 * (static_cast<std::size_t>(y) * 640 + x);
    };
    const auto matches = [&](const std::uint8_t* p, float t) {
        const Float3 c = colourOf(ColourMap::Viridis, t);
        for (int i = 0; i < 3; ++i)
            if (std::abs(p[i] - 255 * linearToSrgb(c[i])) > 3)
                return false;
        return true;
    };
    int columns = 0;
    for (int x = 320; x < 640; ++x) {
        int top = -1, middle = -1, bottom = -1;
        for (int y = 0; y < 200; ++y) {
            if (matches(pixel(x, y), 0.99f))
                top = y;
            if (matches(pixel(x, y), 0.5f))
                middle = y;
            if (matches(pixel(x, y), 0.01f))
                bottom = y;
        }
        columns += top >= 0 && top < middle && middle < bottom;
    }
    EXPECT_GT(columns, 4);
    const auto bright = [&](int x0, int x1, int y0, int y1) {
        int count = 0;
        for (int y = y0; y < y1; ++y)
            for (int x = x0; x < x1; ++x)
                count += pixel(x, y)[1] > 180 && pixel(x, y)[0] > 180;
        return count;
    };
    EXPECT_GT(bright(540, 640, 0, 200), 100); // title and numbers
    EXPECT_GT(bright(0, 150, 350, 400), 50);  // caption
    EXPECT_EQ(bright(160, 500, 0, 400), 0);
}

TEST_F(Scenes, CaptionsAreReadableInManyAlphabets)
{
    Scene scene = plainScene(200, 100);
    const auto drawn = [&](const std::string& caption) {
        scene.caption = caption;
        const Image image = renderer().render(scene);
        return std::string(image.display.begin(), image.display.end());
    };
    std::set<std::string> pictures;
    const std::vector<std::string> letters = {"H", "é", "ß", "Ω", "µ", "Ж", "²", "→", "\U0010FFFF"};
    for (const std::string& letter : letters)
        pictures.insert(drawn(letter));
    EXPECT_EQ(pictures.size(), letters.size()); // each differs, also from the box of a missing one
    EXPECT_NO_THROW(drawn("\xff\x80\xC3"));     // broken UTF-8
    EXPECT_NO_THROW(drawn(std::string(100000, 'M')));
}

TEST_F(Scenes, TransparentBackgroundKeepsCoverage)
{
    const std::vector<Float3> particle = {{0, 0, 0}};
    Scene scene = plainScene(64, 64);
    scene.background.transparent = true;
    scene.particles.resize(1);
    scene.particles[0].positions = particle;
    scene.particles[0].radius = 0.5f;
    const Image image = renderer().render(scene);
    EXPECT_EQ(image.display[3], 0);
    EXPECT_EQ(image.display[4 * (32 * 64 + 32) + 3], 255);
}

TEST_F(Scenes, EmptyScenesOfAnySizeAreFine)
{
    for (const auto& [width, height] :
         std::vector<std::pair<int, int>>{{1, 1}, {3, 500}, {501, 2}, {64, 64}}) {
        Scene scene;
        scene.width = width;
        scene.height = height;
        const Image image = renderer().render(scene);
        EXPECT_EQ(image.display.size(), 4u * width * height);
        EXPECT_TRUE(image.linear.empty());
    }
}

TEST_F(Scenes, BuffersGrowAndAreReused)
{
    Scene scene = plainScene();
    scene.particles.resize(1);
    scene.particles[0].radius = 0.1f;
    for (const std::size_t count : {10u, 100'000u, 1u, 50'000u, 0u, 5u}) {
        const std::vector<Float3> points(count, Float3{0, 0, 0});
        scene.particles[0].positions = points;
        const Image image = renderer().render(scene);
        EXPECT_EQ(coverageAt(image, 48, 32), count > 0 ? 1 : 0) << count;
    }
}

TEST_F(Scenes, RevisionsAvoidCopies)
{
    std::vector<Float3> points = {{0, 0, 0}};
    Scene scene = plainScene();
    scene.particles.resize(1);
    scene.particles[0].positions = points;
    scene.particles[0].radius = 0.3f;
    scene.particles[0].revision = 77;
    EXPECT_EQ(coverageAt(renderer().render(scene), 48, 32), 1);
    points[0] = {50, 0, 0}; // not looked at: the revision says that nothing changed
    EXPECT_EQ(coverageAt(renderer().render(scene), 48, 32), 1);
    scene.particles[0].revision = 78;
    EXPECT_EQ(coverageAt(renderer().render(scene), 48, 32), 0);
}

TEST_F(Scenes, UnusableValuesAreRefusedByName)
{
    const auto refusal = [](const std::function<void(Scene&)>& spoil) {
        Scene scene = plainScene();
        spoil(scene);
        try {
            renderer().render(scene);
        } catch (const InputError& error) {
            return error.place().parameter;
        }
        return std::string("accepted");
    };
    EXPECT_EQ(refusal([](Scene& s) { s.width = 16385; }), "width");
    EXPECT_EQ(refusal([](Scene& s) { s.height = 0; }), "height");
    EXPECT_EQ(refusal([](Scene& s) { s.samples = 5; }), "samples");
    EXPECT_EQ(refusal([](Scene& s) { s.camera.eye[1] = NAN; }), "camera.eye");
    EXPECT_EQ(refusal([](Scene& s) { s.camera.target = s.camera.eye; }), "camera");
    EXPECT_EQ(refusal([](Scene& s) { s.camera.up = {0, 0, 1}; }), "camera.up");
    EXPECT_EQ(refusal([](Scene& s) { s.camera.verticalFov = 180; }), "camera.verticalFov");
    EXPECT_EQ(refusal([](Scene& s) { s.sun.direction = {0, 0, 0}; }), "sun.direction");
    EXPECT_EQ(refusal([](Scene& s) { s.points.resize(17); }), "points");
    EXPECT_EQ(refusal([](Scene& s) { s.effects.exposure = NAN; }), "effects.exposure");
    static const std::vector<Float3> kPoint = {{0, 0, 0}};
    static const std::vector<Float3> kColours(2);
    static const std::vector<std::uint8_t> kTwo = {0, 0};
    static const std::vector<std::array<std::uint32_t, 3>> kTriangle = {{0, 0, 1}};
    EXPECT_EQ(refusal([](Scene& s) {
                  s.particles.resize(1);
                  s.particles[0].positions = kPoint;
                  s.particles[0].radius = 0;
              }),
              "particles[0].radius");
    EXPECT_EQ(refusal([](Scene& s) {
                  s.particles.resize(1);
                  s.particles[0].positions = kPoint;
                  s.particles[0].colourBy = ColourBy::Index;
                  s.particles[0].indices = kTwo;
                  s.particles[0].palette.resize(1);
              }),
              "particles[0].indices");
    EXPECT_EQ(refusal([](Scene& s) {
                  s.meshes.resize(1);
                  s.meshes[0].points = kPoint;
                  s.meshes[0].triangles = kTriangle;
              }),
              "meshes[0]");
    EXPECT_EQ(refusal([](Scene& s) {
                  s.meshes.resize(1);
                  s.meshes[0].points = kPoint;
                  s.meshes[0].colours = kColours;
              }),
              "meshes[0].colours");
    // Too much for the device, though each number is fine.
    EXPECT_ANY_THROW({
        Scene s = plainScene(16384, 16384);
        s.samples = 16;
        renderer().render(s);
    });
    Scene after = plainScene();
    EXPECT_EQ(renderer().render(after).display.size(), 4u * 96 * 64); // still usable
}

TEST_F(Scenes, MemoryIsSharedWithOtherPrograms)
{
    if (!renderer().canExport()) {
        EXPECT_THROW(renderer().createExternalBuffer(1024), DeviceError);
        GTEST_SKIP() << renderer().device().name << " does not export memory";
    }
    const auto buffer = renderer().createExternalBuffer(300 * sizeof(Float3));
    EXPECT_GE(buffer->allocationBytes(), buffer->bytes());
    EXPECT_EQ(buffer->deviceUuid(), renderer().device().uuid);
    const int descriptor = buffer->exportDescriptor();
    EXPECT_GE(descriptor, 0);
    ::close(descriptor);
    if (buffer->mapped() == nullptr)
        GTEST_SKIP() << "only the device sees this memory";
    auto* points = static_cast<Float3*>(buffer->mapped());
    points[0] = {0, 0, 0};
    points[1] = {NAN, 0, 0};
    Scene scene = plainScene();
    scene.particles.resize(1);
    scene.particles[0].positions.device = buffer;
    scene.particles[0].positions.count = 2;
    scene.particles[0].radius = 0.3f;
    EXPECT_THROW(renderer().render(scene), InputError); // bounds are missing
    scene.particles[0].bounds = Bounds{{-1, -1, -1}, {1, 1, 1}};
    EXPECT_EQ(coverageAt(renderer().render(scene), 48, 32), 1);
    scene.particles[0].positions.count = 301;
    EXPECT_THROW(renderer().render(scene), InputError); // larger than the buffer
}

TEST(Devices, AreChosenByNameIndexAndIdentity)
{
    const auto devices = listDevices();
    ASSERT_FALSE(devices.empty());
    for (const DeviceInfo& info : devices) {
        if (!info.usable)
            continue;
        EXPECT_EQ(Renderer({.device = std::to_string(info.index)}).device().name, info.name);
        std::string hexadecimal;
        for (const std::uint8_t byte : info.uuid) {
            char text[3];
            std::snprintf(text, sizeof text, "%02X", byte);
            hexadecimal += text;
        }
        EXPECT_EQ(Renderer({.device = hexadecimal}).device().uuid, info.uuid);
    }
    try {
        Renderer({.device = "no such device"});
        FAIL();
    } catch (const DeviceError& error) {
        // The cure names what there is.
        EXPECT_NE(error.cure().find(devices[0].name), std::string::npos) << error.what();
    }
    EXPECT_THROW(Renderer({.device = "99"}), DeviceError);
}

TEST(Devices, WithoutADriverTheMessageSaysWhatToInstall)
{
    // The Vulkan loader reads this when an instance is created.
    const char* before = std::getenv("VK_ICD_FILENAMES");
    const std::string kept = before != nullptr ? before : "";
    ::setenv("VK_ICD_FILENAMES", "/nonexistent/driver.json", 1);
    EXPECT_TRUE(listDevices().empty());
    try {
        Renderer renderer;
        ADD_FAILURE() << "found " << renderer.device().name;
    } catch (const DeviceError& error) {
        EXPECT_NE(std::string(error.what()).find("mesa-vulkan-drivers"), std::string::npos);
    }
    if (before != nullptr)
        ::setenv("VK_ICD_FILENAMES", kept.c_str(), 1);
    else
        ::unsetenv("VK_ICD_FILENAMES");
}

} // namespace
