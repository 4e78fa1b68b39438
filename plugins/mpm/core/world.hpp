/// What the solver takes from the SDK, by its own names.
#pragma once

#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/parallel/memory.hpp"
#include "floe/sdk/parallel/stopwatch.hpp"

namespace floe::mpm {

using sdk::parallel::allocateFloats;
using sdk::parallel::Executor;
using sdk::parallel::FloatBuffer;
using sdk::parallel::FloatPool;
using sdk::parallel::Floats;
using sdk::parallel::kFloatsOf;
using sdk::parallel::makePooled;
using sdk::parallel::MemorySource;
using sdk::parallel::plainMemory;
using sdk::parallel::Pooled;
using sdk::parallel::SerialExecutor;
using sdk::parallel::Stopwatch;

} // namespace floe::mpm
