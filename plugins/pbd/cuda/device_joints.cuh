#pragma once

/// The steps of joints on a device.

#include "joint_kernels.cuh"
#include "launch.cuh"

#include "floe/sdk/device_memory.hpp"

#include <algorithm>
#include <vector>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;

class JointSteps {
public:
    explicit JointSteps(Device& device) : device_(device) {}

    /// Matter was brought to the device.
    void begin(const std::vector<Joint>& joints, std::size_t bodies, std::size_t particles)
    {
        joints_ = {};
        if (joints.empty())
            return;
        // Each comes into the stage after the last one that shares a body or particle with it.
        std::vector<std::uint32_t> next(bodies + particles + 1), order;
        const auto moverOf = [&](const JointSide& side) { // the last one: the world
            return side.body != kNoBody       ? side.body
                   : side.particle != kNoBody ? bodies + side.particle
                                              : bodies + particles;
        };
        std::vector<std::vector<std::uint32_t>> stages;
        for (std::uint32_t k = 0; k < joints.size(); ++k) {
            std::uint32_t stage = 0;
            for (const JointSide* side : {&joints[k].a, &joints[k].b})
                stage = std::max(stage, next[moverOf(*side)]);
            for (const JointSide* side : {&joints[k].a, &joints[k].b})
                next[moverOf(*side)] = stage + 1;
            next.back() = 0;
            stages.resize(std::max<std::size_t>(stages.size(), stage + 1));
            stages[stage].push_back(k);
        }
        std::vector<std::uint32_t> begin{0};
        for (const auto& stage : stages) {
            order.insert(order.end(), stage.begin(), stage.end());
            begin.push_back(static_cast<std::uint32_t>(order.size()));
        }
        multiplier_.need(joints.size());
        driven_.need(bodies);
        joints_ = {.count = static_cast<std::uint32_t>(joints.size()),
                   .stages = static_cast<std::uint32_t>(stages.size()),
                   .joint = given(joint_, joints),
                   .multiplier = multiplier_.data(),
                   .order = given(order_, order),
                   .stageBegin = given(stageBegin_, begin),
                   .driven = driven_.data()};
        bodies_ = static_cast<std::uint32_t>(bodies);
    }
    bool any() const { return joints_.count > 0; }
    const DeviceJoints& joints() const { return joints_; }
    /// What broke.
    void bringBack(std::vector<Joint>& joints) const
    {
        if (any())
            joints = joint_.download(joints.size());
    }

    /// Before the iterations of a substep.
    void beginStep() { FLOE_PBD_LAUNCH(beginJoints, joints_.count, joints_); }
    void project(const Matter& matter, double dt)
    {
        if (any())
            FLOE_PBD_LAUNCH_BLOCKS(projectJoints, 1, matter, joints_, dt);
    }
    void finish(double dt) { FLOE_PBD_LAUNCH(breakJoints, joints_.count, joints_, dt); }

    /// Marks whom those wake that are marked.
    void mark(const Matter& matter)
    {
        if (any())
            FLOE_PBD_LAUNCH_BLOCKS(markByJoints, 1, matter, joints_);
    }
    /// @param stirs  in, out: of bodies: 1: it does not rest
    void stirDrivenOnes(const Matter& matter, std::uint32_t* stirs)
    {
        if (!any())
            return;
        driven_.fill(0, bodies_);
        FLOE_PBD_LAUNCH(findDriven, joints_.count, joints_);
        FLOE_PBD_LAUNCH(stirDriven, bodies_, matter, joints_, stirs);
    }
    void stir(std::uint32_t* stirs)
    {
        if (any())
            FLOE_PBD_LAUNCH_BLOCKS(stirByJoints, 1, joints_, stirs);
    }

private:
    template <class T>
    static T* given(DeviceArray<T>& array, const std::vector<T>& values)
    {
        array.need(values.size());
        array.upload(values.data(), values.size());
        return array.data();
    }

    Device& device_;
    DeviceJoints joints_{};
    std::uint32_t bodies_ = 0;
    DeviceArray<Joint> joint_{device_};
    DeviceArray<JointMultiplier> multiplier_{device_};
    DeviceArray<std::uint32_t> order_{device_}, stageBegin_{device_}, driven_{device_};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
