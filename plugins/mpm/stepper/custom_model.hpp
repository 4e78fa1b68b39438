/// A constitutive model supplied by a plugin.
#pragma once

#include <cstdint>

namespace floe::mpm {

inline constexpr int kLanes = 16; ///< particles in a bin

/// The arrays of a batch: a number of each particle (see floe_material_interface).
struct CustomBatch {
    float* F[9];     ///< updated in place
    float* state[4]; ///< updated in place
    const float* gradient[9];
    const float* stiffness;
    float* stress[6]; ///< output: xx yy zz xy xz yz
};

/// A third-party constitutive model, called with one bin (see floe_material_interface).
struct CustomModel {
    /// @param F, state  rows of kLanes floats, updated in place
    /// @param stress    output: xx yy zz xy xz yz
    bool (*update)(void* self, double dt, float* const F[9], float* const state[4],
                   const float* const gradient[9], const float* stiffness, float* const stress[6]);
    void* self = nullptr;
    float waveModulus = 0; ///< rho c^2 of its fastest wave [Pa]
    /// What it is made of, alive while this is: models of the same compute the same. May be null.
    const void* source = nullptr;

    enum class Answer { done, failed, unsupported };
    /// The same of `count` particles, a multiple of kLanes, in the memory of the solver's CUDA
    /// device; enqueued on its stream. Null, like `unsupported`: it is asked in host memory.
    Answer (*updateOnDevice)(void* self, double dt, std::uint32_t count,
                             const CustomBatch& batch) = nullptr;
};

} // namespace floe::mpm
