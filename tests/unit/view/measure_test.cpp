// What a camera sensor gives, pixel by pixel, held against geometry that is computed here.
#include "floe/view/measure.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/transform.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace floe::view {
namespace {

constexpr int kWidth = 160, kHeight = 120;
constexpr double kFps = 24, kFov = 50;

/// Two balls of 0.5 and a square wall of 4 m behind them at z = -2, seen along -z from 5 m; and a
/// square of 1 m, 0.5 m wide of the middle, that moves to the right by 0.1 m a frame at z = 1.
class Measure : public testing::Test {
protected:
    Measure()
    {
        const auto balls = make<ParticlesValue>(2);
        const std::array<float, 6> at = {-1, 0.5f, 0, 0.25f, -0.5f, 0.5f};
        const std::array<float, 6> speeds = {0, 2.4f, 0, 0, 0, 1.2f};
        const std::array<std::uint32_t, 2> materials = {3, 1};
        balls->copyIn<float>("x", 3, at);
        balls->copyIn<float>("v", 3, speeds);
        balls->copyIn<std::uint32_t>("material", 1, materials);
        balls->seal();
        const auto nothing = make<ParticlesValue>(0);
        nothing->seal();
        request.particles = {nothing, balls};
        request.meshes = {square(2, -2)};
        const TransformKey keys[] = {key(1, 0.9), key(2, 1.0), key(3, 1.1)};
        request.colliders = {record(
            "collider", {{"mesh", square(0.5, 1)}, {"transform", make<TransformValue>(keys)}})};
        request.camera = record("camera", {{"eye", vector({0, 0, 5})},
                                           {"target", vector({0, 0, 0})},
                                           {"up", vector({0, 1, 0})},
                                           {"fieldOfView", number(kFov)}});
        request.settings = record("render", {{"width", number(kWidth)},
                                             {"height", number(kHeight)},
                                             {"particleRadius", number(0.5)}});
        request.frame = 2;
    }

    static TransformKey key(double frame, double x)
    {
        TransformKey made;
        made.frame = frame;
        made.position = {x, 0, 0};
        return made;
    }

    static ValueRef square(float half, float z)
    {
        const std::array<float, 12> points = {-half, -half, z, half,  -half, z,
                                              half,  half,  z, -half, half,  z};
        // A triangle without area before the others: numbers of triangles are those of the mesh.
        const std::array<std::uint32_t, 9> triangles = {0, 0, 1, 0, 1, 2, 0, 2, 3};
        const auto mesh = make<MeshValue>(points, triangles);
        mesh->seal();
        return mesh;
    }

    void TearDown() override { releaseRenderer(); }

