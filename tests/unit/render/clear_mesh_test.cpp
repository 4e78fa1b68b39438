#include "procedural.hpp"
#include "shared_renderer.hpp"

#include <algorithm>
#include <cmath>

using namespace floe::render;

namespace {

class ClearMeshes : public Rendering {
protected:
    static Mesh clearMesh(const procedural::Shape& shape, float opacity = 0)
    {
        Mesh mesh = procedural::meshOf(shape);
        mesh.look = plainLook({0.3f, 0.55f, 0.8f});
        mesh.look.opacity = opacity;
        mesh.look.colourDepth = 0.5f;
        return mesh;
    }

    /// A wall of light: what is seen is what gets through.
    static Scene brightScene()
    {
        Scene scene = plainScene();
        scene.background = {.top = {1, 1, 1}, .horizon = {1, 1, 1}};
        return scene;
    }

    static Float3 middle(const Image& image) { return linearAt(image, 48, 32); }
};

// Beer and Lambert, exactly: sides are where they are. Four hundredths are mirrored of a horizon
// 1.8 times as bright as what is behind.
TEST_F(ClearMeshes, AbsorbByTheWayThroughThem)
{
    for (const float thickness : {0.01f, 0.25f, 0.5f, 1.0f}) {
        Scene scene = brightScene();
        const auto slab =
            procedural::box({-0.8f, -0.8f, -0.5f * thickness}, {0.8f, 0.8f, 0.5f * thickness});
        scene.meshes = {clearMesh(slab)};
        const Float3 seen = middle(renderer().render(scene));
        for (std::size_t c = 0; c < 3; ++c) {
            const float through = std::pow(scene.meshes[0].look.colour[c], thickness / 0.5f);
            EXPECT_NEAR(seen[c], 0.96f * through + 0.04f * 1.8f, 0.005f) << thickness << " " << c;
        }
    }
}

// Two slabs one behind the other are as thick as both, the gap between them counts nothing.
TEST_F(ClearMeshes, CountWhatIsBetweenTheirSides)
{
    Scene scene = brightScene();
    const auto near = procedural::box({-0.8f, -0.8f, 0.5f}, {0.8f, 0.8f, 0.75f}),
               far = procedural::box({-0.8f, -0.8f, -0.5f}, {0.8f, 0.8f, -0.25f});
    scene.meshes = {clearMesh(near), clearMesh(far)};
    const Float3 seen = middle(renderer().render(scene));
    for (std::size_t c = 0; c < 3; ++c)
        EXPECT_NEAR(seen[c], 0.96f * scene.meshes[0].look.colour[c] + 0.04f * 1.8f, 0.01f) << c;
}

TEST_F(ClearMeshes, ShowWhatIsWithinAndAreHiddenByWhatIsBefore)
{
    Scene scene = brightScene();
    const auto water = procedural::box({-0.8f, -0.8f, -0.3f}, {0.8f, 0.8f, 0.3f});
    const std::vector<Float3> inside = {{0, 0, 0}}, before = {{0, 0, 0.8f}};
    ParticleSet ball;
    ball.positions = inside;
    ball.radius = 0.2f;
    ball.look = plainLook({0.9f, 0.05f, 0.05f});
    scene.meshes = {clearMesh(water)};
    scene.particles = {ball};
    // Red, tinted by the 0.1 m before it.
    const Float3 seen = middle(renderer().render(scene));
    EXPECT_NEAR(seen[0], 0.96f * 0.9f * std::pow(0.3f, 0.1f / 0.5f) + 0.04f * 1.8f, 0.03f);
    scene.particles[0].positions = before;
    const Float3 hidden = middle(renderer().render(scene));
    EXPECT_NEAR(hidden[0], 0.9f, 0.01f);
    EXPECT_NEAR(hidden[1], 0.05f, 0.01f);
}

// A drop is a lens: its upper half shows what is below. What is large shows what is behind it.
TEST_F(ClearMeshes, AsDropsShowTheirSurroundingsUpsideDown)
{
    Scene scene = brightScene();
    scene.sky.ground = {0, 0, 0};
    for (const float radius : {0.15f, 0.6f}) {
        const auto shape = procedural::sphere({0, 0, 0}, radius);
        Mesh ball = clearMesh(shape);
        ball.smooth = true;
        ball.look.colourDepth = 100; // as clear as glass
        scene.meshes = {ball};
        const Image image = renderer().render(scene);
        const int half = static_cast<int>(0.5f * radius * 88 / 4); // 88 pixels a metre at 1 m
        const float upper = linearAt(image, 48, 31 - half)[1];
        const float lower = linearAt(image, 48, 32 + half)[1];
        if (radius < 0.5f)
            EXPECT_LT(upper, 0.4f * lower);
        else
            EXPECT_NEAR(upper, lower, 0.15f);
    }
}

// What is seen through the top of a tank changes as evenly as the ground below does.
TEST_F(ClearMeshes, BendWhatLiesBelowWithoutSteps)
{
    Scene scene = plainScene(96, 256);
    scene.camera = {.eye = {0, 1.2f, 3}, .target = {0, 0.2f, 0}, .verticalFov = 30};
    const auto floor = procedural::box({-3, -0.1f, -3}, {3, 0, 3});
    std::vector<Float3> light;
    for (const Float3& point : floor.points)
        light.push_back(point[2] > 0 ? Float3{1, 1, 1} : Float3{0, 0, 0});
    Mesh below = procedural::meshOf(floor);
    below.look = plainLook({1, 1, 1});
    below.colours = light;
    const auto water = procedural::box({-0.9f, 0, -0.9f}, {0.9f, 0.4f, 0.9f});
    Mesh tank = clearMesh(water);
    tank.look.colourDepth = 100; // as clear as glass
    scene.meshes = {below, tank};
    const Image image = renderer().render(scene);
    float largest = 0, mean = 0;
    int steps = 0;
    for (int y = 90; y < 144; ++y, ++steps) { // of its top
        const float step = std::abs(linearAt(image, 48, y + 1)[1] - linearAt(image, 48, y)[1]);
        largest = std::max(largest, step);
        mean += step;
    }
    EXPECT_GT(mean, 0);
    EXPECT_LT(largest, 4 * mean / static_cast<float>(steps));
}

TEST_F(ClearMeshes, ThrowColouredShadows)
{
    Scene scene = plainScene();
    scene.camera = {.eye = {0, 1.5f, 5}, .target = {0, 0, 0}, .verticalFov = 40};
    scene.sky.intensity = 0;
    scene.sun = {.direction = {0, -1, -0.35f}, .colour = {1, 1, 1}, .intensity = 1};
    scene.ground = {.visible = true, .height = 0, .colour = {1, 1, 1}, .lineColour = {1, 1, 1}};
    const auto roof = procedural::box({-1.5f, 1.8f, 0}, {1.5f, 2.1f, 2.5f});
    const auto onTheGround = [&](float opacity) {
        scene.meshes = {clearMesh(roof, opacity)};
        return middle(renderer().render(scene));
    };
    const Float3 clear = onTheGround(0), opaque = onTheGround(1);
    scene.meshes.clear();
    const Float3 bare = middle(renderer().render(scene));
    // Through the roof, aslant.
    const float way = 0.3f * std::sqrt(1 + 0.35f * 0.35f);
    const Float3 colour = {0.3f, 0.55f, 0.8f};
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_LT(opaque[c], 0.02f * bare[c]);
        EXPECT_NEAR(clear[c] / bare[c], std::pow(colour[c], way / 0.5f), 0.03f);
    }
}

