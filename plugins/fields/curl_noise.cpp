#include "curl_noise.hpp"

#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace floe::fields {

namespace {

/// Root mean square of a component of the gradient of vectorNoise; measured, and tested through
/// the speed of the flow.
constexpr double kNoiseSlope = 0.705;

double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/// Dot product with one of Perlin's twelve edge directions.
double slopeAt(uint64_t choice, const Point& way)
{
    const double u = choice < 8 ? way[0] : way[1];
    const double v = choice < 4 ? way[1] : way[2];
    return (choice & 1 ? -u : u) + (choice & 2 ? -v : v);
}

/// Three independent gradient noises (Perlin 2002): smooth, with features about one unit across.
Point vectorNoise(const Point& p, uint64_t seed)
{
    std::array<int64_t, 3> base;
    Point t, mix;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = std::floor(std::clamp(p[axis], -0x1p52, 0x1p52));
        base[axis] = static_cast<int64_t>(low);
        t[axis] = p[axis] - low;
        mix[axis] = fade(t[axis]);
    }
    Point sum{};
    for (int a = 0; a < 2; ++a) {
        const uint64_t x = sdk::mixBits(seed ^ static_cast<uint64_t>(base[0] + a));
        for (int b = 0; b < 2; ++b) {
            const uint64_t y = sdk::mixBits(x ^ static_cast<uint64_t>(base[1] + b));
            for (int c = 0; c < 2; ++c) {
                uint64_t bits = sdk::mixBits(y ^ static_cast<uint64_t>(base[2] + c));
                const double weight = (a ? mix[0] : 1 - mix[0]) * (b ? mix[1] : 1 - mix[1]) *
                                      (c ? mix[2] : 1 - mix[2]);
                for (double& part : sum) {
                    part += weight * slopeAt((bits & 0xfffff) % 12, {t[0] - a, t[1] - b, t[2] - c});
                    bits >>= 20;
                }
            }
        }
    }
    return sum;
}

/// One size of eddies at one time.
struct Octave {
    double frequency;    ///< [1/m]
    double height;       ///< of the potential [m^2/s]
    double before, next; ///< shares of the two noises that it fades between
    uint64_t seedBefore, seedNext;
};

std::vector<Octave> octavesAt(const CurlNoiseSettings& settings, int count, double time)
{
    // |v|^2 = 6 (slope height frequency)^2: each component is the difference of two slopes.
    double square = 0;
    for (int n = 0; n < count; ++n)
        square += std::pow(settings.roughness, 2 * n);
    const double first = settings.speed / (std::sqrt(6 * square) * kNoiseSlope);

    std::vector<Octave> octaves;
    for (int n = 0; n < count; ++n) {
        const double frequency = std::ldexp(1 / settings.eddySize, n);
        const double share = std::pow(settings.roughness, n);
        // Smaller eddies turn faster, by their speed over their size.
        const double turns = settings.rate * std::ldexp(share, n) * time;
        const double turn = std::floor(std::clamp(turns, -1e15, 1e15));
        const double u = turns - turn;
        const double angle = std::numbers::pi / 2 * u * u * (3 - 2 * u);
        const auto seed = [&](double at) {
            return sdk::hashPoint(settings.seed, n, static_cast<int64_t>(at), 0);
        };
        octaves.push_back({frequency, first * share / frequency, std::cos(angle), std::sin(angle),
                           seed(turn), seed(turn + 1)});
    }
    return octaves;
}

} // namespace

int resolvedOctaves(const CurlNoiseSettings& settings, double voxelSize)
{
    constexpr double kSmallest = 4; // voxels
    int octaves = 1;
    while (octaves < settings.octaves &&
           settings.eddySize >= std::ldexp(kSmallest * voxelSize, octaves))
        ++octaves;
    return octaves;
}

Lattice widened(const Lattice& lattice)
{
    Lattice wide = lattice;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        wide.low[axis] -= 1;
        wide.size[axis] += 2;
    }
    return wide;
}

std::vector<float> curlNoise(const sdk::Context& context, const Lattice& lattice,
                             const CurlNoiseSettings& settings, double time,
                             const std::function<double(const Point&)>& share)
{
    const std::vector<Octave> octaves =
        octavesAt(settings, resolvedOctaves(settings, lattice.voxelSize), time);
    const auto potentialAt = [&](const Point& at) {
        const double part = share ? share(at) : 1;
        Point sum{};
        if (part == 0)
            return sum;
        for (const Octave& octave : octaves) {
            Point p;
            for (std::size_t axis = 0; axis < 3; ++axis)
                p[axis] = octave.frequency * (at[axis] - settings.drift[axis] * time);
            const auto add = [&](double weight, uint64_t seed) {
                if (weight == 0)
                    return;
                const Point noise = vectorNoise(p, seed);
                for (std::size_t axis = 0; axis < 3; ++axis)
                    sum[axis] += part * octave.height * weight * noise[axis];
            };
            add(octave.before, octave.seedBefore);
            add(octave.next, octave.seedNext);
        }
        return sum;
    };

    const Lattice wide = widened(lattice);
    std::vector<float> potential(3 * wide.count());
    forEachPlane(context, wide.size[0], [&](std::size_t i) {
        std::size_t n = 3 * i * wide.planeCount();
        for (std::size_t j = 0; j < wide.size[1]; ++j)
            for (std::size_t k = 0; k < wide.size[2]; ++k)
                for (const double part : potentialAt(wide.at(i, j, k)))
                    potential[n++] = static_cast<float>(part);
    });

    std::vector<float> velocity(3 * lattice.count());
    const std::array<std::size_t, 3> stride = {3 * wide.planeCount(), 3 * wide.size[2], 3};
    forEachPlane(context, lattice.size[0], [&](std::size_t i) {
        std::size_t n = 3 * i * lattice.planeCount();
        for (std::size_t j = 0; j < lattice.size[1]; ++j)
            for (std::size_t k = 0; k < lattice.size[2]; ++k) {
                const std::size_t here = 3 * wide.indexOf(i + 1, j + 1, k + 1);
                const auto slope = [&](std::size_t component, std::size_t axis) {
                    const std::size_t at = here + component;
                    return (double{potential[at + stride[axis]]} - potential[at - stride[axis]]) /
                           (2 * lattice.voxelSize);
                };
                for (std::size_t axis = 0; axis < 3; ++axis, ++n) {
                    const std::size_t b = (axis + 1) % 3, c = (axis + 2) % 3;
                    velocity[n] = static_cast<float>(slope(c, b) - slope(b, c));
                }
            }
    });
    return velocity;
}

} // namespace floe::fields
