/// The backends that a test is run on: its body is written once, typed over Backends. The unit
/// tests run it on the CPU; tests/parity/mpm and tests/gpu/mpm compile the same sources with
/// FLOE_TEST_CUDA, for CUDA under the emulator and on a card.
#pragma once

#include "scene.hpp"

#include <gtest/gtest.h>

#if FLOE_TEST_CUDA
#include "cuda_device.hpp"
#include "cuda_stepper.hpp"
#endif

namespace floe::mpm {

#if FLOE_TEST_CUDA
struct OnCuda {
    static std::unique_ptr<Backend> backend(const SolverSettings& settings, Executor&)
    {
        return makeCudaBackend(settings, test::cudaDevice());
    }
};
using Backends = testing::Types<OnCuda>;
#else
using Backends = testing::Types<OnCpu>;
#endif

/// @tparam Where  one of Backends
template <class Where>
class OnEachBackend : public testing::Test {
protected:
    using Solver = SolverOn<Where>;
    SerialExecutor serial;
};

} // namespace floe::mpm
