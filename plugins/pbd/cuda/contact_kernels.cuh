#pragma once

/// Contacts of pairs, and how all contacts are corrected: as solver/contacts.cpp does it. Those of
/// particles that move by themselves one after the other, a cell of a colour a thread; those with
/// rigid bodies at once, each mover adding its own in their order.

#include "matter.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// A body's gradient of distance at a pair's sides, in the world.
struct TurnedGradient {
    const Matter& matter;
    Pair pair;
    FLOE_HD Vec3f operator()(bool second) const
    {
        const std::uint32_t i = second ? pair.second : pair.first;
        const DeviceBody& body = matter.bodyOf[matter.body[i]];
        return toFloat(body.turnAt(i - body.first) * toDouble(matter.restOf(i)->gradient));
    }
};

/// @return false: they do not touch in this substep
__device__ bool meet(const Matter& matter, const Pair& pair, float resting, Contact& contact)
{
    const std::uint32_t a = pair.first, b = pair.second;
    if (matter.isAsleep(a) && matter.isAsleep(b))
        return false;
    const float ra = matter.radius[a], rb = matter.radius[b];
    if (!meetPair(toFloat(matter.x[a] - matter.x[b]), ra, rb, matter.restOf(a), matter.restOf(b),
                  TurnedGradient{matter, pair}, contact))
        return false;
    contact.a = a;
    contact.b = b;
    if (matter.isRigid(a) || matter.isRigid(b)) {
        const Vec3d at = touchOfPair(contact, matter.x[a], ra);
        contact.armA = matter.armOf(a, at);
        contact.armB = matter.armOf(b, at);
    }
    return touchPair(contact, matter.between(matter.predicted, contact, {0, 0, 0}), smaller(ra, rb),
                     matter.materials[matter.material[a]], matter.materials[matter.material[b]],
                     resting);
}

/// @tparam Pairs  SweptPairs or RigidPairs
template <class Pairs>
__global__ void findPairContacts(Matter matter, Pairs pairs, float resting)
{
    const std::uint32_t k = threadNumber();
    if (k >= pairs.count)
        return;
    Contact contact{};
    if (meet(matter, pairs.pair[k], resting, contact)) {
        contact.candidate = k;
        recall(contact, pairs.push[k]);
    } else {
        contact.a = kNothing;
    }
    pairs.contact[k] = contact;
}

/// Lists those of a cell that touch.
__global__ void gatherTouching(SweptPairs pairs, std::uint32_t cells)
{
    const std::uint32_t cell = threadNumber();
    if (cell >= cells)
        return;
    std::uint32_t count = 0;
    for (std::uint32_t k = pairs.cellBegin[cell]; k < pairs.cellBegin[cell + 1]; ++k)
        if (pairs.contact[k].a != kNothing)
            pairs.touching[pairs.cellBegin[cell] + count++] = k;
    pairs.touchingCount[cell] = count;
}

/// Displacement for an impulse, both sides together, of what is not a rigid body [1/kg].
__device__ float yieldOf(const Matter& matter, const Contact& contact)
{
    return matter.weight[contact.a] + (contact.b < kSurface ? matter.weight[contact.b] : 0);
}
/// Moves both sides apart.
__device__ void push(const Matter& matter, const Moves& moves, const Contact& contact,
                     const Vec3f& impulse)
{
    moves.particle[contact.a] = moves.particle[contact.a] + matter.weight[contact.a] * impulse;
    if (contact.b < kSurface)
        moves.particle[contact.b] = moves.particle[contact.b] - matter.weight[contact.b] * impulse;
}

// What is done with contacts that are met one after the other.

struct MoveApart {
    float slop;
    __device__ void operator()(const Matter& matter, Contact& contact) const
    {
        // A rope's particles stay where its solve has them: moved one by one, they would stretch
        // it.
        if (contact.b >= kSurface && matter.isRope(contact.a))
            return;
        const Vec3f u = matter.between(matter.moved, contact, {0, 0, 0});
        const float overlap = excessOf(contact, u, slop, matter.radius[contact.a]);
        if (overlap > 0)
            push(matter, matter.moved, contact,
                 (overlap / yieldOf(matter, contact)) * contact.normal);
    }
};
struct StartWarm {
    __device__ void operator()(const Matter& matter, Contact& contact) const
    {
        if (contact.lambda > 0)
            push(matter, matter.predicted, contact,
                 contact.lambda * contact.normal + contact.friction);
    }
};
struct Project {
    __device__ void operator()(const Matter& matter, Contact& contact) const
    {
        const Vec3f u = matter.between(matter.predicted, contact, contact.surface);
        push(matter, matter.predicted, contact, projectSwept(contact, u, yieldOf(matter, contact)));
    }
};

