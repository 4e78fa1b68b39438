/// What the ranks of one simulation tell each other so that all decide alike. Every rank calls the
/// same functions in the same order; without others (null) they return what they are given.
#pragma once

#include "activation.hpp"

#include <floe/sdk/parallel/ranks.hpp>

namespace floe::mpm {

using sdk::parallel::Ranks;

/// Returns whether it is so on any rank.
bool anywhere(const Ranks* ranks, bool here);

/// Returns the blocks of all ranks along Morton's curve, as one rank has them.
ActivationRequest ofAllRanks(const Ranks* ranks, ActivationRequest own);
/// Returns the field of all ranks, ascending by block. Where two have computed a block, it is the
/// same.
SpeedField ofAllRanks(const Ranks* ranks, SpeedField own);

} // namespace floe::mpm
