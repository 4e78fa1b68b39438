// Pictures of particles that are drawn as smooth surfaces.
#include "floe/data/particles.hpp"
#include "floe/view/picture_scene.hpp"
#include "picture_surfaces.hpp"
#include "values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace floe::view {
namespace {

constexpr float kSpacing = 0.1f;
constexpr int kSide = 8; ///< particles along a cube's edge

ValueRef text(const char* value)
{
    return make<StringValue>(value);
}

/// Two cubes of particles side by side, each of a material of its own.
Ref<const ParticlesValue> cubes(const char* first, const char* second, double timeScale = 1)
{
    std::vector<float> x, v, volume;
    std::vector<std::uint32_t> material;
    for (int cube = 0; cube < 2; ++cube)
        for (int n = 0; n < kSide * kSide * kSide; ++n) {
            for (const int place : {n / 64 + 20 * cube, n / 8 % 8, n % 8})
                x.push_back(kSpacing * (static_cast<float>(place) + 0.5f));
            v.insert(v.end(), {0, 1, 0});
            volume.push_back(kSpacing * kSpacing * kSpacing);
            material.push_back(static_cast<std::uint32_t>(cube));
        }
    const auto particles = make<ParticlesValue>(volume.size());
    particles->copyIn<float>("x", 3, x);
    particles->copyIn<float>("v", 3, v);
    particles->copyIn<float>("volume", 1, volume);
    particles->copyIn<std::uint32_t>("material", 1, material);
    const auto materialOf = [](const char* law) {
        return record("material", {{"name", text(law)}, {"law", text(law)}});
    };
    particles->setField("materials",
                        record("materials", {{"0", materialOf(first)}, {"1", materialOf(second)}}));
    particles->setField("timeScale", number(timeScale));
    particles->seal();
    return particles;
}

PictureRequest requestOf(const Ref<const ParticlesValue>& particles, const char* surfaces,
                         const char* colourBy = "material")
{
    PictureRequest request;
    request.particles = {particles};
    request.settings = record("render", {{"surfaces", text(surfaces)},
                                         {"colorBy", text(colourBy)},
                                         {"exposures", number(2)},
                                         {"shutter", number(1)}});
    request.fps = 10;
    return request;
}

render::Bounds boundsOf(const render::Mesh& mesh)
{
    render::Bounds bounds{mesh.points[0], mesh.points[0]};
    for (const auto& p : mesh.points)
        for (std::size_t k = 0; k < 3; ++k) {
            bounds.low[k] = std::min(bounds.low[k], p[k]);
            bounds.high[k] = std::max(bounds.high[k], p[k]);
        }
    return bounds;
}

TEST(Surfaces, AreOfWhatFlowsOrHoldsTogether)
{
    const PictureScene picture(requestOf(cubes("druckerPrager", "liquid"), "smooth"));
    const render::Scene& scene = picture.scene;
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_TRUE(scene.meshes[0].smooth);
    ASSERT_EQ(scene.particles.size(), 1u);
    EXPECT_FALSE(scene.particles[0].palette[0].hidden);
    EXPECT_TRUE(scene.particles[0].palette[1].hidden);
    // The second cube; over the particles of a lattice it bulges by a third of a spacing.
    const render::Bounds bounds = boundsOf(scene.meshes[0]);
    EXPECT_NEAR(bounds.low[0], 20 * kSpacing, 0.4f * kSpacing);
    EXPECT_NEAR(bounds.high[0], 28 * kSpacing, 0.4f * kSpacing);
    EXPECT_NEAR(bounds.high[1], 8 * kSpacing, 0.4f * kSpacing);
}

// The surface of what a cut leaves is closed there, and not cut again.
TEST(Surfaces, EndAtACut)
{
    auto request = requestOf(cubes("liquid", "druckerPrager"), "smooth");
    request.cut = render::Cut{.normal = {1, 0, 0}, .offset = 4 * kSpacing};
    const PictureScene picture(request);
    ASSERT_EQ(picture.scene.meshes.size(), 1u);
    EXPECT_TRUE(picture.scene.meshes[0].whole);
    const render::Bounds bounds = boundsOf(picture.scene.meshes[0]);
    EXPECT_NEAR(bounds.low[0], 0, 0.4f * kSpacing);
    EXPECT_NEAR(bounds.high[0], 4 * kSpacing, 0.4f * kSpacing) << "half of the cube";
    EXPECT_NEAR(bounds.high[1], 8 * kSpacing, 0.4f * kSpacing);
}

TEST(Surfaces, AreOneForEachMaterial)
{
    const PictureScene picture(requestOf(cubes("neoHookean", "liquid"), "smooth"));
    ASSERT_EQ(picture.scene.meshes.size(), 2u);
    EXPECT_LT(boundsOf(picture.scene.meshes[0]).high[0], boundsOf(picture.scene.meshes[1]).low[0]);
}

TEST(Surfaces, AreNotMadeUnlessAskedForAndOfColouredParticles)
{
    for (const auto& [surfaces, colourBy] :
         {std::pair("spheres", "material"), {"smooth", "speed"}}) {
        const PictureScene picture(requestOf(cubes("liquid", "liquid"), surfaces, colourBy));
        EXPECT_TRUE(picture.scene.meshes.empty());
        for (const render::Look& look : picture.scene.particles[0].palette)
            EXPECT_FALSE(look.hidden);
    }
}

/// Volume that closed triangles enclose, by the divergence theorem [m^3].
double volumeOf(const render::Mesh& mesh)
{
    double sum = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const auto &p = mesh.points[a], &q = mesh.points[b], &r = mesh.points[c];
        sum += p[0] * (double{q[1]} * r[2] - double{q[2]} * r[1]) +
               p[1] * (double{q[2]} * r[0] - double{q[0]} * r[2]) +
               p[2] * (double{q[0]} * r[1] - double{q[1]} * r[0]);
    }
    return sum / 6;
}