/// A thread for each cell of a colour.
template <class Work>
__global__ void sweepCells(Matter matter, SweptPairs pairs, Work work, std::uint32_t first,
                           std::uint32_t cells)
{
    if (threadNumber() >= cells)
        return;
    const std::uint32_t cell = first + threadNumber();
    const std::uint32_t* touching = pairs.touching + pairs.cellBegin[cell];
    for (std::uint32_t k = 0; k < pairs.touchingCount[cell]; ++k)
        work(matter, pairs.contact[touching[k]]);
}
/// A thread for each particle that is not a rigid body's.
template <class Work>
__global__ void sweepSurfaces(Matter matter, SurfaceContacts contacts, Work work)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || matter.isRigid(i))
        return;
    for (std::uint32_t k = 0; k < contacts.count[i]; ++k)
        work(matter, contacts.contact[i * contacts.room + k]);
}

/// Counts what each particle touches of rigid bodies.
__global__ void shareParticles(Matter matter, Contacts contacts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || matter.isRigid(i))
        return;
    std::uint32_t count = 0;
    for (std::uint32_t k = contacts.rigid.begin[i]; k < contacts.rigid.begin[i + 1]; ++k)
        count += contacts.rigid.contact[contacts.rigid.incident[k] / 2].a != kNothing;
    contacts.shares[i] = static_cast<float>(count);
}
/// Counts contacts of each rigid body: a block each.
__global__ void shareBodies(Matter matter, Contacts contacts)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t mover = matter.count + blockIdx.x;
    const DeviceBody& body = matter.bodyOf[blockIdx.x];
    if (!body.rigid)
        return;
    double count = 0;
    for (std::uint32_t k = contacts.rigid.begin[mover] + threadIdx.x;
         k < contacts.rigid.begin[mover + 1]; k += kThreads)
        count += contacts.rigid.contact[contacts.rigid.incident[k] / 2].a != kNothing;
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        count += contacts.surfaces.count[body.first + k];
    count = sums.of(count);
    if (threadIdx.x == 0)
        contacts.shares[mover] = static_cast<float>(count);
}

// What is done with contacts that are met at once: their impulses, which movers then add.

struct MoveApartAtOnce {
    float slop;
    __device__ void operator()(const Matter& matter, const Contacts& contacts,
                               Contact& contact) const
    {
        const Vec3f u = matter.between(matter.moved, contact, {0, 0, 0});
        const float overlap = excessOf(contact, u, slop, matter.radius[contact.a]);
        contact.impulse = {0, 0, 0};
        if (overlap <= 0)
            return;
        float yields = contacts.shares[matter.moverOf(contact.a)] *
                       matter.yields(contact.a, contact.armA, contact.normal);
        if (contact.b < kSurface)
            yields += contacts.shares[matter.moverOf(contact.b)] *
                      matter.yields(contact.b, contact.armB, contact.normal);
        contact.impulse = (overlap / yields) * contact.normal;
    }
};
struct StartWarmAtOnce {
    __device__ void operator()(const Matter&, const Contacts&, Contact& contact) const
    {
        contact.impulse = contact.lambda * contact.normal + contact.friction;
    }
};
struct ProjectAtOnce {
    float relaxation;
    __device__ void operator()(const Matter& matter, const Contacts& contacts,
                               Contact& contact) const
    {
        const Vec3f u = matter.between(matter.predicted, contact, contact.surface);
        const Vec3f& n = contact.normal;
        const Vec3f slide = slideOf(u, n);
        const float sharesA = contacts.shares[matter.moverOf(contact.a)];
        float normalYield = sharesA * matter.yields(contact.a, contact.armA, n);
        float slideYield = sharesA * matter.yields(contact.a, contact.armA, slide);
        if (contact.b < kSurface) {
            const float sharesB = contacts.shares[matter.moverOf(contact.b)];
            normalYield += sharesB * matter.yields(contact.b, contact.armB, n);
            slideYield += sharesB * matter.yields(contact.b, contact.armB, slide);
        }
        contact.impulse =
            projectContact<float>(n, u, contact.mayApproach(), normalYield, slideYield,
                                  {contact.staticFriction, contact.kineticFriction}, relaxation,
                                  contact.lambda, contact.friction);
    }
};

template <class Work>
__global__ void forRigidPairs(Matter matter, Contacts contacts, Work work)
{
    const std::uint32_t k = threadNumber();
    if (k < contacts.rigid.count && contacts.rigid.contact[k].a != kNothing)
        work(matter, contacts, contacts.rigid.contact[k]);
}
/// Those of rigid bodies' particles.
template <class Work>
__global__ void forRigidSurfaces(Matter matter, Contacts contacts, Work work)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || !matter.isRigid(i))
        return;
    for (std::uint32_t k = 0; k < contacts.surfaces.count[i]; ++k)
        work(matter, contacts, contacts.surfaces.contact[i * contacts.surfaces.room + k]);
}

