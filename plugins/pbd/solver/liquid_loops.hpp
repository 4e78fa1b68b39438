/// The loops of liquid_kernels.hpp, included once for each instruction set.
#pragma once

#include "kernel.hpp"
#include "liquid_kernels.hpp"
#include "liquid_rules.hpp"

#include "floe/sdk/physics/pack.hpp"

#include <array>

namespace floe::pbd {
inline namespace FLOE_ISA {

using namespace liquid_rules;

using Pack8 = physics::Pack<float, 8>;
static_assert(LiquidRows::kLanes == 8);

/// x, y, z, w of eight records of four floats.
struct EightRecords {
    Pack8 x, y, z, w;

    template <class Record>
    static FLOE_HD EightRecords at(const Record* records, const std::uint32_t* number)
    {
        static_assert(sizeof(Record) == 16);
        using Four = physics::VectorOf<float, 4>::Type;
        const auto two = [&](int k) {
            Four a, b;
            memcpy(&a, records + number[k], sizeof a);
            memcpy(&b, records + number[k + 4], sizeof b);
            return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
        };
        const auto a = two(0), b = two(1), c = two(2), d = two(3);
        const auto ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
        const auto cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
        const auto ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
        const auto cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
        return {Pack8(__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13)),
                Pack8(__builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15)),
                Pack8(__builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13)),
                Pack8(__builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15))};
    }
};

/// The sums of all lanes of four packs.
FLOE_HD physics::VectorOf<float, 4>::Type sumsOf(const Pack8& a, const Pack8& b, const Pack8& c,
                                                 const Pack8& d)
{
    const auto half = [](const Pack8& p) {
        return __builtin_shufflevector(p.v, p.v, 0, 1, 2, 3) +
               __builtin_shufflevector(p.v, p.v, 4, 5, 6, 7);
    };
    const auto ha = half(a), hb = half(b), hc = half(c), hd = half(d);
    const auto even = __builtin_shufflevector(ha, hb, 0, 4, 2, 6) +
                      __builtin_shufflevector(ha, hb, 1, 5, 3, 7); // a b of lanes 0 1, then 2 3
    const auto odd =
        __builtin_shufflevector(hc, hd, 0, 4, 2, 6) + __builtin_shufflevector(hc, hd, 1, 5, 3, 7);
    return __builtin_shufflevector(even, odd, 0, 1, 4, 5) +
           __builtin_shufflevector(even, odd, 2, 3, 6, 7);
}

/// Packs the lanes of a mask's numbers to the front. @return how many there are
FLOE_HD std::uint32_t keep(std::uint32_t mask, std::uint32_t first, std::uint32_t* row)
{
#if defined(__AVX2__)
    // Of each mask the lanes it has, a byte each.
    static constexpr auto kLanesOf = [] {
        std::array<std::uint64_t, 256> table{};
        for (std::uint32_t m = 0; m < 256; ++m)
            for (std::uint64_t lane = 0, at = 0; lane < 8; ++lane)
                if (m >> lane & 1)
                    table[m] |= lane << (8 * at++);
        return table;
    }();
    const __m256i lanes =
        _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(kLanesOf[mask])));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(row),
                        _mm256_add_epi32(lanes, _mm256_set1_epi32(static_cast<int>(first))));
#else
    std::uint32_t at = 0;
    for (std::uint32_t lane = 0; lane < 8; ++lane) {
        row[at] = first + lane;
        at += mask >> lane & 1;
    }
#endif
    return static_cast<std::uint32_t>(__builtin_popcount(mask));
}

/// A bit for each lane that is below.
FLOE_HD std::uint32_t below(const Pack8& a, const Pack8& b)
{
#if defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps(
        _mm256_cmp_ps(reinterpret_cast<__m256>(a.v), reinterpret_cast<__m256>(b.v), _CMP_LT_OQ)));
