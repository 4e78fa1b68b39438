/// A constitutive model supplied by a plugin.
#pragma once

namespace floe::mpm {

inline constexpr int kLanes = 16; ///< particles in a bin

/// A third-party constitutive model, called with one bin (see floe_material_interface).
struct CustomModel {
    /// @param F, state  rows of kLanes floats, updated in place
    /// @param stress    output: xx yy zz xy xz yz
    bool (*update)(void* self, double dt, float* const F[9], float* const state[4],
                   const float* const gradient[9], const float* stiffness, float* const stress[6]);
    void* self = nullptr;
    float waveModulus = 0; ///< rho c^2 of its fastest wave [Pa]
};

} // namespace floe::mpm
