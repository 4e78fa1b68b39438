#pragma once

/// A scene's matter and its contacts in device memory, as kernels see them.

#include "neighbours/pairs.hpp"
#include "solver/contact_rules.hpp"
#include "solver/motion_rules.hpp"
#include "solver/sleep_rules.hpp"

#include "floe/sdk/cuda.hpp"

#include <cstdint>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

inline constexpr unsigned kThreads = 128;
inline constexpr std::uint32_t kNothing = 0xffffffffu; ///< Contact::a of what does not touch

/// A region of a soft body, and what its particles have in it: see Region.
struct DeviceRegion {
    const Region::Member* members;
    std::uint32_t count;
    Vec3d center;
    double mass;
};

/// A body.
struct DeviceBody {
    BodyState state;
    Mat3d inertia; ///< at rest [kg m^2]
    double mass;   ///< [kg]
    float reach;   ///< [m]
    std::uint32_t first, count;
    const RestParticle* rest;    ///< of its particles
    BodyMotion motion;           ///< rigid: of this substep
    bool rigid, sheet, rope;     ///< sheet: a cloth or rope
    float frequency, damping;    ///< soft: see Body
    const DeviceRegion* regions; ///< soft
    std::uint32_t regionCount;
    Mat3d* turns;                  ///< soft: of each region
    const std::uint32_t* regionOf; ///< soft: kRegionsOfParticle of each particle
    const float* regionShare;      ///< the same

    /// How the matter at one of its particles is turned.
    FLOE_HD Mat3d turnAt(std::uint32_t particle) const
    {
        if (regionCount == 0)
            return state.R;
        Mat3d mean{};
        for (std::size_t k = 0; k < RestBody::kRegionsOfParticle; ++k) {
            const std::size_t at = particle * RestBody::kRegionsOfParticle + k;
            mean = mean + double{regionShare[at]} * turns[regionOf[at]];
        }
        return gramSchmidtRotation(mean);
    }
};

/// Displacements while constraints change them: of particles, and of rigid bodies.
struct Moves {
    Vec3f* particle;   ///< [m]
    Vec3d *way, *turn; ///< [m], [rad]
};

/// Of particles, as Sleep::State. Null: nobody may sleep.
struct Sleepers {
    Vec3d* place;
    float *calm, *load;
    std::uint32_t* asleep; ///< 1 or 0
    std::uint32_t* woken;  ///< 1: to be woken; of a rigid body, its first particle
    std::uint32_t* kept;   ///< 1: kept awake, of a check
};

/// Particles and bodies. Displacements: `predicted` those of the substep, `moved` those of a
/// stabilisation.
struct Matter {
    std::uint32_t count, bodies;
    Vec3d* x;
    Vec3f* v;
    const float *radius, *mass;
    const std::uint32_t *material, *body;
    const Material* materials;
    DeviceBody* bodyOf; ///< by number
    float* weight;      ///< inverse mass in contact [1/kg]
    Moves predicted, moved;
    Vec3f* multiplier;     ///< of soft bodies' particles in this substep [kg m]
    Vec3d* goal;           ///< of soft bodies' particles, from the body's last centre [m]
    const Vec3d* searched; ///< where everybody was when candidates were found [m]
    Vec3d low, high;       ///< who is awake has candidates in this box [m]
    std::uint32_t* gone;   ///< 1: a collider took it, 2: it has left the domain
    Sleepers sleepers;

