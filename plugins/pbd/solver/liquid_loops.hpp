/// The loops of liquid_kernels.hpp, included once for each instruction set.
#pragma once

#include "kernel.hpp"
#include "liquid_kernels.hpp"

#include "floe/sdk/physics/pack.hpp"

namespace floe::pbd {
inline namespace FLOE_ISA {

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

FLOE_HD float sumOf(const Pack8& a)
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

/// Of a particle and its neighbours: that of two liquids, or the liquid's where one is solid [m].
FLOE_HD Pack8 kernelRadii(const LiquidRows& rows, const LiquidTrait& own, const EightRecords& trait)
{
    using namespace physics;
    const Pack8 others = select(trait.w > Pack8(0.0f), trait.z, Pack8(own.radius));
    const Pack8 mine = own.liquid > 0 ? Pack8(own.radius) : others;
    return Pack8(rows.halfSupport) * (mine + others);
}

template <bool kUniform>
void densitiesOf(const LiquidRows& rows, std::size_t from, std::size_t to)
{
    using namespace physics;
    for (std::size_t i = from; i < to; ++i) {
        const LiquidTrait& own = rows.trait[i];
        const LiquidSpot& spot = rows.spot[i];
        rows.multiplier[i] = 0;
        if (own.liquid == 0)
            continue;
        const float h = 2 * rows.halfSupport * own.radius, h3 = h * h * h;
        Pack8 sum(0.0f), gx(0.0f), gy(0.0f), gz(0.0f), squares(0.0f);
        for (std::uint32_t k = rows.begin[i]; k < rows.end[i]; k += LiquidRows::kLanes) {
            const EightRecords other = EightRecords::at(rows.spot, rows.neighbour + k);
            const Pack8 dx = Pack8(spot.x) - other.x, dy = Pack8(spot.y) - other.y,
                        dz = Pack8(spot.z) - other.z;
            const Pack8 d = sqrt(max(dx * dx + dy * dy + dz * dz, Pack8(1e-30f)));
            if constexpr (kUniform) {
                const Pack8 q = d * Pack8(1 / h), slope = kernelSlope(q);
                const Pack8 g = slope / d;
                sum += kernelShape(q);
                gx += g * dx;
                gy += g * dy;
                gz += g * dz;
                squares += slope * slope;
            } else {
                const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
                const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
                const Pack8 q = min(d * inverse, Pack8(2.0f));
                const Pack8 weight = trait.x * inverse * inverse * inverse;
                const Pack8 slope = weight * inverse * kernelSlope(q);
                const Pack8 g = slope / d;
                sum += weight * kernelShape(q);
                gx += g * dx;
                gy += g * dy;
                gz += g * dz;
                squares += trait.y * slope * slope;
            }
        }
        const float unit = kUniform ? rows.factor * own.volume / h3 : rows.factor;
        const float slopeUnit = kUniform ? unit / h : unit;
        const float self = rows.factor * own.volume / h3;
        const LiquidWall wall = rows.wall ? rows.wall[i] : LiquidWall{0, 0, 0, 0};
        const float density = unit * sumOf(sum) + self + wall.share;
        const float x = slopeUnit * sumOf(gx) + wall.x, y = slopeUnit * sumOf(gy) + wall.y,
                    z = slopeUnit * sumOf(gz) + wall.z;
        const float gradient = x * x + y * y + z * z;
        const float weights =
            (kUniform ? own.inverseMass : 1.0f) * slopeUnit * slopeUnit * sumOf(squares) +
            own.inverseMass * gradient;
        rows.density[i] = density;
        // A lone pair far apart has next to no gradient; it must not fly.
        const float least = 1e-3f * own.inverseMass / (4 * own.radius * own.radius);
        rows.multiplier[i] = -rows.relaxation * max(density - 1.0f, 0.0f) / (weights + least);
    }
}

template <bool kUniform>
void impulsesOf(const LiquidRows& rows, std::size_t from, std::size_t to)
{
    using namespace physics;
    for (std::size_t i = from; i < to; ++i) {
        const LiquidTrait& own = rows.trait[i];
        const LiquidSpot& spot = rows.spot[i];
        const float h = 2 * rows.halfSupport * own.radius;
        Pack8 x(0.0f), y(0.0f), z(0.0f);
        for (std::uint32_t k = rows.begin[i]; k < rows.end[i]; k += LiquidRows::kLanes) {
            const EightRecords other = EightRecords::at(rows.spot, rows.neighbour + k);
            const Pack8 dx = Pack8(spot.x) - other.x, dy = Pack8(spot.y) - other.y,
                        dz = Pack8(spot.z) - other.z;
            const Pack8 d = sqrt(max(dx * dx + dy * dy + dz * dz, Pack8(1e-30f)));
            Pack8 push;
            if constexpr (kUniform) {
                const Pack8 q = d * Pack8(1 / h);
                push = (Pack8(spot.multiplier) + other.w) * kernelSlope(q) / d;
            } else {
                const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
                const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
                const Pack8 q = min(d * inverse, Pack8(2.0f));
                const Pack8 square = inverse * inverse;
                push = (Pack8(spot.multiplier) * trait.x + other.w * Pack8(own.volume)) * square *
                       square * kernelSlope(q) / d;
            }
            x += push * dx;
            y += push * dy;
            z += push * dz;
        }
        const float unit = kUniform ? rows.factor * own.volume / (h * h * h * h) : rows.factor;
        const LiquidWall wall = rows.wall ? rows.wall[i] : LiquidWall{0, 0, 0, 0};
        rows.impulse[3 * i] = unit * sumOf(x) + spot.multiplier * wall.x;
        rows.impulse[3 * i + 1] = unit * sumOf(y) + spot.multiplier * wall.y;
        rows.impulse[3 * i + 2] = unit * sumOf(z) + spot.multiplier * wall.z;
    }
}

/// XSPH (Schechter and Bridson 2012).
inline void smooth(const LiquidRows& rows, const LiquidMotion* motion, std::size_t from,
                   std::size_t to)
{
    using namespace physics;
    for (std::size_t i = from; i < to; ++i) {
        const LiquidTrait& own = rows.trait[i];
        const LiquidSpot& spot = rows.spot[i];
        const LiquidMotion& moves = motion[i];
        Pack8 x(0.0f), y(0.0f), z(0.0f);
        for (std::uint32_t k = rows.begin[i]; k < rows.end[i] && own.liquid > 0;
             k += LiquidRows::kLanes) {
            const EightRecords other = EightRecords::at(rows.spot, rows.neighbour + k);
            const EightRecords trait = EightRecords::at(rows.trait, rows.neighbour + k);
            const EightRecords others = EightRecords::at(motion, rows.neighbour + k);
            const Pack8 dx = Pack8(spot.x) - other.x, dy = Pack8(spot.y) - other.y,
                        dz = Pack8(spot.z) - other.z;
            const Pack8 d = sqrt(dx * dx + dy * dy + dz * dz);
            const Pack8 inverse = Pack8(1.0f) / kernelRadii(rows, own, trait);
            const Pack8 q = min(d * inverse, Pack8(2.0f));
            const Pack8 share = min(Pack8(moves.share), others.w) * Pack8(own.volume) * trait.x *
                                inverse * inverse * inverse * kernelShape(q);
            x += share * (others.x - Pack8(moves.x));
            y += share * (others.y - Pack8(moves.y));
            z += share * (others.z - Pack8(moves.z));
        }
        rows.impulse[3 * i] = rows.factor * sumOf(x);
        rows.impulse[3 * i + 1] = rows.factor * sumOf(y);
        rows.impulse[3 * i + 2] = rows.factor * sumOf(z);
    }
}

inline void densities(const LiquidRows& rows, std::size_t from, std::size_t to)
{
    (rows.uniform ? densitiesOf<true> : densitiesOf<false>)(rows, from, to);
}
inline void impulses(const LiquidRows& rows, std::size_t from, std::size_t to)
{
    (rows.uniform ? impulsesOf<true> : impulsesOf<false>)(rows, from, to);
}

} // namespace FLOE_ISA
} // namespace floe::pbd