__global__ void applyToParticles(Matter matter, RigidPairs pairs, Moves moves)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || matter.isRigid(i) || pairs.begin[i] == pairs.begin[i + 1])
        return;
    Vec3d push{0, 0, 0};
    for (std::uint32_t k = pairs.begin[i]; k < pairs.begin[i + 1]; ++k) {
        const Contact& contact = pairs.contact[pairs.incident[k] / 2];
        if (contact.a != kNothing)
            push = push + (pairs.incident[k] & 1 ? -1.0 : 1.0) * toDouble(contact.impulse);
    }
    moves.particle[i] = moves.particle[i] + toFloat(double{matter.weight[i]} * push);
}
/// A block for each rigid body.
__global__ void applyToBodies(Matter matter, Contacts contacts, Moves moves)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t b = blockIdx.x, mover = matter.count + b;
    const DeviceBody& body = matter.bodyOf[b];
    const RigidPairs& pairs = contacts.rigid;
    const SurfaceContacts& surfaces = contacts.surfaces;
    if (!body.rigid)
        return;
    Vec3d push{0, 0, 0}, turn{0, 0, 0};
    for (std::uint32_t k = pairs.begin[mover] + threadIdx.x; k < pairs.begin[mover + 1];
         k += kThreads) {
        const Contact& contact = pairs.contact[pairs.incident[k] / 2];
        if (contact.a == kNothing)
            continue;
        const bool second = pairs.incident[k] & 1;
        const Vec3d impulse = (second ? -1.0 : 1.0) * toDouble(contact.impulse);
        push = push + impulse;
        turn = turn + physics::cross(toDouble(second ? contact.armB : contact.armA), impulse);
    }
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        for (std::uint32_t s = 0; s < surfaces.count[body.first + k]; ++s) {
            const Contact& contact = surfaces.contact[(body.first + k) * surfaces.room + s];
            const Vec3d impulse = toDouble(contact.impulse);
            push = push + impulse;
            turn = turn + physics::cross(toDouble(contact.armA), impulse);
        }
    push = sums.of(push);
    turn = sums.of(turn);
    if (threadIdx.x > 0)
        return;
    moves.way[b] = moves.way[b] + double{body.motion.weight} * push;
    moves.turn[b] = moves.turn[b] + body.motion.turnWeight * turn;
}

/// Adds up what a stabilisation pushed. @param first  begins the sums
__global__ void sumPushed(RigidPairs pairs, bool first)
{
    const std::uint32_t k = threadNumber();
    if (k >= pairs.count || pairs.contact[k].a == kNothing)
        return;
    pairs.pushed[k] = (first ? Vec3f{0, 0, 0} : pairs.pushed[k]) + pairs.contact[k].impulse;
}
/// What spins take up of what a stabilisation pushed.
__global__ void findSpins(Matter matter, RigidPairs pairs)
{
    const std::uint32_t k = threadNumber();
    if (k >= pairs.count || pairs.contact[k].a == kNothing)
        return;
    const Contact& contact = pairs.contact[k];
    const Vec3d pushed = toDouble(pairs.pushed[k]);
    pairs.turn[k] = {0, 0, 0};
    if (pushed.x == 0 && pushed.y == 0 && pushed.z == 0)
        return;
    Vec3d v[2];
    Mat3d inertia{};
    for (int side = 0; side < 2; ++side) {
        const std::uint32_t i = side ? contact.b : contact.a;
        if (matter.isRigid(i)) {
            const DeviceBody& body = matter.bodyOf[matter.body[i]];
            v[side] = body.state.v;
            inertia = inertia + body.motion.inertia;
        } else {
            v[side] = toDouble(matter.v[i]);
        }
    }
    Vec3d turn;
    if (spinOfPush(pushed, v[0] - v[1], inertia, turn))
        pairs.turn[k] = turn;
}
/// Poses after a stabilisation: a block for each rigid body.
__global__ void moveBodies(Matter matter, RigidPairs pairs)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const std::uint32_t b = blockIdx.x, mover = matter.count + b;
    DeviceBody& body = matter.bodyOf[b];
    if (!body.rigid)
        return;
    Vec3d turn{0, 0, 0};
    for (std::uint32_t k = pairs.begin[mover] + threadIdx.x; k < pairs.begin[mover + 1];
         k += kThreads)
        if (pairs.contact[pairs.incident[k] / 2].a != kNothing)
            turn = turn + pairs.turn[pairs.incident[k] / 2];
    turn = sums.of(turn);
    if (threadIdx.x > 0)
        return;
    body.state.angularMomentum = body.state.angularMomentum - body.motion.inertia * turn;
    const Vec3d &way = matter.moved.way[b], &turned = matter.moved.turn[b];
    if (physics::dot(way, way) + physics::dot(turned, turned) > 0) {
        body.state.x = body.state.x + way;
        body.state.R = pbd::turned(body.state.R, turned);
    }
}
/// Positions after a stabilisation.
__global__ void moveParticles(Matter matter)
{
    const std::uint32_t i = threadNumber();
    if (i < matter.count && !matter.isRigid(i))
        matter.x[i] = matter.x[i] + toDouble(matter.moved.particle[i]);
}
/// Gaps after a stabilisation. @tparam Pairs  SweptPairs or RigidPairs
template <class Pairs>
__global__ void movePairGaps(Matter matter, Pairs pairs)
{
    const std::uint32_t k = threadNumber();
    if (k >= pairs.count || pairs.contact[k].a == kNothing)
        return;
    Contact& contact = pairs.contact[k];
    contact.gap += physics::dot(contact.normal, matter.between(matter.moved, contact, {0, 0, 0}));
}
__global__ void moveSurfaceGaps(Matter matter, SurfaceContacts contacts)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    for (std::uint32_t k = 0; k < contacts.count[i]; ++k) {
        Contact& contact = contacts.contact[i * contacts.room + k];
        contact.gap +=
            physics::dot(contact.normal, matter.between(matter.moved, contact, {0, 0, 0}));
    }
}

