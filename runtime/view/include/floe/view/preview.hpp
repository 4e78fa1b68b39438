#pragma once

#include "floe/view/frame_values.hpp"

#include <cstdint>
#include <string_view>

namespace floe::view {

/// Particles of a frame that is only passed by: evenly chosen, with the attributes that pictures
/// need. A frame of a million takes 5 MB instead of 130, so that scrubbing waits for no disk.
constexpr std::uint64_t kPreviewParticles = 125'000; ///< about, of all of a frame's together

/// The field of thinned particles that says how many each stands for.
constexpr std::string_view kThinning = "thinning";

/// True when the frame has more than twice as many particles as a preview.
bool worthPreview(const FrameValues& values);

/// True when previews have the attribute.
bool inPreview(std::string_view attribute);

/// The frame with its particles thinned out; everything else as it is.
FrameValues previewOf(const FrameValues& values);

} // namespace floe::view
