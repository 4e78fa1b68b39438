#include "memory.hpp"

#include "floe/compute/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>

namespace floe::render {
namespace {

constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr std::uint64_t kStagingBytes = 64ull << 20;

/// The best memory type for a place; -1 when there is none.
int chooseType(const Device& device, std::uint32_t allowed, Buffer::Place place)
{
    const auto first = [&](std::initializer_list<VkMemoryPropertyFlags> wishes) {
        for (const VkMemoryPropertyFlags wish : wishes)
            if (const int type = device.memoryType(allowed, wish); type >= 0)
                return type;
        return -1;
    };
    const bool shared = device.info().kind == DeviceInfo::Kind::Cpu ||
                        device.info().kind == DeviceInfo::Kind::Integrated;
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    switch (place) {
    case Buffer::Place::Upload:
        return first({kMapped});
    case Buffer::Place::Download:
        return first({kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kMapped});
    default:
        return shared ? first({local | kMapped, local, 0}) : first({local, 0});
    }
}

bool isMapped(const Device& device, int type)
{
    return device.memoryType(1u << type, kMapped) == type;
}

/// Mesa's software driver keeps its memory in a file without a name, and does not look whether that
/// could grow: beyond the limit on the size of files, touching it would end the process.
/// @throws MemoryError  there is no memory behind the mapping
void requireBacking(const void* mapping, std::uint64_t bytes)
{
    constexpr std::uintptr_t kPage = 4096;
    const std::uintptr_t last =
        (reinterpret_cast<std::uintptr_t>(mapping) + bytes - 1) / kPage * kPage;
    // As reading it would, but with a result. Kernels before 5.14 do not know it.
    if (bytes > 0 && ::madvise(reinterpret_cast<void*>(last), kPage, MADV_POPULATE_READ) != 0 &&
        errno == EFAULT)
        throw MemoryError({},
                          "renderer: the driver keeps its memory in a file, which the limit on the "
                          "size of files does not let grow",
                          "raise the limit (ulimit -f), or run without nodes that draw");
}

/// On a device that is the processor this is the host's memory, which may have to suffice for
/// others as well.
VkDeviceMemory allocateMemory(const Device& device, const VkMemoryAllocateInfo& wanted,
                              const char* action)
{
    VkDeviceMemory memory = VK_NULL_HANDLE;
    const bool host = device.info().kind == DeviceInfo::Kind::Cpu;
    const bool refused = host && !compute::claimHost(wanted.allocationSize);
    check(refused ? VK_ERROR_OUT_OF_HOST_MEMORY
                  : vkAllocateMemory(device.get(), &wanted, nullptr, &memory),
          action);
    void* pages = nullptr;
    if (host && isMapped(device, static_cast<int>(wanted.memoryTypeIndex)) &&
        vkMapMemory(device.get(), memory, 0, VK_WHOLE_SIZE, 0, &pages) == VK_SUCCESS) {
        try {
            requireBacking(pages, wanted.allocationSize);
        } catch (const MemoryError&) {
            vkFreeMemory(device.get(), memory, nullptr); // unmaps it
            throw;
        }
        compute::takeHost(pages, wanted.allocationSize);
        vkUnmapMemory(device.get(), memory);
    }
    return memory;
}

} // namespace

Buffer::Buffer(std::shared_ptr<Device> device, std::uint64_t bytes, VkBufferUsageFlags usage,
               Place place)
    : device_(std::move(device)), bytes_(bytes)
{
    VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.pNext = place == Place::External ? &external : nullptr;
    info.size = bytes;
    info.usage = usage;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    VkBuffer buffer;
    check(vkCreateBuffer(device_->get(), &info, nullptr, &buffer), "create a buffer");
    buffer_ = {device_->get(), buffer};

    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_->get(), buffer, &needs);
    const int type = chooseType(*device_, needs.memoryTypeBits, place);
    if (type < 0)
        throw DeviceError({}, "renderer: the device has no memory that suits a buffer");
    VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
    dedicated.buffer = buffer;
    VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    exported.pNext = &dedicated;
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.pNext = place == Place::External ? &exported : nullptr;
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = static_cast<std::uint32_t>(type);
    memory_ = {device_->get(), allocateMemory(*device_, allocate, "allocate a buffer")};
    allocationBytes_ = needs.size;
    check(vkBindBufferMemory(device_->get(), buffer, memory_.get(), 0), "bind a buffer's memory");
    if (isMapped(*device_, type))
        check(vkMapMemory(device_->get(), memory_.get(), 0, VK_WHOLE_SIZE, 0, &mapped_),
              "map a buffer");
}

Buffer::~Buffer() = default;
Buffer::Buffer(Buffer&& other) noexcept = default;

Buffer& Buffer::operator=(Buffer&& other) noexcept
{
    buffer_ = std::move(other.buffer_);
    memory_ = std::move(other.memory_);
    device_ = std::move(other.device_); // last: the handles above need it to be released
    bytes_ = std::exchange(other.bytes_, 0);
    allocationBytes_ = std::exchange(other.allocationBytes_, 0);
    mapped_ = std::exchange(other.mapped_, nullptr);
    return *this;
}

