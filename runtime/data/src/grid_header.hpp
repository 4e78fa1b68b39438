#pragma once

#include <cstddef>
#include <span>

namespace floe {

/// Checks magic, version and size of a NanoVDB grid; reads only its header, at any alignment.
/// @throws InputError
void checkGridHeader(std::span<const std::byte> grid);

} // namespace floe
