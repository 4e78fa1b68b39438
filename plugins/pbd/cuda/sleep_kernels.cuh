#pragma once

/// Who falls asleep and who wakes, as solver/sleep.cpp has it.

#include "matter.cuh"
#include "motion_kernels.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// One that sleeps is to be woken; of a rigid body, all of it.
__device__ void mark(const Matter& matter, std::uint32_t i)
{
    atomicExch(&matter.sleepers.woken[matter.isRigid(i) ? matter.bodyOf[matter.body[i]].first : i],
               1u);
}
/// Those touched by a surface that moves, is new or was lost.
__global__ void markBySurfaces(Matter matter, SurfaceContacts contacts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || !matter.isAsleep(i))
        return;
    const std::uint32_t first = i * contacts.room;
    bool wakes = false;
    for (std::uint32_t k = 0; k < contacts.count[i]; ++k)
        wakes = wakes || wakesBySurface(contacts.contact[first + k], matter.radius[i]);
    for (std::uint32_t p = 0; p < contacts.pushes[i]; ++p) {
        bool found = false;
        for (std::uint32_t k = 0; k < contacts.count[i]; ++k)
            found = found || contacts.contact[first + k].b == contacts.surface[first + p];
        wakes = wakes || !found;
    }
    if (wakes)
        mark(matter, i);
}
/// Those beside somebody who moves, or pushes hard.
/// @param pushes  multipliers of the last substep; null: what matters is that he moves
__global__ void markByPairs(Matter matter, const Pair* pair, const Push* pushes,
                            std::uint32_t count, double gravity, double dt)
{
    const std::uint32_t k = threadNumber();
    if (k >= count)
        return;
    const std::uint32_t a = pair[k].first, b = pair[k].second;
    const Sleepers& sleepers = matter.sleepers;
    if (sleepers.asleep[a] == sleepers.asleep[b])
        return;
    const std::uint32_t sleeper = sleepers.asleep[a] ? a : b, other = a + b - sleeper;
    if (sleepers.calm[other] == 0 ||
        isPushedHard(forceOf(pushes ? pushes[k].lambda : 0, dt), sleepers.load[sleeper],
                     double{matter.mass[sleeper]}, gravity))
        mark(matter, sleeper);
}
/// Wakes who is marked. @param looks  at whether they have candidates
__global__ void wakeMarked(Matter matter, bool looks, Counts* counts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || !matter.isAsleep(i) ||
        !matter.sleepers.woken[matter.isRigid(i) ? matter.bodyOf[matter.body[i]].first : i])
        return;
    matter.sleepers.asleep[i] = 0;
    matter.sleepers.calm[i] = kWoken;
    atomicAdd(&counts->woke, 1u);
    if (looks)
        look(matter, i, counts);
}

/// Who sleeps weighs infinitely much, and touches no surface.
__global__ void holdSleepers(Matter matter, SurfaceContacts contacts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || !matter.isAsleep(i))
        return;
    matter.weight[i] = 0;
    contacts.count[i] = 0;
    if (!matter.isRigid(i) || matter.bodyOf[matter.body[i]].first != i)
        return;
    BodyMotion& motion = matter.bodyOf[matter.body[i]].motion;
    motion.weight = 0;
    motion.turnWeight = {};
}

/// Counts for how long those awake have stayed.
__global__ void noteStays(Matter matter, double dt, Counts* counts)
{
    const std::uint32_t i = threadNumber();
    const Sleepers& sleepers = matter.sleepers;
    if (i >= matter.count || sleepers.asleep[i])
        return;
    if (staysAt(sleepers.place[i], matter.x[i], matter.radius[i], matter.isRigid(i))) {
        sleepers.calm[i] += static_cast<float>(dt);
        return;
    }
    sleepers.place[i] = matter.x[i];
    sleepers.calm[i] = 0;
    atomicAdd(&counts->stirs, 1u);
}

// A check: who bears how much, who is kept awake, who falls asleep.

__global__ void clearLoads(Matter matter)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    matter.sleepers.kept[i] = 0;
    if (!matter.sleepers.asleep[i])
        matter.sleepers.load[i] = 0;
}
__device__ void weigh(const Matter& matter, const Contact& contact, double dt, float after)
{
    const Sleepers& sleepers = matter.sleepers;
    const float force = forceOf(contact.lambda, dt);
    const bool surface = contact.b >= kSurface;
    for (int side = 0; side < (surface ? 1 : 2); ++side) {
        const std::uint32_t one = side ? contact.b : contact.a, other = contact.a + contact.b - one;
        if (sleepers.asleep[one])
            continue;
        if (force > 0) // then its bits are in the order of numbers
            atomicMax(reinterpret_cast<unsigned*>(&sleepers.load[one]), __float_as_uint(force));
        if (keepsAwake(contact, surface ? 0 : sleepers.calm[other],
                       !surface && sleepers.asleep[other], after))
            atomicExch(&sleepers.kept[one], 1u);
    }
}
__global__ void weighPairs(Matter matter, const Contact* contacts, std::uint32_t count, double dt,
                           float after)
{
    const std::uint32_t k = threadNumber();
    if (k < count && contacts[k].a != kNothing)
        weigh(matter, contacts[k], dt, after);
}
__global__ void weighSurfaces(Matter matter, SurfaceContacts contacts, double dt, float after)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    for (std::uint32_t k = 0; k < contacts.count[i]; ++k)
        weigh(matter, contacts.contact[i * contacts.room + k], dt, after);
}

