#pragma once

#include "floe/render/renderer.hpp"
#include "vulkan.hpp"

#include <atomic>
#include <functional>

namespace floe::render {

/// The instance, the chosen device and its single queue. Shared by all owners of its memory, so
/// that it is destroyed last. Not thread-safe, except for the count of messages.
class Device {
public:
    explicit Device(const RendererSettings& settings);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    VkDevice get() const { return device_; }
    VkPhysicalDevice physical() const { return physical_; }
    std::uint32_t queueFamily() const { return family_; }
    const DeviceInfo& info() const { return info_; }
    const VkPhysicalDeviceLimits& limits() const { return properties_.limits; }
    std::uint64_t messageCount() const { return messages_.load(); }

    /// Returns the size of the largest heap for device memory [bytes].
    std::uint64_t localHeapBytes() const;
    bool blends(VkFormat format) const; ///< as the target of a pass
    /// Returns a memory type of `allowed` with all of `wanted`; -1 when there is none.
    int memoryType(std::uint32_t allowed, VkMemoryPropertyFlags wanted) const;

    /// Records commands with `record`, submits them and waits.
    void run(const std::function<void(VkCommandBuffer)>& record);

    PFN_vkGetMemoryFdKHR getMemoryFd = nullptr; ///< null when memory cannot be exported

private:
    void createInstance(const RendererSettings& settings);
    void chooseDevice(const std::string& choice);
    void createDevice();
    void close();
    static VkBool32 VKAPI_PTR onMessage(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                        VkDebugUtilsMessageTypeFlagsEXT,
                                        const VkDebugUtilsMessengerCallbackDataEXT*, void*);

    VkInstance instance_ = VK_NULL_HANDLE;
    VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    std::uint32_t family_ = 0;
    CommandPoolHandle pool_;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    FenceHandle fence_;
    VkPhysicalDeviceProperties properties_{};
    VkPhysicalDeviceMemoryProperties memory_{};
    DeviceInfo info_;
    std::function<void(const std::string&)> log_;
    std::atomic<std::uint64_t> messages_{0};
};

} // namespace floe::render
