#pragma once

#include "device.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace floe::render {

/// A buffer and its memory.
class Buffer {
public:
    enum class Place {
        Device,   ///< device-local; also mapped where that is free
        Upload,   ///< mapped, written by the host
        Download, ///< mapped, read by the host
        External  ///< device-local, exportable
    };
    Buffer() = default;
    Buffer(std::shared_ptr<Device> device, std::uint64_t bytes, VkBufferUsageFlags usage,
           Place place);
    ~Buffer();
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;

    VkBuffer get() const { return buffer_.get(); }
    VkDeviceMemory memory() const { return memory_.get(); }
    std::uint64_t bytes() const { return bytes_; }
    std::uint64_t allocationBytes() const { return allocationBytes_; }
    void* mapped() const { return mapped_; }
    const Device& device() const { return *device_; }

private:
    std::shared_ptr<Device> device_;
    MemoryHandle memory_; // after the buffer: freed last
    BufferHandle buffer_;
    std::uint64_t bytes_ = 0;
    std::uint64_t allocationBytes_ = 0;
    void* mapped_ = nullptr;
};

/// A device-local buffer that grows, keeps its memory, and is filled from the host.
class GrowingBuffer {
public:
    explicit GrowingBuffer(VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT)
        : usage_(usage)
    {}
    /// Copies `data` to its start; the rest of the contents is lost when the buffer grows.
    void fill(const std::shared_ptr<Device>& device, Buffer& staging,
              std::span<const std::byte> data);
    VkBuffer get() const { return buffer_.get(); }
    std::uint64_t bytes() const { return buffer_.bytes(); }

private:
    VkBufferUsageFlags usage_;
    Buffer buffer_;
};

/// A two-dimensional image, its memory and its view.
class Texture {
public:
    Texture() = default;
    Texture(std::shared_ptr<Device> device, VkExtent2D extent, VkFormat format,
            VkImageUsageFlags usage);

    VkImage image() const { return image_.get(); }
    VkImageView view() const { return view_.get(); }
    VkFormat format() const { return format_; }
    VkExtent2D extent() const { return extent_; }

private:
    std::shared_ptr<Device> device_;
    MemoryHandle memory_;
    ImageHandle image_;
    ViewHandle view_;
    VkFormat format_ = VK_FORMAT_UNDEFINED;
    VkExtent2D extent_{};
};

/// Records that all of a colour texture passes from one use to another: undefined, written by
/// copies, or read by fragments.
void recordUse(VkCommandBuffer commands, const Texture& texture, VkImageLayout from,
               VkImageLayout to);
/// Records the copy of a texture's pixels into a buffer, which is made anew where its size is
/// another.
/// @param buffer  for the host to read
void recordCopy(VkCommandBuffer commands, const std::shared_ptr<Device>& device,
                const Texture& texture, std::uint64_t bytesPerPixel, Buffer& buffer);
/// Records that the host reads what was copied before.
void recordHostRead(VkCommandBuffer commands);
/// A sampler that reads beyond an image what lies at its edge.
SamplerHandle edgeSampler(const Device& device);

} // namespace floe::render
