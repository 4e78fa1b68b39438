#pragma once

#include <algorithm>
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

    /// Stress of particle i. F and grad are 3 * row + column, each an array over particles; the
    /// six stresses are xx, yy, zz, xy, xz, yz.
    void stress(float* const* F, const float* const* grad, float stiffness, float* const* tau,
                std::size_t i) const
    {
        const float f[9] = {F[0][i], F[1][i], F[2][i], F[3][i], F[4][i],
                            F[5][i], F[6][i], F[7][i], F[8][i]};
        const float J = f[0] * (f[4] * f[8] - f[5] * f[7]) - f[1] * (f[3] * f[8] - f[5] * f[6]) +
                        f[2] * (f[3] * f[7] - f[4] * f[6]);
        // Matter cannot turn inside out; where numbers say so, push as hard as at 1 % of volume.
        const float safeJ = std::max(J, 0.01f);
        const float pressure = lambda * std::log(safeJ);
        const float trace = (grad[0][i] + grad[4][i] + grad[8][i]) / 3;
        constexpr int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 6; ++k) {
            const int r = rows[k], c = columns[k];
            const bool diagonal = k < 3;
            const float b =
                f[3 * r] * f[3 * c] + f[3 * r + 1] * f[3 * c + 1] + f[3 * r + 2] * f[3 * c + 2];
            const float rate = (grad[3 * r + c][i] + grad[3 * c + r][i]) / 2;
            const float elastic = mu * (b - (diagonal ? 1 : 0)) + (diagonal ? pressure : 0);
            tau[k][i] = stiffness * elastic + 2 * safeJ * eta * (rate - (diagonal ? trace : 0));
        }
    }
};
