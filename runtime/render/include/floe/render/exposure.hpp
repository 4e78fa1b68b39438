#pragma once

#include "floe/render/scene.hpp"

namespace floe::render {

/// Many pictures averaged into one, each seen from another point of the lens, at another moment,
/// lit from another point of the sun and with the samples elsewhere in their pixels: depth of
/// field, motion blur, soft shadows and smooth edges at once (Haeberli and Akeley 1990). Points are
/// those of low-discrepancy sequences and the same in every picture and on every machine.

inline constexpr int kMaxExposures = 1024;

/// Changes a scene's camera, sun and noise to those of one of the pictures.
/// @param number 0 to count - 1
/// @param count  of pictures; 1 changes nothing
void expose(Scene& scene, int number, int count);

/// When the picture is taken, -0.5 to 0.5 of the time that the shutter is open.
float momentOf(int number, int count);

} // namespace floe::render
