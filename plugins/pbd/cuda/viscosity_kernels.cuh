#pragma once

/// Viscosity of liquids, as solver/viscosity.cpp solves it. The friction of pairs is computed
/// anew in every product.

#include "liquid_kernels.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// Velocities, or momenta: of places, and of rigid bodies.
struct DeviceMotions {
    Vec3f* particle;
    Vec3d *body, *spin;
};
/// Friction with all neighbours, times the step [kg]: of places, and of rigid bodies.
struct OwnFriction {
    float *place, *body;
};

FLOE_HD float viscosityOf(const Matter& matter, const LiquidPlaces& liquid, std::uint32_t s,
                          std::uint32_t other)
{
    const auto of = [&](std::uint32_t place) {
        return matter.materials[matter.material[liquid.particle[place]]].viscosity;
    };
    if (liquid.isLiquid(s) && liquid.isLiquid(other))
        return 0.5f * (of(s) + of(other));
    return of(liquid.isLiquid(s) ? s : other);
}
/// Calls work(other place, friction, unit way from it) for neighbours that rub.
template <class Work>
__device__ void forFriction(const Matter& matter, const LiquidPlaces& liquid, std::uint32_t s,
                            float dt, const Work& work)
{
    liquid.forNeighbours(
        liquid.spot, s, [&](std::uint32_t other, const Vec3f& d, float squared, float) {
            const float distance = physics::sqrt(squared), h = liquid.kernelRadius(s, other);
            if (distance >= h || distance <= 0)
                return;
            const float friction =
                frictionOf(dt, viscosityOf(matter, liquid, s, other), liquid.trait[s].volume,
                           liquid.trait[other].volume, liquid.factor, distance, h);
            if (friction > 0)
                work(other, friction, (1 / distance) * d);
        });
}
__global__ void findFriction(Matter matter, LiquidPlaces liquid, OwnFriction own, float dt,
                             LiquidCounts* counts)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    float sum = 0;
    forFriction(matter, liquid, s, dt,
                [&](std::uint32_t, float friction, const Vec3f&) { sum += friction; });
    own.place[s] = sum;
    if (sum > 0)
        atomicMax(&counts->strength, __float_as_uint(sum / matter.mass[liquid.particle[s]]));
}
/// A block for each body.
__global__ void sumFriction(Matter matter, LiquidPlaces liquid, OwnFriction own)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const DeviceBody& body = matter.bodyOf[blockIdx.x];
    double sum = 0;
    for (std::uint32_t k = threadIdx.x; body.rigid && k < body.count; k += kThreads)
        if (const std::uint32_t s = liquid.placeOf[body.first + k]; s != kNothing)
            sum += double{own.place[s]};
    sum = sums.of(sum);
    if (threadIdx.x == 0)
        own.body[blockIdx.x] = static_cast<float>(sum);
}

__global__ void velocitiesOfPlaces(Matter matter, LiquidPlaces liquid, DeviceMotions v)
{
    const std::uint32_t s = threadNumber();
    if (s < liquid.count)
        v.particle[s] = matter.v[liquid.particle[s]];
}
__global__ void velocitiesOfBodies(Matter matter, DeviceMotions v)
{
    const std::uint32_t b = threadNumber();
    if (b >= matter.bodies)
        return;
    const DeviceBody& body = matter.bodyOf[b];
    v.body[b] = v.spin[b] = {0, 0, 0};
    if (!body.rigid)
        return;
    v.body[b] = body.state.v;
    v.spin[b] = inverseInertiaOf(body.inertia, body.state.R) * body.state.angularMomentum;
}
FLOE_HD Mat3d inertiaOf(const DeviceBody& body)
{
    return body.state.R * body.inertia * physics::transpose(body.state.R);
}
__global__ void takeVelocities(Matter matter, LiquidPlaces liquid, DeviceMotions v)
{
    const std::uint32_t s = threadNumber();
    if (s < liquid.count && !matter.isRigid(liquid.particle[s]) &&
        !matter.isHeld(liquid.particle[s]))
        matter.v[liquid.particle[s]] = v.particle[s];
}
__global__ void takeVelocitiesOfBodies(Matter matter, OwnFriction own, DeviceMotions v)
{
    const std::uint32_t b = threadNumber();
    if (b >= matter.bodies)
        return;
    DeviceBody& body = matter.bodyOf[b];
    if (!body.rigid || !(own.body[b] > 0))
        return;
    body.state.v = v.body[b];
    body.state.angularMomentum = inertiaOf(body) * v.spin[b];
}

