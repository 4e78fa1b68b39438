#pragma once

#include "floe/data/particles.hpp"
#include "floe/data/volume.hpp"

#include <filesystem>
#include <string>

namespace floe::io {

/// What floe_read_vdb does: reading through OpenVDB, which damaged files may crash.
Ref<const VolumeValue> readVdbVolume(const std::filesystem::path& path, const std::string& grid);
Ref<const ParticlesValue> readVdbPoints(const std::filesystem::path& path);

} // namespace floe::io
