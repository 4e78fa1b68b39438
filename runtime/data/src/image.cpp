#include "floe/data/image.hpp"

#include "floe/base/error.hpp"

#include <string>

namespace floe {

ImageValue::ImageValue(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       std::span<const float> pixels)
    : ImageValue(width, height, channels, compute::Array<float>(pixels))
{}

ImageValue::ImageValue(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
                       compute::Array<float> pixels)
    : Value(kKind), width_(width), height_(height), channels_(channels), pixels_(std::move(pixels))
{
    if (width == 0 || height == 0 || width > kMaxSide || height > kMaxSide)
        throw InputError({}, "an image's sides must be 1 to " + std::to_string(kMaxSide) +
                                 " pixels long, not " + std::to_string(width) + " by " +
                                 std::to_string(height));
    if (channels < 1 || channels > 4)
        throw InputError({}, "an image has 1 to 4 channels, not " + std::to_string(channels));
    if (pixels_.size() != std::size_t{width} * height * channels)
        throw InputError({}, "an image's pixels are not as many as its size says");
    account(pixels_.bytes());
}

} // namespace floe
