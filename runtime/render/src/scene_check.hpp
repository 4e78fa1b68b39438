#pragma once

#include "floe/render/scene.hpp"

namespace floe::render {

/// Throws InputError for the first value of a scene that cannot be drawn. Contents of particle
/// arrays are not looked at: bad numbers there are left out while drawing.
void checkScene(const Scene& scene);

} // namespace floe::render
