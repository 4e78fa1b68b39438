/// Where a solver's substeps are taken: on the CPU, or on the run's CUDA device.
#pragma once

#include "cuda/device_solver.hpp"
#include "cuda/refusals.hpp"
#include "solver/solver.hpp"

#include "floe/sdk/node.hpp"

#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace floe::pbd {

/// Of one node. What is said once is said again after begin().
class Substeps {
public:
    void begin()
    {
        warned_ = onDevice_ = false;
        ofDevice_.reset();
    }
    /// Chooses for a frame, by the parameter 'device'. Automatic: the run's device where it
    /// computes all that there is, else the CPU, with a notice.
    /// @throws Failure  the device is asked for and cannot
    void choose(sdk::Context& context, const Solver& solver, const World& world);
    bool onDevice() const { return onDevice_; }
    bool mustBeOnDevice() const { return must_; }

    void advance(Solver& solver, const World& world, double time, double dt, int steps,
                 const std::function<void(int)>& afterStep, sdk::parallel::Executor& executor);
    void settle(Solver& solver, const World& world, int passes, sdk::parallel::Executor& executor);
    /// Of the last substep.
    std::size_t contacts(const Solver& solver) const
    {
        return ofDevice_ ? ofDevice_->contacts : solver.contacts().active().size();
    }
    /// As Contacts::overlapOfGrains().
    double overlapOfGrains(const Solver& solver) const
    {
        return ofDevice_ ? ofDevice_->overlapOfGrains
                         : solver.contacts().overlapOfGrains(solver.scene);
    }

private:
    bool onDevice_ = false, must_ = false, warned_ = false;
    std::optional<DeviceSolver::Report> ofDevice_; ///< if the last substep was taken there
#if FLOE_HAVE_CUDA
    template <class Work>
    static void withMemory(const Work& work)
    {
        try {
            work();
        } catch (const std::bad_alloc&) {
            throw sdk::Failure(
                "memory ran out on the device; a larger particle size needs less, or "
                "choose 'device' cpu",
                FLOE_OUT_OF_MEMORY);
        }
    }
    std::unique_ptr<DeviceSolver> device_;
#endif
};

inline void Substeps::choose(sdk::Context& context, const Solver& solver, const World& world)
{
    const std::string wanted = context.string("device");
    const bool there = context.device().kind == FLOE_DEVICE_CUDA;
    must_ = wanted == "cuda";
    onDevice_ = false;
    ofDevice_.reset();
#if FLOE_HAVE_CUDA
    if (there && wanted != "cpu") {
        const std::optional<std::string> refusal = refusalOf(solver, world);
        if (refusal && must_)
            throw sdk::Failure(*refusal, FLOE_BAD_ARGUMENT);
        if (refusal && !warned_)
            context.warn("the PBD solver runs on the CPU here: " + *refusal);
        warned_ = warned_ || refusal;
        onDevice_ = !refusal;
        if (onDevice_ && !device_)
            device_ = makeDeviceSolver(context.device());
        return;
    }
#else
    (void)there, (void)solver, (void)world;
#endif
    if (must_)
        throw sdk::Failure("'device' is cuda, but the run has no CUDA device; choose automatic, or "
                           "run with --device cuda",
                           FLOE_BAD_ARGUMENT);
}

inline void Substeps::advance(Solver& solver, const World& world, double time, double dt, int steps,
                              const std::function<void(int)>& afterStep,
                              sdk::parallel::Executor& executor)
{
#if FLOE_HAVE_CUDA
    if (onDevice_) {
        withMemory([&] { device_->advance(solver, world, time, dt, steps, afterStep, executor); });
        ofDevice_ = device_->report();
        return;
    }
#endif
    for (int k = 0; k < steps; ++k) {
        solver.step(world, time + k * dt, dt, executor);
        afterStep(k + 1);
    }
}

inline void Substeps::settle(Solver& solver, const World& world, int passes,
                             sdk::parallel::Executor& executor)
{
#if FLOE_HAVE_CUDA
    if (onDevice_) {
        withMemory([&] { device_->settle(solver, world, passes, executor); });
        return;
    }
#endif
    solver.settle(world, passes, executor);
}

} // namespace floe::pbd
