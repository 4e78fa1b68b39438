#include "environment_map.hpp"

#include <algorithm>
#include <cstring>
#include <numbers>

namespace floe::render {
namespace {

constexpr int kMaxWidth = 4096; // [pixels] on the device
constexpr int kMinSamples = 96; // around, of the integrals over all directions

struct Picture {
    int width = 0, height = 0;
    std::vector<Float3> pixels;
    const Float3& at(int x, int y) const
    {
        return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
};

/// The bits of the nearest half, of numbers from 0 to 65504.
std::uint16_t halfOf(float value)
{
    if (!(value > 6e-8f))
        return 0;
    if (value < 6.1035156e-5f) // subnormal
        return static_cast<std::uint16_t>(std::lround(value * 16777216.0f));
    std::uint32_t bits;
    value = std::min(value, 65504.0f);
    std::memcpy(&bits, &value, sizeof bits);
    return static_cast<std::uint16_t>((bits + 0x0fffu + ((bits >> 13) & 1u) - (112u << 23)) >> 13);
}

Float3 usable(const float* rgb)
{
    Float3 result;
    for (std::size_t k = 0; k < 3; ++k)
        result[k] = rgb[k] > 0 ? std::min(rgb[k], 65504.0f) : 0.0f;
    return result;
}

/// Means of `step` by `step` pixels; what is left over at the ends joins the last.
template <class At>
Picture shrunk(int width, int height, int step, const At& at)
{
    Picture result;
    result.width = std::max(width / step, 1);
    result.height = std::max(height / step, 1);
    for (int y = 0; y < result.height; ++y)
        for (int x = 0; x < result.width; ++x) {
            const int right = x + 1 == result.width ? width : (x + 1) * step;
            const int below = y + 1 == result.height ? height : (y + 1) * step;
            std::array<double, 3> sum{};
            for (int j = y * step; j < below; ++j)
                for (int i = x * step; i < right; ++i)
                    for (std::size_t k = 0; k < 3; ++k)
                        sum[k] += at(i, j)[k];
            const double count = static_cast<double>(right - x * step) * (below - y * step);
            Float3& mean = result.pixels.emplace_back();
            for (std::size_t k = 0; k < 3; ++k)
                mean[k] = static_cast<float>(sum[k] / count);
        }
    return result;
}

/// Coefficients of the polynomial in sky.glsl that gives a white surface's light (Ramamoorthi and
/// Hanrahan 2001).
std::array<Float3, 9> irradianceOf(const Picture& picture)
{
    // Large pixels are looked at in several places.
    const int finerX = (kMinSamples + picture.width - 1) / picture.width;
    const int finerY = (kMinSamples / 2 + picture.height - 1) / picture.height;
    const int width = finerX * picture.width, height = finerY * picture.height;
    std::array<std::array<double, 3>, 9> sum{};
    for (int y = 0; y < height; ++y) {
        const double polar = std::numbers::pi * (y + 0.5) / height;
        const double area = 2 * std::numbers::pi / width *
                            (std::cos(std::numbers::pi * y / height) -
                             std::cos(std::numbers::pi * (y + 1) / height));
        for (int x = 0; x < width; ++x) {
            const double turn = 2 * std::numbers::pi * ((x + 0.5) / width - 0.5);
            const double dx = std::sin(polar) * std::sin(turn), dy = std::cos(polar),
                         dz = -std::sin(polar) * std::cos(turn);
            const double basis[] = {
                1, dy, dz, dx, dx * dy, dy * dz, 3 * dz * dz - 1, dx * dz, dx * dx - dy * dy};
            const Float3& light = picture.at(x / finerX, y / finerY);
            for (std::size_t i = 0; i < 9; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    sum[i][k] += area * basis[i] * light[k];
        }
    }
    // Squared norms of the basis, the share of the cosine lobe in each band, and 1 / pi.
    constexpr double kNorms[] = {1.0 / 4,  3.0 / 4,  3.0 / 4,  3.0 / 4,  15.0 / 4,
                                 15.0 / 4, 5.0 / 16, 15.0 / 4, 15.0 / 16};
    constexpr double kLobe[] = {1, 2.0 / 3, 2.0 / 3, 2.0 / 3, 0.25, 0.25, 0.25, 0.25, 0.25};
    std::array<Float3, 9> result;
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t k = 0; k < 3; ++k)
            result[i][k] = static_cast<float>(sum[i][k] * kNorms[i] * kLobe[i] / std::numbers::pi);
    return result;
}

} // namespace

void EnvironmentMap::upload(const Environment& environment)
{
    if (environment.pixels.empty()) {
        width_ = height_ = 0;
        revision_ = 0;
        return;
    }
    if (width_ > 0 && environment.revision != 0 && environment.revision == revision_)
        return;
    width_ = 0; // until all of it is there
    const int most = static_cast<int>(
        std::min<std::uint32_t>(kMaxWidth, device_->limits().maxImageDimension2D / 2));
    const int step = std::max({1, (environment.width + most - 1) / most,
                               (environment.height + most / 2 - 1) / (most / 2)});
    Picture level = shrunk(environment.width, environment.height, step, [&](int x, int y) {
        return usable(
            environment.pixels.data() +
            3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(environment.width) +
                 static_cast<std::size_t>(x)));
    });
    irradiance_ = irradianceOf(level);
    const int width = level.width, height = level.height;
    const VkExtent2D extent{static_cast<std::uint32_t>(width),
                            static_cast<std::uint32_t>(height + std::max(height / 2, 1))};
    const std::uint64_t bytes = 8ull * extent.width * extent.height;
    Buffer staging(device_, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Buffer::Place::Upload);
    auto* texels = static_cast<std::uint16_t*>(staging.mapped());
    std::memset(texels, 0, bytes);
    int left = 0, top = 0;
    for (int number = 0;; ++number) {
        for (int y = 0; y < level.height; ++y)
            for (int x = 0; x < level.width && left + x < width; ++x)
                for (std::size_t k = 0; k < 3; ++k)
                    texels[4 * (static_cast<std::size_t>(top + y) * extent.width +
                                static_cast<std::size_t>(left + x)) +
                           k] = halfOf(level.at(x, y)[k]);
        if (level.height <= 1 || level.width <= 1)
            break;
        // As sky.glsl has it: sizes are those of the first, shifted.
        left = width - (width >> number);
        top = height;
        level = shrunk(level.width, level.height, 2, [&](int x, int y) { return level.at(x, y); });
    }
    texture_ = {};
    texture_ = Texture(device_, extent, VK_FORMAT_R16G16B16A16_SFLOAT,
                       VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT);
    device_->run([&](VkCommandBuffer commands) {
        recordUse(commands, texture_, VK_IMAGE_LAYOUT_UNDEFINED,
                  VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        VkBufferImageCopy copy{};
        copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        copy.imageExtent = {extent.width, extent.height, 1};
        vkCmdCopyBufferToImage(commands, staging.get(), texture_.image(),
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
        recordUse(commands, texture_, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    });
    width_ = width;
    height_ = height;
    revision_ = environment.revision;
}

void EnvironmentMap::describe(const Environment& environment, FrameBlock& block) const
{
    const float turns = environment.rotation / 360;
    block.environment = {static_cast<float>(width_), static_cast<float>(height_),
                         turns - std::floor(turns), environment.intensity};
    for (std::size_t i = 0; i < 9; ++i)
        block.irradiance[i] = {irradiance_[i][0], irradiance_[i][1], irradiance_[i][2], 0};
}

} // namespace floe::render
