#pragma once

#include "set/gaussian_set.hpp"

#include <functional>
#include <string>
#include <vector>

namespace floe::gaussians {

/// Asked now and then by what takes long. @throws to end it
using Checkpoint = std::function<void()>;

/// A set as it stands in a file.
struct FileContent {
    GaussianSet set;
    bool yDown = false; ///< written in the axes of captures: x right, y down, z forward
    std::size_t propertiesLeftOut = 0; ///< further numbers of each, which the set does not keep
};

/// Reads .ply (as 3DGS tools write it, binary or text, or packed by PlayCanvas and SuperSplat),
/// .splat or .spz (versions 1 to 3); the format follows from the extension. Numbers are checked for
/// nothing but their count: see removeUnusable().
/// @throws sdk::Failure  names the file, the fault and the cure. Sizes that a file claims are held
///                       against its length before memory is taken.
FileContent readGaussians(const std::string& path, const Checkpoint& checkpoint);

/// Writes .ply, .splat, .spz or .glb (KHR_gaussian_splatting) whole or not at all; see
/// isWritable().
/// @param set  in the axes of the format: see isYDown()
/// @throws sdk::Failure  FLOE_IO_FAILED
void writeGaussians(const std::string& path, const GaussianSet& set, const Checkpoint& checkpoint);

/// Lower case, with its dot.
std::string extensionOf(const std::string& path);
/// Whether files of this extension can be written in this build.
bool isWritable(const std::string& extension);
/// Whether files of this extension hold sets in the axes of captures (y down).
bool isYDown(const std::string& extension);

} // namespace floe::gaussians
