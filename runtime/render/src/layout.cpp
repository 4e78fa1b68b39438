#include "layout.hpp"

namespace floe::render {
namespace {

constexpr std::uint32_t kSetsAPool = 64;

SetLayoutHandle setLayout(VkDevice device, const std::vector<VkDescriptorSetLayoutBinding>& list)
{
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = static_cast<std::uint32_t>(list.size());
    info.pBindings = list.data();
    VkDescriptorSetLayout layout;
    check(vkCreateDescriptorSetLayout(device, &info, nullptr, &layout), "create a set layout");
    return {device, layout};
}

} // namespace

Layout::Layout(std::shared_ptr<Device> device)
    : device_(device),
      nothing_(device, {1, 1}, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_USAGE_SAMPLED_BIT)
{
    device_->run([&](VkCommandBuffer commands) {
        recordUse(commands, nothing_, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    });
    sampler_ = edgeSampler(*device_);

    const VkShaderStageFlags both = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    std::vector<VkDescriptorSetLayoutBinding> frame = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, both, nullptr}};
    for (std::uint32_t i = 1; i <= kTextures; ++i)
        frame.push_back({i, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, both, nullptr});
    frame_ = setLayout(device_->get(), frame);
    std::vector<VkDescriptorSetLayoutBinding> particles;
    for (std::uint32_t i = 0; i < kParticleBuffers; ++i)
        particles.push_back(
            {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT, nullptr});
    particles.push_back({kParticleBuffers, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1,
                         VK_SHADER_STAGE_VERTEX_BIT, nullptr});
    particles_ = setLayout(device_->get(), particles);

    const VkDescriptorSetLayout sets[] = {frame_.get(), particles_.get()};
    const VkPushConstantRange push{both, 0, kPushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 2;
    info.pSetLayouts = sets;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &push;
    VkPipelineLayout layout;
    check(vkCreatePipelineLayout(device_->get(), &info, nullptr, &layout),
          "create a pipeline layout");
    pipelines_ = {device_->get(), layout};
}

void Layout::reset()
{
    for (const DescriptorPoolHandle& pool : pools_)
        check(vkResetDescriptorPool(device_->get(), pool.get(), 0), "reset descriptors");
    pool_ = 0;
}

VkDescriptorSet Layout::allocate(VkDescriptorSetLayout layout)
{
    for (;; ++pool_) {
        if (pool_ == pools_.size()) {
            const VkDescriptorPoolSize sizes[] = {
                {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsAPool},
                {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSetsAPool * kTextures},
                {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsAPool * kParticleBuffers}};
            VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
            info.maxSets = kSetsAPool;
            info.poolSizeCount = 3;
            info.pPoolSizes = sizes;
            VkDescriptorPool pool;
            check(vkCreateDescriptorPool(device_->get(), &info, nullptr, &pool),
                  "create a descriptor pool");
            pools_.emplace_back(device_->get(), pool);
        }
        VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        info.descriptorPool = pools_[pool_].get();
        info.descriptorSetCount = 1;
        info.pSetLayouts = &layout;
        VkDescriptorSet set;
        const VkResult result = vkAllocateDescriptorSets(device_->get(), &info, &set);
        if (result == VK_SUCCESS)
            return set;
        if (result != VK_ERROR_OUT_OF_POOL_MEMORY && result != VK_ERROR_FRAGMENTED_POOL)
            check(result, "allocate descriptors");
    }
}

VkDescriptorSet Layout::frameSet(VkBuffer block, std::uint64_t blockBytes,
                                 const std::array<const Texture*, kTextures>& textures)
{
    const VkDescriptorSet set = allocate(frame_.get());
    const VkDescriptorBufferInfo buffer{block, 0, blockBytes};
    std::array<VkDescriptorImageInfo, kTextures> images;
    std::vector<VkWriteDescriptorSet> writes;
    const auto write = [&](std::uint32_t binding, VkDescriptorType type) -> VkWriteDescriptorSet& {
        VkWriteDescriptorSet info{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        info.dstSet = set;
        info.dstBinding = binding;
        info.descriptorCount = 1;
        info.descriptorType = type;
        return writes.emplace_back(info);
    };
    write(0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER).pBufferInfo = &buffer;
    for (std::uint32_t i = 0; i < kTextures; ++i) {
        const Texture& texture = textures[i] != nullptr ? *textures[i] : nothing_;
        images[i] = {sampler_.get(), texture.view(),
                     texture.format() == VK_FORMAT_D32_SFLOAT
                         ? VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL
                         : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
        write(i + 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER).pImageInfo = &images[i];
    }
    vkUpdateDescriptorSets(device_->get(), static_cast<std::uint32_t>(writes.size()), writes.data(),
                           0, nullptr);
    return set;
}

VkDescriptorSet Layout::particleSet(const std::array<Range, kParticleBuffers>& buffers,
                                    const Range& table)
{
    const VkDescriptorSet set = allocate(particles_.get());
    std::array<VkDescriptorBufferInfo, kParticleBuffers + 1> infos;
    std::array<VkWriteDescriptorSet, kParticleBuffers + 1> writes;
    for (std::uint32_t i = 0; i <= kParticleBuffers; ++i) {
        const Range& range = i < kParticleBuffers ? buffers[i] : table;
        infos[i] = {range.buffer, range.offset, range.bytes};
        writes[i] = {VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        writes[i].dstSet = set;
        writes[i].dstBinding = i;
        writes[i].descriptorCount = 1;
        writes[i].descriptorType = i < kParticleBuffers ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                                        : VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        writes[i].pBufferInfo = &infos[i];
    }
    vkUpdateDescriptorSets(device_->get(), kParticleBuffers + 1, writes.data(), 0, nullptr);
    return set;
}

} // namespace floe::render
