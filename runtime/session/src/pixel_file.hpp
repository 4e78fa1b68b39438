#pragma once

#include "floe/data/particles.hpp"

#include <filesystem>

namespace floe::session {

/// Writes what a camera measured (`measure` of floe/sdk/render.h) as a picture of 32-bit floats for
/// each of its channels: an OpenEXR file with the layers
///
///   Z                  depth [m]; nothing: 1e10
///   N.X N.Y N.Z        normal in the world; nothing: 0
///   flow.X flow.Y      [pixels], to the right and down; nothing: 0. flow.Z is 0
///   object.X element.X material.X  numbers, exact below 2^24; nothing: -1
///
/// and the camera in its header: focal, eye, right, down, forward. The file appears whole or not at
/// all.
/// @throws InputError   these are not pixels of a camera
/// @throws IoError      the file cannot be written
/// @throws MemoryError
void writePixels(const std::filesystem::path& path, const Ref<const ParticlesValue>& pixels);

} // namespace floe::session
