#pragma once

#include "floe/compute/device.hpp"
#include "floe/render/renderer.hpp"

#include <functional>

namespace floe::view {

/// Calls `use` with the process's single renderer, which is made when it is first needed; callers
/// take turns.
/// @param device  that holds what is drawn, or null
/// @throws DeviceError there is no Vulkan device, or this build has no renderer
void withRenderer(const compute::Device* device, const std::function<void(render::Renderer&)>& use);

} // namespace floe::view