    PictureRequest request;
};

/// What the ray through a pixel's middle meets: object, and depth along -z.
struct Expected {
    int object = -1, element = 0;
    double depth = INFINITY;
    bool edge = false; ///< an outline is within a thousandth of a pixel
};

Expected expectedAt(int column, int row)
{
    const double focal = kHeight / (2 * std::tan(kFov * std::numbers::pi / 360));
    const double u = (column + 0.5 - 0.5 * kWidth) / focal;
    const double v = -(row + 0.5 - 0.5 * kHeight) / focal;
    Expected result;
    const auto meet = [&](double depth, int object, int element) {
        if (depth < result.depth)
            result = {object, element, depth, result.edge};
    };
    const auto squareAt = [&](double x, double half, double z, int object) {
        const double depth = 5 - z, px = u * depth - x, py = v * depth;
        const double slack = 1e-3 * depth / focal;
        if (std::abs(std::max(std::abs(px), std::abs(py)) - half) < slack ||
            (std::max(std::abs(px), std::abs(py)) < half && std::abs(px - py) < slack))
            result.edge = true;
        if (std::max(std::abs(px), std::abs(py)) < half)
            meet(depth, object, px > py ? 1 : 2);
    };
    const auto ball = [&](double x, double y, double z, int element) {
        const double radius = 0.5, a = u * u + v * v + 1;
        const double ox = -x, oy = -y, oz = 5 - z;
        const double b = ox * u + oy * v - oz, c = ox * ox + oy * oy + oz * oz - radius * radius;
        const double root = b * b - a * c;
        if (std::abs(root) < 1e-2 * std::abs(b))
            result.edge = true;
        if (root > 0)
            meet((-b - std::sqrt(root)) / a, 1, element);
    };
    ball(-1, 0.5, 0, 0);
    ball(0.25, -0.5, 0.5, 1);
    squareAt(0, 2, -2, 2);
    squareAt(1, 0.5, 1, 3);
    return result;
}

TEST_F(Measure, IsGeometryInEveryPixel)
{
    const auto pixels = measurePixels(request, kFps);
    const auto pixel = pixels->get<std::uint32_t>("pixel", 1);
    const auto object = pixels->get<std::uint32_t>("object", 1);
    const auto element = pixels->get<std::uint32_t>("element", 1);
    const auto material = pixels->get<std::int32_t>("material", 1);
    const auto depth = pixels->get<float>("depth", 1);
    const auto x = pixels->get<float>("x", 3), normal = pixels->get<float>("normal", 3);
    const double focal = kHeight / (2 * std::tan(kFov * std::numbers::pi / 360));
    std::map<std::uint32_t, std::size_t> places;
    for (std::size_t i = 0; i < pixel.size(); ++i) {
        EXPECT_TRUE(i == 0 || pixel[i - 1] < pixel[i]);
        places[pixel[i]] = i;
    }
    std::map<int, int> counts;
    for (int row = 0; row < kHeight; ++row)
        for (int column = 0; column < kWidth; ++column) {
            const Expected expected = expectedAt(column, row);
            if (expected.edge)
                continue;
            const auto found = places.find(static_cast<std::uint32_t>(row * kWidth + column));
            ASSERT_EQ(found != places.end(), expected.object >= 0) << column << " " << row;
            if (found == places.end())
                continue;
            const std::size_t i = found->second;
            ++counts[expected.object];
            ASSERT_EQ(object[i], static_cast<std::uint32_t>(expected.object))
                << column << " " << row;
            ASSERT_EQ(element[i], static_cast<std::uint32_t>(expected.element))
                << column << " " << row;
            ASSERT_NEAR(depth[i], expected.depth, 1e-6 * expected.depth);
            ASSERT_NEAR(x[3 * i], (column + 0.5 - 0.5 * kWidth) / focal * expected.depth, 1e-5);
            ASSERT_NEAR(x[3 * i + 1], -(row + 0.5 - 0.5 * kHeight) / focal * expected.depth, 1e-5);
            ASSERT_NEAR(x[3 * i + 2], 5 - expected.depth, 1e-5);
            if (expected.object >= 2) {
                ASSERT_FLOAT_EQ(normal[3 * i + 2], 1);
                ASSERT_EQ(material[i], -1);
            } else {
                const double centre[2][3] = {{-1, 0.5, 0}, {0.25, -0.5, 0.5}};
                for (int a = 0; a < 3; ++a)
                    ASSERT_NEAR(normal[3 * i + a],
                                (x[3 * i + a] - centre[expected.element][a]) / 0.5, 1e-5);
                ASSERT_EQ(material[i], expected.element == 0 ? 3 : 1);
            }
        }
    for (const int seen : {1, 2, 3})
        EXPECT_GT(counts[seen], 200) << seen;
}

// Flow against positions of the frame before, by finite differences.
TEST_F(Measure, FlowIsWhatMovedInThePicture)
{
    const auto pixels = measurePixels(request, kFps);
    const auto object = pixels->get<std::uint32_t>("object", 1);
    const auto element = pixels->get<std::uint32_t>("element", 1);
    const auto x = pixels->get<float>("x", 3), v = pixels->get<float>("v", 3);
    const auto flow = pixels->get<float>("flow", 2);
    const double focal = as<NumberValue>(pixels->fields().find("focal"))->number();
    EXPECT_NEAR(focal, kHeight / (2 * std::tan(kFov * std::numbers::pi / 360)), 1e-9);
    for (std::size_t i = 0; i < object.size(); ++i) {
        std::array<double, 3> step{}; // within a frame
        if (object[i] == 1 && element[i] == 0)
            step = {0, 0.1, 0};
        else if (object[i] == 1)
            step = {0, 0, 0.05};
        else if (object[i] == 3)
            step = {0.1, 0, 0};
        const double before = 5 - (x[3 * i + 2] - step[2]), now = 5 - x[3 * i + 2];
        EXPECT_NEAR(flow[2 * i], focal * (x[3 * i] / now - (x[3 * i] - step[0]) / before), 1e-4);
        EXPECT_NEAR(flow[2 * i + 1],
                    -focal * (x[3 * i + 1] / now - (x[3 * i + 1] - step[1]) / before), 1e-4);
        for (std::size_t a = 0; a < 3; ++a)
            EXPECT_NEAR(v[3 * i + a], kFps * step[a], 2e-5);
    }
}

/// Where a camera sees a point [pixels], written out by itself.
std::array<double, 2> seenBy(const std::array<double, 3>& eye, const std::array<double, 3>& target,
                             double fov, const std::array<double, 3>& point)
{
    std::array<double, 3> forward{}, to{};
    double length = 0, along = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        forward[a] = target[a] - eye[a];
        to[a] = point[a] - eye[a];
        length += forward[a] * forward[a];
    }
    length = std::sqrt(length);
    for (std::size_t a = 0; a < 3; ++a)
        along += to[a] * (forward[a] /= length);
    // With y up: right is forward x y.
    const double flat = std::hypot(forward[0], forward[2]);
    const std::array<double, 3> right = {-forward[2] / flat, 0, forward[0] / flat};
    const std::array<double, 3> up = {right[1] * forward[2] - right[2] * forward[1],
                                      right[2] * forward[0] - right[0] * forward[2],
                                      right[0] * forward[1] - right[1] * forward[0]};
    double x = 0, y = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        x += to[a] * right[a];
        y += to[a] * up[a];
    }
    const double focal = kHeight / (2 * std::tan(fov * std::numbers::pi / 360));
    return {0.5 * kWidth + focal * x / along, 0.5 * kHeight - focal * y / along};
}

