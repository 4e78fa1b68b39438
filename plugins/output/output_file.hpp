#pragma once

/// Where a sink writes: numbered files within the run's output folder.

#include "floe/sdk/io.h"
#include "floe/sdk/node.hpp"

#include <string>

namespace floe::output {

/// The host's functions for files. @throws sdk::Failure this host has none
const floe_io& files();

/// Whether a sink writes at this frame: the first of the range and every `every`th after it.
bool isDue(const sdk::Context& context);

/// The parameter `path` inside the output folder, with the frame's number in place of %04d or ####.
/// @throws sdk::Failure the name leaves the folder, or would be the same for all frames
std::string fileAtFrame(const sdk::Context& context);

/// The same without the number put in.
std::string filePattern(const sdk::Context& context);

} // namespace floe::output
