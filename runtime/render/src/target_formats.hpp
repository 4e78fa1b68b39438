/// Formats and uses of the images that passes draw into.
#pragma once

#include <vulkan/vulkan.h>

namespace floe::render {

inline constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_SRGB;
inline constexpr VkFormat kDistanceFormat = VK_FORMAT_R32_SFLOAT; ///< from the eye [m]
inline constexpr VkFormat kHalfs = VK_FORMAT_R16G16B16A16_SFLOAT;
inline constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
inline constexpr VkImageUsageFlags kColourTarget =
    VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
inline constexpr VkImageUsageFlags kDepthTarget =
    VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;

} // namespace floe::render
