#pragma once

#include "question.hpp"

#include "floe/sdk/floe.h"

namespace floe::activation {

/// Answers on the CUDA device that the solver runs on, on its stream: the field goes up, logits
/// come down. The arrays of the question are in host memory, `logits` too.
/// @return false: this is not a CUDA device, or the build has no CUDA; nothing was done
/// @throws sdk::Failure  the device failed  @throws std::bad_alloc
bool evaluateOnCuda(const PreparedModel& model, const Question& question, const floe_device* device,
                    float* logits);

} // namespace floe::activation
