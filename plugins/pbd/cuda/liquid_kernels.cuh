#pragma once

/// Liquids, as solver/liquid.cpp and solver/liquid_motion.cpp have them. Who takes part has a place
/// in the order of cells, which are found by a hash; within a cell by numbers of particles, so that
/// sums have one order.

#include "matter.cuh"

#include "solver/liquid_rules.hpp"

#include "floe/sdk/world/environment.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using namespace liquid_rules;
using sdk::world::Environment;

/// What the host must know.
struct LiquidCounts {
    std::uint32_t room;     ///< the most neighbours of a place
    std::uint32_t strength; ///< bits of the largest share that viscosity takes of a velocity
};

/// Of places, unless it says otherwise.
struct LiquidPlaces {
    std::uint32_t count;
    const std::uint32_t* member; ///< particles that take part
    std::uint32_t* particle;
    std::uint32_t* placeOf; ///< of particles, or kNothing
    Vec3d origin;           ///< of coordinates [m]
    float sight;            ///< neighbours are nearer than this times the sum of their radii
    float cell;             ///< edge of a cell [m]
    std::uint32_t buckets;  ///< of the hash, a power of two
    std::uint32_t *bucketCount, *bucketBegin;
    std::uint32_t room;       ///< for a row of neighbours
    std::uint32_t* neighbour; ///< k-th of a place at k * count + place
    std::uint32_t* neighbours;
    LiquidTrait* trait;
    LiquidSpot *spot, *pushing;
    LiquidWall* wall;       ///< of liquid
    LiquidImpulse* impulse; ///< of rigid bodies' particles
    LiquidMotion *motion, *curl;
    const LiquidPlanes* planes;           ///< of colliders, of particles; null: there are none
    float halfSupport, factor, wallShift; ///< of the kernel

    FLOE_HD bool isLiquid(std::uint32_t s) const { return trait[s].liquid > 0; }
    FLOE_HD Vec3f from(const Vec3d& x) const { return toFloat(x - origin); }
    FLOE_HD float kernelRadius(std::uint32_t s, std::uint32_t other) const
    {
        return kernelRadiusOf(halfSupport, trait[s], trait[other].radius, trait[other].liquid);
    }
    /// Calls work(other place, way from it, squared distance, 1 / kernel's radius) for neighbours.
    template <class Work>
    FLOE_HD void forNeighbours(const LiquidSpot* at, std::uint32_t s, const Work& work) const
    {
        const LiquidSpot own = at[s];
        for (std::uint32_t k = 0; k < neighbours[s]; ++k) {
            const std::uint32_t other = neighbour[std::size_t{k} * count + s];
            const LiquidSpot& seen = at[other];
            const Vec3f d{own.x - seen.x, own.y - seen.y, own.z - seen.z};
            work(other, d, d.x * d.x + d.y * d.y + d.z * d.z, 1.0f / kernelRadius(s, other));
        }
    }
};

struct LiquidCell {
    int x, y, z;

    FLOE_HD bool operator==(const LiquidCell& o) const { return x == o.x && y == o.y && z == o.z; }
};
FLOE_HD LiquidCell cellOf(const LiquidPlaces& liquid, const Vec3f& at)
{
    const auto index = [&](float coordinate) {
        return static_cast<int>(physics::floor(coordinate / liquid.cell));
    };
    return {index(at.x), index(at.y), index(at.z)};
}
/// Cells along x follow one another.
FLOE_HD std::uint32_t bucketOf(const LiquidPlaces& liquid, const LiquidCell& cell)
{
    return (static_cast<std::uint32_t>(cell.x) + 19349663u * static_cast<std::uint32_t>(cell.y) +
            83492791u * static_cast<std::uint32_t>(cell.z)) &
           (liquid.buckets - 1);
}

