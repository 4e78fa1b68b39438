#pragma once

#include "vortex.hpp"

/// The accelerations of a batch in a CUDA device's memory, enqueued on its stream. Only in builds
/// with CUDA.
floe_status accelerateOnCuda(const Vortex& vortex, const floe_device& device,
                             const floe_force_batch& batch);