void GrowingBuffer::fill(const std::shared_ptr<Device>& device, Buffer& staging,
                         std::span<const std::byte> data)
{
    if (buffer_.bytes() < data.size() || buffer_.bytes() == 0) {
        const std::uint64_t size = std::max<std::uint64_t>(
            {256, data.size(), std::min<std::uint64_t>(buffer_.bytes() * 3 / 2, data.size() * 2)});
        buffer_ = {}; // first: old and new need not fit together
        buffer_ = Buffer(device, (size + 255) / 256 * 256,
                         usage_ | VK_BUFFER_USAGE_TRANSFER_DST_BIT, Buffer::Place::Device);
    }
    if (buffer_.mapped() != nullptr) {
        if (!data.empty())
            std::memcpy(buffer_.mapped(), data.data(), data.size());
        return;
    }
    if (staging.bytes() == 0)
        staging =
            Buffer(device, kStagingBytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Buffer::Place::Upload);
    for (std::size_t done = 0; done < data.size();) {
        const std::size_t part = std::min<std::size_t>(data.size() - done, staging.bytes());
        std::memcpy(staging.mapped(), data.data() + done, part);
        device->run([&](VkCommandBuffer commands) {
            const VkBufferCopy copy{0, done, part};
            vkCmdCopyBuffer(commands, staging.get(), buffer_.get(), 1, &copy);
            VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
            barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
            barrier.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
            vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr, 0,
                                 nullptr);
        });
        done += part;
    }
}

Texture::Texture(std::shared_ptr<Device> device, VkExtent2D extent, VkFormat format,
                 VkImageUsageFlags usage)
    : device_(std::move(device)), format_(format), extent_(extent)
{
    VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    info.imageType = VK_IMAGE_TYPE_2D;
    info.format = format;
    info.extent = {extent.width, extent.height, 1};
    info.mipLevels = 1;
    info.arrayLayers = 1;
    info.samples = VK_SAMPLE_COUNT_1_BIT;
    info.tiling = VK_IMAGE_TILING_OPTIMAL;
    info.usage = usage;
    info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
    info.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
    VkImage image;
    check(vkCreateImage(device_->get(), &info, nullptr, &image), "create an image");
    image_ = {device_->get(), image};

    VkMemoryRequirements needs;
    vkGetImageMemoryRequirements(device_->get(), image, &needs);
    int type = device_->memoryType(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type < 0)
        type = device_->memoryType(needs.memoryTypeBits, 0);
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = static_cast<std::uint32_t>(type);
    memory_ = {device_->get(), allocateMemory(*device_, allocate, "allocate an image")};
    check(vkBindImageMemory(device_->get(), image, memory_.get(), 0), "bind an image's memory");

    VkImageViewCreateInfo viewInfo{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
    viewInfo.image = image;
    viewInfo.viewType = VK_IMAGE_VIEW_TYPE_2D;
    viewInfo.format = format;
    viewInfo.subresourceRange = {static_cast<VkImageAspectFlags>(format == VK_FORMAT_D32_SFLOAT
                                                                     ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                                     : VK_IMAGE_ASPECT_COLOR_BIT),
                                 0, 1, 0, 1};
    VkImageView view;
    check(vkCreateImageView(device_->get(), &viewInfo, nullptr, &view), "create an image view");
    view_ = {device_->get(), view};
}

void recordUse(VkCommandBuffer commands, const Texture& texture, VkImageLayout from,
               VkImageLayout to)
{
    struct Use {
        VkAccessFlags access;
        VkPipelineStageFlags stage;
    };
    const auto useOf = [](VkImageLayout layout) -> Use {
        switch (layout) {
        case VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL:
            return {VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT};
        case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
            return {VK_ACCESS_SHADER_READ_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT};
        default:
            return {0, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT};
        }
    };
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.srcAccessMask = useOf(from).access;
    barrier.dstAccessMask = useOf(to).access;
    barrier.oldLayout = from;
    barrier.newLayout = to;
    barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = texture.image();
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdPipelineBarrier(commands, useOf(from).stage, useOf(to).stage, 0, 0, nullptr, 0, nullptr, 1,
                         &barrier);
}

void recordCopy(VkCommandBuffer commands, const std::shared_ptr<Device>& device,
                const Texture& texture, std::uint64_t bytesPerPixel, Buffer& buffer)
{
    const VkExtent2D extent = texture.extent();
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(extent.width) * extent.height * bytesPerPixel;
    if (buffer.bytes() != bytes)
        buffer = Buffer(device, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, Buffer::Place::Download);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {extent.width, extent.height, 1};
    vkCmdCopyImageToBuffer(commands, texture.image(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                           buffer.get(), 1, &copy);
}

void recordHostRead(VkCommandBuffer commands)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
}

SamplerHandle edgeSampler(const Device& device)
{
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    VkSampler sampler;
    check(vkCreateSampler(device.get(), &info, nullptr, &sampler), "create a sampler");
    return {device.get(), sampler};
}

} // namespace floe::render
