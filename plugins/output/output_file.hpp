#pragma once

/// Output files of a sink: numbered files in the run's output folder.

#include "floe/sdk/io.h"
#include "floe/sdk/node.hpp"

#include <functional>
#include <string>
#include <vector>

namespace floe::output {

/// Returns the host's functions for files. @throws sdk::Failure this host has none
const floe_io& files();

/// Returns whether a sink writes at this frame: the first of the range, then every `every`th.
bool isDue(const sdk::Context& context);

/// Returns the parameter `path` inside the output folder, with the frame's number in place of %04d
/// or ####. @throws sdk::Failure the path leaves the folder, or is the same for all frames
std::string fileAtFrame(const sdk::Context& context);

/// Returns the same path without inserting the number.
std::string filePattern(const sdk::Context& context);

/// Returns the name of what joins the files of a pattern: "images/beauty.%04d.png" and ".mp4" give
/// "images/beauty.mp4".
/// @param otherwise  used where nothing of the name is left
std::string nameOfAll(const std::string& pattern, const std::string& otherwise,
                      const std::string& extension);

/// For `finish`: what the node wrote at the due frames up to this one, in their order.
/// @param layer  extension (".exr") of a second file that it wrote beside each; empty: none
/// @throws sdk::Failure one of them is not there any more; the first is named
std::vector<std::string> writtenFiles(const sdk::Context& context, const std::string& layer = {});

/// The same for a node that writes other files of a frame. @param of  these, by fileAtFrame()
/// @return fileAtFrame() of each due frame
std::vector<std::string>
requireWritten(const sdk::Context& context,
               const std::function<std::vector<std::string>(const std::string& file)>& of);

} // namespace floe::output
