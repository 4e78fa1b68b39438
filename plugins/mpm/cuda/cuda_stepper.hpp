/// A stepper on a CUDA device. Only in builds with FLOE_HAVE_CUDA.
#pragma once

#include "ownership.hpp"
#include "stepper.hpp"

#include <floe/sdk/floe.h>

namespace floe::mpm {

/// Makes the CUDA backend that makeCudaStepper() uses.
std::unique_ptr<Backend> makeCudaBackend(const SolverSettings& settings, const floe_device& device,
                                         Executor& executor, Ownership ownership = {});

/// Makes a stepper. Its functions also throw std::bad_alloc (device memory) and sdk::Failure.
/// @param device    of kind FLOE_DEVICE_CUDA; its memory and stream are used and must outlive it
/// @param executor   on the host, for decisions and models of plugins; must outlive it
/// @param ownership  of one rank among several; what it refers to must outlive it
std::unique_ptr<Stepper> makeCudaStepper(const SolverSettings& settings, const floe_device& device,
                                         Executor& executor, Ownership ownership = {});

} // namespace floe::mpm