#else
    std::uint32_t mask = 0;
    for (int lane = 0; lane < 8; ++lane)
        mask |= static_cast<std::uint32_t>(a[lane] < b[lane]) << lane;
    return mask;
#endif
}

template <bool kOneReach>
std::uint32_t nearOf(const LiquidSight& sight, const LiquidRun* runs, std::size_t count,
                     std::uint32_t place, std::uint32_t none, std::uint32_t* row)
{
    const Pack8 x(sight.x[place]), y(sight.y[place]), z(sight.z[place]);
    const Pack8 square(sight.pair * sight.pair);
    std::uint32_t next = 0;
    for (const LiquidRun* run = runs; run != runs + count; ++run)
        for (std::uint32_t k = run->begin; k < run->end; k += 8) {
            const Pack8 dx = x - Pack8::load(sight.x + k), dy = y - Pack8::load(sight.y + k),
                        dz = z - Pack8::load(sight.z + k);
            const Pack8 d2 = dx * dx + dy * dy + dz * dz;
            std::uint32_t mask;
            if constexpr (kOneReach) {
                mask = below(d2, square);
            } else {
                const Pack8 reach = Pack8(run->own * sight.reach[place]) +
                                    Pack8(run->other) * Pack8::load(sight.reach + k);
                mask = below(d2, reach * reach);
            }
            if (run->end - k < 8)
                mask &= (1u << (run->end - k)) - 1;
            if (place - k < 8)
                mask &= ~(1u << (place - k)); // itself
            next += keep(mask, k, row + next);
        }
    for (std::uint32_t lane = 0; lane < 8; ++lane)
        row[next + lane] = none;
    return (next + LiquidRows::kLanes - 1) / LiquidRows::kLanes * LiquidRows::kLanes;
}

/// From eight others to one, and the squared distances.
struct Separation {
    Pack8 x, y, z, squared;
};
FLOE_HD Separation separation(const LiquidSpot& spot, const EightRecords& other)
{
    const Pack8 x = Pack8(spot.x) - other.x, y = Pack8(spot.y) - other.y,
                z = Pack8(spot.z) - other.z;
    return {x, y, z, x * x + y * y + z * z};
}

/// Of a particle and its neighbours: that of two liquids, or the liquid's where one is solid [m].
FLOE_HD Pack8 kernelRadii(const LiquidRows& rows, const LiquidTrait& own, const EightRecords& trait)
{
    using namespace physics;
    return kernelRadiusOf(rows.halfSupport, own, trait.z, trait.w);
}

template <bool kUniform>
void densityOf(const LiquidRows& rows, const LiquidSpot* spots, std::size_t i, LiquidSpot& pushing)
{
    using namespace physics;
    const LiquidTrait& own = rows.trait[kUniform ? 0 : i];
    const LiquidSpot& spot = spots[i];
    const float h = 2 * rows.halfSupport * own.radius, h3 = h * h * h;
    DensitySums<Pack8> all;
    for (std::uint32_t k = rows.begin[i]; k < rows.begin[i + 1]; k += LiquidRows::kLanes) {
        const EightRecords other = EightRecords::at(spots, rows.neighbour + k);
        const auto [dx, dy, dz, d2] = separation(spot, other);
        if constexpr (kUniform) {
            const Pack8 q2 = d2 * Pack8(1 / (h * h)), q = sqrt(q2);
            const Pack8 g = kernelPull(q);
            all.share += kernelShape(q);
            all.x += g * dx;
            all.y += g * dy;
            all.z += g * dz;
            all.spread += g * g * q2;
        } else {
            const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
            const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
            all.add(dx, dy, dz, d2, trait.x, trait.y, inverse);
        }
    }
    const float unit = kUniform ? rows.factor * own.volume / h3 : rows.factor;
    const float slopeUnit = kUniform ? unit / h : unit;
    const float gradientUnit = kUniform ? slopeUnit / h : unit;
    const float self = rows.factor * own.volume / h3;
    const LiquidWall wall = rows.wall ? rows.wall[i] : LiquidWall{0, 0, 0, 0};
    const auto sums = sumsOf(all.x, all.y, all.z, all.spread);
    const float density =
        unit * sumsOf(all.share, all.share, all.share, all.share)[0] + self + wall.share;
    const float x = gradientUnit * sums[0] + wall.x, y = gradientUnit * sums[1] + wall.y,
                z = gradientUnit * sums[2] + wall.z;
    const float spread = (kUniform ? own.inverseMass : 1.0f) * slopeUnit * slopeUnit * sums[3];
    pushing = {spot.x, spot.y, spot.z,
               multiplierOf(own, density, x, y, z, spread, rows.relaxation)};
}

