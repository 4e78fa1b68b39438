#include "floe/base/error.hpp"
#include "shared_renderer.hpp"

#include <cmath>
#include <functional>
#include <numbers>

namespace floe::render {
namespace {

/// An environment of `width` pixels around with the light that arrives from each direction.
struct Around {
    Around(int width, const std::function<Float3(const Float3&)>& light)
    {
        const int height = width / 2;
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                const double polar = std::numbers::pi * (y + 0.5) / height;
                const double turn = 2 * std::numbers::pi * ((x + 0.5) / width - 0.5);
                const Float3 rgb = light({static_cast<float>(std::sin(polar) * std::sin(turn)),
                                          static_cast<float>(std::cos(polar)),
                                          static_cast<float>(-std::sin(polar) * std::cos(turn))});
                pixels.insert(pixels.end(), rgb.begin(), rgb.end());
            }
        environment.pixels = pixels;
        environment.width = width;
        environment.height = height;
    }
    std::vector<float> pixels;
    Environment environment;
};

/// A large ball in the middle of the picture.
struct Lit {
    explicit Lit(const Environment& environment, const Look& look = plainLook({1, 1, 1}))
    {
        scene = plainScene(96, 96);
        scene.environment = environment;
        scene.particles.push_back({.positions = place, .radius = 1, .look = look});
    }
    std::vector<Float3> place = {{0, 0, 0}};
    Scene scene;
};

/// The unit ball's point that a pixel shows from z = 4; false beside it.
bool pointAt(int x, int y, Float3& n)
{
    const double half = std::tan(20 * std::numbers::pi / 180);
    const double rx = ((x + 0.5) / 48 - 1) * half, ry = (1 - (y + 0.5) / 48) * half;
    const double length = std::sqrt(rx * rx + ry * ry + 1);
    const double b = 4 / length, c = 16 - 1;
    if (b * b - c < 0.02)
        return false;
    const double t = (b - std::sqrt(b * b - c)) / length;
    n = {static_cast<float>(t * rx), static_cast<float>(t * ry), static_cast<float>(4 - t)};
    return true;
}

class Environments : public Rendering {};

TEST_F(Environments, EvenLightGivesAWhiteThingTheSameLight)
{
    const Around around(64, [](const Float3&) { return Float3{0.2f, 0.4f, 0.6f}; });
    const Lit lit(around.environment);
    const Image image = renderer().render(lit.scene);
    for (const auto& [x, y] : {std::pair(48, 48), {30, 40}, {60, 66}, {2, 2}, {90, 50}})
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(linearAt(image, x, y)[k], 0.2 * static_cast<double>(k + 1), 0.003)
                << x << " " << y;
    EXPECT_EQ(coverageAt(image, 2, 2), 0);
}

TEST_F(Environments, DiffuseLightIsThatOfTheHemisphere)
{
    // L = 1 + y + 0.5 x z: of each band the cosine lobe keeps 1, 2/3 and 1/4.
    const Around around(256, [](const Float3& d) {
        const float l = 1 + d[1] + 0.5f * d[0] * d[2];
        return Float3{l, l, l};
    });
    const Lit lit(around.environment);
    const Image image = renderer().render(lit.scene);
    int seen = 0;
    for (int y = 0; y < 96; y += 5)
        for (int x = 0; x < 96; x += 5)
            if (Float3 n; pointAt(x, y, n)) {
                EXPECT_NEAR(linearAt(image, x, y)[0], 1 + 2.0 / 3 * n[1] + 0.25 * 0.5 * n[0] * n[2],
                            0.02)
                    << x << " " << y;
                ++seen;
            }
    EXPECT_GT(seen, 50);
}

TEST_F(Environments, TheBackgroundIsThePictureTurned)
{
    // Red grows to the right (x), green up, blue behind the camera (z).
    const Around around(512, [](const Float3& d) {
        return Float3{0.5f + 0.5f * d[0], 0.5f + 0.5f * d[1], 0.5f + 0.5f * d[2]};
    });
    Scene scene = plainScene(96, 96);
    scene.environment = around.environment;
    const double half = std::tan(20 * std::numbers::pi / 180);
    for (const float rotation : {0.0f, 90.0f, -30.0f}) {
        scene.environment.rotation = rotation;
        const Image image = renderer().render(scene);
        // What was seen in the direction d is seen now in d turned counter-clockwise.
        const double a = rotation * std::numbers::pi / 180;
        for (const auto& [x, y] : {std::pair(5, 10), {48, 48}, {80, 30}, {95, 95}, {0, 60}}) {
            Float3 d = {static_cast<float>(((x + 0.5) / 48 - 1) * half),
                        static_cast<float>((1 - (y + 0.5) / 48) * half), -1};
            const float length = std::hypot(d[0], d[1], d[2]);
            const double dx = d[0] / length, dz = d[2] / length;
            const Float3 shown = linearAt(image, x, y);
            EXPECT_NEAR(shown[0], 0.5 + 0.5 * (std::cos(a) * dx - std::sin(a) * dz), 0.01)
                << rotation;
            EXPECT_NEAR(shown[1], 0.5 + 0.5 * d[1] / length, 0.01) << rotation;
            EXPECT_NEAR(shown[2], 0.5 + 0.5 * (std::sin(a) * dx + std::cos(a) * dz), 0.01)
                << rotation;
        }
    }
}

TEST_F(Environments, MirrorsShowItAndRoughOnesBlurIt)
{
    // A bright disc straight behind the camera: seen in the middle of a mirror.
    const Around around(512, [](const Float3& d) {
        const float l = d[2] > 0.98f ? 10.0f : 0.1f;
        return Float3{l, l, l};
    });
    std::vector<double> middles;
    for (const float roughness : {0.05f, 0.3f, 0.7f}) {
        Look look = plainLook({1, 1, 1});
        look.roughness = roughness;
        look.specular = 1;
        const Lit lit(around.environment, look);
        middles.push_back(linearAt(renderer().render(lit.scene), 48, 48)[0]);
    }
    EXPECT_GT(middles[0], 7); // less what roughness and occlusion take
    EXPECT_LT(middles[1], 0.8 * middles[0]);
    EXPECT_LT(middles[2], 0.5 * middles[1]);
}

TEST_F(Environments, WhatIsNoLightIsDarkAndOddSizesWork)
{
    Around around(32, [](const Float3&) { return Float3{1, 1, 1}; });
    for (std::size_t i = 0; i < around.pixels.size(); i += 2)
        around.pixels[i] = i % 4 == 0 ? std::nanf("") : -INFINITY;
    around.pixels[1] = INFINITY;
    const Lit lit(around.environment);
    for (const float value : renderer().render(lit.scene).linear)
        ASSERT_TRUE(std::isfinite(value));
    for (const auto& [width, height] :
         {std::pair(1, 1), {1, 7}, {7, 1}, {3, 5}, {5, 3}, {101, 33}}) {
        const std::vector<float> pixels(3 * static_cast<std::size_t>(width * height), 0.5f);
        const Lit even({.pixels = pixels, .width = width, .height = height});
        const Image image = renderer().render(even.scene);
        EXPECT_NEAR(linearAt(image, 2, 2)[0], 0.5, 0.003) << width << " x " << height;
        EXPECT_NEAR(linearAt(image, 48, 48)[1], 0.5, 0.02) << width << " x " << height;
    }
    Scene wrong = plainScene();
    wrong.environment = around.environment;
    wrong.environment.width = 31;
    EXPECT_THROW(renderer().render(wrong), InputError);
}

TEST_F(Environments, AnotherPictureIsNotTakenForTheOneBefore)
{
    Around first(32, [](const Float3&) { return Float3{1, 0, 0}; });
    Around second(32, [](const Float3&) { return Float3{0, 1, 0}; });
    first.environment.revision = 1;
    second.environment.revision = 2;
    Scene scene = plainScene();
    for (const Around* around : {&first, &second, &first}) {
        scene.environment = around->environment;
        const Float3 seen = linearAt(renderer().render(scene), 5, 5);
        EXPECT_NEAR(seen[around == &first ? 0 : 1], 1, 0.01);
        EXPECT_NEAR(seen[around == &first ? 1 : 0], 0, 0.01);
    }
    scene.environment = {};
    EXPECT_EQ(linearAt(renderer().render(scene), 5, 5)[0], 0);
}

} // namespace
} // namespace floe::render
