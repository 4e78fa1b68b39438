#pragma once

/// Conversion between volumes and OpenVDB grids. Includes OpenVDB: include this in few sources.

#include "vdb_file.hpp"

#include "floe/data/volume.hpp"

namespace floe::io {

/// Makes a FloatGrid or Vec3fGrid with the volume's name, class and transform.
openvdb::GridBase::Ptr toOpenVdb(const VolumeValue& volume);

/// Makes a volume. @param grid  FloatGrid or Vec3fGrid
/// @throws InputError  the transform is not affine, or a value is not finite
Ref<const VolumeValue> fromOpenVdb(const openvdb::GridBase::Ptr& grid);

} // namespace floe::io
