#pragma once

#include "floe/sdk/floe.h"
#include "floe/sdk/network/question.hpp"

namespace floe::activation {

/// Answers on the CUDA device that the solver runs on, on its stream: the field goes up, logits
/// come down. The arrays of the question are in host memory, `logits` too.
/// @return false: this is not a CUDA device, or the build has no CUDA; nothing was done
/// @throws sdk::Failure  the device failed  @throws std::bad_alloc
bool evaluateOnCuda(const sdk::network::PreparedModel& model,
                    const sdk::network::Question& question, const floe_device* device,
                    float* logits);

} // namespace floe::activation
