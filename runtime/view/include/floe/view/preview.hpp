#pragma once

#include "floe/view/frame_values.hpp"

#include <cstdint>
#include <string_view>

namespace floe::view {

/// Particles of a frame seen while scrubbing: evenly sampled, with the attributes that pictures
/// need. A frame of a million takes 5 MB instead of 130, so scrubbing does not wait for the disk.
/// Gaussians are wider and have one colour for all directions: 7 MB instead of 250.
constexpr std::uint64_t kPreviewParticles = 125'000; ///< per frame, approximately

/// Field of thinned particles: how many each one represents.
constexpr std::string_view kThinning = "thinning";

/// Returns whether the frame has more than twice as many particles as a preview.
bool worthPreview(const FrameValues& values);

/// Returns whether previews have the attribute.
bool inPreview(std::string_view attribute);

/// Returns the frame with thinned particles; everything else is unchanged.
FrameValues previewOf(const FrameValues& values);

} // namespace floe::view