template <bool kUniform>
LiquidImpulse impulseOf(const LiquidRows& rows, const LiquidSpot* spots, std::size_t i)
{
    using namespace physics;
    const LiquidTrait& own = rows.trait[kUniform ? 0 : i];
    const LiquidSpot& spot = spots[i];
    const float h = 2 * rows.halfSupport * own.radius;
    Pack8 x(0.0f), y(0.0f), z(0.0f);
    for (std::uint32_t k = rows.begin[i]; k < rows.begin[i + 1]; k += LiquidRows::kLanes) {
        const EightRecords other = EightRecords::at(spots, rows.neighbour + k);
        const auto [dx, dy, dz, d2] = separation(spot, other);
        Pack8 push;
        if constexpr (kUniform) {
            const Pack8 q = sqrt(d2 * Pack8(1 / (h * h)));
            push = (Pack8(spot.multiplier) + other.w) * kernelPull(q);
        } else {
            const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
            const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
            push = pushOfPair(Pack8(spot.multiplier), Pack8(own.volume), other.w, trait.x, d2,
                              inverse);
        }
        x += push * dx;
        y += push * dy;
        z += push * dz;
    }
    const float h2 = h * h;
    const float unit = kUniform ? rows.factor * own.volume / (h2 * h2 * h) : rows.factor;
    const LiquidWall wall = rows.wall && own.liquid > 0 ? rows.wall[i] : LiquidWall{0, 0, 0, 0};
    const auto sums = sumsOf(x, y, z, z);
    return {unit * sums[0] + spot.multiplier * wall.x, unit * sums[1] + spot.multiplier * wall.y,
            unit * sums[2] + spot.multiplier * wall.z};
}

template <bool kUniform>
LiquidImpulse smoothingOf(const LiquidRows& rows, const LiquidSpot* spots,
                          const LiquidMotion* motion, std::size_t i)
{
    using namespace physics;
    const LiquidTrait& own = rows.trait[kUniform ? 0 : i];
    const LiquidSpot& spot = spots[i];
    const LiquidMotion& moves = motion[i];
    const float h = 2 * rows.halfSupport * own.radius;
    Pack8 x(0.0f), y(0.0f), z(0.0f);
    for (std::uint32_t k = rows.begin[i]; k < rows.begin[i + 1]; k += LiquidRows::kLanes) {
        const EightRecords other = EightRecords::at(spots, rows.neighbour + k);
        const EightRecords others = EightRecords::at(motion, rows.neighbour + k);
        const auto [dx, dy, dz, d2] = separation(spot, other);
        Pack8 share = min(Pack8(moves.share), others.w);
        if constexpr (kUniform) {
            share *= kernelShape(sqrt(d2 * Pack8(1 / (h * h))));
        } else {
            const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
            const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
            share *= smoothingShare(trait.x, d2, inverse);
        }
        x += share * (others.x - Pack8(moves.x));
        y += share * (others.y - Pack8(moves.y));
        z += share * (others.z - Pack8(moves.z));
    }
    const float unit = rows.factor * own.volume * (kUniform ? own.volume / (h * h * h) : 1.0f);
    const auto sums = sumsOf(x, y, z, z);
    return {unit * sums[0], unit * sums[1], unit * sums[2]};
}

