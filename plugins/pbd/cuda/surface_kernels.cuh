#pragma once

/// Contacts with colliders and walls: as solver/surface_contacts.cpp finds them, a particle a
/// thread and a row of particles a block.

#include "matter.cuh"

#include "solver/liquid_plane_rules.hpp"

#include "floe/sdk/world/environment.cuh"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::world::DeviceCollider;
using sdk::world::Environment;
using sdk::world::ParticleContact;
using sdk::world::SurfacePoint;

inline constexpr unsigned kRow = sdk::world::PointBatch::kMax;

/// A collider, asked from the corner of a row.
struct FromCorner {
    const DeviceCollider* collider;
    Vec3d corner;

    __device__ SurfacePoint at(const Vec3f& offset) const
    {
        SurfacePoint point{};
        sdk::world::sampleCollider(
            *collider, {corner.x + offset.x, corner.y + offset.y, corner.z + offset.z}, point);
        return point;
    }
    /// Gradient of the distance, unit or 0 where it is constant, by four samples.
    __device__ Vec3f gradient(const Vec3f& offset, float step) const
    {
        Vec3f normal{0, 0, 0};
        for (int k = 0; k < 4; ++k) {
            const Vec3f to = tetrahedronCorner(k);
            normal = normal +
                     at({offset.x + step * to.x, offset.y + step * to.y, offset.z + step * to.z})
                             .distance *
                         to;
        }
        const float size = physics::length(normal);
        return size > 0 ? (1 / size) * normal : normal;
    }
};

/// Adds the contacts of one particle.
struct SurfaceFinder {
    const Matter& matter;
    const SurfaceContacts& contacts;
    std::uint32_t i;
    float step, resting;
    std::uint32_t found = 0;

    __device__ void add(std::uint32_t surface, const Vec3f& normal, float distance,
                        const Vec3f& velocity, float grip, float restitution)
    {
        const float r = matter.radius[i];
        Contact contact{};
        beginSurface(contact, i, surface, normal, distance, r, step * velocity);
        contact.armA = matter.armOf(i, touchOfSurface(matter.x[i], normal, distance, r));
        const Vec3f u = matter.at(matter.predicted, i, contact.armA) - contact.surface;
        const float own = matter.materials[matter.material[i]].restitution;
        if (!touchSurface(contact, u, r, grip, larger(own, restitution), resting))
            return;
        const std::uint32_t first = i * contacts.room;
        for (std::uint32_t k = 0; k < contacts.pushes[i]; ++k)
            if (contacts.surface[first + k] == contact.b)
                recall(contact, contacts.push[first + k]);
        if (found < contacts.room) { // in the order of surfaces
            std::uint32_t place = found;
            for (; place > 0 && contacts.contact[first + place - 1].b > contact.b; --place)
                contacts.contact[first + place] = contacts.contact[first + place - 1];
            contacts.contact[first + place] = contact;
        }
        ++found;
    }

    /// In the edges and corners of a collider liquid touches several of its sides at once.
    /// @return false: there are none
    __device__ bool addPlanes(std::uint32_t number, const LiquidPlanes& planes,
                              const Vec3f& velocity, float grip, float restitution)
    {
        std::uint32_t sides = 0;
        for (const LiquidPlane& plane : planes.plane) {
            if (plane.weight < 0.5f || plane.collider != number)
                continue;
            if (hasSide(number, sides))
                add(surfaceOf(number, sides), plane.normal, planes.distance(plane, matter.x[i]),
                    velocity, grip, restitution);
            ++sides;
        }
        return sides > 0;
    }
};

