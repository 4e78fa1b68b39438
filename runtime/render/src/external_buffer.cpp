#include "external_buffer.hpp"

#include <set>
#include <vector>

namespace floe::render {

VulkanExternalBuffer::VulkanExternalBuffer(const std::shared_ptr<Device>& device,
                                           std::uint64_t bytes)
    : bytes_(bytes), buffer_(device, (bytes + 255) / 256 * 256, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                             Buffer::Place::External)
{}

int VulkanExternalBuffer::exportDescriptor() const
{
    VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    info.memory = buffer_.memory();
    info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    int descriptor = -1;
    check(device().getMemoryFd(device().get(), &info, &descriptor), "export memory");
    return descriptor;
}

void handOver(VkCommandBuffer commands, const Scene& scene, const Device& device, Handing handing)
{
    std::set<VkBuffer> shared;
    const auto add = [&](const auto& source) {
        if (const auto* buffer = dynamic_cast<const VulkanExternalBuffer*>(source.device.get()))
            shared.insert(buffer->get());
    };
    for (const ParticleSet& set : scene.particles) {
        add(set.positions);
        add(set.indices);
        add(set.scalars);
        add(set.ids);
    }
    if (shared.empty())
        return;
    const bool take = handing == Handing::Take;
    std::vector<VkBufferMemoryBarrier> barriers;
    for (const VkBuffer buffer : shared) {
        VkBufferMemoryBarrier barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER};
        barrier.srcAccessMask = 0;
        barrier.dstAccessMask = take ? VK_ACCESS_SHADER_READ_BIT : 0;
        barrier.srcQueueFamilyIndex = take ? VK_QUEUE_FAMILY_EXTERNAL : device.queueFamily();
        barrier.dstQueueFamilyIndex = take ? device.queueFamily() : VK_QUEUE_FAMILY_EXTERNAL;
        barrier.buffer = buffer;
        barrier.size = VK_WHOLE_SIZE;
        barriers.push_back(barrier);
    }
    vkCmdPipelineBarrier(
        commands, take ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
        take ? VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0,
        nullptr, static_cast<std::uint32_t>(barriers.size()), barriers.data(), 0, nullptr);
}

} // namespace floe::render
