#pragma once

#include "floe/sdk/floe.h"
#include "floe/sdk/network/question.hpp"

namespace floe::activation {

/// Evaluates the network on the solver's CUDA device and stream: uploads the field, downloads the
/// logits. The arrays of the question and `logits` are in host memory.
/// @return false: not a CUDA device, or a build without CUDA; nothing was done
/// @throws sdk::Failure  the device failed  @throws std::bad_alloc
bool evaluateOnCuda(const sdk::network::PreparedModel& model,
                    const sdk::network::Question& question, const floe_device* device,
                    float* logits);

} // namespace floe::activation