__global__ void countCells(Matter matter, LiquidPlaces liquid)
{
    const std::uint32_t m = threadNumber();
    if (m < liquid.count)
        atomicAdd(&liquid.bucketCount[bucketOf(
                      liquid, cellOf(liquid, liquid.from(matter.x[liquid.member[m]])))],
                  1u);
}
/// In any order; leaves counts at 0.
__global__ void fillCells(Matter matter, LiquidPlaces liquid)
{
    const std::uint32_t m = threadNumber();
    if (m >= liquid.count)
        return;
    const std::uint32_t i = liquid.member[m],
                        bucket = bucketOf(liquid, cellOf(liquid, liquid.from(matter.x[i])));
    const std::uint32_t left = atomicSub(&liquid.bucketCount[bucket], 1u);
    liquid.particle[liquid.bucketBegin[bucket] + left - 1] = i;
}
/// Puts particles of each bucket into order.
__global__ void sortCells(LiquidPlaces liquid)
{
    const std::uint32_t bucket = threadNumber();
    if (bucket >= liquid.buckets)
        return;
    const std::uint32_t begin = liquid.bucketBegin[bucket], end = liquid.bucketBegin[bucket + 1];
    for (std::uint32_t k = begin + 1; k < end; ++k) {
        const std::uint32_t one = liquid.particle[k];
        std::uint32_t to = k;
        for (; to > begin && liquid.particle[to - 1] > one; --to)
            liquid.particle[to] = liquid.particle[to - 1];
        liquid.particle[to] = one;
    }
}

FLOE_HD LiquidTrait traitOf(const Matter& matter, std::uint32_t i)
{
    const float edge = 2 * matter.radius[i];
    if (matter.isLiquid(i))
        return {matter.mass[i] / matter.materials[matter.material[i]].density, matter.weight[i],
                matter.radius[i], 1};
    LiquidTrait trait{edge * edge * edge, matter.weight[i], matter.radius[i], 0};
    if (!matter.isRigid(i))
        return trait;
    const Vec3f arm = matter.armOf(i, matter.x[i]);
    trait.inverseMass = 0;
    for (int axis = 0; axis < 3; ++axis) // the mean over directions
        trait.inverseMass +=
            matter.yields(i, arm,
                          {axis == 0 ? 1.0f : 0, axis == 1 ? 1.0f : 0, axis == 2 ? 1.0f : 0}) /
            3;
    return trait;
}
__global__ void beginPlaces(Matter matter, LiquidPlaces liquid)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const std::uint32_t i = liquid.particle[s];
    const Vec3f at = liquid.from(matter.x[i]);
    liquid.placeOf[i] = s;
    liquid.trait[s] = traitOf(matter, i);
    liquid.spot[s] = {at.x, at.y, at.z, 0};
}
/// Where counts->room comes out above the room there is, it is to be made larger and this redone.
__global__ void findRows(LiquidPlaces liquid, LiquidCounts* counts)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const LiquidTrait own = liquid.trait[s];
    const Vec3f at{liquid.spot[s].x, liquid.spot[s].y, liquid.spot[s].z};
    const LiquidCell middle = cellOf(liquid, at);
    std::uint32_t found = 0;
    for (int k = 0; k < 27; ++k) {
        const LiquidCell cell{middle.x + k % 3 - 1, middle.y + k / 3 % 3 - 1, middle.z + k / 9 - 1};
        const std::uint32_t bucket = bucketOf(liquid, cell);
        for (std::uint32_t other = liquid.bucketBegin[bucket];
             other < liquid.bucketBegin[bucket + 1]; ++other) {
            const LiquidTrait trait = liquid.trait[other];
            if (other == s || (own.liquid == 0 && trait.liquid == 0))
                continue;
            const LiquidSpot spot = liquid.spot[other];
            const Vec3f x{spot.x, spot.y, spot.z}, d = at - x;
            const float mine = own.liquid > 0 ? own.radius : trait.radius,
                        others = trait.liquid > 0 ? trait.radius : own.radius,
                        reach = liquid.sight * (mine + others);
            if (!(physics::dot(d, d) < reach * reach) || !(cellOf(liquid, x) == cell))
                continue; // cells may share a bucket
            if (found < liquid.room)
                liquid.neighbour[std::size_t{found} * liquid.count + s] = other;
            ++found;
        }
    }
    liquid.neighbours[s] = found < liquid.room ? found : liquid.room;
    if (found > liquid.room)
        atomicMax(&counts->room, found);
}

