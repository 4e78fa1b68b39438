/// A solver's state as bytes, so that a run goes on bit for bit.
#pragma once

#include "solver/solver.hpp"

#include "floe/sdk/node.hpp"

namespace floe::pbd {

/// All but rest shapes and materials, which the inputs bring again.
void saveState(const Solver& solver, sdk::Writer& writer);
/// @param start  the bodies as they began, in the order of the scene that was saved
/// @pre the solver has its joints
/// @throws Failure  the state is damaged, or of other bodies
void loadState(Solver& solver, const Scene& start, std::size_t materials, sdk::Reader& reader);

} // namespace floe::pbd
