#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::render {

/// A rendered picture. Rows run from the top, pixels from the left; parts that the scene did not
/// ask for (Outputs) are empty. Plain memory, owned by the caller.
struct Image {
    int width = 0;  ///< [pixels]
    int height = 0; ///< [pixels]

    /// 4 bytes a pixel: tone-mapped, sRGB-encoded red, green, blue, and coverage (255 except with
    /// a transparent background). Legend and caption are drawn here, and only here.
    std::vector<std::uint8_t> display;

    /// 4 floats a pixel: scene-referred linear red, green, blue after exposure, before tone
    /// mapping, and coverage: 0 where only background is seen, 1 on things and ground.
    std::vector<float> linear;

    /// One float a pixel: distance along the viewing direction [m] of the nearest sample; infinite
    /// where there is nothing.
    std::vector<float> depth;

    std::size_t pixelCount() const
    {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
};

} // namespace floe::render
