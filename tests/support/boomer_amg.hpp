/// Hypre's algebraic multigrid behind the interface of the pressure system's solvers: what ours is
/// compared with. Not part of the plugin, because Debian's library needs MPI when it is loaded.
#pragma once

#include "system/linear_solver.hpp"

namespace floe::coupled {

/// Conjugate gradients with BoomerAMG of the assembled system (Henson and Yang 2002), with the
/// settings that hypre's manual gives for problems in three dimensions, in this process alone.
/// Starts MPI the first time.
std::unique_ptr<LinearSolver> makeBoomerAmgSolver();

} // namespace floe::coupled
