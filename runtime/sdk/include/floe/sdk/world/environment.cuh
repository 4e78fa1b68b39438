#pragma once

/// Everything besides other particles that acts on grid nodes and particles, for kernels: gravity,
/// colliders, walls of the domain.
///
/// Signed distances and vector fields are NanoVDB grids in device memory, interpolated trilinearly
/// in double precision like floe/sdk/level_set.hpp on the host.

#include "floe/sdk/cuda.hpp"
#include "floe/sdk/level_set.hpp"
#include "floe/sdk/world/domain.hpp"
#include "floe/sdk/world/force_rule.hpp"
#include "floe/sdk/world/level_set.hpp"
#include "floe/sdk/world/mirror.hpp"

#include <cstdint>

namespace floe::sdk::world {
inline namespace FLOE_KERNEL_SPACE {

/// The eight voxels around a point of a grid's space (z fastest) and the fractions between them.
template <class Element>
struct Corners {
    Element value[8];
    double t[3];

    FLOE_HD void read(const nanovdb::NanoGrid<Element>& grid, const Vec3d& at)
    {
        readIndex(grid, grid.worldToIndex(nanovdb::Vec3d(at.x, at.y, at.z)));
    }

    /// @param index  in the space of voxels
    FLOE_HD void readIndex(const nanovdb::NanoGrid<Element>& grid, const nanovdb::Vec3d& index)
    {
        auto accessor = grid.tree().getAccessor();
        int base[3];
        for (int axis = 0; axis < 3; ++axis) {
            const double c = ::fmin(::fmax(index[axis], -1e9), 1e9); // far outside: background
            const double low = ::floor(c);
            base[axis] = static_cast<int>(low);
            t[axis] = c - low;
        }
        for (int n = 0; n < 8; ++n)
            value[n] = accessor.getValue(
                nanovdb::Coord(base[0] + (n >> 2), base[1] + (n >> 1 & 1), base[2] + (n & 1)));
    }

    /// Single precision like the host's sampler, so that both agree on the zero level.
    FLOE_HD Element interpolated() const
    {
        return mixed(0, mixed(1, mixed(2, value[0], value[1]), mixed(2, value[2], value[3])),
                     mixed(1, mixed(2, value[4], value[5]), mixed(2, value[6], value[7])));
    }

private:
    FLOE_HD Element mixed(int axis, const Element& a, const Element& b) const
    {
        return Element(a + (b - a) * static_cast<float>(t[axis]));
    }
};

/// A collider in device memory: LevelSetShape, LevelSetMotion and the members of Collider.
struct DeviceCollider {
    const nanovdb::NanoGrid<float>* shape;
    const nanovdb::NanoGrid<float>* nextShape;         ///< null: the shape does not change
    const nanovdb::NanoGrid<nanovdb::Vec3f>* velocity; ///< null: none
    LevelSetMotion motion;
    Contact contact;
    float friction;
    ParticleContact particles;
};

/// The grids of a DeviceCollider, for LevelSetReader.
class DeviceGrids {
public:
    explicit FLOE_HD DeviceGrids(const DeviceCollider& collider) : collider_(&collider) {}
    FLOE_HD bool deforms() const { return collider_->nextShape != nullptr; }
    FLOE_HD double distance(const Vec3d& at) const
    {
        return valueIn(*collider_->shape, indexIn(*collider_->shape, at));
    }
    FLOE_HD double nextDistance(const Vec3d& at) const
    {
        return valueIn(*collider_->nextShape, indexIn(*collider_->nextShape, at));
    }
    FLOE_HD Vec3d gradient(const Vec3d& at) const { return gradientIn(*collider_->shape, at); }
    FLOE_HD Vec3d nextGradient(const Vec3d& at) const
    {
        return gradientIn(*collider_->nextShape, at);
    }
    FLOE_HD Vec3d velocity(const Vec3d& at) const
    {
        return collider_->velocity ? velocityIn(*collider_->velocity, at) : Vec3d{0, 0, 0};
    }

private:
    static FLOE_HD nanovdb::Vec3d indexIn(const nanovdb::NanoGrid<float>& grid, const Vec3d& at)
    {
        return grid.worldToIndex(nanovdb::Vec3d(at.x, at.y, at.z));
    }
    // Out of line: LevelSetReader reads at dozens of places.
    static FLOE_COLD double valueIn(const nanovdb::NanoGrid<float>& grid,
                                    const nanovdb::Vec3d& index)
    {
        Corners<float> corners;
        corners.readIndex(grid, index);
        return corners.interpolated();
    }
    static FLOE_COLD Vec3d velocityIn(const nanovdb::NanoGrid<nanovdb::Vec3f>& grid,
                                      const Vec3d& at)
    {
        Corners<nanovdb::Vec3f> corners;
        corners.read(grid, at);
        const auto u = corners.interpolated();
        return {u[0], u[1], u[2]};
    }
    /// By differences over a voxel, like the host's sampler.
    static FLOE_COLD Vec3d gradientIn(const nanovdb::NanoGrid<float>& grid, const Vec3d& at)
    {
        const nanovdb::Vec3d index = indexIn(grid, at);
        nanovdb::Vec3d slope;
        for (int axis = 0; axis < 3; ++axis) {
            nanovdb::Vec3d low = index, high = index;
            low[axis] -= 0.5;
            high[axis] += 0.5;
            slope[axis] = valueIn(grid, high) - valueIn(grid, low);
        }
        const auto world = grid.indexToWorldGrad(slope);
        return {world[0], world[1], world[2]};
    }

    const DeviceCollider* collider_;
};

/// @param margin  as PointBatch::margin
/// @return whether the point is on or inside the collider, or no farther outside than that;
/// otherwise only out.distance is set
__device__ bool sampleCollider(const DeviceCollider& collider, const Vec3d& world,
                               SurfacePoint& out, float margin = 0)
{
    out = LevelSetReader(DeviceGrids(collider), collider.motion).at(world, margin);
    return out.distance <= margin;
}

/// A force in device memory.
struct DeviceForce {
    ForceRule rule;
    const nanovdb::NanoGrid<nanovdb::Vec3f>* field; ///< null: none
};
/// Forces passed as a launch argument, as colliders are below.
struct ForceBatch {
    static constexpr std::uint32_t kMax = 8;
    DeviceForce force[kMax];
};
__global__ void writeForces(DeviceForce* to, ForceBatch batch, std::uint32_t count)
{
    if (threadIdx.x < count)
        to[threadIdx.x] = batch.force[threadIdx.x];
}

/// Colliders passed as a launch argument, which unlike a copy needs no wait.
struct ColliderBatch {
    static constexpr std::uint32_t kMax = 8; ///< launch arguments are limited to 4 KB
    DeviceCollider collider[kMax];
};
__global__ void writeColliders(DeviceCollider* to, ColliderBatch batch, std::uint32_t count)
{
    if (threadIdx.x < count)
        to[threadIdx.x] = batch.collider[threadIdx.x];
}

/// Everything that acts during one step. The arrays are in device memory.
struct Environment {
    Vec3f gravity{0, 0, 0}; ///< change of velocity by gravity in this step [m/s]
    Domain domain;
    MirrorWalls mirror; ///< of the domain
    const DeviceCollider* colliders = nullptr;
    std::int32_t colliderCount = 0;
    std::int32_t forceCount = 0;
    const DeviceForce* forces = nullptr;
    double time = 0, dt = 0; ///< the step's, for forces [s]
};

/// Returns the velocity of a node after all forces.
/// @param faults  counts fields that are not finite there; their force is left out
__device__ Vec3f applyForces(const Environment& environment, const Vec3d& corner,
                             const Vec3f& offset, Vec3f v, unsigned* faults)
{
    const Vec3d at{corner.x + offset.x, corner.y + offset.y, corner.z + offset.z};
    for (int i = 0; i < environment.forceCount; ++i) {
        const DeviceForce& force = environment.forces[i];
        Vec3d field{0, 0, 0};
        if (force.field) {
            Corners<nanovdb::Vec3f> corners;
            corners.read(*force.field, at);
            const auto u = corners.interpolated();
            field = {u[0], u[1], u[2]};
            if (!(fabs(field.x) + fabs(field.y) + fabs(field.z) < 1e300)) {
                atomicAdd(faults, 1u);
                continue;
            }
        }
        v = velocityAfter(force.rule, at, v, field, environment.time, environment.dt);
    }
    return v;
}

/// Samples a collider at a node as Domain::sampleWithin() does.
/// @param offset, image  the node's place from the corner, and its mirror image where it is `moved`
/// @return as sampleCollider()
__device__ bool sampleWithin(const DeviceCollider& collider, const Walls& walls,
                             const Vec3d& corner, const Vec3f& offset, const Vec3f& image,
                             bool moved, double cell, SurfacePoint& at, float margin = 0)
{
    const Vec3d world{corner.x + offset.x, corner.y + offset.y, corner.z + offset.z};
    Vec3f place = offset;
    bool near = sampleCollider(collider, world, at, margin);
    if (moved && at.distance > 0) {
        const Vec3d there{corner.x + image.x, corner.y + image.y, corner.z + image.z};
        SurfacePoint behind;
        if (sampleCollider(collider, there, behind)) {
            near = true;
            at = behind;
            place = image;
        }
    }
    if (near && at.distance <= 0 && walls.close(at, place, cell))
        at.normal = {0, 0, 0};
    return near;
}

/// Returns the velocity of a node after contact: colliders in order, then walls, which take
/// precedence. Colliders continue behind walls, as in Domain::sampleWithin().
/// @param corner, offset  the node's position: corner [m] in the world, and offset from it
/// @param cell  cell size of the grid [m]
/// @tparam kColliders  whether there are any: sampling them takes most of the registers
template <bool kColliders>
__device__ Vec3f applyContacts(const Environment& environment, const Vec3d& corner,
                               const Vec3f& offset, double cell, Vec3f v)
{
    const Domain& domain = environment.domain;
    if constexpr (!kColliders) {
        FLOE_UNROLL
        for (int face = 0; face < 6; ++face)
            if (domain.isWall(face))
                v = Wall(domain, face, corner).velocityAt(offset, v);
        return v;
    } else {
        const Walls walls(domain, corner);
        Vec3f image = offset;
        const bool moved = walls.mirror(image, cell);
        for (int i = 0; i < environment.colliderCount; ++i) {
            const DeviceCollider& collider = environment.colliders[i];
            if (collider.contact == Contact::open)
                continue;
            SurfacePoint at;
            if (!sampleWithin(collider, walls, corner, offset, image, moved, cell, at))
                continue;
            v = contactVelocity(v, at, collider.contact, collider.friction);
        }
        return walls.velocityAt(offset, v);
    }
}

/// Result of colliders and open faces for a particle.
struct ParticleFate {
    Vec3f v; ///< velocity after bouncing [m/s]
    bool bounced = false;
    bool outside = false; ///< it is beyond an open face
    bool inside = false;  ///< it is in a collider that removes particles
};
/// Like applyContacts(), for particles: walls do not affect them.
template <bool kColliders>
__device__ ParticleFate particleFate(const Environment& environment, const Vec3d& corner,
                                     const Vec3f& offset, const Vec3f& v)
{
    ParticleFate fate{v};
    fate.outside = environment.domain.bounded && environment.domain.isOutside(corner, offset);
    const Vec3d world{corner.x + offset.x, corner.y + offset.y, corner.z + offset.z};
    for (int i = 0; kColliders && i < environment.colliderCount; ++i) {
        const DeviceCollider& collider = environment.colliders[i];
        SurfacePoint at;
        if (collider.particles == ParticleContact::none || !sampleCollider(collider, world, at))
            continue;
        if (collider.particles == ParticleContact::remove)
            fate.inside = true;
        else if (physics::dot(fate.v - at.v, at.normal) < 0) {
            fate.v = bouncedVelocity(fate.v, at);
            fate.bounced = true;
        }
    }
    return fate;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::sdk::world
