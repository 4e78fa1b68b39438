#pragma once

#include "floe/data/particles.hpp"

#include <filesystem>
#include <functional>

namespace floe::io {

/// Returns the name of the index of a file that was written in parts by several ranks:
/// "snow.0010.vdb" gives "snow.0010.parts.json".
std::filesystem::path partsIndexOf(const std::filesystem::path& file);

/// Reads the parts that an index names, as one: those of rank 0 first, then those of rank 1, and so
/// on. Fields are those of the first part.
/// @throws IoError  no index, a part is missing or not the one that the index is of, or parts
/// differ in their attributes
/// @throws MemoryError, CancelledError
Ref<const ParticlesValue> readParts(const std::filesystem::path& index,
                                    const std::function<bool()>& cancelled);

} // namespace floe::io
