#pragma once

#include "floe/render/image.hpp"
#include "floe/render/scene.hpp"

namespace floe::render {

/// Draws legend and caption onto the display picture.
void drawOverlay(const Scene& scene, Image& image);

} // namespace floe::render
