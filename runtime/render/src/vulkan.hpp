#pragma once

// Ownership of Vulkan objects and translation of errors.

#include "floe/base/error.hpp"

#include <string>
#include <utility>
#include <vulkan/vulkan.h>

namespace floe::render {

/// Throws MemoryError when memory is exhausted, DeviceError for any other failure.
/// @param action completes "cannot ..."
void check(VkResult result, const char* action);

/// Owner of a handle that a device destroys.
template <class T, auto Destroy>
class Handle {
public:
    Handle() = default;
    Handle(VkDevice device, T handle) : device_(device), handle_(handle) {}
    ~Handle() { reset(); }
    Handle(Handle&& other) noexcept
        : device_(other.device_), handle_(std::exchange(other.handle_, T(VK_NULL_HANDLE)))
    {}
    Handle& operator=(Handle&& other) noexcept
    {
        if (this != &other) {
            reset();
            device_ = other.device_;
            handle_ = std::exchange(other.handle_, T(VK_NULL_HANDLE));
        }
        return *this;
    }
    T get() const { return handle_; }
    explicit operator bool() const { return handle_ != T(VK_NULL_HANDLE); }

private:
    void reset()
    {
        if (handle_ != T(VK_NULL_HANDLE))
            Destroy(device_, handle_, nullptr);
        handle_ = T(VK_NULL_HANDLE);
    }
    VkDevice device_ = VK_NULL_HANDLE;
    T handle_ = T(VK_NULL_HANDLE);
};

using BufferHandle = Handle<VkBuffer, vkDestroyBuffer>;
using ImageHandle = Handle<VkImage, vkDestroyImage>;
using ViewHandle = Handle<VkImageView, vkDestroyImageView>;
using MemoryHandle = Handle<VkDeviceMemory, vkFreeMemory>;
using PassHandle = Handle<VkRenderPass, vkDestroyRenderPass>;
using FramebufferHandle = Handle<VkFramebuffer, vkDestroyFramebuffer>;
using ShaderHandle = Handle<VkShaderModule, vkDestroyShaderModule>;
using PipelineHandle = Handle<VkPipeline, vkDestroyPipeline>;
using PipelineLayoutHandle = Handle<VkPipelineLayout, vkDestroyPipelineLayout>;
using SetLayoutHandle = Handle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using DescriptorPoolHandle = Handle<VkDescriptorPool, vkDestroyDescriptorPool>;
using SamplerHandle = Handle<VkSampler, vkDestroySampler>;
using CommandPoolHandle = Handle<VkCommandPool, vkDestroyCommandPool>;
using FenceHandle = Handle<VkFence, vkDestroyFence>;

} // namespace floe::render
