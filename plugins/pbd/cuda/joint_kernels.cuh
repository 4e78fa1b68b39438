#pragma once

/// Joints, projected in the order of solver/joints.cpp: those of one stage have no body or particle
/// in common, and each comes after all before it that share one with it.

#include "matter.cuh"

#include "solver/joint_rules.hpp"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

struct DeviceJoints {
    std::uint32_t count, stages;
    Joint* joint;
    JointMultiplier* multiplier;
    const std::uint32_t *order, *stageBegin; ///< joints of all stages
    std::uint32_t* driven;                   ///< of bodies: 1: it may not rest
};

__device__ JointEnd endOf(const Matter& matter, const JointSide& side)
{
    JointEnd end{&side};
    if (side.particle != kNoBody) {
        end.moved = &matter.predicted.particle[side.particle];
        end.weight = double{matter.weight[side.particle]};
        end.begin(matter.x[side.particle], Mat3d::identity());
        return end;
    }
    if (side.body == kNoBody) {
        end.begin(side.anchor, side.frame);
        return end;
    }
    const DeviceBody& body = matter.bodyOf[side.body];
    end.way = &matter.predicted.way[side.body];
    end.turn = &matter.predicted.turn[side.body];
    end.weight = double{body.motion.weight};
    end.turnWeight = &body.motion.turnWeight;
    end.begin(body.state.x, body.state.R);
    return end;
}

__global__ void beginJoints(DeviceJoints joints)
{
    const std::uint32_t k = threadNumber();
    if (k < joints.count)
        joints.multiplier[k] = {};
}
/// One block.
__global__ void projectJoints(Matter matter, DeviceJoints joints, double dt)
{
    for (std::uint32_t stage = 0; stage < joints.stages; ++stage) {
        for (std::uint32_t at = joints.stageBegin[stage] + threadIdx.x;
             at < joints.stageBegin[stage + 1]; at += kThreads) {
            const std::uint32_t k = joints.order[at];
            projectJoint(joints.joint[k], joints.multiplier[k], dt,
                         [&](const JointSide& side) { return endOf(matter, side); });
        }
        __syncthreads();
    }
}
/// Joints that had to bear more than their strength break.
__global__ void breakJoints(DeviceJoints joints, double dt)
{
    const std::uint32_t k = threadNumber();
    if (k < joints.count && breaks(joints.joint[k], joints.multiplier[k], dt))
        joints.joint[k].broken = true;
}

/// Whom motors turn, and what hangs on cloth or ropes. @param driven  0 before
__global__ void findDriven(DeviceJoints joints)
{
    const std::uint32_t k = threadNumber();
    if (k >= joints.count || joints.joint[k].broken)
        return;
    const Joint& joint = joints.joint[k];
    if (!joint.motor && joint.a.particle == kNoBody && joint.b.particle == kNoBody)
        return;
    for (const JointSide* side : {&joint.a, &joint.b})
        if (side->body != kNoBody)
            atomicExch(&joints.driven[side->body], 1u);
}
/// Spreads a mark to all that hang together by joints: one block.
/// @param markOf  gives where the mark of a body is, which is 1 or 0
template <class MarkOf>
__device__ void spreadByJoints(const DeviceJoints& joints, double* shared, const MarkOf& markOf)
{
    const BlockSums sums{shared};
    double changes = 1;
    while (changes > 0) {
        double own = 0;
        for (std::uint32_t k = threadIdx.x; k < joints.count; k += kThreads) {
            const Joint& joint = joints.joint[k];
            if (joint.broken || joint.a.body == kNoBody || joint.b.body == kNoBody)
                continue;
            std::uint32_t *a = markOf(joint.a.body), *b = markOf(joint.b.body);
            const std::uint32_t ofA = atomicAdd(a, 0u), ofB = atomicAdd(b, 0u);
            if (ofA == ofB)
                continue;
            atomicExch(ofA ? b : a, 1u);
            own += 1;
        }
        changes = sums.of(own);
    }
}
/// Who is to be woken wakes what he is jointed to.
__global__ void markByJoints(Matter matter, DeviceJoints joints)
{
    FLOE_SHARED(double, partial, kThreads);
    spreadByJoints(joints, &partial[0], [&](std::uint32_t body) {
        return &matter.sleepers.woken[matter.bodyOf[body].first];
    });
}
/// Who does not rest keeps what he is jointed to from it. @param stirs  of bodies
__global__ void stirByJoints(DeviceJoints joints, std::uint32_t* stirs)
{
    FLOE_SHARED(double, partial, kThreads);
    spreadByJoints(joints, &partial[0], [&](std::uint32_t body) { return &stirs[body]; });
}
/// Bodies that are driven do not rest. @param stirs  of bodies
__global__ void stirDriven(Matter matter, DeviceJoints joints, std::uint32_t* stirs)
{
    const std::uint32_t b = threadNumber();
    if (b < matter.bodies && joints.driven[b] && !matter.isAsleep(matter.bodyOf[b]))
        stirs[b] = 1;
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
