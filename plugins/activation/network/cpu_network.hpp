#pragma once

#include "question.hpp"

#include <functional>

namespace floe::activation {

/// body(begin, end) over disjoint ranges that cover [0, count), at most `grain` long.
using ParallelFor = std::function<void(std::uint64_t count, std::uint64_t grain,
                                       const std::function<void(std::uint64_t, std::uint64_t)>&)>;

/// Answers on the CPU: one logit a block, awake when > 0. The same for any number of threads.
///
/// Only blocks that hold matter or are beside it are computed; where nothing moves in a block's
/// view the first two layers are the still values of the model. May be called from several threads.
void evaluateOnCpu(const PreparedModel& model, const Question& question,
                   const ParallelFor& parallel, float* logits);

} // namespace floe::activation