/// The smallest value of a block of kRow threads.
__device__ float smallestOfRow(float* shared, float value)
{
    shared[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = kRow / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            shared[threadIdx.x] = smaller(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    const float smallest = shared[0];
    __syncthreads();
    return smallest;
}

/// What bounds liquid, as planesOfColliders() of solver/liquid_planes.cpp.
/// @param support  radius of a kernel, in radii of its particle
__global__ void findPlanes(Matter matter, Environment environment, float support,
                           LiquidPlanes* planes)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count)
        return;
    LiquidPlanes own;
    own.at = matter.x[i];
    const float kernel = support * matter.radius[i];
    for (int c = 0; matter.isLiquid(i) && c < environment.colliderCount; ++c) {
        if (environment.colliders[c].particles == ParticleContact::remove)
            continue;
        const FromCorner from{&environment.colliders[c], own.at};
        const float nearest = from.at({0, 0, 0}).distance;
        for (int k = 0; k < kPlaneLooks && nearest < kernel; ++k) {
            const Vec3f look = planeLook(k), offset = kernel * look;
            const float distance = from.at(offset).distance;
            if (!(distance < kPlaneSees * kernel))
                continue;
            Vec3f gradient{0, 0, 0};
            for (int vertex = 0; vertex < 4; ++vertex) {
                const Vec3f corner = tetrahedronCorner(vertex);
                gradient =
                    gradient + (from.at(offset + (kPlaneGradient * kernel) * corner).distance /
                                (4 * kPlaneGradient * kernel)) *
                                   corner;
            }
            const float size = physics::length(gradient);
            if (!(size > kPlaneSize))
                continue;
            LiquidPlane plane;
            plane.normal = (1 / size) * gradient;
            plane.distance = distance - kernel * physics::dot(plane.normal, look);
            plane.collider = static_cast<std::uint32_t>(c);
            if (!isWanted(own, plane, nearest, kernel))
                continue;
            const Vec3f foot = offset - distance * plane.normal;
            bool holds = false;
            for (int turned = 0; turned < 2 && !holds; ++turned) {
                float slope[4];
                for (int quarter = 0; quarter < 4; ++quarter)
                    slope[quarter] = from.at(foot + alongPlane(plane.normal, kPlaneStep * kernel,
                                                               planeAngle(turned, quarter)))
                                         .distance /
                                     (kPlaneStep * kernel);
                holds = isSide(slope);
            }
            if (holds)
                addPlane(own, plane, nearest, kernel);
        }
    }
    planes[i] = own;
}

