/// Saved states of several ranks: each saves a part, and takes what it owns from those of all.
#pragma once

#include "saved_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace floe::mpm::saved {

/// Makes a part of the state of a rank's own blocks, which has the form of a whole one; of either
/// backend.
std::vector<unsigned char> makePart(std::vector<unsigned char> own, int rank, int ranks);

/// Returns how many parts there are, whose first one this is; 0: it is a whole state of this
/// backend or something else.
/// @throws std::runtime_error  it is a part, and not the first
std::uint32_t partsOf(Source& source, const Extent& first);
/// Returns whether this is a whole state that takeOwn() knows.
bool isWhole(Source& source, const Extent& state);

/// Takes a rank's own blocks from a state, anew divided among its ranks. Nothing else is in memory,
/// lists of all blocks excepted.
/// @param parts  of all ranks in their order, or a whole state
/// @throws std::runtime_error  they are damaged, or not of one state
OwnState takeOwn(Source& source, std::span<const Extent> parts, const Ownership& ownership);

} // namespace floe::mpm::saved
