#pragma once

/// Random numbers that depend on a key and not on the order of calls, stratified samples of a cell,
/// and smooth noise. Integer arithmetic and IEEE additions and multiplications only: the numbers
/// are the same on every machine and for any number of threads. No dependencies; all functions are
/// pure.

#include <array>
#include <cmath>
#include <cstdint>

namespace floe::sdk {

/// Mixes 64 bits so that every input bit changes about half of the output bits
/// (finaliser of SplitMix64, Steele et al. 2014).
constexpr uint64_t mixBits(uint64_t bits)
{
    bits += 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
}

/// 64 random bits for a whole-number point, e.g. a cell, in the random field `seed`.
constexpr uint64_t hashPoint(uint64_t seed, int64_t i, int64_t j, int64_t k)
{
    uint64_t bits = mixBits(seed ^ 0x5851f42d4c957f2dull);
    bits = mixBits(bits ^ static_cast<uint64_t>(i));
    bits = mixBits(bits ^ static_cast<uint64_t>(j));
    return mixBits(bits ^ static_cast<uint64_t>(k));
}

/// A sequence of random numbers made from a key: number n is a function of key and n alone
/// (counter-based, in the spirit of Salmon et al. 2011).
class RandomSequence {
public:
    explicit constexpr RandomSequence(uint64_t key) : key_(key) {}

    /// 64 random bits.
    constexpr uint64_t bits() { return mixBits(key_ + 0xd1342543de82ef95ull * ++count_); }
    /// Uniform in [0, 1).
    constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
    /// Uniform whole number in [0, count); `count` far below 2^32.
    constexpr uint32_t below(uint32_t count)
    {
        return static_cast<uint32_t>(((bits() >> 32) * count) >> 32);
    }

private:
    uint64_t key_;
    uint64_t count_ = 0;
};

/// How a cell is divided into sub-cells so that each holds at most one sample.
///
/// Counts that factor into three similar numbers (1, 2, 4, 8, 12, 16, 18, 27, 32, 36, 48, 64) use
/// all sub-cells. For others the cell is divided into the next larger such count, and each cell
/// uses its own random subset of the sub-cells.
struct SubCells {
    std::array<int, 3> divisions{1, 1, 1}; ///< sub-cells along x, y, z
    int samples = 1;                       ///< samples a cell, at most the product of divisions

