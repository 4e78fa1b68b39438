#include "shared_renderer.hpp"

#include <cmath>
#include <limits>

using namespace floe::render;

namespace {

using Double3 = std::array<double, 3>;

/// Distance along the viewing direction of the first hit of the ray through a pixel's middle with
/// a sphere, in double precision; infinite when it misses. The camera looks along -z.
double hitDepth(const Scene& scene, int x, int y, const Float3& centre, double radius)
{
    const double tanHalf = std::tan(scene.camera.verticalFov * 3.14159265358979 / 360);
    const double aspect = static_cast<double>(scene.width) / scene.height;
    const Double3 d = {(2 * (x + 0.5) / scene.width - 1) * tanHalf * aspect,
                       (1 - 2 * (y + 0.5) / scene.height) * tanHalf, -1};
    const Double3 o = {scene.camera.eye[0] - centre[0], scene.camera.eye[1] - centre[1],
                       scene.camera.eye[2] - centre[2]};
    const double a = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double b = o[0] * d[0] + o[1] * d[1] + o[2] * d[2];
    const double c = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] - radius * radius;
    const double root = b * b - a * c;
    return root < 0 ? std::numeric_limits<double>::infinity() : (-b - std::sqrt(root)) / a;
}

class Particles : public Rendering {
protected:
    /// A set of spheres of one radius and colour.
    static ParticleSet spheres(const std::vector<Float3>& positions, float radius,
                               const Float3& colour)
    {
        ParticleSet set;
        set.positions = positions;
        set.radius = radius;
        set.look = plainLook(colour);
        return set;
    }
};

TEST_F(Particles, DepthIsThatOfTheSphereInEveryPixel)
{
    Scene scene = plainScene(160, 120);
    scene.camera.verticalFov = 60;
    // In the middle, far off axis (where discs would be wrong), small, and partly outside.
    const std::vector<Float3> centres = {
        {0, 0, 0}, {1.9f, 1.2f, 0.5f}, {-1.6f, -0.9f, 1.5f}, {-0.8f, 0.9f, -1}, {2.9f, -1.5f, 0}};
    for (const float radius : {0.05f, 0.5f}) {
        scene.particles = {spheres(centres, radius, {1, 1, 1})};
        const Image image = renderer().render(scene);
        int covered = 0;
        for (int y = 0; y < scene.height; ++y)
            for (int x = 0; x < scene.width; ++x) {
                double expected = std::numeric_limits<double>::infinity();
                bool edge = false;
                for (const Float3& c : centres) {
                    expected = std::min(expected, hitDepth(scene, x, y, c, radius));
                    // Rounding may put pixels within a millionth of the outline on either side.
                    edge |= std::isinf(hitDepth(scene, x, y, c, radius * (1 - 1e-5))) !=
                            std::isinf(hitDepth(scene, x, y, c, radius * (1 + 1e-5)));
                }
                if (edge)
                    continue;
                covered += std::isfinite(expected);
                // Near the outline, depth changes with the square root of rounding errors.
                if (std::isinf(expected))
                    ASSERT_TRUE(std::isinf(depthAt(image, x, y))) << x << ", " << y;
                else
                    ASSERT_NEAR(depthAt(image, x, y), expected, 2e-4 * expected) << x << ", " << y;
            }
        EXPECT_GT(covered, radius > 0.1f ? 1000 : 20);
    }
}

TEST_F(Particles, IntersectingSpheresMeetWhereDepthsAreEqual)
{
    Scene scene = plainScene(200, 150);
    const Float3 a = {-0.4f, 0, 0}, b = {0.4f, 0.1f, -0.3f};
    const std::vector<Float3> as = {a}, bs = {b};
    const float radius = 0.7f;
    scene.particles = {spheres(as, radius, {1, 0, 0}), spheres(bs, radius, {0, 1, 0})};
    const Image image = renderer().render(scene);
    int reds = 0, greens = 0;
    for (int y = 0; y < scene.height; ++y)
        for (int x = 0; x < scene.width; ++x) {
            const double da = hitDepth(scene, x, y, a, radius);
            const double db = hitDepth(scene, x, y, b, radius);
            if (std::isinf(da) || std::isinf(db) || std::abs(da - db) < 1e-4)
                continue; // ties may go either way
            const Float3 colour = linearAt(image, x, y);
            ASSERT_EQ(colour[0] > colour[1], da < db) << x << ", " << y;
            (da < db ? reds : greens) += 1;
        }
    EXPECT_GT(reds, 100);
    EXPECT_GT(greens, 100);
}

