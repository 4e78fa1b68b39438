// What a camera sensor gives, pixel by pixel, held against geometry that is computed here.
#include "floe/view/measure.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/device.hpp"
#include "floe/data/mesh.hpp"
#include "floe/data/record.hpp"
#include "floe/data/scalars.hpp"
#include "floe/data/transform.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace floe::view {
namespace {

constexpr int kWidth = 160, kHeight = 120;
constexpr double kFps = 24, kFov = 50;

Ref<const RecordValue> record(const char* schema,
                              const std::vector<std::pair<const char*, ValueRef>>& fields)
{
    const auto made = make<RecordValue>(schema);
    for (const auto& [name, value] : fields)
        made->setField(name, value);
    made->seal();
    return made;
}

ValueRef number(double value)
{
    return make<NumberValue>(value);
}

ValueRef vector(const std::array<double, 3>& value)
{
    return make<VectorValue>(value);
}

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
