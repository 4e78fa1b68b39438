#pragma once

#include "cancellation.hpp"

#include "floe/io/volume.hpp"

namespace floe::io {

Ref<const VolumeValue> readNvdb(const std::filesystem::path& path, const std::string& grid,
                                Cancellation& stop);
void writeNvdb(const std::filesystem::path& path, std::span<const NamedVolume> volumes);

} // namespace floe::io