/// Sets the velocities of rigid bodies' particles.
__global__ void followBodies(Matter matter, LiquidPlaces liquid, DeviceMotions v)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count || !matter.isRigid(liquid.particle[s]))
        return;
    const std::uint32_t i = liquid.particle[s], b = matter.body[i];
    v.particle[s] =
        toFloat(v.body[b] + physics::cross(v.spin[b], toDouble(matter.armOf(i, matter.x[i]))));
}
/// Momenta by friction and, of what moves by itself, `mass` times its own.
__global__ void findMomenta(Matter matter, LiquidPlaces liquid, float dt, float mass,
                            DeviceMotions v, DeviceMotions out)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const Vec3f own = v.particle[s];
    Vec3f sum{0, 0, 0};
    forFriction(matter, liquid, s, dt, [&](std::uint32_t other, float friction, const Vec3f& way) {
        sum = sum + (friction * physics::dot(way, own - v.particle[other])) * way;
    });
    const std::uint32_t i = liquid.particle[s];
    out.particle[s] = matter.isRigid(i)  ? sum
                      : matter.isHeld(i) ? Vec3f{0, 0, 0}
                                         : sum + (mass * matter.mass[i]) * own;
}
/// Adds what is on rigid bodies' particles to the bodies: a block each.
__global__ void findMomentaOfBodies(Matter matter, LiquidPlaces liquid, double mass,
                                    DeviceMotions v, DeviceMotions out)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t b = blockIdx.x;
    const DeviceBody& body = matter.bodyOf[b];
    Vec3d push{0, 0, 0}, turn{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; body.rigid && k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k, s = liquid.placeOf[i];
        if (s == kNothing)
            continue;
        const Vec3d on = toDouble(out.particle[s]);
        out.particle[s] = {0, 0, 0};
        push = push + on;
        turn = turn + physics::cross(toDouble(matter.armOf(i, matter.x[i])), on);
    }
    push = sums.of(push);
    turn = sums.of(turn);
    if (threadIdx.x > 0)
        return;
    out.body[b] = out.spin[b] = {0, 0, 0};
    if (!body.rigid)
        return;
    out.body[b] = (mass * body.mass) * v.body[b] + push;
    out.spin[b] = mass * (inertiaOf(body) * v.spin[b]) + turn;
}
/// Roughly the velocities of momenta: by each diagonal alone.
__global__ void precondition(Matter matter, LiquidPlaces liquid, OwnFriction own,
                             DeviceMotions momenta, DeviceMotions out)
{
    const std::uint32_t s = threadNumber();
    if (s >= liquid.count)
        return;
    const std::uint32_t i = liquid.particle[s];
    out.particle[s] = matter.isRigid(i) || matter.isHeld(i)
                          ? Vec3f{0, 0, 0}
                          : (1 / (matter.mass[i] + own.place[s] / 3)) * momenta.particle[s];
}
__global__ void preconditionBodies(Matter matter, OwnFriction own, DeviceMotions momenta,
                                   DeviceMotions out)
{
    const std::uint32_t b = threadNumber();
    if (b >= matter.bodies)
        return;
    const DeviceBody& body = matter.bodyOf[b];
    out.body[b] = out.spin[b] = {0, 0, 0};
    if (!body.rigid)
        return;
    const double share = 1 / (1 + double{own.body[b]} / (3 * body.mass));
    out.body[b] = (share / body.mass) * momenta.body[b];
    out.spin[b] = share * (inverseInertiaOf(body.inertia, body.state.R) * momenta.spin[b]);
}

/// to = scale * to + factor * from
__global__ void addMotions(std::uint32_t places, std::uint32_t bodies, double scale, double factor,
                           DeviceMotions from, DeviceMotions to)
{
    const std::uint32_t k = threadNumber();
    if (k < places)
        to.particle[k] = static_cast<float>(scale) * to.particle[k] +
                         static_cast<float>(factor) * from.particle[k];
    if (k < bodies) {
        to.body[k] = scale * to.body[k] + factor * from.body[k];
        to.spin[k] = scale * to.spin[k] + factor * from.spin[k];
    }
}
/// @param sums  out: one part a block
__global__ void dotMotions(std::uint32_t places, std::uint32_t bodies, DeviceMotions a,
                           DeviceMotions b, double* sums)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums block{&partial[0]};
    const std::uint32_t stride = gridDim.x * blockDim.x;
    double sum = 0;
    for (std::uint32_t k = threadNumber(); k < places; k += stride)
        sum += double{physics::dot(a.particle[k], b.particle[k])};
    for (std::uint32_t k = threadNumber(); k < bodies; k += stride)
        sum += physics::dot(a.body[k], b.body[k]) + physics::dot(a.spin[k], b.spin[k]);
    sum = block.of(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
