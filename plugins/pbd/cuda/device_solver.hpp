/// The position-based solver's substeps on a CUDA device.
#pragma once

#include "solver/solver.hpp"

#include <floe/sdk/floe.h>

#include <functional>
#include <memory>
#include <vector>

namespace floe::pbd {

/// Takes the substeps of a frame on a device. Before and after, the state is a Solver's: what is
/// emitted, saved or given out is the same as on the CPU, and so are the results, to rounding. The
/// same bits in every run.
///
/// When somebody has left his margin, the state is copied to the host, where candidates are put in
/// order; who is near whom is found on the device, unless the tree is asked for. What leaves is
/// taken out on the host, too. Otherwise a substep copies a few counts.
class DeviceSolver {
public:
    virtual ~DeviceSolver() = default;

    /// Takes substeps of one length.
    /// @param world      refusalOf() has nothing against it, nor against the solver
    /// @param afterStep  called with how many were taken; may throw
    /// @throws std::runtime_error  positions are no longer finite
    /// @throws std::bad_alloc, sdk::Failure  of the device
    virtual void advance(Solver& solver, const World& world, double time, double dt, int steps,
                         const std::function<void(int)>& afterStep,
                         sdk::parallel::Executor& executor) = 0;
    /// As Solver::settle().
    virtual void settle(Solver& solver, const World& world, int passes,
                        sdk::parallel::Executor& executor) = 0;
    /// As pbd::findPairs(): the same pairs.
    virtual std::vector<Pair> findPairs(const Spheres& spheres) = 0;

    /// Of the last substep.
    struct Report {
        std::size_t contacts = 0;
        double overlapOfGrains = 0; ///< as Contacts::overlapOfGrains()
    };
    virtual Report report() const = 0;
};

/// Only in builds with FLOE_HAVE_CUDA.
/// @param device  of kind FLOE_DEVICE_CUDA; its memory and stream are used and must outlive it
std::unique_ptr<DeviceSolver> makeDeviceSolver(const floe_device& device);

} // namespace floe::pbd
