/// Conjugate gradients with a preconditioner.
#pragma once

#include "linear_solver.hpp"
#include "reduced_system.hpp"

namespace floe::coupled {

/// Approximates the inverse of a system; symmetric and positive definite.
class Preconditioner {
public:
    virtual ~Preconditioner() = default;
    /// @param system  is referred to until the next call
    virtual void prepare(const ReducedSystem& system, Executor& executor) = 0;
    /// Sets z to an approximation of A^-1 r.
    virtual void apply(const std::vector<double>& r, std::vector<double>& z,
                       Executor& executor) = 0;
};

/// @param preconditioner  owned by the solver
std::unique_ptr<LinearSolver>
makeConjugateGradients(std::unique_ptr<Preconditioner> preconditioner);

} // namespace floe::coupled