TEST_F(Particles, AreWhereTheCameraProjectsThem)
{
    Scene scene = plainScene(320, 200);
    scene.camera = {.eye = {3, 2, 5}, .target = {-0.5f, 0.4f, 0}, .verticalFov = 50};
    const Float3 point = {0.7f, 1.1f, -0.8f};
    const std::vector<Float3> points = {point};
    scene.particles = {spheres(points, 0.04f, {1, 1, 1})};
    const Image image = renderer().render(scene);
    double sumX = 0, sumY = 0, count = 0;
    for (int y = 0; y < scene.height; ++y)
        for (int x = 0; x < scene.width; ++x)
            if (coverageAt(image, x, y) > 0) {
                sumX += x + 0.5;
                sumY += y + 0.5;
                ++count;
            }
    ASSERT_GT(count, 3);
    // By hand: forward, right and up of the camera; then perspective division.
    const auto cross = [](const Double3& p, const Double3& q) {
        return Double3{p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2],
                       p[0] * q[1] - p[1] * q[0]};
    };
    const auto unit = [](Double3 p) {
        const double n = std::hypot(p[0], p[1], p[2]);
        return Double3{p[0] / n, p[1] / n, p[2] / n};
    };
    const auto dot = [](const Double3& p, const Double3& q) {
        return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    };
    const Double3 forward = unit({-3.5, -1.6, -5});
    const Double3 right = unit(cross(forward, {0, 1, 0}));
    const Double3 up = cross(right, forward);
    const Double3 p = {point[0] - 3.0, point[1] - 2.0, point[2] - 5.0};
    const double scale = 100 / std::tan(25 * 3.14159265358979 / 180) / dot(p, forward);
    EXPECT_NEAR(sumX / count, 160 + scale * dot(p, right), 0.5); // a pixel's half
    EXPECT_NEAR(sumY / count, 100 - scale * dot(p, up), 0.5);
}

TEST_F(Particles, TakeTheirColours)
{
    Scene scene = plainScene(120, 40);
    scene.camera.verticalFov = 30;
    const std::vector<Float3> places = {{-2, 0, 0}, {0, 0, 0}, {2, 0, 0}};
    ParticleSet set = spheres(places, 0.6f, {0.2f, 0.4f, 0.6f});
    const auto colourOfThe = [&](int i) {
        scene.particles = {set};
        const Image image = renderer().render(scene);
        // 2 m at a distance of 4 m: 40 pixels high is 2 * 4 * tan(15 degrees).
        return linearAt(image, static_cast<int>(60 + (i - 1) * 2 * 40 / (8 * 0.26795)), 20);
    };
    const auto expectNear = [](const Float3& actual, const Float3& expected) {
        for (int k = 0; k < 3; ++k) // 8 bits of sRGB between the passes
            EXPECT_NEAR(actual[k], expected[k], 0.006f);
    };
    expectNear(colourOfThe(0), {0.2f, 0.4f, 0.6f});

    const std::vector<std::uint8_t> indices = {2, 0, 200}; // beyond the palette: its last entry
    set.colourBy = ColourBy::Index;
    set.indices = indices;
    set.palette = {plainLook({0, 1, 0}), plainLook({1, 1, 1}), plainLook({1, 0, 0})};
    expectNear(colourOfThe(0), {1, 0, 0});
    expectNear(colourOfThe(1), {0, 1, 0});
    expectNear(colourOfThe(2), {1, 0, 0});

    const std::vector<float> scalars = {-3, 15, NAN};
    set.colourBy = ColourBy::Scalar;
    set.scalars = scalars;
    set.map = ColourMap::Plasma;
    set.low = 10;
    set.high = 20;
    expectNear(colourOfThe(0), colourOf(ColourMap::Plasma, 0));
    expectNear(colourOfThe(1), colourOf(ColourMap::Plasma, 0.5f));
    expectNear(colourOfThe(2), colourOf(ColourMap::Plasma, 0));
}

TEST_F(Particles, ThatAreNotNumbersAreLeftOut)
{
    Scene scene = plainScene();
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<Float3> good = {{0.3f, 0.2f, 0}};
    const std::vector<Float3> mixed = {
        {kNaN, 0, 0}, good[0], {0, kInfinity, 0}, {0, 0, -kInfinity}, {3e38f, 0, 0}};
    scene.sun.intensity = 1; // bounds, and with them shadows, must not be touched either
    scene.particles = {spheres(good, 0.3f, {1, 1, 1})};
    const Image expected = renderer().render(scene);
    scene.particles = {spheres(mixed, 0.3f, {1, 1, 1})};
    EXPECT_EQ(renderer().render(scene).display, expected.display);
    const std::vector<Float3> none = {{kNaN, kNaN, kNaN}};
    scene.particles = {spheres(none, 0.3f, {1, 1, 1})};
    for (const float depth : renderer().render(scene).depth)
        ASSERT_TRUE(std::isinf(depth));
}

