#pragma once

/// How matter moves in a substep, without its contacts.

#include "matter.cuh"

#include "floe/sdk/world/environment.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::world::Environment;

/// What forces are asked for, and what they have changed of each velocity [m/s].
struct ForceChanges {
    std::int32_t winds; ///< the last ones of the environment: those push the faces of cloth
    Vec3f* change;      ///< by all that act on particles; null: there are no forces
    Vec3f* blown;       ///< cloth: by winds; null: there is no cloth or no wind
};

/// Forces on particles, and gravity on those that are not a rigid body's.
__global__ void applyForcesToParticles(Matter matter, Environment environment, Vec3d weight,
                                       ForceChanges changes, Counts* counts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    Vec3f gained{0, 0, 0};
    if (changes.change) {
        // From the corner of the batch that the particle has on the host.
        const Vec3d corner = matter.x[i - i % sdk::world::PointBatch::kMax];
        const auto after = [&](Vec3f v) {
            return sdk::world::applyForces(environment, corner, toFloat(matter.x[i] - corner), v,
                                           &counts->faults);
        };
        if (changes.blown && matter.isCloth(i)) {
            const std::int32_t all = environment.forceCount;
            environment.forceCount = all - changes.winds;
            const Vec3f v = after(matter.v[i]);
            environment.forces += environment.forceCount;
            environment.forceCount = changes.winds;
            gained = v - matter.v[i];
            changes.blown[i] = after(v) - matter.v[i] - gained;
        } else {
            gained = after(matter.v[i]) - matter.v[i];
        }
        changes.change[i] = gained;
    }
    if (matter.isRigid(i) || matter.isHeld(i) || matter.isAsleep(i))
        return;
    matter.v[i] = matter.v[i] + toFloat(weight);
    if (changes.change)
        matter.v[i] = matter.v[i] + gained;
}

/// The same on rigid bodies: a block each, as below.
__global__ void applyForcesToBodies(Matter matter, Vec3d weight, const Vec3f* change)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    DeviceBody& body = matter.bodyOf[blockIdx.x];
    if (!body.rigid || matter.isAsleep(body))
        return;
    Vec3d push{0, 0, 0}, torque{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; change && k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        const Vec3d impulse = double{matter.mass[i]} * toDouble(change[i]);
        push = push + impulse;
        torque = torque + physics::cross(matter.x[i] - body.state.x, impulse);
    }
    push = sums.of(push);
    torque = sums.of(torque);
    if (threadIdx.x > 0)
        return;
    body.state.v = body.state.v + weight;
    if (change) {
        body.state.angularMomentum = body.state.angularMomentum + torque;
        body.state.v = body.state.v + (1 / body.mass) * push;
    }
}

__global__ void predictParticles(Matter matter, Lightness lightness, double dt)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    matter.predicted.particle[i] = predictedWay(matter.v[i], dt);
    matter.moved.particle[i] = {0, 0, 0};
    matter.weight[i] = static_cast<float>(lightness.at(matter.x[i]) / matter.mass[i]);
    matter.multiplier[i] = {0, 0, 0};
    matter.gone[i] = 0;
}

__global__ void predictBodies(Matter matter, Lightness lightness, double dt)
{
    const std::uint32_t b = threadNumber();
    if (b >= matter.bodies)
        return;
    DeviceBody& body = matter.bodyOf[b];
    if (!body.rigid)
        return;
    body.motion = predictBody(body.state, body.inertia, body.mass, lightness.at(body.state.x), dt);
    matter.predicted.way[b] = body.motion.way;
    matter.predicted.turn[b] = body.motion.freeTurn;
    matter.moved.way[b] = matter.moved.turn[b] = {0, 0, 0};
}

/// Notes who is lost, or has left the margin of his candidates.
__device__ void look(const Matter& matter, std::uint32_t i, Counts* counts)
{
    if (!isFinite(matter.x[i]))
        atomicAdd(&counts->lost, 1u);
    if (!matter.isAsleep(i) && (!staysNear(matter.x[i], matter.searched[i], matter.radius[i]) ||
                                !isWithin(matter.x[i], matter.low, matter.high)))
        atomicAdd(&counts->left, 1u);
}

/// Notes which free particles leave the domain.
__device__ void leave(const Matter& matter, const Environment& environment, std::uint32_t i,
                      Counts* counts)
{
    if (matter.body[i] != kNoBody || matter.gone[i] || !environment.domain.bounded ||
        !environment.domain.isOutside(matter.x[i], {0, 0, 0}))
        return;
    matter.gone[i] = 2;
    atomicAdd(&counts->outside, 1u);
}

__global__ void finishParticles(Matter matter, double still, double dt)
{
    const std::uint32_t i = threadNumber();
    if (i < matter.count && !matter.isRigid(i) && !matter.isAsleep(i))
        finishParticle(matter.x[i], matter.v[i], matter.predicted.particle[i],
                       matter.body[i] == kNoBody, still, dt);
}
/// All particles where they are at last. @param mayLeave  the domain
__global__ void lookAtParticles(Matter matter, Environment environment, bool mayLeave,
                                Counts* counts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    look(matter, i, counts);
    if (mayLeave)
        leave(matter, environment, i, counts);
}

__global__ void finishBodies(Matter matter, double still, double dt)
{
    const std::uint32_t b = threadNumber();
    if (b >= matter.bodies)
        return;
    DeviceBody& body = matter.bodyOf[b];
    if (!body.rigid || matter.isAsleep(body))
        return;
    finishBody(body.state, matter.predicted.way[b], matter.predicted.turn[b], body.motion.freeTurn,
               body.motion.inertia, body.reach, still, dt);
}

/// Particles where their bodies have them: a block each.
__global__ void followPoses(Matter matter)
{
    const DeviceBody& body = matter.bodyOf[blockIdx.x];
    if (!body.rigid || matter.isAsleep(body))
        return;
    const Vec3d spin = inverseInertiaOf(body.inertia, body.state.R) * body.state.angularMomentum;
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        placeOnBody(body.state, spin, body.rest[k].offset, matter.x[i], matter.v[i]);
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