    int count() const { return divisions[0] * divisions[1] * divisions[2]; }
};

/// @param samplesPerCell 1 to 64; clamped
inline SubCells subCells(int samplesPerCell)
{
    const int samples = samplesPerCell < 1 ? 1 : samplesPerCell > 64 ? 64 : samplesPerCell;
    SubCells best;
    best.divisions = {4, 4, 4};
    for (int a = 1; a <= 4; ++a)
        for (int b = 1; b <= a; ++b)
            for (int c = 1; c <= b; ++c)
                if (a <= 2 * c && a * b * c >= samples && a * b * c < best.count())
                    best.divisions = {a, b, c};
    best.samples = samples;
    return best;
}

/// Calls visit(x, y, z, random) for each sample of the cell with lower corner (i, j, k), in cell
/// units: one uniformly random point in each sub-cell in use (stratified jitter, Stomakhin et al.
/// 2013). `random` is a sequence of the sample's own, for further numbers.
/// @param jitter  share of the sub-cell that the point is spread over: 1 all of it, 0 its centre
template <class Visit>
void forEachSample(const SubCells& cut, uint64_t seed, double jitter, int64_t i, int64_t j,
                   int64_t k, Visit&& visit)
{
    const uint64_t cellKey = hashPoint(seed, i, j, k);
    const int count = cut.count();
    // Choosing `samples` of `count` one after another gives every subset the same chance.
    RandomSequence choice(mixBits(cellKey ^ 0xa0761d6478bd642full));
    int wanted = cut.samples;
    for (int s = 0; s < count; ++s) {
        if (cut.samples < count) {
            if (choice.below(static_cast<uint32_t>(count - s)) >= static_cast<uint32_t>(wanted))
                continue;
            --wanted;
        }
        const int z = s % cut.divisions[2];
        const int y = s / cut.divisions[2] % cut.divisions[1];
        const int x = s / (cut.divisions[2] * cut.divisions[1]);
        RandomSequence random(cellKey + static_cast<uint64_t>(s));
        const auto within = [&] {
            return 0.5 + jitter * (random.uniform() - 0.5);
        };
        const double ux = within(), uy = within(), uz = within();
        visit(static_cast<double>(i) + (x + ux) / cut.divisions[0],
              static_cast<double>(j) + (y + uy) / cut.divisions[1],
              static_cast<double>(k) + (z + uz) / cut.divisions[2], random);
    }
}

/// Smooth noise with features about one unit across, zero at whole-number points, in about [-1, 1]
/// (gradient noise, Perlin 2002). Coordinates beyond 2^52 give 0.
inline double gradientNoise(double x, double y, double z, uint64_t seed)
{
    const double fx = std::floor(x), fy = std::floor(y), fz = std::floor(z);
    if (!(std::fabs(fx) < 0x1p52 && std::fabs(fy) < 0x1p52 && std::fabs(fz) < 0x1p52))
        return 0;
    const auto i = static_cast<int64_t>(fx), j = static_cast<int64_t>(fy);
    const auto k = static_cast<int64_t>(fz);
    x -= fx, y -= fy, z -= fz;
    const auto fade = [](double t) {
        return t * t * t * (t * (t * 6 - 15) + 10);
    };
    const auto corner = [&](int a, int b, int c) {
        const double dx = x - a, dy = y - b, dz = z - c;
        switch (hashPoint(seed, i + a, j + b, k + c) % 12) { // edges of a cube
        case 0:
            return dx + dy;
        case 1:
            return -dx + dy;
        case 2:
            return dx - dy;
        case 3:
            return -dx - dy;
        case 4:
            return dx + dz;
        case 5:
            return -dx + dz;
        case 6:
            return dx - dz;
        case 7:
            return -dx - dz;
        case 8:
            return dy + dz;
        case 9:
            return -dy + dz;
        case 10:
            return dy - dz;
        default:
            return -dy - dz;
        }
    };
    const auto mix = [](double t, double a, double b) {
        return a + t * (b - a);
    };
    const double u = fade(x), v = fade(y), w = fade(z);
    return mix(
        w,
        mix(v, mix(u, corner(0, 0, 0), corner(1, 0, 0)), mix(u, corner(0, 1, 0), corner(1, 1, 0))),
        mix(v, mix(u, corner(0, 0, 1), corner(1, 0, 1)), mix(u, corner(0, 1, 1), corner(1, 1, 1))));
}

/// Several octaves of gradient noise, each of twice the frequency of the one before and `roughness`
/// times its height; scaled to stay within about [-1, 1].
inline double fractalNoise(double x, double y, double z, uint64_t seed, int octaves,
                           double roughness = 0.5)
{
    double sum = 0, height = 1, total = 0;
    for (int octave = 0; octave < octaves; ++octave) {
        sum += height * gradientNoise(x, y, z, seed + static_cast<uint64_t>(octave));
        total += height;
        height *= roughness;
        x *= 2, y *= 2, z *= 2;
    }
    return total > 0 ? sum / total : 0;
}

/// Returns 64 random bits, constant throughout a Voronoi cell; cells are about one unit across,
/// with one random site in each unit cube (Worley 1996). Coordinates beyond 2^52 give 0.
inline uint64_t voronoiCell(double x, double y, double z, uint64_t seed)
{
    const double fx = std::floor(x), fy = std::floor(y), fz = std::floor(z);
    if (!(std::fabs(fx) < 0x1p52 && std::fabs(fy) < 0x1p52 && std::fabs(fz) < 0x1p52))
        return 0;
    const auto i = static_cast<int64_t>(fx), j = static_cast<int64_t>(fy);
    const auto k = static_cast<int64_t>(fz);
    x -= fx, y -= fy, z -= fz;
    // Sites more than one cube away are left out: one of them is nearest only where all 27 lie in
    // far corners, which moves the border of two cells slightly.
    uint64_t cell = 0;
    double nearest = 1e300;
    for (int a = -1; a <= 1; ++a)
        for (int b = -1; b <= 1; ++b)
            for (int c = -1; c <= 1; ++c) {
                const uint64_t key = hashPoint(seed, i + a, j + b, k + c);
                RandomSequence random(key);
                const double dx = a + random.uniform() - x, dy = b + random.uniform() - y;
                const double dz = c + random.uniform() - z;
                const double distance = dx * dx + dy * dy + dz * dz;
                if (distance < nearest) {
                    nearest = distance;
                    cell = key;
                }
            }
    return mixBits(cell);
}

} // namespace floe::sdk