/// Calls work(normal out of the solid, distance [m], weight) for the planes that bound a particle
/// of liquid, as NearPlanes::visit(). @param at  where it is  @param moved  since the substep began
template <class Work>
__device__ void forPlanes(const Matter& matter, const LiquidPlaces& liquid,
                          const Environment& environment, std::uint32_t i, const Vec3f& at,
                          const Vec3f& moved, const Work& work)
{
    for (int face = 0; face < 6; ++face)
        if (environment.domain.isWall(face)) {
            const sdk::world::Wall wall(environment.domain, face, liquid.origin);
            work(wall.inwards, wall.distance(at), 1.0f);
        }
    if (liquid.planes)
        for (const LiquidPlane& plane : liquid.planes[i].plane)
            if (plane.weight > 0)
                work(plane.normal,
                     liquid.planes[i].distance(plane, matter.x[i]) +
                         physics::dot(plane.normal, moved),
                     plane.weight);
}

/// Puts everybody where displacements have him, beside walls and colliders.
__global__ void moveSpots(Matter matter, LiquidPlaces liquid, Environment environment)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const std::uint32_t i = liquid.particle[s];
    const Vec3f moved = matter.at(matter.predicted, i, matter.armOf(i, matter.x[i])),
                at = liquid.from(matter.x[i]) + moved;
    liquid.spot[s] = {at.x, at.y, at.z, 0};
    if (!liquid.isLiquid(s)) {
        liquid.pushing[s] = liquid.spot[s];
        return;
    }
    WallShare share;
    const float h = liquid.kernelRadius(s, s);
    forPlanes(matter, liquid, environment, i, at, moved,
              [&](const Vec3f& normal, float distance, float weight) {
                  share.add(normal, distance, weight, h, liquid.wallShift);
              });
    liquid.wall[s] = share.wall();
}

__global__ void findMultipliers(LiquidPlaces liquid)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count || !liquid.isLiquid(s))
        return;
    const LiquidTrait own = liquid.trait[s];
    DensitySums<float> sums;
    liquid.forNeighbours(
        liquid.spot, s, [&](std::uint32_t other, const Vec3f& d, float squared, float inverse) {
            const LiquidTrait& trait = liquid.trait[other];
            sums.add(d.x, d.y, d.z, squared, trait.volume, trait.inverseMass, inverse);
        });
    const LiquidWall wall = liquid.wall[s];
    const float h = liquid.kernelRadius(s, s), factor = liquid.factor;
    const float self = factor * own.volume / (h * h * h);
    liquid.pushing[s] = liquid.spot[s];
    liquid.pushing[s].multiplier =
        multiplierOf(own, factor * sums.share + self + wall.share, factor * sums.x + wall.x,
                     factor * sums.y + wall.y, factor * sums.z + wall.z,
                     factor * factor * sums.spread, kLiquidRelaxation);
}
/// Moves liquid and solids by multipliers; notes what pushes rigid bodies' particles.
__global__ void pushPlaces(Matter matter, LiquidPlaces liquid)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const LiquidTrait own = liquid.trait[s];
    const float multiplier = liquid.pushing[s].multiplier;
    Vec3f push{0, 0, 0};
    liquid.forNeighbours(
        liquid.pushing, s, [&](std::uint32_t other, const Vec3f& d, float squared, float inverse) {
            push = push + pushOfPair(multiplier, own.volume, liquid.pushing[other].multiplier,
                                     liquid.trait[other].volume, squared, inverse) *
                              d;
        });
    push = liquid.factor * push;
    if (own.liquid > 0) {
        const LiquidWall& wall = liquid.wall[s];
        push = push + multiplier * Vec3f{wall.x, wall.y, wall.z};
    }
    const std::uint32_t i = liquid.particle[s];
    if (matter.isRigid(i))
        liquid.impulse[s] = {push.x, push.y, push.z};
    else
        matter.predicted.particle[i] = matter.predicted.particle[i] + matter.weight[i] * push;
}
/// Moves rigid bodies: a block each.
__global__ void pushBodies(Matter matter, LiquidPlaces liquid)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t b = blockIdx.x;
    const DeviceBody& body = matter.bodyOf[b];
    if (!body.rigid)
        return;
    Vec3d push{0, 0, 0}, turn{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k, s = liquid.placeOf[i];
        if (s == kNothing)
            continue;
        const Vec3d impulse{liquid.impulse[s].x, liquid.impulse[s].y, liquid.impulse[s].z};
        push = push + impulse;
        turn = turn + physics::cross(toDouble(matter.armOf(i, matter.x[i])), impulse);
    }
    push = sums.of(push);
    turn = sums.of(turn);
    if (threadIdx.x > 0)
        return;
    matter.predicted.way[b] = matter.predicted.way[b] + double{body.motion.weight} * push;
    matter.predicted.turn[b] = matter.predicted.turn[b] + body.motion.turnWeight * turn;
}
/// Positions of what moves by itself, where nothing gains speed.
__global__ void settleParticles(Matter matter)
{
    const std::uint32_t i = threadNumber();
    if (i < matter.count && !matter.isRigid(i))
        matter.x[i] = matter.x[i] + toDouble(matter.predicted.particle[i]);
}

