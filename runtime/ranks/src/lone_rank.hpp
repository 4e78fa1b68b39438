#pragma once

#include "floe/sdk/ranks.h"

namespace floe::ranks {

/// Returns the table of a process without others.
const floe_ranks& loneRank();

} // namespace floe::ranks