// The camera turns, walks and zooms; the balls and the small square move as well, the wall does
// not: each pixel's flow is the difference of two projections.
TEST_F(Measure, FlowHasTheCamerasOwnMotion)
{
    const std::array<double, 3> eye = {0.4, 0.3, 4.8}, target = {0.1, -0.05, 0};
    const std::array<double, 3> eyeBefore = {0.25, 0.35, 5}, targetBefore = {-0.1, 0, 0.1};
    constexpr double kFovBefore = 47;
    const auto camera = [&](const auto& from, const auto& to, double fov, ValueRef before) {
        std::vector<std::pair<const char*, ValueRef>> fields = {{"eye", vector(from)},
                                                                {"target", vector(to)},
                                                                {"up", vector({0, 1, 0})},
                                                                {"fieldOfView", number(fov)}};
        if (before)
            fields.emplace_back("before", before);
        return record("camera", fields);
    };
    request.camera =
        camera(eye, target, kFov, camera(eyeBefore, targetBefore, kFovBefore, nullptr));
    const auto pixels = measurePixels(request, kFps);
    const auto object = pixels->get<std::uint32_t>("object", 1);
    const auto element = pixels->get<std::uint32_t>("element", 1);
    const auto x = pixels->get<float>("x", 3), v = pixels->get<float>("v", 3);
    const auto flow = pixels->get<float>("flow", 2);
    std::map<std::uint32_t, int> counts;
    for (std::size_t i = 0; i < object.size(); ++i) {
        std::array<double, 3> step{};
        if (object[i] == 1 && element[i] == 0)
            step = {0, 0.1, 0};
        else if (object[i] == 1)
            step = {0, 0, 0.05};
        else if (object[i] == 3)
            step = {0.1, 0, 0};
        const std::array<double, 3> at = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
        const auto now = seenBy(eye, target, kFov, at);
        const auto before = seenBy(eyeBefore, targetBefore, kFovBefore,
                                   {at[0] - step[0], at[1] - step[1], at[2] - step[2]});
        ASSERT_NEAR(flow[2 * i], now[0] - before[0], 2e-4) << i;
        ASSERT_NEAR(flow[2 * i + 1], now[1] - before[1], 2e-4) << i;
        ASSERT_NEAR(v[3 * i], kFps * step[0], 2e-5); // the matter's alone
        ++counts[object[i]];
    }
    for (const std::uint32_t seen : {1u, 2u, 3u})
        EXPECT_GT(counts[seen], 200) << seen;

    // A camera that flew through the wall saw nothing of what it sees now.
    request.camera = camera(
        eye, target, kFov,
        camera(std::array<double, 3>{0, 0, -3}, std::array<double, 3>{0, 0, -4}, kFov, nullptr));
    const auto behind = measurePixels(request, kFps);
    for (const float moved : behind->get<float>("flow", 2))
        ASSERT_TRUE(std::isnan(moved));
}

TEST_F(Measure, NothingToSeeIsNoPixel)
{
    request.particles.clear();
    request.meshes.clear();
    request.colliders.clear();
    EXPECT_EQ(measurePixels(request, kFps)->count(), 0u);
    EXPECT_THROW(measurePixels(request, 0), InputError);
}

} // namespace
} // namespace floe::view