/// Notes all that pushes rigid bodies, and marks those asleep that bear much more than when they
/// fell asleep: a block each.
__global__ void weighBodies(Matter matter, Contacts contacts, double gravity, double dt)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t mover = matter.count + blockIdx.x;
    const DeviceBody& body = matter.bodyOf[blockIdx.x];
    const RigidPairs& pairs = contacts.rigid;
    const SurfaceContacts& surfaces = contacts.surfaces;
    if (!body.rigid)
        return;
    double all = 0;
    for (std::uint32_t k = pairs.begin[mover] + threadIdx.x; k < pairs.begin[mover + 1];
         k += kThreads) {
        const Contact& contact = pairs.contact[pairs.incident[k] / 2];
        if (contact.a != kNothing)
            all += double{forceOf(contact.lambda, dt)};
    }
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        for (std::uint32_t s = 0; s < surfaces.count[body.first + k]; ++s)
            all +=
                double{forceOf(surfaces.contact[(body.first + k) * surfaces.room + s].lambda, dt)};
    const auto force = static_cast<float>(sums.of(all));
    if (threadIdx.x > 0)
        return;
    float& load = matter.sleepers.load[body.first];
    if (!matter.isAsleep(body))
        load = force;
    else if (isPushedHard(force, load, body.mass, gravity))
        mark(matter, body.first);
}

/// Which rigid bodies do not rest: a block each. @param stirs  out: 1 or 0 of each body
__global__ void findStirring(Matter matter, std::uint32_t* stirs, float after)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const DeviceBody& body = matter.bodyOf[blockIdx.x];
    double count = 0;
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        count += matter.sleepers.kept[i] || matter.sleepers.calm[i] < after;
    }
    count = sums.of(count);
    if (threadIdx.x == 0)
        stirs[blockIdx.x] = body.rigid && !matter.isAsleep(body) && count > 0;
}
/// Those that hang together by contacts rest together: a block for each body.
__global__ void spreadStirring(Matter matter, RigidPairs pairs, const std::uint32_t* from,
                               std::uint32_t* to, Counts* counts)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t b = blockIdx.x, mover = matter.count + b;
    const DeviceBody& body = matter.bodyOf[b];
    double stirring = 0;
    if (body.rigid && !matter.isAsleep(body))
        for (std::uint32_t k = pairs.begin[mover] + threadIdx.x; k < pairs.begin[mover + 1];
             k += kThreads) {
            const Contact& contact = pairs.contact[pairs.incident[k] / 2];
            if (contact.a == kNothing || !(contact.lambda > 0))
                continue;
            const std::uint32_t other = pairs.incident[k] & 1 ? contact.a : contact.b;
            stirring += matter.isRigid(other) && from[matter.body[other]];
        }
    stirring = sums.of(stirring);
    if (threadIdx.x > 0)
        return;
    to[b] = from[b] || stirring > 0;
    if (to[b] != from[b])
        atomicAdd(&counts->spread, 1u);
}

__global__ void restParticles(Matter matter, float after, Counts* counts)
{
    const std::uint32_t i = threadNumber();
    const Sleepers& sleepers = matter.sleepers;
    if (i >= matter.count || sleepers.asleep[i] || sleepers.kept[i] || sleepers.calm[i] < after ||
        matter.body[i] != kNoBody)
        return;
    sleepers.asleep[i] = 1;
    matter.v[i] = {0, 0, 0};
    atomicAdd(&counts->slept, 1u);
}
/// A block for each rigid body.
__global__ void restBodies(Matter matter, const std::uint32_t* stirs, Counts* counts)
{
    DeviceBody& body = matter.bodyOf[blockIdx.x];
    const bool rests = body.rigid && !matter.isAsleep(body) && !stirs[blockIdx.x];
    __syncthreads();
    if (!rests)
        return;
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        matter.sleepers.asleep[body.first + k] = 1;
        matter.v[body.first + k] = {0, 0, 0};
    }
    if (threadIdx.x > 0)
        return;
    body.state.v = body.state.angularMomentum = {0, 0, 0};
    atomicAdd(&counts->slept, body.count);
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
