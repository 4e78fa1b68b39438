#include "gaussian_reference.hpp"

using namespace floe::render;

namespace {

TEST_F(Gaussians, EqualThePlainFormulas)
{
    for (int degree = 0; degree <= 3; ++degree)
        for (const bool turned : {false, true}) {
            const Arrays arrays = cloud(1500, degree, 0.04f, turned);
            const Scene scene = sceneOf(arrays);
            const auto expected = reference(scene, arrays, kGrey);
            EXPECT_GT(covered(expected, kGrey), 0.3);
            EXPECT_GT(psnr(renderer().render(scene), expected), kSame) << degree << turned;
        }
}

// Far more than a group of the sort holds, and nearly all of them smaller than a pixel.
TEST_F(Gaussians, EqualThePlainFormulasWhenManyAreSmall)
{
    const Arrays arrays = cloud(30'000, 1, 0.004f);
    for (const GaussianFilter filter : {GaussianFilter::Dilate, GaussianFilter::Conserve}) {
        Scene scene = sceneOf(arrays, 96, 72);
        scene.effects.gaussianFilter = filter;
        const auto expected = reference(scene, arrays, kGrey);
        EXPECT_GT(covered(expected, kGrey), 0.2);
        EXPECT_GT(psnr(renderer().render(scene), expected), kSame);
    }
}

// The eye in the middle of the cloud: some are behind it, some touch its plane.
TEST_F(Gaussians, AreCutByTheNearPlane)
{
    const Arrays arrays = cloud(800, 2, 0.03f);
    Scene scene = sceneOf(arrays);
    scene.camera = {.eye = {0.1f, 0, 0}, .target = {0.1f, 0.3f, -4}, .verticalFov = 70};
    scene.camera.nearPlane = 0.004f;
    EXPECT_GT(psnr(renderer().render(scene), reference(scene, arrays, kGrey)), 40)
        << "those that nearly touch the eye are as large as the picture, and rounding shows";
}

TEST_F(Gaussians, OfSeveralSetsAreSortedTogether)
{
    const Arrays all = cloud(1000, 1, 0.05f);
    Arrays parts[2];
    for (std::size_t i = 0; i < all.count(); ++i) {
        Arrays& part = parts[i % 2];
        part.degree = 1;
        part.positions.push_back(all.positions[i]);
        part.scales.push_back(all.scales[i]);
        part.rotations.push_back(all.rotations[i]);
        part.opacities.push_back(all.opacities[i]);
        part.harmonics.insert(part.harmonics.end(), &all.harmonics[12 * i],
                              &all.harmonics[12 * i] + 12);
    }
    Scene scene = sceneOf(all);
    scene.gaussians = {parts[0].set(), parts[1].set()};
    EXPECT_GT(psnr(renderer().render(scene), reference(scene, all, kGrey)), kSame);
}

// A wall through the cloud: what is nearer is before it, what is farther is hidden.
TEST_F(Gaussians, HideOpaqueThingsAndAreHidden)
{
    const Arrays arrays = cloud(1500, 0, 0.04f);
    Scene scene = sceneOf(arrays);
    const std::vector<Float3> points = {{-9, -9, 0.1f}, {9, -9, 0.1f}, {9, 9, 0.1f}, {-9, 9, 0.1f}};
    const std::vector<std::array<std::uint32_t, 3>> triangles = {{0, 1, 2}, {0, 2, 3}};
    Mesh wall;
    wall.points = points;
    wall.triangles = triangles;
    wall.look = plainLook({0.6f, 0.3f, 0.1f});
    scene.meshes = {wall};
    scene.gaussians.clear();
    const Image alone = renderer().render(scene);
    const std::size_t middle = 4 * (60 * 160 + 80);
    const Double3 colour = {alone.display[middle] / 255.0, alone.display[middle + 1] / 255.0,
                            alone.display[middle + 2] / 255.0};
    EXPECT_GT(colour[0] - colour[2], 0.2);
    scene.gaussians = {arrays.set()};
    EXPECT_GT(psnr(renderer().render(scene), reference(scene, arrays, colour, 3.9)), kSame);
}

// A set that turns as a whole, colours with it, looks from a camera that turns with it as before.
TEST_F(Gaussians, TurnedWithTheCameraLookTheSame)
{
    std::mt19937 random(3);
    const Float4 turn = randomRotation(random);
    const Matrix R = matrixOf(turn);
    const auto rotated = [&](const Float3& p) -> Float3 {
        const Double3 d = doubles(p);
        return {static_cast<float>(dot(R[0], d)), static_cast<float>(dot(R[1], d)),
                static_cast<float>(dot(R[2], d))};
    };
    const Arrays before = cloud(1500, 3, 0.04f);
    Arrays after = before;
    for (std::size_t i = 0; i < after.count(); ++i) {
        after.positions[i] = rotated(before.positions[i]);
        const Float4 b = before.rotations[i], a = turn;
        after.rotations[i] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                              a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                              a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                              a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    }
    const Scene scene = sceneOf(before);
    const Image first = renderer().render(scene);
    Scene other = sceneOf(after);
    other.camera.eye = rotated(scene.camera.eye);
    other.camera.target = rotated(scene.camera.target);
    other.camera.up = rotated(scene.camera.up);
    EXPECT_LT(psnr(renderer().render(other), first), 35) << "colours that stay behind show";
    after.turns.assign(after.count(), turn);
    other.gaussians = {after.set()};
    EXPECT_GT(psnr(renderer().render(other), first), kSame);
}

// More samples smooth the edges of other things; the filter is as wide as before.
TEST_F(Gaussians, ChangeLittleWithMoreSamples)
{
    const Arrays arrays = cloud(1500, 1, 0.04f);
    Scene scene = sceneOf(arrays);
    const Image one = renderer().render(scene);
    scene.samples = 4;
    EXPECT_GT(psnr(renderer().render(scene), one), 35); // the mean of four places in each pixel
}

TEST_F(Gaussians, ThatAreNotNumbersAreLeftOut)
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float infinite = std::numeric_limits<float>::infinity();
    const Arrays sound = cloud(500, 1, 0.05f);
    Arrays arrays = sound;
    const auto add = [&](const Float3& position, const Float3& scale, const Float4& rotation,
                         float opacity) {
        arrays.positions.push_back(position);
        arrays.scales.push_back(scale);
        arrays.rotations.push_back(rotation);
        arrays.opacities.push_back(opacity);
        arrays.harmonics.insert(arrays.harmonics.end(), 12, 1.0f);
    };
    const Float4 none = {0, 0, 0, 1};
    add({nan, 0, 0}, {1, 1, 1}, none, 1);
    add({0, infinite, 0}, {1, 1, 1}, none, 1);
    add({0, 0, 0}, {nan, 1, 1}, none, 1);
    add({0, 0, 0}, {1, infinite, 1}, none, 1);
    add({0, 0, 0}, {1, 1, 1}, {0, 0, 0, 0}, 1);
    add({0, 0, 0}, {1, 1, 1}, {nan, 0, 0, 1}, 1);
    add({0, 0, 0}, {1, 1, 1}, none, nan);
    const Scene scene = sceneOf(arrays);
    EXPECT_GT(psnr(renderer().render(scene), reference(scene, sound, kGrey)), kSame);

    Scene empty = sceneOf(Arrays{});
    empty.gaussians = {GaussianSet{}};
    EXPECT_EQ(renderer().render(empty).display.size(), 4u * 160 * 120);
    GaussianSet uneven = sound.set();
    uneven.opacities = uneven.opacities.first(3);
    Scene wrong = scene;
    wrong.gaussians = {uneven};
    EXPECT_ANY_THROW(renderer().render(wrong));
}

// From step to step a picture changes as the formulas do: nothing appears, vanishes or changes
// places but by its depth, not even where many lie at one depth.
TEST_F(Gaussians, DoNotPopWhileTheCameraMoves)
{
    Arrays arrays = cloud(1500, 1, 0.04f);
    for (std::size_t i = 0; i < arrays.count(); i += 2) // in planes that face the first camera
        arrays.positions[i][2] = 0.2f * std::round(5 * arrays.positions[i][2]);
    Scene scene = sceneOf(arrays);
    const auto at = [&](int step) {
        const float angle = 0.004f * static_cast<float>(step);
        scene.camera.eye = {4 * std::sin(angle), 0.01f * static_cast<float>(step),
                            4 * std::cos(angle)};
    };
    at(0);
    Image image = renderer().render(scene);
    EXPECT_EQ(renderer().render(scene).display, image.display) << "the same again";
    auto expected = reference(scene, arrays, kGrey);
    for (int step = 1; step <= 8; ++step) {
        at(step);
        const Image next = renderer().render(scene);
        const auto nextExpected = reference(scene, arrays, kGrey);
        double sum = 0, largest = 0;
        for (std::size_t i = 0; i < expected.size(); ++i)
            for (std::size_t channel = 0; channel < 3; ++channel) {
                const std::size_t k = 4 * i + channel;
                const double change = (next.display[k] - image.display[k]) / 255.0,
                             wanted = nextExpected[i][channel] - expected[i][channel];
                sum += (change - wanted) * (change - wanted);
                largest = std::max(largest, std::abs(change - wanted));
            }
        EXPECT_GT(-10 * std::log10(sum / (3 * static_cast<double>(expected.size()))), kSame)
            << step;
        EXPECT_LT(largest, 0.1) << step; // two that are as far, by rounding, change places
        image = next;
        expected = nextExpected;
    }
}

// Of a moving set the harmonics stay on the device.
TEST_F(Gaussians, HarmonicsOfOneRevisionAreNotCopiedAgain)
{
    Arrays arrays = cloud(300, 1, 0.1f);
    Scene scene = sceneOf(arrays);
    scene.gaussians[0].harmonicsRevision = 5;
    renderer().render(scene);
    const Arrays before = arrays;
    std::fill(arrays.harmonics.begin(), arrays.harmonics.end(), 0.0f); // not looked at
    for (Float3& position : arrays.positions)
        position[0] += 0.2f; // looked at
    Arrays expected = before;
    expected.positions = arrays.positions;
    EXPECT_GT(psnr(renderer().render(scene), reference(scene, expected, kGrey)), kSame);
    scene.gaussians[0].harmonicsRevision = 6;
    EXPECT_GT(psnr(renderer().render(scene), reference(scene, arrays, kGrey)), kSame);
}

TEST_F(Gaussians, KnownByTheirRevisionAreNotCopiedAgain)
{
    Arrays arrays = cloud(200, 0, 0.1f);
    Scene scene = sceneOf(arrays);
    scene.gaussians[0].revision = 7;
    const Image first = renderer().render(scene);
    std::fill(arrays.opacities.begin(), arrays.opacities.end(), 0.0f); // not looked at
    EXPECT_GT(psnr(renderer().render(scene), first), kSame);
    scene.gaussians[0].revision = 8;
    EXPECT_LT(psnr(renderer().render(scene), first), 30);
}

} // namespace
