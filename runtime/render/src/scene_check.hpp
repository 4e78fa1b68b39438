#pragma once

#include "floe/render/scene.hpp"

namespace floe::render {

/// Throws InputError for the first value of a scene that cannot be drawn. Contents of particle
/// arrays are not checked: invalid numbers are skipped while drawing.
void checkScene(const Scene& scene);

} // namespace floe::render
