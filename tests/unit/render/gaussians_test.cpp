#include "shared_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace floe::render;

namespace {

using Float4 = std::array<float, 4>;
using Double3 = std::array<double, 3>;
using Matrix = std::array<Double3, 3>; // rows

double dot(const Double3& a, const Double3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Double3 minus(const Double3& a, const Double3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Double3 cross(const Double3& a, const Double3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Double3 unit(const Double3& a)
{
    const double size = std::sqrt(dot(a, a));
    return {a[0] / size, a[1] / size, a[2] / size};
}
Double3 doubles(const Float3& a)
{
    return {a[0], a[1], a[2]};
}

/// The arrays of a set.
struct Arrays {
    std::vector<Float3> positions, scales;
    std::vector<Float4> rotations, turns;
    std::vector<float> opacities, harmonics;
    int degree = 0;

    GaussianSet set() const
    {
        GaussianSet result;
        result.positions = positions;
        result.scales = scales;
        result.rotations = rotations;
        result.opacities = opacities;
        result.harmonics = harmonics;
        result.degree = degree;
        result.turns = turns;
        return result;
    }
    std::size_t count() const { return positions.size(); }
};

Matrix matrixOf(const Float4& q)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

Float4 randomRotation(std::mt19937& random)
{
    std::normal_distribution<float> normal;
    Float4 q = {normal(random), normal(random), normal(random), normal(random)};
    const float size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (float& part : q)
        part /= size;
    return q;
}

/// A cloud of flat and long Gaussians around the origin.
Arrays cloud(std::size_t count, int degree, float size, bool turned = false)
{
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform(0, 1);
    Arrays arrays;
    arrays.degree = degree;
    for (std::size_t i = 0; i < count; ++i) {
        arrays.positions.push_back(
            {0.6f * normal(random), 0.4f * normal(random), 0.6f * normal(random)});
        Float3 scale;
        for (float& axis : scale)
            axis = size * std::exp(0.8f * normal(random));
        arrays.scales.push_back(scale);
        arrays.rotations.push_back(randomRotation(random));
        arrays.opacities.push_back(uniform(random));
        for (int k = 0; k < 3 * (degree + 1) * (degree + 1); ++k)
            arrays.harmonics.push_back((k < 3 ? 1.2f : 0.3f) * normal(random));
        if (turned)
            arrays.turns.push_back(randomRotation(random));
    }
    return arrays;
}

double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/// Real spherical harmonics from associated Legendre polynomials, with Condon's and Shortley's
/// phase.
double harmonic(int l, int m, const Double3& d)
{
    const int n = std::abs(m);
    const double z = d[2], side = std::sqrt(std::max(1 - z * z, 0.0));
    double diagonal = 1;
    for (int k = 1; k <= n; ++k)
        diagonal *= -(2 * k - 1) * side;
    double before = 0, legendre = diagonal;
    for (int k = n + 1; k <= l; ++k) {
        const double next = ((2 * k - 1) * z * legendre - (k + n - 1) * before) / (k - n);
        before = legendre;
        legendre = next;
    }
    const double norm =
        std::sqrt((2 * l + 1) / (4 * std::numbers::pi) * factorial(l - n) / factorial(l + n));
    const double around = std::atan2(d[1], d[0]);
    if (m == 0)
        return norm * legendre;
    return std::numbers::sqrt2 * norm * legendre *
           (m > 0 ? std::cos(n * around) : std::sin(n * around));
}

/// What a pixel needs of a Gaussian.
struct Ellipse {
    double x, y, distance, opacity;
    double xx, xy, yy; // of the inverse of its covariance
    double reachX, reachY;
    Double3 colour;
};

/// The formulas of Zwicker et al. 2001 and Kerbl et al. 2023, plainly, in double precision.
std::vector<Ellipse> projected(const Scene& scene, const Arrays& arrays)
{
    const Camera& camera = scene.camera;
    const Double3 forward = unit(minus(doubles(camera.target), doubles(camera.eye)));
    const Double3 right = unit(cross(forward, doubles(camera.up)));
    const Double3 down = cross(forward, right);
    const double tanHalf = std::tan(camera.verticalFov * std::numbers::pi / 360);
    const double focal = 0.5 * scene.height / tanHalf;
    const double aspect = static_cast<double>(scene.width) / scene.height;
    std::vector<Ellipse> ellipses;
    for (std::size_t i = 0; i < arrays.count(); ++i) {
        const Double3 p = minus(doubles(arrays.positions[i]), doubles(camera.eye));
        const double X = dot(p, right), Y = dot(p, down), Z = dot(p, forward);
        if (Z <= 1e-3 * 4)
            continue;
        const Matrix R = matrixOf(arrays.rotations[i]);
        Matrix covariance{};
        for (std::size_t r = 0; r < 3; ++r)
            for (std::size_t c = 0; c < 3; ++c)
                for (std::size_t k = 0; k < 3; ++k) {
                    const double s = arrays.scales[i][k];
                    covariance[r][c] += R[r][k] * s * s * R[c][k];
                }
        const double hx = std::clamp(X / Z, -1.3 * tanHalf * aspect, 1.3 * tanHalf * aspect);
        const double hy = std::clamp(Y / Z, -1.3 * tanHalf, 1.3 * tanHalf);
        Double3 rowX, rowY;
        for (std::size_t k = 0; k < 3; ++k) {
            rowX[k] = focal / Z * (right[k] - hx * forward[k]);
            rowY[k] = focal / Z * (down[k] - hy * forward[k]);
        }
        const auto product = [&](const Double3& a, const Double3& b) {
            double sum = 0;
            for (std::size_t r = 0; r < 3; ++r)
                sum += a[r] * dot(covariance[r], b);
            return sum;
        };
        const double xx = product(rowX, rowX), xy = product(rowX, rowY), yy = product(rowY, rowY);
        const double filtered = (xx + 0.3) * (yy + 0.3) - xy * xy;
        Ellipse ellipse{};
        ellipse.opacity = arrays.opacities[i];
        if (scene.effects.gaussianFilter == GaussianFilter::Conserve)
            ellipse.opacity *= std::sqrt(std::max((xx * yy - xy * xy) / filtered, 0.000025));
        ellipse.x = 0.5 * scene.width + focal * X / Z;
        ellipse.y = 0.5 * scene.height + focal * Y / Z;
        ellipse.distance = Z;
        ellipse.xx = (yy + 0.3) / filtered;
        ellipse.xy = -xy / filtered;
        ellipse.yy = (xx + 0.3) / filtered;
        ellipse.reachX = 4 * std::sqrt(xx + 0.3); // beyond it even 1 is below 1/255
        ellipse.reachY = 4 * std::sqrt(yy + 0.3);
        Double3 d = unit(p);
        if (!arrays.turns.empty()) {
            const Matrix T = matrixOf(arrays.turns[i]);
            d = {dot({T[0][0], T[1][0], T[2][0]}, d), dot({T[0][1], T[1][1], T[2][1]}, d),
                 dot({T[0][2], T[1][2], T[2][2]}, d)};
        }
        const int terms = (arrays.degree + 1) * (arrays.degree + 1);
        for (std::size_t channel = 0; channel < 3; ++channel) {
            double sum = 0.5;
            for (int l = 0, k = 0; l <= arrays.degree; ++l)
                for (int m = -l; m <= l; ++m, ++k)
                    sum += harmonic(l, m, d) *
                           arrays.harmonics[3 * (static_cast<std::size_t>(terms) * i +
                                                 static_cast<std::size_t>(k)) +
                                            channel];
            ellipse.colour[channel] = std::max(sum, 0.0);
        }
        ellipses.push_back(ellipse);
    }
    std::reverse(ellipses.begin(), ellipses.end()); // of those as far, the last hides the others
    std::stable_sort(ellipses.begin(), ellipses.end(),
                     [](const Ellipse& a, const Ellipse& b) { return a.distance < b.distance; });
    return ellipses;
}

/// A picture of Gaussians as on a screen, before a background.
/// @param farthest  [m] what hides the rest
std::vector<Double3> reference(const Scene& scene, const Arrays& arrays, const Double3& background,
                               double farthest = std::numeric_limits<double>::infinity())
{
    const std::vector<Ellipse> ellipses = projected(scene, arrays);
    std::vector<Double3> picture;
    for (int row = 0; row < scene.height; ++row)
        for (int column = 0; column < scene.width; ++column) {
            Double3 sum{};
            double through = 1;
            for (const Ellipse& e : ellipses) {
                const double x = column + 0.5 - e.x, y = row + 0.5 - e.y;
                if (std::abs(x) > e.reachX || std::abs(y) > e.reachY || e.distance > farthest)
                    continue;
                const double power = 0.5 * (e.xx * x * x + e.yy * y * y) + e.xy * x * y;
                const double opacity = std::min(e.opacity * std::exp(-power), 0.99);
                if (opacity < 1.0 / 255)
                    continue;
                for (std::size_t channel = 0; channel < 3; ++channel)
                    sum[channel] += through * opacity * e.colour[channel];
                through *= 1 - opacity;
            }
            for (std::size_t channel = 0; channel < 3; ++channel)
                sum[channel] = std::clamp(sum[channel] + through * background[channel], 0.0, 1.0);
            picture.push_back(sum);
        }
    return picture;
}

double psnr(const Image& image, const std::vector<Double3>& expected)
{
    double sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const double off = image.display[4 * i + channel] / 255.0 - expected[i][channel];
            sum += off * off;
        }
    return -10 * std::log10(sum / (3 * static_cast<double>(expected.size())));
}

double psnr(const Image& a, const Image& b)
{
    std::vector<Double3> pixels;
    for (std::size_t i = 0; i < b.pixelCount(); ++i)
        pixels.push_back(
            {b.display[4 * i] / 255.0, b.display[4 * i + 1] / 255.0, b.display[4 * i + 2] / 255.0});
    return psnr(a, pixels);
}

/// Share of the pixels that differ from the background, so that no picture is empty.
double covered(const std::vector<Double3>& picture, const Double3& background)
{
    std::size_t count = 0;
    for (const Double3& pixel : picture)
        count += std::abs(pixel[0] - background[0]) + std::abs(pixel[1] - background[1]) > 0.02;
    return static_cast<double>(count) / static_cast<double>(picture.size());
}

/// Better than this counts as the same picture: the rest is rounding to bytes, and the noise of
/// less than one step against bands, together about 55 dB.
constexpr double kSame = 45;

constexpr Double3 kGrey = {0.5, 0.5, 0.5}; // as on a screen
constexpr Float3 kLinearGrey = {0.21404114f, 0.21404114f, 0.21404114f};

class Gaussians : public Rendering {
protected:
    static Scene sceneOf(const Arrays& arrays, int width = 160, int height = 120)
    {
        Scene scene = plainScene(width, height);
        scene.background = {.top = kLinearGrey, .horizon = kLinearGrey};
        scene.gaussians = {arrays.set()};
        return scene;
    }
};

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