    FLOE_HD bool isRigid(std::uint32_t i) const
    {
        return body[i] != kNoBody && bodyOf[body[i]].rigid;
    }
    FLOE_HD bool isRope(std::uint32_t i) const
    {
        return body[i] != kNoBody && bodyOf[body[i]].rope;
    }
    FLOE_HD bool isCloth(std::uint32_t i) const
    {
        return body[i] != kNoBody && bodyOf[body[i]].sheet && !bodyOf[body[i]].rope;
    }
    FLOE_HD bool isHeld(std::uint32_t i) const { return !(mass[i] < Scene::kHeldMass); }
    FLOE_HD bool isLiquid(std::uint32_t i) const
    {
        return body[i] == kNoBody && materials[material[i]].kind == Material::Kind::liquid;
    }
    FLOE_HD bool isAsleep(std::uint32_t i) const { return sleepers.asleep && sleepers.asleep[i]; }
    FLOE_HD bool isAsleep(const DeviceBody& one) const { return isAsleep(one.first); }
    FLOE_HD const RestParticle* restOf(std::uint32_t i) const
    {
        return body[i] != kNoBody && !bodyOf[body[i]].sheet
                   ? bodyOf[body[i]].rest + (i - bodyOf[body[i]].first)
                   : nullptr;
    }
    FLOE_HD Vec3f armOf(std::uint32_t i, const Vec3d& at) const
    {
        return isRigid(i) ? toFloat(at - bodyOf[body[i]].state.x) : Vec3f{0, 0, 0};
    }
    FLOE_HD Vec3f at(const Moves& moves, std::uint32_t i, const Vec3f& arm) const
    {
        return isRigid(i) ? pointMotion(moves.way[body[i]], moves.turn[body[i]], arm)
                          : moves.particle[i];
    }
    FLOE_HD float yields(std::uint32_t i, const Vec3f& arm, const Vec3f& n) const
    {
        if (!isRigid(i))
            return weight[i];
        const BodyMotion& motion = bodyOf[body[i]].motion;
        return pointYields(motion.weight, motion.turnWeight, arm, n);
    }
    /// Displacement of a contact's first side against its second.
    FLOE_HD Vec3f between(const Moves& moves, const Contact& contact, const Vec3f& surface) const
    {
        return at(moves, contact.a, contact.armA) -
               (contact.b >= kSurface ? surface : at(moves, contact.b, contact.armB));
    }
    /// Number among all that move: particles, then rigid bodies.
    FLOE_HD std::uint32_t moverOf(std::uint32_t i) const
    {
        return isRigid(i) ? count + body[i] : i;
    }
};

/// Candidates of particles that move by themselves, in the order of a sweep.
struct SweptPairs {
    std::uint32_t count;
    const Pair* pair;
    Push* push;
    Contact* contact;               ///< of each candidate
    const std::uint32_t* cellBegin; ///< of all cells, and their end
    std::uint32_t* touching;        ///< numbers of those that touch, from each cell's begin on
    std::uint32_t* touchingCount;   ///< of each cell
};

/// Candidates with a rigid body, ascending.
struct RigidPairs {
    std::uint32_t count;
    const Pair* pair;
    Push* push;
    Contact* contact;
    /// Of every mover: twice a candidate's number, and 1 where it is the second side.
    const std::uint32_t *begin, *incident;
    Vec3f* pushed; ///< by the stabilisation, of each contact
    Vec3d* turn;   ///< what spins take up of that, of each contact
};

/// Contacts of particles with colliders and walls.
struct SurfaceContacts {
    std::uint32_t room;     ///< for one particle's
    Contact* contact;       ///< room each
    std::uint32_t* count;   ///< of each particle
    std::uint32_t* surface; ///< whom the pushes are of: Contact::b, room each
    Push* push;
    std::uint32_t* pushes; ///< of each particle
};

struct Contacts {
    SweptPairs swept;
    RigidPairs rigid;
    SurfaceContacts surfaces;
    float* shares; ///< of every mover: contacts with or of rigid bodies that it is in
};

/// What a substep tells the host.
struct Counts {
    std::uint32_t lost;    ///< particles and bodies whose positions are not finite
    std::uint32_t left;    ///< particles out of the margin of their candidates
    std::uint32_t taken;   ///< by colliders
    std::uint32_t outside; ///< of the domain
    std::uint32_t room;    ///< the most surfaces that a particle touches
    std::uint32_t faults;  ///< of forces
    std::uint32_t woke;    ///< particles
    std::uint32_t slept;   ///< particles that fell asleep
    std::uint32_t stirs;   ///< particles that have left their places
    std::uint32_t tore;    ///< parts of cloth and ropes
    std::uint32_t spread;  ///< rigid bodies kept awake by their neighbours
};

FLOE_HD bool isFinite(const Vec3d& a)
{
    constexpr double kLargest = 1.7e308;
    return physics::abs(a.x) < kLargest && physics::abs(a.y) < kLargest &&
           physics::abs(a.z) < kLargest;
}

__device__ std::uint32_t threadNumber()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/// Sums over a block of kThreads, always in the same order; all threads get the result.
struct BlockSums {
    double* shared; ///< kThreads
    __device__ double of(double value) const
    {
        shared[threadIdx.x] = value;
        __syncthreads();
        for (unsigned half = kThreads / 2; half > 0; half /= 2) {
            if (threadIdx.x < half)
                shared[threadIdx.x] += shared[threadIdx.x + half];
            __syncthreads();
        }
        const double sum = shared[0];
        __syncthreads();
        return sum;
    }
    __device__ Vec3d of(const Vec3d& value) const
    {
        const double x = of(value.x), y = of(value.y), z = of(value.z);
        return {x, y, z};
    }
    __device__ Mat3d of(const Mat3d& value) const
    {
        Mat3d sum;
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column)
                sum[row][column] = of(value[row][column]);
        return sum;
    }
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
