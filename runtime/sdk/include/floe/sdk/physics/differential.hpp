/// How stress changes with deformation: what implicit time integration needs of a law.
///
/// The first Piola-Kirchhoff stress of an isotropic law is P = U diag(p) V^T, F = U diag(sigma)
/// V^T, p_i = tau_i / sigma_i. Its differential (Sifakis and Barbic 2012, "FEM simulation of 3D
/// deformable solids", chapter 3; Stomakhin et al. 2013, technical report, for fixed corotated) is
///
///     dP = U K[U^T dF V] V^T
///
/// where K takes the diagonal of its argument through a 3x3 matrix dp_i/dsigma_j, and each pair of
/// off-diagonal elements through two numbers, for their mean and for half their difference:
/// (p_i - p_j)/(sigma_i - sigma_j) and (p_i + p_j)/(sigma_i + sigma_j).
///
/// The same holds for plastic flow within a step, where sigma are trial stretches and tau is the
/// stress after the return map: flow on principal axes is one more isotropic function.
#pragma once

#include <floe/sdk/physics/material.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// sigma; a crushed one counts as 1/1000, that of a reflection is negative.
template <class Real>
FLOE_HD Vec3<Real> stretchesOf(const Vec3<Real>& extension)
{
    const Real least(1e-3f);
    Vec3<Real> s;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const Real sigma = Real(1) + extension[i];
        s[i] = withSign(max(abs(sigma), least), sigma);
    }
    return s;
}

/// dtau_i / d(ln sigma_j) [Pa], symmetric, of a law's elasticity. No differential is taken of the
/// limits that keep J or sigma above 1/1000.
template <class Real>
FLOE_HD Mat3<Real> principalTangent(const Vec3<Real>& diagonal, Real everywhere)
{
    Mat3<Real> D = Mat3<Real>::diagonal(diagonal);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        D[i][j] = D[i][j] + everywhere;
    return D;
}
template <class Real>
FLOE_HD Mat3<Real> elasticTangent(const FixedCorotated& law, const Vec3<Real>& extension)
{
    const Vec3<Real> s = stretchesOf(extension);
    const Real J = Real(1) + volumeChange(extension), m(2 * law.mu), one(1);
    return principalTangent<Real>(
        {m * s.x * (s.x + s.x - one), m * s.y * (s.y + s.y - one), m * s.z * (s.z + s.z - one)},
        Real(law.lambda) * J * (J + J - one));
}
template <class Real>
FLOE_HD Mat3<Real> elasticTangent(const NeoHookean& law, const Vec3<Real>& extension)
{
    const Vec3<Real> s = stretchesOf(extension);
    const Real m(2 * law.mu);
    return principalTangent<Real>({m * s.x * s.x, m * s.y * s.y, m * s.z * s.z}, Real(law.lambda));
}
template <class Real>
FLOE_HD Mat3<Real> elasticTangent(const Hencky& law, const Vec3<Real>&)
{
    const Real m(2 * law.mu);
    return principalTangent<Real>({m, m, m}, Real(law.lambda));
}
template <class Real>
FLOE_HD Mat3<Real> elasticTangent(const SplitNeoHookean& law, const Vec3<Real>& extension)
{
    const Real v = heldVolumeChange(extension), J = Real(1) + v;
    const Real shear = Real(law.mu) * exp(Real(-2.0f / 3.0f) * logOnePlus(v));
    const Vec3<Real> s = stretchesOf(extension), b{s.x * s.x, s.y * s.y, s.z * s.z};
    const Vec3<Real> d = deviator(squareMinusOne(extension));
    const Real two3(2.0f / 3.0f), bulk = Real(law.kappa) * J * J;
    Mat3<Real> D;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j) {
        const Real own = i == j ? b[i] + b[i] : Real(0);
        D[i][j] = shear * (own - two3 * (b[j] + d[i])) + bulk;
    }
    return D;
}
/// Tangent of any law but Liquid, from its elasticity; includes snow's hardening.
template <class Law, class Real>
FLOE_HD Mat3<Real> elasticTangent(const Law& law, const Vec3<Real>& extension, Real state)
{
    if constexpr (requires { law.elasticity(); }) {
        Mat3<Real> D = elasticTangent(law.elasticity(), extension);
        if constexpr (requires { law.hardeningFactor(state); })
            D = law.hardeningFactor(state) * D;
        return D;
    } else {
        return elasticTangent(law, extension);
    }
}

