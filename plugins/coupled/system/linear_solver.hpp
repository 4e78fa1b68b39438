/// Solvers of the pressure system, behind one interface.
#pragma once

#include "pressure_system.hpp"

#include <memory>
#include <vector>

namespace floe::coupled {

struct SolveLimits {
    double tolerance = 1e-4; ///< residual at which to stop, relative to the right side (2-norms)
    int maxIterations = 1000;
};

/// What a solve did.
struct SolveReport {
    int iterations = 0;
    /// |b - A x| / |b| of the start vector and at the end. Solvers that eliminate wall pressures
    /// (reduced_system.hpp) give that of the start without them.
    double firstResidual = 0, residual = 0;
    bool dropped = false;    ///< the start vector was worse than 0, from which the solve then began
    double setupSeconds = 0; ///< of the prepare() before it
    double solveSeconds = 0;
    bool converged = true;
};

/// prepare() once for a system, then any number of solves with it. The system must not change
/// between. Results do not depend on the number of threads.
class LinearSolver {
public:
    virtual ~LinearSolver() = default;
    virtual void prepare(const PressureSystem& system, Executor& executor) = 0;
    /// @param x  in: the start vector; out: the solution
    virtual SolveReport solve(const std::vector<double>& b, std::vector<double>& x,
                              const SolveLimits& limits, Executor& executor) = 0;
};

/// Conjugate gradients, preconditioned by geometric multigrid for fluid and wall pressures
/// (multigrid.hpp) and by the diagonal for the others. The product is matrix-free.
std::unique_ptr<LinearSolver> makeMultigridSolver();
/// Conjugate gradients, preconditioned by the diagonal alone: what the others are compared with.
std::unique_ptr<LinearSolver> makeDiagonalSolver();
/// Coloured Gauss-Seidel on the assembled system: unknowns of one colour do not depend on each
/// other. An iteration is one sweep.
std::unique_ptr<LinearSolver> makeGaussSeidelSolver();

} // namespace floe::coupled
