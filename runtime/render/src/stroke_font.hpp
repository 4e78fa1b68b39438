#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace floe::render {

/// A piece of a pen's stroke, in units of capital height; y up, baseline at 0.
struct StrokeSegment {
    float x0, y0, x1, y1;
};

/// A line of text in the renderer's own single-stroke letters, starting at x = 0: ASCII and
/// degree, superscript 2 and 3, micro, multiplication and middle dot. Others are drawn as a box.
/// @param text UTF-8; at most 1000 characters are used
std::vector<StrokeSegment> strokesOf(std::string_view text);

/// Width of the line, in units of capital height.
float textWidth(std::string_view text);

} // namespace floe::render
