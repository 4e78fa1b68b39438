#pragma once

#include "floe/render/scene.hpp"
#include "memory.hpp"

namespace floe::render {

/// ExternalBuffer on Vulkan memory.
class VulkanExternalBuffer final : public ExternalBuffer {
public:
    VulkanExternalBuffer(const std::shared_ptr<Device>& device, std::uint64_t bytes);

    int exportDescriptor() const override;
    std::uint64_t bytes() const override { return bytes_; }
    std::uint64_t allocationBytes() const override { return buffer_.allocationBytes(); }
    const std::array<std::uint8_t, 16>& deviceUuid() const override
    {
        return buffer_.device().info().uuid;
    }
    bool dedicated() const override { return true; }
    void* mapped() const override { return buffer_.mapped(); }
    VkBuffer get() const { return buffer_.get(); }
    const Device& device() const { return buffer_.device(); }

private:
    std::uint64_t bytes_;
    Buffer buffer_;
};

enum class Handing {
    Take, ///< writes of others become visible to the commands that follow
    Give  ///< others may write once these commands are done
};

/// Transfers the memory of all shared arrays of a scene to the renderer's queue, or back to the
/// program that shares it (ownership transfer with VK_QUEUE_FAMILY_EXTERNAL).
void handOver(VkCommandBuffer commands, const Scene& scene, const Device& device, Handing handing);

} // namespace floe::render
