#pragma once

#include <atomic>
#include <functional>

namespace floe::session {

/// Reads or writes something on every rank; where that fails on one, it fails on all.
/// @param action  may throw IoError, which the others learn of; other failures end the run anyway
/// @throws IoError  of the first rank that failed
/// @throws CancelledError, ranks::RankLost
void doTogether(const std::atomic<bool>& stop, const std::function<void()>& action);

} // namespace floe::session
