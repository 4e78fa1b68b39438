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

/// The emulator is a hundred times slower than a processor: bodies do only a part there.
#if FLOE_TEST_EMULATED
inline constexpr bool kEmulated = true;
#else
inline constexpr bool kEmulated = false;
#endif

#if FLOE_TEST_CUDA
struct OnCuda {
    static std::unique_ptr<Backend> backend(const SolverSettings& settings, Executor& executor)
    {
        return makeCudaBackend(settings, test::cudaDevice(), executor);
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

    /// Sets colliders that not every backend takes. @return false: this one does not
    static bool setColliders(Stepper& solver, const Colliders& colliders)
    {
        for (const auto& collider : colliders)
            if (solver.backend().refusal(*collider))
                return false;
        solver.setColliders(colliders);
        return true;
    }
};

/// For tests whose colliders have no level sets.
#define FLOE_SET_COLLIDERS_OR_SKIP(solver, ...)                                                    \
    if (!this->setColliders(solver, __VA_ARGS__))                                                  \
    GTEST_SKIP() << "only the CPU takes colliders without level sets"

} // namespace floe::mpm
