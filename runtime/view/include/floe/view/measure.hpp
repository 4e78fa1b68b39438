#pragma once

#include "floe/view/picture.hpp"

#include "floe/data/particles.hpp"

namespace floe::view {

/// What a camera measures of a scene, without light: see `measure` of floe/sdk/render.h. Uses the
/// process's single renderer to find what each pixel shows; hits are computed in double precision.
/// @param fps  frames a second > 0, for displacements
/// @throws InputError, MemoryError
/// @throws DeviceError there is no Vulkan device, or this build has no renderer
Ref<const ParticlesValue> measurePixels(const PictureRequest& request, double fps);

} // namespace floe::view