// In motion particles are merged first: fewer triangles, around the same matter.
TEST(Surfaces, AreTheSameButCoarserOfMergedParticles)
{
    auto request = requestOf(cubes("liquid", "druckerPrager"), "smooth");
    const PictureScene fine(request);
    request.surfaces.cell = 2;
    const PictureScene coarse(request);
    ASSERT_EQ(coarse.scene.meshes.size(), 1u);
    EXPECT_LT(coarse.scene.meshes[0].triangles.size(), fine.scene.meshes[0].triangles.size() / 3);
    const double cube = std::pow(kSide * kSpacing, 3);
    EXPECT_NEAR(volumeOf(fine.scene.meshes[0]), cube, 0.1 * cube);
    // Of four merged particles a side much is at edges, which are round.
    EXPECT_NEAR(volumeOf(coarse.scene.meshes[0]), cube, 0.35 * cube);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(boundsOf(coarse.scene.meshes[0]).low[k], 0, 0.8f * kSpacing);
        EXPECT_NEAR(boundsOf(coarse.scene.meshes[0]).high[k], 8 * kSpacing, 0.8f * kSpacing);
    }
}

// What a still view made need not be made again in motion, however coarse that would do.
TEST(Surfaces, ThatAreKeptAreNotMadeAgain)
{
    KeptSurfaces kept;
    auto request = requestOf(cubes("liquid", "druckerPrager"), "smooth");
    request.kept = &kept;
    request.nodes = {"solver"};
    request.frame = 3;
    const auto triangles = [&](double cell) {
        request.surfaces.cell = cell;
        return PictureScene(request).scene.meshes.at(0).triangles.size();
    };
    const std::size_t coarse = triangles(2), fine = triangles(0);
    EXPECT_LT(coarse, fine);
    EXPECT_EQ(triangles(2), fine);
    request.frame = 4;
    EXPECT_EQ(triangles(2), coarse) << "another frame's";
    request.frame = 3;
    request.nodes = {"other"};
    EXPECT_EQ(triangles(2), coarse) << "another node's";
    request.nodes = {"solver"};
    kept.forget(3);
    EXPECT_EQ(triangles(2), coarse) << "its values have changed";
}

// Half a frame of a tenth of a second later, at 1 m/s.
TEST(Surfaces, MoveWhileTheShutterIsOpen)
{
    const PictureScene picture(requestOf(cubes("druckerPrager", "liquid"), "smooth"));
    render::Scene late = picture.scene;
    const auto points = picture.moveTo(late, 0.5f);
    EXPECT_NEAR(boundsOf(late.meshes[0]).high[1] - boundsOf(picture.scene.meshes[0]).high[1], 0.05f,
                1e-4f);
}

// In slow motion, by a tenth of that; grains too.
TEST(Surfaces, AndGrainsMoveInTheTimeOfTheirSolver)
{
    const PictureScene picture(requestOf(cubes("druckerPrager", "liquid", 0.1), "smooth"));
    const render::Scene& early = picture.scene;
    render::Scene late = early;
    const auto points = picture.moveTo(late, 0.5f);
    EXPECT_NEAR(boundsOf(late.meshes[0]).high[1] - boundsOf(early.meshes[0]).high[1], 0.005f,
                1e-5f);
    EXPECT_NEAR(late.particles[0].positions.host[0][1] - early.particles[0].positions.host[0][1],
                0.005f, 1e-5f);
}

} // namespace
} // namespace floe::view
