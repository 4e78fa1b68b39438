#pragma once

#include "memory.hpp"

#include <span>
#include <vector>

namespace floe::render {

/// SPIR-V words of a shader.
using Spirv = std::span<const std::uint32_t>;

/// State of a pipeline besides its shaders.
struct PipelineShape {
    Spirv vertex;
    Spirv fragment;
    std::uint32_t meshAttributes =
        0; ///< point, normal, colour of a mesh's corners; 0: no vertex buffer
    VkCompareOp depth = VK_COMPARE_OP_NEVER; ///< NEVER: no depth test
    /// Over: onto what lies behind, colours multiplied by their opacity (Porter and Duff 1984).
    enum class Blend { None, Add, AddAndMaxAlpha, Over } blend = Blend::None;
};

/// A render pass with its framebuffer: clears its targets (but a depth to Keep), draws, and leaves
/// them ready to be sampled (or copied). Includes the dependencies on earlier and later commands.
class Pass {
public:
    enum class After { Sample, Copy };
    /// Keep: tests against the depths of an earlier pass and changes none.
    enum class Depth { None, Clear, Keep };
    Pass() = default;
    Pass(std::shared_ptr<Device> device, const std::vector<VkFormat>& colours, Depth depth,
         After after);

    /// Sets the targets; the last one is the depth, if there is one.
    void target(const std::vector<const Texture*>& textures);
    void begin(VkCommandBuffer commands, float clearDepth = 0) const;
    static void end(VkCommandBuffer commands) { vkCmdEndRenderPass(commands); }

    PipelineHandle pipeline(VkPipelineLayout layout, const PipelineShape& shape) const;

private:
    std::shared_ptr<Device> device_;
    std::uint32_t colourCount_ = 0;
    Depth depth_ = Depth::None;
    PassHandle pass_;
    FramebufferHandle framebuffer_;
    VkExtent2D extent_{};
};

} // namespace floe::render