/// Stress after the return map, and how it follows the trial stretches.
template <class Real>
struct PrincipalResponse {
    Vec3<Real> tau;     ///< Kirchhoff, along the columns of U [Pa]
    Mat3<Real> tangent; ///< dtau_i / d(ln sigma_j) [Pa]; not symmetric for sand and clay
};

/// Computes this for any law but Liquid: elastic lanes by the law's closed form, yielding lanes by
/// the consistent tangent (Simo and Taylor 1985) from differences of 1e-4 in strain. That is
/// precise to some per mille in single precision and affects only the path to the solution.
/// @param extension  trial stretches - 1   @param dt  time step [s], for rate-dependent flow
template <class Law, class Real>
FLOE_HD PrincipalResponse<Real> principalResponse(const Law& law, const Vec3<Real>& extension,
                                                  Real state, Real dt)
{
    PrincipalResponse<Real> r;
    if constexpr (Law::kPlastic) {
        const auto stressAt = [&](const Vec3<Real>& trial, MaskOf<Real>& yielded) {
            Vec3<Real> mapped = trial;
            Real next = state;
            yielded = law.returnMap(mapped, next, dt);
            return law.principalStress(mapped, next);
        };
        MaskOf<Real> yielded, there;
        r.tau = stressAt(extension, yielded);
        r.tangent = elasticTangent(law, extension, state);
        if (any(yielded)) {
            const Real step(1e-4f);
            Mat3<Real> flowing;
            for (int j = 0; j < 3; ++j) {
                Vec3<Real> moved = extension;
                moved[j] = moved[j] + step * (Real(1) + moved[j]);
                const Vec3<Real> tau = stressAt(moved, there);
                flowing.setColumn(j, (Real(1) / step) * (tau - r.tau));
            }
            r.tangent = select<Real>(yielded, flowing, r.tangent);
        }
    } else {
        r.tau = law.principalStress(extension, state);
        r.tangent = elasticTangent(law, extension, state);
    }
    return r;
}

/// K of the header's formula.
template <class Real>
struct StressDifferential {
    Sym3<Real> normal; ///< dp_i/dsigma_j, symmetric part [Pa]
    Vec3<Real> shear;  ///< for the mean of the pairs (y,z), (x,z), (x,y) [Pa]
    Vec3<Real> spin;   ///< for half their difference [Pa]
};

/// p_i of the header: tau_i / sigma_i, finite where a stretch is crushed.
template <class Real>
FLOE_HD Vec3<Real> principalPiola(const Vec3<Real>& extension, const Vec3<Real>& tau)
{
    const Vec3<Real> s = stretchesOf(extension);
    return {tau.x / s.x, tau.y / s.y, tau.z / s.z};
}

template <class Real>
FLOE_HD StressDifferential<Real> stressDifferential(const Vec3<Real>& extension,
                                                    const PrincipalResponse<Real>& response)
{
    const Real least(1e-3f);
    const Vec3<Real> s = stretchesOf(extension);
    const Vec3<Real> p = principalPiola(extension, response.tau);
    Mat3<Real> A;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j) {
        const Real mean = Real(0.5f) * (response.tangent[i][j] + response.tangent[j][i]);
        A[i][j] = mean / (s[i] * s[j]);
        if (i == j)
            A[i][j] = A[i][j] - p[i] / s[i];
    }
    StressDifferential<Real> K;
    K.normal = {A[0][0], A[0][1], A[0][2], A[1][1], A[1][2], A[2][2]};
    // Where two stretches are equal, the difference quotient is the derivative.
    const Real apart(LaneTraits<Real>::kSinglePrecision ? 1e-4f : 1e-7f);
    FLOE_UNROLL
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const Real gap = extension[i] - extension[j], both = s[i] + s[j];
        const MaskOf<Real> far = abs(gap) > apart;
        const Real slope = Real(0.5f) * (A[i][i] + A[j][j]) - A[i][j];
        K.shear[k] = select(far, (p[i] - p[j]) / select(far, gap, Real(1)), slope);
        K.spin[k] = (p[i] + p[j]) / withSign(max(abs(both), least), both);
    }
    return K;
}

