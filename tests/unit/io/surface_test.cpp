#include "floe/base/error.hpp"
#include "floe/io/surface.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

namespace floe::io {
namespace {

constexpr double kSpacing = 0.08;

/// Particles on a lattice that fills a ball of radius 1, each standing for one cell of it.
Ref<const ParticlesValue> ballOfParticles()
{
    std::vector<float> positions;
    const int n = static_cast<int>(1 / kSpacing) + 1;
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -n; k <= n; ++k)
                if (std::hypot(i + 0.5, j + 0.5, k + 0.5) * kSpacing <= 1)
                    for (const int index : {i, j, k})
                        positions.push_back(static_cast<float>((index + 0.5) * kSpacing));
    const auto particles = make<ParticlesValue>(positions.size() / 3);
    particles->copyIn<float>("x", 3, positions);
    const std::vector<float> volumes(positions.size() / 3,
                                     static_cast<float>(kSpacing * kSpacing * kSpacing));
    particles->copyIn<float>("volume", 1, volumes);
    particles->seal();
    return particles;
}

/// Volume inside by the divergence theorem; negative when the triangles face inward.
double signedVolume(const MeshValue& mesh)
{
    double sum = 0;
    const auto points = mesh.points();
    const auto triangles = mesh.triangles();
    for (std::size_t i = 0; i < triangles.size(); i += 3) {
        std::array<std::array<double, 3>, 3> p;
        for (int c = 0; c < 3; ++c)
            for (int k = 0; k < 3; ++k)
                p[c][k] = points[3 * triangles[i + c] + k];
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum / 6;
}

/// Every edge is used once in each direction: closed, and oriented the same way all over.
bool isClosed(const MeshValue& mesh)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    const auto triangles = mesh.triangles();
    for (std::size_t i = 0; i < triangles.size(); i += 3)
        for (int c = 0; c < 3; ++c)
            ++edges[{triangles[i + c], triangles[i + (c + 1) % 3]}];
    for (const auto& [edge, uses] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        if (uses != 1 || back == edges.end() || back->second != 1)
            return false;
    }
    return !edges.empty();
}

class EachSmoothing : public testing::TestWithParam<Smoothing> {};

// The particles stand for a ball of radius 1. Their spheres reach one radius beyond the outermost
// centres, which lie about half a spacing inside: eroding by the difference gives the ball back, up
// to the lattice's steps, which are far below 5 percent of the volume.
TEST_P(EachSmoothing, ABallOfParticlesHasTheBallsVolumeAndIsClosed)
{
    const std::vector<Ref<const ParticlesValue>> sets = {ballOfParticles()};
    SurfaceSettings settings;
    settings.radius = 1.5 * kSpacing;
    settings.voxelSize = kSpacing / 2;
    settings.closing = kSpacing;
    settings.erosion = settings.radius - 0.5 * kSpacing;
    settings.smoothing = GetParam();
    const auto surface = surfaceOf(sets, settings);
    EXPECT_TRUE(surface->info().isLevelSet);
    EXPECT_NEAR(surface->info().voxelSize, settings.voxelSize, 1e-9);
    const auto mesh = meshOf(surface);
    const double ball = 4.0 / 3 * std::numbers::pi;
    EXPECT_NEAR(signedVolume(*mesh), ball, 0.05 * ball);
    EXPECT_TRUE(isClosed(*mesh));
}

INSTANTIATE_TEST_SUITE_P(Surface, EachSmoothing,
                         testing::Values(Smoothing::none, Smoothing::gaussian, Smoothing::laplacian,
                                         Smoothing::meanCurvature));

// Larger triangles cut across what bends: on a ball of 20 voxels radius that is some percent.
TEST(Surface, AdaptivitySavesTrianglesAndKeepsTheVolume)
{
    const std::vector<Ref<const ParticlesValue>> sets = {ballOfParticles()};
    const auto surface = surfaceOf(sets, {});
    const auto fine = meshOf(surface, 0, 0), coarse = meshOf(surface, 0, 0.1);
    EXPECT_LT(coarse->triangleCount(), 0.7 * fine->triangleCount());
    EXPECT_NEAR(signedVolume(*coarse), signedVolume(*fine), 0.06 * signedVolume(*fine));
}

TEST(Surface, NoParticlesGiveAnEmptyLevelSet)
{
    const std::vector<Ref<const ParticlesValue>> none;
    const auto surface = surfaceOf(none, {});
    EXPECT_EQ(surface->info().activeVoxels, 0u);
    EXPECT_EQ(meshOf(surface)->triangleCount(), 0u);
}

TEST(Surface, UnusableSettingsAreNamed)
{
    const std::vector<Ref<const ParticlesValue>> sets = {ballOfParticles()};
    const auto parameterOf = [&](const SurfaceSettings& settings) -> std::string {
        try {
            surfaceOf(sets, settings);
        } catch (const InputError& error) {
            return error.place().parameter;
        }
        return "no error";
    };
    EXPECT_EQ(parameterOf({.radius = -1}), "radius");
    EXPECT_EQ(parameterOf({.radius = 0.1, .voxelSize = 0.1}), "voxelSize");
    EXPECT_EQ(parameterOf({.radius = 0.1, .voxelSize = 1e-5}), "voxelSize");
    EXPECT_EQ(parameterOf({.smoothingSteps = 1000}), "smoothingSteps");
    EXPECT_EQ(parameterOf({.erosion = std::nan("")}), "erosion");
}

TEST(Surface, StopsWhenAsked)
{
    const std::vector<Ref<const ParticlesValue>> sets = {ballOfParticles()};
    EXPECT_THROW(surfaceOf(sets, {.cancelled =
                                      [] {
                                          return true;
                                      }}),
                 CancelledError);
}

// A closing of many voxels grows the level set step by step, which takes minutes.
TEST(Surface, StopsInTheMiddleOfALongClosing)
{
    const std::vector<Ref<const ParticlesValue>> sets = {ballOfParticles()};
    const auto begin = std::chrono::steady_clock::now();
    const auto cancelled = [&] {
        return std::chrono::steady_clock::now() - begin > std::chrono::seconds(1);
    };
    EXPECT_THROW(surfaceOf(sets, {.closing = 12, .cancelled = cancelled}), CancelledError);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

} // namespace
} // namespace floe::io
