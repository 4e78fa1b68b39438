#include "gaussian_reference.hpp"

using namespace floe::render;

namespace {

TEST_F(Gaussians, CastAShadowOnTheGround)
{
    Arrays arrays;
    arrays.positions = {{0, 1, 0}};
    arrays.scales = {{0.3f, 0.02f, 0.3f}};
    arrays.rotations = {{0, 0, 0, 1}};
    arrays.opacities = {0.99f};
    arrays.harmonics = {0, 0, 0};
    Scene scene = sceneOf(arrays);
    scene.ground.visible = true;
    scene.sun = {.direction = {0, -1, 0}, .intensity = 2, .angularDiameter = 0.5f};
    scene.camera = {.eye = {0, 0.8f, 4}, .target = {0, 0, 0}, .verticalFov = 40};
    const auto below = [&] {
        return linearAt(renderer().render(scene), 80, 62)[0];
    };
    const float shaded = below();
    scene.gaussians[0].shadow = false;
    EXPECT_LT(shaded, 0.5f * below());
}

/// A cloud and the sun, from above, without a ground.
Scene sunlit(Scene scene)
{
    scene.sun = {
        .direction = {0, -1, 0}, .colour = {1, 1, 1}, .intensity = 1.5f, .angularDiameter = 0.5f};
    scene.sky.zenith = {1, 1, 1};
    scene.sky.intensity = 0.5f;
    return scene;
}

/// A board above the cloud, out of sight.
Mesh board()
{
    static const std::vector<Float3> points = {{-9, 5, -9}, {9, 5, -9}, {9, 5, 9}, {-9, 5, 9}};
    static const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
    Mesh mesh;
    mesh.points = points;
    mesh.triangles = triangles;
    return mesh;
}

/// Colours as on a screen that a shadow dims; the formulas see what the sky alone leaves.
Arrays dimmed(Arrays arrays, double light)
{
    const auto factor = static_cast<float>(std::pow(light, 1 / 2.2));
    const float grey = static_cast<float>(0.5 / 0.28209479177387814); // where colours are 0
    for (std::size_t i = 0; i < arrays.harmonics.size(); ++i) {
        const bool constant =
            i / 3 % static_cast<std::size_t>((arrays.degree + 1) * (arrays.degree + 1)) == 0;
        float& value = arrays.harmonics[i];
        value = constant ? factor * (value + grey) - grey : factor * value;
    }
    return arrays;
}

// A sun of 1.5 and a sky of 0.5: what the board hides from the sun keeps a quarter of its light.
TEST_F(Gaussians, TakeTheShadowsOfOtherThings)
{
    const Arrays arrays = cloud(1500, 2, 0.04f);
    Scene scene = sunlit(sceneOf(arrays));
    const auto lit = reference(scene, arrays, kGrey);
    EXPECT_GT(psnr(renderer().render(scene), lit), kSame) << "a set casts none onto itself";
    scene.meshes = {board()};
    const auto shaded = reference(scene, dimmed(arrays, 0.25), kGrey);
    EXPECT_GT(psnr(renderer().render(scene), shaded), kSame);
    scene.effects.gaussianShadows = false;
    EXPECT_GT(psnr(renderer().render(scene), lit), kSame) << "a choice";
    scene.effects.gaussianShadows = true;
    scene.meshes[0].shadow = false;
    EXPECT_GT(psnr(renderer().render(scene), lit), kSame) << "a board that casts none";
    scene.meshes[0].shadow = true;
    scene.sun.shadow = false;
    EXPECT_GT(psnr(renderer().render(scene), lit), kSame) << "a sun that casts none";
}

TEST_F(Gaussians, TakeTheShadowsOfParticlesAndOfOtherSets)
{
    const Arrays arrays = cloud(1500, 0, 0.04f);
    Arrays sheet; // opaque, flat, over all of the cloud and out of sight
    for (int i = -30; i <= 30; ++i)
        for (int j = -30; j <= 30; ++j) {
            sheet.positions.push_back(
                {0.15f * static_cast<float>(i), 5, 0.15f * static_cast<float>(j)});
            sheet.scales.push_back({0.1f, 0.001f, 0.1f});
            sheet.rotations.push_back({0, 0, 0, 1});
            sheet.opacities.push_back(1);
            sheet.harmonics.insert(sheet.harmonics.end(), {0, 0, 0});
        }
    const Scene scene = sunlit(sceneOf(arrays));
    const auto shaded = reference(scene, dimmed(arrays, 0.25), kGrey);
    Scene sets = scene;
    sets.gaussians = {sheet.set(), arrays.set()}; // each has shadows of its own
    EXPECT_GT(psnr(renderer().render(sets), shaded), kSame);
    Scene balls = scene;
    ParticleSet particles;
    particles.positions = sheet.positions;
    particles.radius = 0.15f;
    balls.particles = {particles};
    EXPECT_GT(psnr(renderer().render(balls), shaded), kSame);
}

} // namespace