/// Projects K to the nearest positive semidefinite one: removes the directions in which stress
/// falls as strain grows (Teran et al. 2005, "Robust quasistatic finite elements and flesh
/// simulation").
template <class Real>
FLOE_HD StressDifferential<Real> positivePart(const StressDifferential<Real>& K)
{
    Mat3<Real> S = K.normal.matrix(), V = Mat3<Real>::identity();
    for (int sweep = 0; sweep < 3; ++sweep) {
        svd_detail::jacobiStep(S, V, 0, 1, 2);
        svd_detail::jacobiStep(S, V, 0, 2, 1);
        svd_detail::jacobiStep(S, V, 1, 2, 0);
    }
    const Real zero(0);
    const Vec3<Real> kept{max(S[0][0], zero), max(S[1][1], zero), max(S[2][2], zero)};
    StressDifferential<Real> r;
    r.normal = conjugateDiagonal(V, kept);
    r.shear = {max(K.shear.x, zero), max(K.shear.y, zero), max(K.shear.z, zero)};
    r.spin = {max(K.spin.x, zero), max(K.spin.y, zero), max(K.spin.z, zero)};
    return r;
}

/// K[M]
template <class Real>
FLOE_HD Mat3<Real> apply(const StressDifferential<Real>& K, const Mat3<Real>& M)
{
    const Sym3<Real>& A = K.normal;
    Mat3<Real> r;
    r[0][0] = A.xx * M[0][0] + A.xy * M[1][1] + A.xz * M[2][2];
    r[1][1] = A.xy * M[0][0] + A.yy * M[1][1] + A.yz * M[2][2];
    r[2][2] = A.xz * M[0][0] + A.yz * M[1][1] + A.zz * M[2][2];
    FLOE_UNROLL
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const Real mean = Real(0.5f) * K.shear[k] * (M[i][j] + M[j][i]);
        const Real turn = Real(0.5f) * K.spin[k] * (M[i][j] - M[j][i]);
        r[i][j] = mean + turn;
        r[j][i] = mean - turn;
    }
    return r;
}

/// Kirchhoff pressure of a liquid, with J advanced from `before` = 1 + changeBefore, and its
/// differential.
///
/// The energy of J = before (1 + dt div v) has the derivative -p(J) before by (dt div v).
template <class Real>
struct LiquidResponse {
    Real minusPJ;   ///< -p(J) before [Pa]
    Real stiffness; ///< d(minusPJ)/d(dt div v) >= 0 [Pa]
};
template <class Real>
FLOE_HD LiquidResponse<Real> liquidResponse(const Liquid& law, Real changeBefore, Real divergence,
                                            Real dt)
{
    const Real before = Real(1) + changeBefore;
    const Real change = advanceLiquidVolume(law, changeBefore, divergence, dt);
    const Real trial = changeBefore + dt * divergence * before;
    const Real p = law.pressure(change);
    // dp/dJ = -k gamma J^(-gamma-1); 0 where J is clamped or the liquid has parted
    const Real slope = Real(law.restModulus()) * power(Real(1) + change, Real(-law.gamma - 1));
    const MaskOf<Real> held = (abs(trial - change) > Real(1e-6f) * abs(trial)) |
                              ((p <= Real(-law.tensileStrength)) & (change >= Real(0)));
    return {-p * before, select(held, Real(0), slope * before * before)};
}

} // namespace FLOE_ISA
} // namespace floe::physics
