#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace floe::io {

/// Image files. All functions may be called from any thread. Rows run from the top. Files appear
/// whole or not at all.

/// Limits for reading and writing: 32768 pixels per side, 2^28 pixels in total.
inline constexpr int kMaxImageSide = 32768;
inline constexpr std::uint64_t kMaxImagePixels = 1ull << 28;

/// Name and text of an annotation stored in the file (PNG text chunk, EXR attribute).
using ImageRemarks = std::vector<std::pair<std::string, std::string>>;

/// Writes samples 0..255 or 0..65535, interleaved; 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. Colours
/// are sRGB-encoded; nothing is converted.
/// @throws InputError size, channel and sample counts do not match
/// @throws IoError    the file cannot be written
void writePng(const std::filesystem::path& path, int width, int height, int channels,
              std::span<const std::uint8_t> samples, const ImageRemarks& remarks = {});
void writePng(const std::filesystem::path& path, int width, int height, int channels,
              std::span<const std::uint16_t> samples, const ImageRemarks& remarks = {});

/// A channel of an EXR file: sample i is values[i * stride].
struct ExrChannel {
    std::string name;              ///< "R", "G", "B", "A", "Z", or any other
    std::span<const float> values; ///< at least (width * height - 1) * stride + 1
    std::size_t stride = 1;
    bool half = true; ///< stored as 16-bit float (max 65504); false: 32-bit
};

/// Writes linear values with lossless compression (ZIP).
/// @throws InputError no channels, two of one name, or sizes that do not match
/// @throws IoError    the file cannot be written
void writeExr(const std::filesystem::path& path, int width, int height,
              const std::vector<ExrChannel>& channels, const ImageRemarks& remarks = {});

/// An image from a file.
struct LoadedImage {
    int width = 0;
    int height = 0;
    int channels = 0;           ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
    int bits = 0;               ///< a sample as stored: 1 to 16 (PNG), 16 or 32 (EXR)
    bool linear = false;        ///< EXR: linear light; PNG: the file's code values
    std::vector<float> samples; ///< interleaved; PNG: 0..1, code value / largest code value
};

/// Reads PNG of any colour type and depth, palettes expanded; code values are not converted (right
/// for height fields; apply the sRGB function for colours).
/// @throws IoError missing, damaged, or larger than the limits
LoadedImage readPng(const std::filesystem::path& path);

/// Reads the channels R, G, B, A, or Y, of the first part of an EXR file; a missing alpha is left
/// out, missing colours are 0.
/// @throws IoError missing, damaged, larger than the limits, or without such channels
LoadedImage readExr(const std::filesystem::path& path);

} // namespace floe::io
