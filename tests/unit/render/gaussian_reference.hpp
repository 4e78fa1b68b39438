/// Gaussians written plainly, in double precision, to hold the renderer's against.
#pragma once

#include "shared_renderer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace floe::render {

using Float4 = std::array<float, 4>;
using Double3 = std::array<double, 3>;
using Matrix = std::array<Double3, 3>; // rows

inline double dot(const Double3& a, const Double3& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Double3 minus(const Double3& a, const Double3& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Double3 cross(const Double3& a, const Double3& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Double3 unit(const Double3& a)
{
    const double size = std::sqrt(dot(a, a));
    return {a[0] / size, a[1] / size, a[2] / size};
}
inline Double3 doubles(const Float3& a)
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

inline Matrix matrixOf(const Float4& q)
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

inline Float4 randomRotation(std::mt19937& random)
{
    std::normal_distribution<float> normal;
    Float4 q = {normal(random), normal(random), normal(random), normal(random)};
    const float size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (float& part : q)
        part /= size;
    return q;
}

/// A cloud of flat and long Gaussians around the origin.
inline Arrays cloud(std::size_t count, int degree, float size, bool turned = false)
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

inline double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/// Real spherical harmonics from associated Legendre polynomials, with Condon's and Shortley's
/// phase.
inline double harmonic(int l, int m, const Double3& d)
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
inline std::vector<Ellipse> projected(const Scene& scene, const Arrays& arrays)
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
inline std::vector<Double3> reference(const Scene& scene, const Arrays& arrays,
                                      const Double3& background,
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

inline double psnr(const Image& image, const std::vector<Double3>& expected)
{
    double sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        for (std::size_t channel = 0; channel < 3; ++channel) {
            const double off = image.display[4 * i + channel] / 255.0 - expected[i][channel];
            sum += off * off;
        }
    return -10 * std::log10(sum / (3 * static_cast<double>(expected.size())));
}

inline double psnr(const Image& a, const Image& b)
{
    std::vector<Double3> pixels;
    for (std::size_t i = 0; i < b.pixelCount(); ++i)
        pixels.push_back(
            {b.display[4 * i] / 255.0, b.display[4 * i + 1] / 255.0, b.display[4 * i + 2] / 255.0});
    return psnr(a, pixels);
}

/// Share of the pixels that differ from the background, so that no picture is empty.
inline double covered(const std::vector<Double3>& picture, const Double3& background)
{
    std::size_t count = 0;
    for (const Double3& pixel : picture)
        count += std::abs(pixel[0] - background[0]) + std::abs(pixel[1] - background[1]) > 0.02;
    return static_cast<double>(count) / static_cast<double>(picture.size());
}

/// Better than this counts as the same picture: the rest is rounding to bytes, and the noise of
/// less than one step against bands, together about 55 dB.
inline constexpr double kSame = 45;

inline constexpr Double3 kGrey = {0.5, 0.5, 0.5}; // as on a screen
inline constexpr Float3 kLinearGrey = {0.21404114f, 0.21404114f, 0.21404114f};

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

} // namespace floe::render
