#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/io/smooth_surface.hpp"
#include "floe/io/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

namespace floe::io {
namespace {

constexpr float kSpacing = 0.01f;
constexpr double kVolume = 1e-6; ///< of a particle [m^3]

/// Places particles, in spacings.
struct Placer {
    Matter matter{.spacing = {kSpacing}};
    std::mt19937 random{7};

    void add(double x, double y, double z)
    {
        matter.positions.push_back({static_cast<float>(kSpacing * x),
                                    static_cast<float>(kSpacing * y),
                                    static_cast<float>(kSpacing * z)});
    }
    double noise(double width) { return width * (random() / 4294967296.0 - 0.5); }
    double volume() const { return kVolume * static_cast<double>(matter.positions.size()); }
};

/// One particle at a random place of each cell of a lattice, as solvers are filled, where that is
/// inside of the ball.
Matter ball(double radius)
{
    Placer placer;
    const int n = static_cast<int>(radius) + 1;
    for (int x = -n; x < n; ++x)
        for (int y = -n; y < n; ++y)
            for (int z = -n; z < n; ++z) {
                const double p[3] = {x + 0.5 + placer.noise(1), y + 0.5 + placer.noise(1),
                                     z + 0.5 + placer.noise(1)};
                if (std::hypot(p[0], p[1], p[2]) < radius)
                    placer.add(p[0], p[1], p[2]);
            }
    return std::move(placer.matter);
}

/// One layer of particles, `width` a side.
Placer sheet(int width)
{
    Placer placer;
    for (int x = 0; x < width; ++x)
        for (int z = 0; z < width; ++z)
            placer.add(x + placer.noise(0.6), placer.noise(0.3), z + placer.noise(0.6));
    return placer;
}

using Double3 = std::array<double, 3>;

Double3 point(const MeshValue& mesh, std::size_t i)
{
    return {mesh.points()[3 * i], mesh.points()[3 * i + 1], mesh.points()[3 * i + 2]};
}

double dot(const Double3& a, const Double3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Double3 cross(const Double3& a, const Double3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Volume inside by the divergence theorem; negative when the triangles face inward.
double signedVolume(const MeshValue& mesh)
{
    double sum = 0;
    const auto corners = mesh.triangles();
    for (std::size_t i = 0; i < corners.size(); i += 3)
        sum += dot(point(mesh, corners[i]),
                   cross(point(mesh, corners[i + 1]), point(mesh, corners[i + 2])));
    return sum / 6;
}

/// Every edge is used as often in one direction as in the other.
bool isClosed(const MeshValue& mesh)
{
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    const auto corners = mesh.triangles();
    for (std::size_t i = 0; i < corners.size(); i += 3)
        for (std::size_t c = 0; c < 3; ++c)
            ++edges[{corners[i + c], corners[i + (c + 1) % 3]}];
    return !edges.empty() && std::ranges::all_of(edges, [&](const auto& edge) {
        const auto back = edges.find({edge.first.second, edge.first.first});
        return back != edges.end() && back->second == edge.second;
    });
}

/// Root mean square angle between the normals of a ball's points, weighted by area, and those of
/// the ball [degrees].
double roughness(const MeshValue& mesh)
{
    std::vector<Double3> normals(mesh.pointCount(), Double3{});
    const auto corners = mesh.triangles();
    for (std::size_t i = 0; i < corners.size(); i += 3) {
        const Double3 a = point(mesh, corners[i]);
        Double3 u = point(mesh, corners[i + 1]), v = point(mesh, corners[i + 2]);
        for (std::size_t k = 0; k < 3; ++k) {
            u[k] -= a[k];
            v[k] -= a[k];
        }
        const Double3 face = cross(u, v);
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t k = 0; k < 3; ++k)
                normals[corners[i + c]][k] += face[k];
    }
    double sum = 0;
    for (std::size_t i = 0; i < normals.size(); ++i) {
        const Double3 p = point(mesh, i);
        const double cosine =
            dot(p, normals[i]) / std::sqrt(dot(p, p) * dot(normals[i], normals[i]));
        sum += std::pow(std::acos(std::clamp(cosine, -1.0, 1.0)), 2);
    }
    return std::sqrt(sum / static_cast<double>(normals.size())) * 180 / std::numbers::pi;
}

Ref<const ParticlesValue> particlesOf(const Matter& matter)
{
    const auto particles = make<ParticlesValue>(matter.positions.size());
    particles->copyIn<float>("x", 3,
                             std::span(matter.positions[0].data(), 3 * matter.positions.size()));
    particles->copyIn<float>(
        "volume", 1, std::vector<float>(matter.positions.size(), kSpacing * kSpacing * kSpacing));
    particles->seal();
    return particles;
}

// The particles fill the ball at random, to within a percent; the lattice and the mean of the cut
// edges, which lies inside of a bent surface, change the rest.
TEST(SmoothSurface, ABallHasItsRadiusAndVolume)
{
    for (const double radius : {8.0, 16.0}) {
        const Matter matter = ball(radius);
        const auto mesh = smoothSurface(matter);
        double mean = 0;
        for (std::size_t i = 0; i < mesh->pointCount(); ++i)
            mean += std::sqrt(dot(point(*mesh, i), point(*mesh, i))) / mesh->pointCount();
        EXPECT_NEAR(mean / kSpacing, radius, 0.01 * radius);
        const double filled = kVolume * static_cast<double>(matter.positions.size());
        EXPECT_NEAR(signedVolume(*mesh), filled, 0.02 * filled);
        EXPECT_TRUE(isClosed(*mesh));
    }
}

// Round kernels of the volume of a particle, joined: the surface shows every one of them.
TEST(SmoothSurface, IsThreeTimesAsSmoothAsRoundKernels)
{
    const Matter matter = ball(16);
    const std::vector<Ref<const ParticlesValue>> sets = {particlesOf(matter)};
    const auto round = meshOf(surfaceOf(sets, {.smoothing = Smoothing::none}));
    EXPECT_LT(3 * roughness(*smoothSurface(matter)), roughness(*round));
}

TEST(SmoothSurface, ASheetOneParticleThickStaysWhole)
{
    const Placer placer = sheet(30);
    const auto mesh = smoothSurface(placer.matter);
    // One closed surface without a hole: a ball's Euler characteristic.
    EXPECT_EQ(static_cast<long>(mesh->pointCount()) - static_cast<long>(mesh->triangleCount() / 2),
              2);
    EXPECT_TRUE(isClosed(*mesh));
    EXPECT_NEAR(signedVolume(*mesh), placer.volume(), 0.3 * placer.volume());
}

TEST(SmoothSurface, ADropAndAThreadAreSeen)
{
    Placer drop, thread;
    drop.add(0, 0, 0);
    for (int i = 0; i < 20; ++i)
        thread.add(i, 0, 0);
    const double one = signedVolume(*smoothSurface(drop.matter));
    EXPECT_GT(one, 0.4 * kVolume);
    EXPECT_LT(one, 1.2 * kVolume);
    const auto mesh = smoothSurface(thread.matter);
    EXPECT_EQ(static_cast<long>(mesh->pointCount()) - static_cast<long>(mesh->triangleCount() / 2),
              2);
    EXPECT_NEAR(signedVolume(*mesh), thread.volume(), 0.4 * thread.volume());
}

// Particles deep inside are not looked at: nothing of that shows.
TEST(SmoothSurface, ABlockIsHollowNowhere)
{
    Placer placer;
    for (int x = 0; x < 40; ++x)
        for (int y = 0; y < 40; ++y)
            for (int z = 0; z < 40; ++z)
                placer.add(x + placer.noise(1), y + placer.noise(1), z + placer.noise(1));
    const auto mesh = smoothSurface(placer.matter);
    EXPECT_NEAR(signedVolume(*mesh), placer.volume(), 0.01 * placer.volume());
    for (std::size_t i = 0; i < mesh->pointCount(); ++i) {
        double outermost = 0; // distance from the middle along an axis
        for (const double x : point(*mesh, i))
            outermost = std::max(outermost, std::abs(x / kSpacing - 19.5));
        ASSERT_GT(outermost, 17);
    }
}

TEST(SmoothSurface, IsTheSameForAnyNumberOfThreads)
{
    const Matter matter = ball(10);
    const auto mesh = [&](int threads) {
        compute::setThreadCount(threads);
        auto made = smoothSurface(matter);
        compute::setThreadCount(0);
        return made;
    };
    const auto one = mesh(1), three = mesh(3);
    EXPECT_TRUE(std::ranges::equal(one->points(), three->points()));
    EXPECT_TRUE(std::ranges::equal(one->triangles(), three->triangles()));
}

TEST(SmoothSurface, MovesWithTheParticles)
{
    Matter matter = ball(6);
    for (const auto& x : matter.positions) // turns about z
        matter.velocities.push_back({-x[1], x[0], 0});
    const auto mesh = smoothSurface(matter);
    ASSERT_EQ(mesh->velocities().size(), mesh->points().size());
    for (std::size_t i = 0; i < mesh->pointCount(); ++i) {
        // The mean over a kernel's reach, which is mostly inside.
        EXPECT_NEAR(mesh->velocities()[3 * i], -mesh->points()[3 * i + 1], 2 * kSpacing);
        EXPECT_NEAR(mesh->velocities()[3 * i + 1], mesh->points()[3 * i], 2 * kSpacing);
    }
}

TEST(SmoothSurface, ParticlesOfOtherSizesBesideEachOtherHaveTheirVolumes)
{
    Matter matter = ball(8);
    matter.spacing.assign(matter.positions.size(), kSpacing);
    matter.positions.push_back({1, 0, 0});
    matter.spacing.push_back(3 * kSpacing);
    const double filled = kVolume * static_cast<double>(matter.positions.size() - 1 + 27);
    EXPECT_NEAR(signedVolume(*smoothSurface(matter)), filled, 0.02 * filled);
}

// A kilometre apart: the space between costs nothing.
TEST(SmoothSurface, FewParticlesFarApartAreFew)
{
    Placer placer;
    for (int i = 0; i < 1000; ++i)
        placer.add(1e3 * (i % 10), 1e3 * (i / 10 % 10), 1e3 * (i / 100));
    const auto mesh = smoothSurface(placer.matter);
    EXPECT_NEAR(signedVolume(*mesh), placer.volume(), 0.6 * placer.volume());
    EXPECT_LT(mesh->pointCount(), 100'000u);
}

TEST(SmoothSurface, NoParticlesGiveNoTriangles)
{
    EXPECT_EQ(smoothSurface({})->triangleCount(), 0u);
}

TEST(SmoothSurface, ParticlesTooFarApartAreAnError)
{
    Placer placer;
    placer.add(0, 0, 0);
    placer.add(1e9, 0, 0);
    EXPECT_THROW(smoothSurface(placer.matter), InputError);
}

TEST(SmoothSurface, StopsWhenAsked)
{
    const auto cancelled = [] {
        return true;
    };
    EXPECT_THROW(smoothSurface(ball(8), {.cancelled = cancelled}), CancelledError);
}

// As a level set it goes on to other nodes.
TEST(SmoothSurface, TheLevelSetOfABallHasItsVolume)
{
    const Matter matter = ball(12);
    const std::vector<Ref<const ParticlesValue>> sets = {particlesOf(matter)};
    const auto surface = surfaceOf(sets, {.kernel = SurfaceKernel::anisotropic});
    EXPECT_TRUE(surface->info().isLevelSet);
    const double filled = kVolume * static_cast<double>(matter.positions.size());
    EXPECT_NEAR(signedVolume(*meshOf(surface)), filled, 0.02 * filled);
    const auto smaller =
        surfaceOf(sets, {.kernel = SurfaceKernel::anisotropic, .erosion = kSpacing});
    EXPECT_NEAR(signedVolume(*meshOf(smaller)), filled * std::pow(11.0 / 12, 3), 0.02 * filled);
}

} // namespace
} // namespace floe::io