/// @param topSpeed  of each collider [m/s]
/// @param planes    of particles, for liquid; null: there are none
/// @param all       rows that sleep, too
/// Where counts->room comes out above the room there is, it is to be made larger and this redone.
__global__ void findSurfaces(Matter matter, SurfaceContacts contacts, Environment environment,
                             const float* topSpeed, const LiquidPlanes* planes, float step,
                             float resting, bool all, Counts* counts)
{
    FLOE_SHARED(float, smallestOf, kRow);
    const std::uint32_t i = blockIdx.x * kRow + threadIdx.x;
    const bool exists = i < matter.count;
    if (!all && smallestOfRow(&smallestOf[0], exists && !matter.isAsleep(i) ? 0.0f : 1.0f) > 0)
        return; // holdSleepers() counts their contacts
    const Vec3d corner = matter.x[blockIdx.x * kRow];
    const Vec3f offset = exists ? toFloat(matter.x[i] - corner) : Vec3f{0, 0, 0};
    const float radius = exists ? matter.radius[i] : 0;
    SurfaceFinder finder{matter, contacts, i, step, resting};
    bool taken = false;
    for (int c = 0; c < environment.colliderCount; ++c) {
        const DeviceCollider& collider = environment.colliders[c];
        const FromCorner from{&collider, corner};
        float distance = 0;
        bool near = false;
        if (exists) {
            distance = from.at(offset).distance;
            const float speed = physics::length(matter.v[i]) + topSpeed[c];
            near = !(distance > (1 + kMargin) * radius + step * speed);
        }
        // Normals of a row are found at one distance, that of its smallest particle.
        const float smallest = smallestOfRow(&smallestOf[0], near ? radius : 3e38f);
        if (!near)
            continue;
        const float now = distance;
        if (collider.particles == ParticleContact::remove && now <= 0 &&
            matter.body[i] == kNoBody) {
            taken = true;
            continue;
        }
        const Vec3f way = matter.at(matter.predicted, i, matter.armOf(i, matter.x[i]));
        // What is far is moved along its way to where it touches, by steps of its distance (Hart
        // 1996): what is fast must not pass through what is thin.
        constexpr int kSteps = 24;
        Vec3f place = offset;
        float share = 0;
        const float length = physics::length(way);
        for (int k = 0; k < kSteps; ++k) {
            const float left = distance - radius;
            if (!(left > kMargin * radius) || !(share < 1) || !(length > left))
                break;
            const float next = smaller(share + left / length, 1.0f);
            place = {place.x + (next - share) * way.x, place.y + (next - share) * way.y,
                     place.z + (next - share) * way.z};
            share = next;
            distance = from.at(place).distance;
        }
        // Level sets know distances in a narrow band only, and samples may lie beyond it: so that
        // is a first guess, and the normal is that near the surface.
        const float apart = 0.25f * smallest;
        Vec3f normal = from.gradient(place, apart);
        const float back = larger(distance - 2 * apart, 0.0f);
        const Vec3f better = from.gradient(
            {place.x - back * normal.x, place.y - back * normal.y, place.z - back * normal.z},
            apart);
        if (physics::dot(better, better) > 0)
            normal = better;
        // Just inside the surface it also says how fast it is.
        const float inwards = larger(distance, 0.0f) + 0.05f * smallest;
        const SurfacePoint inside =
            from.at({place.x - inwards * normal.x, place.y - inwards * normal.y,
                     place.z - inwards * normal.z});
        const Vec3f velocity = inside.distance <= 0 ? inside.v : Vec3f{0, 0, 0};
        const float grip = gripOf(collider.contact, collider.friction);
        const float restitution = collider.particles == ParticleContact::bounce ? 1.0f : 0.0f;
        if (planes && share == 0 &&
            finder.addPlanes(static_cast<std::uint32_t>(c), planes[i], velocity, grip, restitution))
            continue;
        if (normal.x == 0 && normal.y == 0 && normal.z == 0)
            continue; // deep inside there is no way out
        // From where it is to the plane that it touches on its way.
        finder.add(static_cast<std::uint32_t>(c), normal,
                   distance - share * physics::dot(normal, way), velocity, grip, restitution);
    }
    if (!exists)
        return;
    for (int face = 0; face < 6; ++face) {
        if (!environment.domain.isWall(face))
            continue;
        const sdk::world::Wall wall(environment.domain, face, matter.x[i]);
        finder.add(kWalls + static_cast<std::uint32_t>(face), wall.inwards, wall.corner, {0, 0, 0},
                   gripOf(wall.contact, wall.friction), 0);
    }
    contacts.count[i] = finder.found < contacts.room ? finder.found : contacts.room;
    if (finder.found > contacts.room)
        atomicMax(&counts->room, finder.found);
    matter.gone[i] = taken ? 1 : 0;
    if (taken)
        atomicAdd(&counts->taken, 1u);
}

/// Moves what is remembered to where there is more room.
__global__ void widenSurfaces(std::uint32_t count, SurfaceContacts from, SurfaceContacts to)
{
    const std::uint32_t i = threadNumber();
    if (i >= count)
        return;
    for (std::uint32_t k = 0; k < from.pushes[i]; ++k) {
        to.surface[i * to.room + k] = from.surface[i * from.room + k];
        to.push[i * to.room + k] = from.push[i * from.room + k];
    }
}

/// Keeps the impulses of contacts at rest.
__global__ void rememberSurfaces(Matter matter, SurfaceContacts contacts, float resting)
{
    const std::uint32_t i = threadNumber();
    if (i >= matter.count || matter.isAsleep(i))
        return;
    const std::uint32_t first = i * contacts.room;
    std::uint32_t kept = 0;
    for (std::uint32_t k = 0; k < contacts.count[i]; ++k) {
        const Contact& contact = contacts.contact[first + k];
        if (!(contact.lambda > 0) ||
            !restsBy(contact, matter.between(matter.predicted, contact, contact.surface), resting))
            continue;
        contacts.surface[first + kept] = contact.b;
        contacts.push[first + kept++] = pushOf(contact);
    }
    contacts.pushes[i] = kept;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
