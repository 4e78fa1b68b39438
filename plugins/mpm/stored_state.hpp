/// What the solver node reads of a checkpoint.
#pragma once

#include "saved_parts.hpp"

#include "floe/sdk/node.hpp"

#include <functional>

namespace floe::mpm {

/// Reads a solver's state, or the parts of several ranks: what this rank owns of it, where the
/// CPU's backend has saved it, else the whole.
/// @param reader     at the array that is the state, or its first part
/// @param between    reads what the node has saved behind that
/// @throws sdk::Failure, std::runtime_error  it is damaged
saved::OwnState readState(sdk::Reader& reader, const Ownership& ownership,
                          const std::function<void()>& between);

} // namespace floe::mpm