/// Keeps the impulses of contacts at rest. @tparam Pairs  SweptPairs or RigidPairs
template <class Pairs>
__global__ void rememberPairs(Matter matter, Pairs pairs, float resting)
{
    const std::uint32_t k = threadNumber();
    if (k >= pairs.count)
        return;
    if (matter.isAsleep(pairs.pair[k].first) && matter.isAsleep(pairs.pair[k].second))
        return;
    const Contact& contact = pairs.contact[k];
    const bool kept =
        contact.a != kNothing && contact.lambda > 0 &&
        restsBy(contact, matter.between(matter.predicted, contact, contact.surface), resting);
    pairs.push[k] = kept ? pushOf(contact) : Push{};
}

/// Impulse of each rigid body's contacts in this substep: a block each. @param blow  out [N s]
__global__ void sumBlows(Matter matter, Contacts contacts, double dt, double* blow)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    const RigidPairs& pairs = contacts.rigid;
    const SurfaceContacts& surfaces = contacts.surfaces;
    const std::uint32_t mover = matter.count + blockIdx.x;
    const DeviceBody& body = matter.bodyOf[blockIdx.x];
    double sum = 0;
    if (body.rigid) {
        for (std::uint32_t k = pairs.begin[mover] + threadIdx.x; k < pairs.begin[mover + 1];
             k += kThreads)
            if (const Contact& contact = pairs.contact[pairs.incident[k] / 2];
                contact.a != kNothing)
                sum += double{contact.lambda} / dt;
        for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
            for (std::uint32_t s = 0; s < surfaces.count[body.first + k]; ++s)
                sum += double{surfaces.contact[(body.first + k) * surfaces.room + s].lambda} / dt;
    }
    sum = sums.of(sum);
    if (threadIdx.x == 0)
        blow[blockIdx.x] = sum;
}

/// What is reported of all contacts, a part a block.
struct ContactSums {
    double overlap;         ///< of grains that touch, in radii of the smaller
    std::uint64_t grains;   ///< pairs of them
    std::uint64_t contacts; ///< all
};
__global__ void sumContacts(Matter matter, Contacts contacts, ContactSums* sums)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums block{&partial[0]};
    const std::uint32_t stride = gridDim.x * blockDim.x;
    double overlap = 0, grains = 0, all = 0;
    for (std::uint32_t k = threadNumber(); k < contacts.swept.count; k += stride) {
        const Contact& contact = contacts.swept.contact[k];
        if (contact.a == kNothing)
            continue;
        all += 1;
        if (matter.body[contact.a] != kNoBody || matter.body[contact.b] != kNoBody)
            continue;
        const float r = smaller(matter.radius[contact.a], matter.radius[contact.b]);
        overlap += larger(-contact.gap / r, 0.0f);
        grains += 1;
    }
    for (std::uint32_t k = threadNumber(); k < contacts.rigid.count; k += stride)
        all += contacts.rigid.contact[k].a != kNothing;
    for (std::uint32_t i = threadNumber(); i < matter.count; i += stride)
        all += contacts.surfaces.count[i];
    overlap = block.of(overlap);
    grains = block.of(grains);
    all = block.of(all);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = {overlap, static_cast<std::uint64_t>(grains),
                            static_cast<std::uint64_t>(all)};
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
