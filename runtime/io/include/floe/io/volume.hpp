#pragma once

#include "floe/data/volume.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>

namespace floe::io {

/// Reads one grid of float or Vec3f of a .vdb (OpenVDB, Museth 2013) or .nvdb (NanoVDB, Museth
/// 2021) file; doubles are rounded to float.
/// @param grid       its name; empty: the first grid of such a type
/// @param cancelled  asked now and then while the file is read; may be empty
/// @throws IoError  no such file or grid, another type, a transform that is not affine, values that
///                  are not finite, a damaged file. Lists the grids of the file.
/// @throws MemoryError, CancelledError
Ref<const VolumeValue> readVolume(const std::filesystem::path& path, const std::string& grid = {},
                                  std::function<bool()> cancelled = {});

/// A volume and its name in a file.
struct NamedVolume {
    std::string name; ///< empty: the grid's own name, or "surface" / "v" when it has none
    Ref<const VolumeValue> volume;
};

/// Writes .vdb (compressed; name, class and transform as Houdini and Blender expect) or .nvdb. The
/// file appears whole or not at all. @throws IoError, InputError
void writeVolumes(const std::filesystem::path& path, std::span<const NamedVolume> volumes);
void writeVolume(const std::filesystem::path& path, const std::string& name,
                 const Ref<const VolumeValue>& volume);

} // namespace floe::io