// What changes velocities once positions are known.

/// @param share  of materials: density of which neighbours share in this step; null: none
__global__ void placeMotions(Matter matter, LiquidPlaces liquid, const float* share)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const std::uint32_t i = liquid.particle[s];
    const Vec3f at = liquid.from(matter.x[i]), v = matter.v[i];
    liquid.spot[s] = {at.x, at.y, at.z, 0};
    liquid.motion[s] = {v.x, v.y, v.z, share && liquid.isLiquid(s) ? share[matter.material[i]] : 0};
}
/// Gives liquid what it takes of its neighbours' motion.
__global__ void exchangeMotions(Matter matter, LiquidPlaces liquid)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count || !liquid.isLiquid(s))
        return;
    const LiquidMotion own = liquid.motion[s];
    Vec3f push{0, 0, 0};
    liquid.forNeighbours(
        liquid.spot, s, [&](std::uint32_t other, const Vec3f&, float squared, float inverse) {
            const LiquidMotion& motion = liquid.motion[other];
            const float share = smaller(own.share, motion.share) *
                                smoothingShare(liquid.trait[other].volume, squared, inverse);
            push = push + share * Vec3f{motion.x - own.x, motion.y - own.y, motion.z - own.z};
        });
    const std::uint32_t i = liquid.particle[s];
    matter.v[i] =
        matter.v[i] + (1 / matter.mass[i]) * ((liquid.factor * liquid.trait[s].volume) * push);
}
__device__ DerivativeSums<float> derivativesOf(const LiquidPlaces& liquid, const LiquidMotion* of,
                                               std::uint32_t s)
{
    DerivativeSums<float> sums;
    const LiquidMotion own = of[s];
    liquid.forNeighbours(
        liquid.spot, s, [&](std::uint32_t other, const Vec3f& d, float squared, float inverse) {
            const LiquidTrait& trait = liquid.trait[other];
            const float pull = derivativePull(trait.liquid, trait.volume, squared, inverse);
            const LiquidMotion& motion = of[other];
            sums.add(pull * d.x, pull * d.y, pull * d.z, motion.x - own.x, motion.y - own.y,
                     motion.z - own.z, motion.share - own.share);
        });
    return sums;
}
__global__ void findCurls(LiquidPlaces liquid)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    liquid.curl[s] = {0, 0, 0, 0};
    if (!liquid.isLiquid(s))
        return;
    const DerivativeSums<float> sums = derivativesOf(liquid, liquid.motion, s);
    const Vec3f curl = liquid.factor * Vec3f{sums.curlX, sums.curlY, sums.curlZ};
    liquid.curl[s] = {curl.x, curl.y, curl.z, physics::length(curl)};
}
__global__ void findEddyPushes(Matter matter, LiquidPlaces liquid, float dt)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    liquid.motion[s] = {0, 0, 0, 0};
    if (!liquid.isLiquid(s))
        return;
    const DerivativeSums<float> sums = derivativesOf(liquid, liquid.curl, s);
    const LiquidMotion& curl = liquid.curl[s];
    const Material& material = matter.materials[matter.material[liquid.particle[s]]];
    const Vec3f push = eddyPush(liquid.factor * Vec3f{sums.slopeX, sums.slopeY, sums.slopeZ},
                                {curl.x, curl.y, curl.z}, curl.share, liquid.kernelRadius(s, s),
                                material.density, material.vorticity, dt);
    liquid.motion[s] = {-push.x, -push.y, -push.z, 1};
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
