#pragma once

/// Soft bodies, as solver/matching.cpp draws them to their shapes: a block each.

#include "matter.cuh"

#include "solver/matching_rules.hpp"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

/// A body's particles in this substep.
struct SoftPlaces {
    const Matter& matter;
    const DeviceBody& body;
    Vec3d from; ///< the body's last centre [m]

    __device__ Vec3d operator()(std::uint32_t k) const
    {
        const std::uint32_t i = body.first + k;
        return matter.x[i] - from + toDouble(matter.predicted.particle[i]);
    }
};

/// Fits a body's regions, one after the other, and adds what each wants of its members.
__device__ void addGoals(const Matter& matter, const DeviceBody& body, RotationMethod method,
                         const SoftPlaces& placeOf, const BlockSums& sums)
{
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        matter.goal[body.first + k] = {0, 0, 0};
    for (std::uint32_t r = 0; r < body.regionCount; ++r) {
        const DeviceRegion& region = body.regions[r];
        const auto restOf = [&](const Region::Member& member) {
            return toDouble(body.rest[member.particle].offset) - region.center;
        };
        Vec3d center{0, 0, 0};
        for (std::uint32_t m = threadIdx.x; m < region.count; m += kThreads)
            center = center + double{region.members[m].mass} * placeOf(region.members[m].particle);
        center = (1 / region.mass) * sums.of(center);
        Mat3d A{};
        for (std::uint32_t m = threadIdx.x; m < region.count; m += kThreads) {
            const Region::Member& member = region.members[m];
            addOuter(A, double{member.mass} * (placeOf(member.particle) - center), restOf(member));
        }
        A = sums.of(A);
        if (threadIdx.x == 0)
            body.turns[r] = nearestRotation(method, A, body.turns[r]);
        __syncthreads();
        const Mat3d R = body.turns[r];
        for (std::uint32_t m = threadIdx.x; m < region.count; m += kThreads) {
            const Region::Member& member = region.members[m];
            const double share = member.mass / body.rest[member.particle].mass;
            Vec3d& goal = matter.goal[body.first + member.particle];
            goal = goal + share * (center + R * restOf(member));
        }
        __syncthreads();
    }
}

__global__ void matchShapes(Matter matter, RotationMethod method, double dt)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    DeviceBody& body = matter.bodyOf[blockIdx.x];
    if (body.rigid || body.sheet)
        return;
    const SoftPlaces placeOf{matter, body, body.state.x};
    Vec3d center{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        center = center + double{body.rest[k].mass} * placeOf(k);
    center = (1 / body.mass) * sums.of(center);
    Mat3d A{};
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
        addOuter(A, double{body.rest[k].mass} * (placeOf(k) - center),
                 toDouble(body.rest[k].offset));
    A = sums.of(A);
    if (threadIdx.x == 0)
        body.state.R = nearestRotation(method, A, body.state.R);
    __syncthreads();
    if (body.regionCount > 0) {
        addGoals(matter, body, method, placeOf, sums);
    } else {
        for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads)
            matter.goal[body.first + k] = center + body.state.R * toDouble(body.rest[k].offset);
    }
    const double compliance = complianceOf(body.frequency, dt);
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        drawToGoal(matter.goal[i] - placeOf(k), compliance, matter.multiplier[i],
                   matter.predicted.particle[i]);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        body.state.x = body.state.x + center;
}

/// Takes velocity that deforms from bodies that are damped.
__global__ void dampShapes(Matter matter, double dt)
{
    FLOE_SHARED(double, partial, kThreads);
    const BlockSums sums{&partial[0]};
    DeviceBody& body = matter.bodyOf[blockIdx.x];
    if (body.rigid || body.sheet)
        return;
    Vec3d momentum{0, 0, 0}, center{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        const double m = body.rest[k].mass;
        momentum = momentum + m * toDouble(matter.v[i]);
        center = center + m * matter.x[i];
    }
    center = (1 / body.mass) * sums.of(center);
    const Vec3d v = (1 / body.mass) * sums.of(momentum);
    if (threadIdx.x == 0)
        body.state.v = v;
    if (body.damping <= 0)
        return;
    Mat3d inertia{};
    Vec3d spin{0, 0, 0};
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        const double m = body.rest[k].mass;
        const Vec3d q = matter.x[i] - center;
        spin = spin + m * physics::cross(q, toDouble(matter.v[i]) - v);
        addInertia(inertia, m, q);
    }
    inertia = sums.of(inertia);
    spin = sums.of(spin);
    const double volume = physics::determinant(inertia);
    if (!(physics::abs(volume) > 0))
        return;
    const Vec3d w = (1 / volume) * (physics::transpose(physics::cofactor(inertia)) * spin);
    const double share = dampedShare(body.damping, dt);
    for (std::uint32_t k = threadIdx.x; k < body.count; k += kThreads) {
        const std::uint32_t i = body.first + k;
        dampVelocity(matter.v[i], v + physics::cross(w, matter.x[i] - center), share);
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