TEST_F(Particles, EveryThirdIsDrawnAsIfThereWereNoOthers)
{
    std::vector<Float3> all, some;
    std::vector<std::uint32_t> allIds, someIds;
    std::vector<std::uint8_t> allIndices, someIndices;
    for (std::uint32_t i = 0; i < 100; ++i) {
        const float a = static_cast<float>(i);
        all.push_back({std::cos(a), 0.014f * a - 0.7f, 0.5f * std::sin(a)});
        allIds.push_back(7 * i);
        allIndices.push_back(static_cast<std::uint8_t>(i % 4)); // 3 does not divide 4
        if (i % 3 == 0) {
            some.push_back(all.back());
            someIds.push_back(allIds.back());
            someIndices.push_back(allIndices.back());
        }
    }
    Scene scene = plainScene();
    scene.sun.intensity = 1; // with shadows
    ParticleSet set = spheres(all, 0.05f, {1, 1, 1});
    set.colourBy = ColourBy::Index;
    set.palette = {plainLook({0, 1, 0}), plainLook({1, 1, 1}), plainLook({1, 0, 0}),
                   plainLook({0, 0, 1})};
    set.palette[3].opacity = 0.3f; // the clear ones too
    for (Look& look : set.palette)
        look.variation = 0.4f;
    ParticleSet fewer = set;
    set.indices = allIndices;
    set.ids = allIds;
    fewer.positions = some;
    fewer.indices = someIndices;
    fewer.ids = someIds;
    scene.particles = {set};
    const Image full = renderer().render(scene);
    scene.particles[0].every = 3;
    scene.particles[0].bounds = Bounds{{-2, -2, -2}, {2, 2, 2}}; // shadow maps fit the bounds
    fewer.bounds = scene.particles[0].bounds;
    const Image third = renderer().render(scene);
    EXPECT_NE(third.display, full.display);
    scene.particles = {fewer};
    EXPECT_EQ(third.display, renderer().render(scene).display);
}

TEST_F(Particles, FarFromTheOriginKeepTheirShape)
{
    Scene near = plainScene();
    const std::vector<Float3> here = {{0.25f, 0, 0}};
    near.particles = {spheres(here, 0.5f, {1, 1, 1})};
    Scene far = near;
    const float away = 65536; // floats there are 1/128 apart; all numbers used are multiples
    for (Float3* p : {&far.camera.eye, &far.camera.target})
        (*p)[0] += away;
    const std::vector<Float3> moved = {{0.25f + away, 0, 0}};
    far.particles[0].positions = moved;
    EXPECT_EQ(renderer().render(near).depth, renderer().render(far).depth);
}

// Particles behind others are left out early when there are many; the picture must not tell.
TEST_F(Particles, LeavingOutHiddenOnesChangesNothing)
{
    std::vector<Float3> points;
    std::uint32_t state = 7;
    const auto uniform = [&state] {
        state = state * 1664525u + 1013904223u;
        return static_cast<float>(state >> 8) / 16777216.0f;
    };
    // A block with a hole through it, and specks before and behind.
    while (points.size() < 40'000) {
        const Float3 p = {2 * uniform() - 1, 1.4f * uniform() - 0.7f, 2 * uniform() - 1.5f};
        if (std::hypot(p[0] - 0.3f, p[1]) > 0.25f || points.size() % 50 == 0)
            points.push_back(p);
    }
    Scene scene = plainScene(120, 90);
    scene.camera.eye = {0.4f, 0.3f, 3};
    for (const int samples : {1, 4})
        for (const float radius : {0.012f, 0.03f, 0.1f}) {
            scene.samples = samples;
            scene.particles = {spheres(points, radius, {1, 1, 1})};
            const Image all = renderer().render(scene);
            // In sets of their own, too few in each picture to look for hidden ones.
            std::vector<float> nearest(all.depth.size(), std::numeric_limits<float>::infinity());
            for (std::size_t first = 0; first < points.size(); first += 20'000) {
                ParticleSet part = spheres(points, radius, {1, 1, 1});
                part.positions = std::span<const Float3>(points).subspan(first, 20'000);
                scene.particles = {part};
                const Image image = renderer().render(scene);
                for (std::size_t i = 0; i < nearest.size(); ++i)
                    nearest[i] = std::min(nearest[i], image.depth[i]);
            }
            EXPECT_EQ(all.depth, nearest) << samples << " samples, radius " << radius;
        }
}

} // namespace
