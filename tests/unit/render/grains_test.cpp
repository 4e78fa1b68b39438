#include "shared_renderer.hpp"

#include <algorithm>
#include <cmath>

using namespace floe::render;

namespace {

using Grains = Rendering;

/// Standard deviation of the brightness within a ball, over its mean.
double unevenness(const Image& image)
{
    double sum = 0, squares = 0;
    int count = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            if (std::hypot(x - 0.5 * image.width, y - 0.5 * image.height) < 0.2 * image.height) {
                const double light = linearAt(image, x, y)[1];
                sum += light;
                squares += light * light;
                ++count;
            }
    return std::sqrt(squares / count - sum / count * sum / count) / (sum / count);
}

// As large as some samples they are seen, smaller than one they are not; only what glints is
// brighter than white in the sun.
TEST_F(Grains, AreSeenWhereTheyAreLargerThanASample)
{
    Scene scene = plainScene(192, 128);
    const std::vector<Float3> points = {{0, 0, 0}};
    ParticleSet set;
    set.positions = points;
    set.radius = 1;
    set.look = plainLook({0.5f, 0.5f, 0.5f});
    const auto with = [&](float grain, float sparkle = 0) {
        set.look.grain = grain;
        set.look.sparkle = sparkle;
        scene.particles = {set};
        return renderer().render(scene);
    };
    EXPECT_LT(unevenness(with(0)), 0.01);
    EXPECT_GT(unevenness(with(0.1f)), 0.05);
    EXPECT_EQ(with(0.001f).linear, with(0).linear); // a sample is 0.02 m wide there
    EXPECT_EQ(with(3).linear, with(0).linear);      // larger than the particle
    scene.sun = {.direction = {0, 0, -1}, .intensity = 1};
    const auto brightest = [](const Image& image) {
        return *std::max_element(image.linear.begin(), image.linear.end());
    };
    EXPECT_GT(brightest(with(0.1f, 1)), 1.5f * brightest(with(0.1f, 0)));
}

} // namespace