template <bool kUniform>
LiquidDerivatives derivativesOf(const LiquidRows& rows, const LiquidSpot* spots,
                                const LiquidMotion* motion, std::size_t i)
{
    using namespace physics;
    const LiquidTrait& own = rows.trait[kUniform ? 0 : i];
    const LiquidSpot& spot = spots[i];
    const LiquidMotion& moves = motion[i];
    const float h = 2 * rows.halfSupport * own.radius, h2 = h * h;
    DerivativeSums<Pack8> all;
    for (std::uint32_t k = rows.begin[i]; k < rows.begin[i + 1]; k += LiquidRows::kLanes) {
        const EightRecords other = EightRecords::at(spots, rows.neighbour + k);
        const EightRecords others = EightRecords::at(motion, rows.neighbour + k);
        const auto [dx, dy, dz, d2] = separation(spot, other);
        Pack8 pull; // times d: a volume's share of the kernel's gradient
        if constexpr (kUniform) {
            pull = kernelPull(sqrt(d2 * Pack8(1 / h2)));
        } else {
            const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
            const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
            pull = derivativePull(trait.w, trait.x, d2, inverse);
        }
        all.add(pull * dx, pull * dy, pull * dz, others.x - Pack8(moves.x),
                others.y - Pack8(moves.y), others.z - Pack8(moves.z),
                others.w - Pack8(moves.share));
    }
    const float unit = rows.factor * (kUniform ? own.volume / (h2 * h2 * h) : 1.0f);
    const auto curl = sumsOf(all.curlX, all.curlY, all.curlZ, all.curlZ),
               slope = sumsOf(all.slopeX, all.slopeY, all.slopeZ, all.slopeZ);
    return {unit * curl[0],  unit * curl[1],  unit * curl[2],
            unit * slope[0], unit * slope[1], unit * slope[2]};
}

inline std::uint32_t near(const LiquidSight& sight, const LiquidRun* runs, std::size_t count,
                          std::uint32_t place, std::uint32_t none, std::uint32_t* row)
{
    return (sight.reach ? nearOf<false> : nearOf<true>)(sight, runs, count, place, none, row);
}
FLOE_HD bool isMixed(const LiquidRows& rows, std::size_t i)
{
    return !rows.anyAlike || (rows.mixed && rows.mixed[i]);
}

inline void densities(const LiquidRows& rows, const LiquidSpot* spot, std::size_t from,
                      std::size_t to, LiquidSpot* pushing)
{
    for (std::size_t i = from; i < to; ++i)
        if (isMixed(rows, i))
            densityOf<false>(rows, spot, i, pushing[i]);
        else
            densityOf<true>(rows, spot, i, pushing[i]);
}
inline void impulses(const LiquidRows& rows, const LiquidSpot* spot, std::size_t from,
                     std::size_t to, LiquidImpulse* impulse)
{
    for (std::size_t i = from; i < to; ++i)
        impulse[i - from] =
            isMixed(rows, i) ? impulseOf<false>(rows, spot, i) : impulseOf<true>(rows, spot, i);
}
inline void smooth(const LiquidRows& rows, const LiquidSpot* spot, const LiquidMotion* motion,
                   std::size_t from, std::size_t to, LiquidImpulse* impulse)
{
    for (std::size_t i = from; i < to; ++i)
        impulse[i - from] = isMixed(rows, i) ? smoothingOf<false>(rows, spot, motion, i)
                                             : smoothingOf<true>(rows, spot, motion, i);
}

inline void derive(const LiquidRows& rows, const LiquidSpot* spot, const LiquidMotion* motion,
                   std::size_t from, std::size_t to, LiquidDerivatives* derivatives)
{
    for (std::size_t i = from; i < to; ++i)
        derivatives[i - from] = isMixed(rows, i) ? derivativesOf<false>(rows, spot, motion, i)
                                                 : derivativesOf<true>(rows, spot, motion, i);
}

} // namespace FLOE_ISA
} // namespace floe::pbd
