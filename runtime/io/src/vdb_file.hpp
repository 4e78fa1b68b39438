#pragma once

/// Guarded access to OpenVDB files: sizes that a file claims are checked against its contents
/// before OpenVDB allocates memory, a premature end of the file is an error, and OpenVDB's
/// exceptions become IoError. Includes OpenVDB: include this in few sources.

#include "grid_info.hpp"

#include <filesystem>
#include <functional>
#include <vector>

#include <openvdb/openvdb.h>

namespace floe::io {

/// Reads the grids for which `wanted` is true, and only the names and types of the others.
std::vector<openvdb::GridBase::Ptr> readVdb(const std::filesystem::path& path,
                                            const std::function<bool(const GridInfo&)>& wanted);

/// Writes grids atomically, compressed, with offsets so that single grids can be loaded.
void writeVdb(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids);

/// Registers OpenVDB's types; cheap after the first time.
void startOpenVdb();

} // namespace floe::io
