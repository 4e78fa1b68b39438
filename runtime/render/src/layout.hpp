#pragma once

#include "memory.hpp"

#include <array>
#include <vector>

namespace floe::render {

/// Bindings, as in shaders/: set 0 of every pass, set 1 of particles, push constants.
class Layout {
public:
    static constexpr std::uint32_t kTextures = 10; ///< bindings 1 to 10 of set 0
    static constexpr std::uint32_t kParticleBuffers = 4;
    static constexpr std::uint32_t kPushBytes = 100;

    explicit Layout(std::shared_ptr<Device> device);

    VkPipelineLayout pipelines() const { return pipelines_.get(); }

    /// Frees all sets. Textures that a pass does not use may be null.
    void reset();
    VkDescriptorSet frameSet(VkBuffer block, std::uint64_t blockBytes,
                             const std::array<const Texture*, kTextures>& textures);
    struct Range {
        VkBuffer buffer;
        std::uint64_t offset;
        std::uint64_t bytes;
    };
    VkDescriptorSet particleSet(const std::array<Range, kParticleBuffers>& buffers,
                                const Range& table);

private:
    VkDescriptorSet allocate(VkDescriptorSetLayout layout);

    std::shared_ptr<Device> device_;
    Texture nothing_; ///< bound where a pass uses no texture; some drivers read it anyway
    SamplerHandle sampler_;
    SetLayoutHandle frame_;
    SetLayoutHandle particles_;
    PipelineLayoutHandle pipelines_;
    std::vector<DescriptorPoolHandle> pools_;
    std::size_t pool_ = 0;
};

} // namespace floe::render
