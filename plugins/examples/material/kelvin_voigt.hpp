#pragma once

#include <floe/sdk/physics/law.hpp>
#if !defined(__CUDACC__)
#include <floe/sdk/physics/pack.hpp>
#endif

#include <cmath>
#include <cstddef>

/// A Kelvin-Voigt solid: a spring and a damper side by side. The spring is the compressible
/// neo-Hookean law of Bonet and Wood (2008, section 6.4.3); the damper a Newtonian fluid's shear
/// stress. Kirchhoff stress:
///
///     tau = mu (F F^T - I) + lambda ln(J) I + 2 J eta dev(D),    D = sym(grad v)
struct KelvinVoigt {
    float mu;     ///< shear modulus [Pa]
    float lambda; ///< Lame's first parameter [Pa]
    float eta;    ///< viscosity [Pa s]

    /// @param young modulus [Pa]  @param poisson ratio, below 0.5  @param viscosity [Pa s]
    static KelvinVoigt of(double young, double poisson, double viscosity)
    {
        return {static_cast<float>(young / (2 * (1 + poisson))),
                static_cast<float>(young * poisson / ((1 + poisson) * (1 - 2 * poisson))),
                static_cast<float>(viscosity)};
    }

    /// Speed of pressure waves at rest [m/s].
    double soundSpeed(double density) const
    {
        return std::sqrt((static_cast<double>(lambda) + 2.0 * mu) / density);
    }

    /// Computes the stress. `Real`: a float or a pack, any type of the SDK's arithmetic. FLOE_HD:
    /// also in a CUDA kernel.
    template <class Real>
    FLOE_HD floe::physics::Sym3<Real> stress(const floe::physics::Mat3<Real>& F,
                                             const floe::physics::Mat3<Real>& grad,
                                             Real stiffness) const
    {
        // Matter cannot invert; where the numbers do, push as hard as at 1 % of the volume.
        using floe::physics::max; // of a float, as of a pack
        const Real J = max(determinant(F), Real(0.01f));
        const Real shear = stiffness * Real(mu), damping = Real(eta) * J;
        const Real spring = stiffness * Real(lambda) * log(J) - shear;
        const Real third = Real(2.0f / 3.0f) * trace(grad);
        floe::physics::Sym3<Real> tau = shear * timesOwnTranspose(F);
        tau.xx = tau.xx + spring + damping * (grad[0][0] + grad[0][0] - third);
        tau.yy = tau.yy + spring + damping * (grad[1][1] + grad[1][1] - third);
        tau.zz = tau.zz + spring + damping * (grad[2][2] + grad[2][2] - third);
        tau.xy = tau.xy + damping * (grad[0][1] + grad[1][0]);
        tau.xz = tau.xz + damping * (grad[0][2] + grad[2][0]);
        tau.yz = tau.yz + damping * (grad[1][2] + grad[2][1]);
        return tau;
    }

#if !defined(__CUDACC__) // registers of the CPU
    /// Computes the stresses of a batch, as many particles at a time as a register holds (with
    /// -march=native or similar, two or four times as many). F and gradient are 3 * row + column,
    /// each an array over particles, whose number is a multiple of 16; the six stresses are xx, yy,
    /// zz, xy, xz, yz.
    void stresses(const float* const* F, const float* const* gradient, const float* stiffness,
                  float* const* tau, std::size_t count) const
    {
        using Real = floe::physics::Pack<float, floe::physics::kNativeLanes>;
        for (std::size_t i = 0; i < count; i += floe::physics::kNativeLanes) {
            floe::physics::Mat3<Real> f, grad;
            for (int k = 0; k < 9; ++k) {
                f[k / 3][k % 3] = Real::load(F[k] + i);
                grad[k / 3][k % 3] = Real::load(gradient[k] + i);
            }
            const auto t = stress(f, grad, Real::load(stiffness + i));
            const Real out[6] = {t.xx, t.yy, t.zz, t.xy, t.xz, t.yz};
            for (int k = 0; k < 6; ++k)
                out[k].store(tau[k] + i);
        }
    }
#endif
};
