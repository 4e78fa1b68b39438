#pragma once

#include "floe/data/particles.hpp"
#include "floe/data/volume.hpp"

#include <filesystem>
#include <string>

namespace floe::io {

/// The readers of floe_read_vdb, which use OpenVDB and may crash on damaged files.
Ref<const VolumeValue> readVdbVolume(const std::filesystem::path& path, const std::string& grid);
Ref<const ParticlesValue> readVdbPoints(const std::filesystem::path& path);

} // namespace floe::io