TEST_F(ClearMeshes, OpaqueOnRequestAreAsIfTheyWereOpaque)
{
    Scene scene = brightScene();
    const auto slab = procedural::box({-0.5f, -0.5f, -0.1f}, {0.5f, 0.5f, 0.1f});
    scene.effects.clear = false;
    scene.meshes = {clearMesh(slab)};
    const Image quick = renderer().render(scene);
    scene.effects.clear = true;
    scene.meshes = {clearMesh(slab, 1)};
    EXPECT_EQ(quick.linear, renderer().render(scene).linear);
}

// Particles that a mesh stands for are not drawn and throw no shadow.
TEST_F(ClearMeshes, TakeThePlaceOfHiddenParticles)
{
    Scene scene = brightScene();
    scene.sun.intensity = 1;
    const std::vector<Float3> points = {{0, 0, 0}, {0.5f, 0, 0}};
    const std::vector<std::uint8_t> indices = {0, 1};
    ParticleSet set;
    set.positions = points;
    set.radius = 0.2f;
    set.colourBy = ColourBy::Index;
    set.indices = indices;
    set.palette = {plainLook({0.9f, 0.1f, 0.1f}), plainLook({0.1f, 0.9f, 0.1f})};
    for (const float opacity : {1.0f, 0.5f}) {
        set.palette[0].opacity = opacity;
        set.palette[0].hidden = true;
        scene.particles = {set};
        const Image image = renderer().render(scene);
        EXPECT_NEAR(middle(image)[0], 1, 1e-3f);
        EXPECT_EQ(coverageAt(image, 48, 32), 0);
        set.palette[1].hidden = true;
        scene.particles = {set};
        const Image none = renderer().render(scene);
        scene.particles.clear();
        EXPECT_EQ(none.linear, renderer().render(scene).linear);
        set.palette[1].hidden = false;
    }
}

} // namespace
