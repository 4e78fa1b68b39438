#include "floe/view/shared_memory.hpp"

#include "floe/base/error.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace floe::view {

std::string drawingDevice(const compute::Device* device)
{
    if (device)
        for (const render::DeviceInfo& info : render::listDevices())
            if (info.usable && info.uuid == device->uuid()) {
                std::string uuid;
                for (const std::uint8_t byte : info.uuid) {
                    char digits[3];
                    std::snprintf(digits, sizeof digits, "%02x", byte);
                    uuid += digits;
                }
                return uuid;
            }
    return "auto";
}

std::string SharedMemory::obstacle(const compute::Device& device) const
{
    const auto uuid = device.uuid();
    const bool known = std::any_of(uuid.begin(), uuid.end(), [](auto byte) { return byte != 0; });
    if (!known || uuid != renderer_.device().uuid)
        return "they are drawn by another device";
    if (!renderer_.canExport())
        return "its Vulkan driver has no VK_KHR_external_memory_fd";
    return failure_;
}

std::string SharedMemory::takeNotice()
{
    const std::lock_guard lock(mutex_);
    return std::exchange(notice_, {});
}

std::shared_ptr<const SharedBuffer> SharedMemory::take(const compute::DevicePointer& device,
                                                       std::uint64_t bytes)
{
    const std::lock_guard lock(mutex_);
    const auto without = [&](const std::string& why) -> std::shared_ptr<const SharedBuffer> {
        if (!std::exchange(noticed_, true))
            notice_ = "particles on " + device->name() + " are copied through host memory to be " +
                      "drawn by " + renderer_.device().name + ": " + why;
        return nullptr;
    };
    if (const std::string why = obstacle(*device); !why.empty())
        return without(why);
    // A released buffer has been drawn, and drawing waits for the device.
    const auto isFree = [](const auto& buffer) {
        return buffer.use_count() == 1;
    };
    for (const auto& buffer : buffers_)
        if (isFree(buffer) && buffer->device == device && buffer->drawn->bytes() >= bytes)
            return buffer;
    std::erase_if(buffers_, isFree); // too small now and later
    try {
        auto made = std::make_shared<SharedBuffer>();
        made->drawn = renderer_.createExternalBuffer(bytes + bytes / 4);
        made->written = device->import(made->drawn->exportDescriptor(),
                                       made->drawn->allocationBytes(), made->drawn->dedicated());
        made->device = device;
        buffers_.push_back(made);
        return made;
    } catch (const Error& error) { // from either driver
        failure_ = error.what();
        return without(failure_);
    }
}

} // namespace floe::view
