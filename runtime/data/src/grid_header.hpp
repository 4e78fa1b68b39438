#pragma once

#include <cstddef>
#include <span>

namespace floe {

/// Magic, version and size of a NanoVDB grid; reads no more than its header, at any alignment.
/// @throws InputError
void checkGridHeader(std::span<const std::byte> grid);

} // namespace floe
