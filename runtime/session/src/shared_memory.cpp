#include "shared_memory.hpp"

#include <algorithm>

namespace floe::session {

bool SharedMemory::reaches(const compute::Device& device) const
{
    const auto uuid = device.uuid();
    const bool known = std::any_of(uuid.begin(), uuid.end(), [](auto byte) { return byte != 0; });
    return known && uuid == renderer_.device().uuid && renderer_.canExport();
}

std::shared_ptr<const SharedBuffer> SharedMemory::take(const compute::DevicePointer& device,
                                                       std::uint64_t bytes)
{
    const std::lock_guard lock(mutex_);
    // Whoever had a buffer has drawn with it, and drawing waits for the device.
    const auto isFree = [](const auto& buffer) {
        return buffer.use_count() == 1;
    };
    for (const auto& buffer : buffers_)
        if (isFree(buffer) && buffer->device == device && buffer->drawn->bytes() >= bytes)
            return buffer;
    std::erase_if(buffers_, isFree); // too small now, too small later
    auto made = std::make_shared<SharedBuffer>();
    made->drawn = renderer_.createExternalBuffer(bytes + bytes / 4);
    made->written = device->import(made->drawn->exportDescriptor(), made->drawn->allocationBytes(),
                                   made->drawn->dedicated());
    made->device = device;
    buffers_.push_back(made);
    return made;
}

} // namespace floe::session
