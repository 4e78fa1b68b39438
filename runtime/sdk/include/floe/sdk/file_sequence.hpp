#pragma once

/// Which file of a numbered sequence a frame shows.

#include "floe/sdk/node.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace floe::sdk {

struct SequenceFile {
    int64_t number; ///< within the sequence
    bool outside;   ///< the frame lies before the first or after the last file
};

/// Reads the parameters of a node that reads sequences: `frameOffset` and `speed` lead from the
/// frame to a number, `first` and `last` bound it; a last file before the first sets no bound.
/// @throws Failure  the number is beyond 1e9
inline SequenceFile sequenceFile(const Context& context)
{
    const double wanted = context.frame() * context.number("speed") + context.number("frameOffset");
    if (!(std::fabs(wanted) < 1e9))
        throw Failure("'speed' and 'frameOffset' lead to a file number beyond 1e9",
                      FLOE_BAD_ARGUMENT);
    const auto number = static_cast<int64_t>(std::floor(wanted + 0.5));
    const int64_t first = context.integer("first"), last = context.integer("last");
    const bool ends = last >= first;
    const int64_t held = std::max(number, first);
    return {ends ? std::min(held, last) : held, number < first || (ends && number > last)};
}

} // namespace floe::sdk
