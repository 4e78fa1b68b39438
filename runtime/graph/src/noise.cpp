#include "noise.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

namespace floe::graph {

namespace {

/// The finalizer of MurmurHash3 (Appleby): every bit of the result depends on every bit of n.
std::uint64_t mix(std::uint64_t n)
{
    n = (n ^ (n >> 33)) * 0xFF51AFD7ED558CCDull;
    n = (n ^ (n >> 33)) * 0xC4CEB9FE1A85EC53ull;
    return n ^ (n >> 33);
}

std::uint64_t cornerHash(double x, double y, double z)
{
    // Whole numbers as bits; + 0.0 makes -0.0 and 0.0 one.
    const auto bits = [](double v) {
        return std::bit_cast<std::uint64_t>(v + 0.0);
    };
    return mix(bits(x) + mix(bits(y) + mix(bits(z) + 0x9E3779B97F4A7C15ull)));
}

double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/// Dot product with one of Perlin's twelve edge directions.
double gradient(std::uint64_t hash, double x, double y, double z)
{
    const auto h = hash & 15;
    const double u = h < 8 ? x : y;
    const double v = h < 4 ? y : h == 12 || h == 14 ? x : z;
    return ((h & 1) == 0 ? u : -u) + ((h & 2) == 0 ? v : -v);
}

} // namespace

double gradientNoise(double x, double y, double z)
{
    const double x0 = std::floor(x), y0 = std::floor(y), z0 = std::floor(z);
    const double fx = x - x0, fy = y - y0, fz = z - z0;
    const double u = fade(fx), v = fade(fy), w = fade(fz);
    const auto corner = [&](int i, int j, int k) {
        return gradient(cornerHash(x0 + i, y0 + j, z0 + k), fx - i, fy - j, fz - k);
    };
    const auto mixAlong = [](double a, double b, double t) {
        return a + (b - a) * t;
    };
    const auto layer = [&](int k) {
        return mixAlong(mixAlong(corner(0, 0, k), corner(1, 0, k), u),
                        mixAlong(corner(0, 1, k), corner(1, 1, k), u), v);
    };
    return mixAlong(layer(0), layer(1), w);
}

double randomOf(double n)
{
    const auto bits = mix(std::bit_cast<std::uint64_t>(n + 0.0) + 0x9E3779B97F4A7C15ull);
    return static_cast<double>(bits >> 11) * 0x1p-53;
}

} // namespace floe::graph
