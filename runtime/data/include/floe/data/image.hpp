#pragma once

#include "floe/compute/buffer.hpp"
#include "floe/data/value.hpp"

#include <span>

namespace floe {

/// Pixels of 1 to 4 float channels in linear light, row by row from the top: grey; grey and alpha;
/// RGB; RGBA. Samples may be infinite or NaN, as in image files.
class ImageValue final : public Value {
public:
    static constexpr Kind kKind = Kind::image;
    static constexpr std::uint32_t kMaxSide = 65536; ///< [pixels]
    /// @param pixels  width * height * channels numbers
    /// @throws InputError sizes that do not fit together; MemoryError
    ImageValue(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
               std::span<const float> pixels);
    /// The same without copying.
    ImageValue(std::uint32_t width, std::uint32_t height, std::uint32_t channels,
               compute::Array<float> pixels);

    std::uint32_t width() const { return width_; }
    std::uint32_t height() const { return height_; }
    std::uint32_t channels() const { return channels_; }
    std::span<const float> pixels() const { return pixels_.span(); }

private:
    std::uint32_t width_;
    std::uint32_t height_;
    std::uint32_t channels_;
    compute::Array<float> pixels_;
};

} // namespace floe
