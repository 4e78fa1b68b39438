#include "external_buffer.hpp"

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

} // namespace floe::render
