#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace floe::render {

/// A rendered picture. Rows run from the top, pixels from the left; parts that the scene does not
/// request (Outputs) are empty. Plain memory, owned by the caller.
struct Image {
    int width = 0;  ///< [pixels]
    int height = 0; ///< [pixels]

    /// 4 bytes per pixel: tone-mapped, sRGB-encoded red, green, blue, and coverage (255 except with
    /// a transparent background). Legend and caption are drawn only here.
    std::vector<std::uint8_t> display;

    /// 4 floats per pixel: scene-referred linear red, green, blue after exposure, before tone
    /// mapping, and coverage: 0 where only background is seen, 1 on geometry and ground.
    std::vector<float> linear;

    /// One float per pixel: distance along the viewing direction [m] of the nearest sample;
    /// infinite for background.
    std::vector<float> depth;

    std::size_t pixelCount() const
    {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    }
};

} // namespace floe::render
