#pragma once

#include <cmath>

namespace floe::io {

/// The curve of IEC 61966-2-1 between linear light and what files and screens hold, 0 to 1 each.
inline float linearToSrgb(float linear)
{
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

inline float srgbToLinear(float code)
{
    return code <= 0.04045f ? code / 12.92f : std::pow((code + 0.055f) / 1.055f, 2.4f);
}

} // namespace floe::io
