/// Strain without cancellation: stretches of a deformation stored as H = F - I.
///
/// Strain in a stiff body is tiny: aluminium under its own weight has 1e-7, less than the spacing
/// of single-precision numbers near 1. So solids store the displacement gradient H = F - I instead
/// of F, and everything here and in the laws is written in quantities that vanish with it and keep
/// their own relative precision:
///
///     C - I = H + H^T + H^T H,      J - 1 = tr H + tr cof H + det H,
///     sigma - 1 = c / (1 + sqrt(1 + c)),  c an eigenvalue of C - I.
///
/// `extension` is sigma - 1 throughout. For a rotated body H is as large as its rotation; it then
/// resolves strains of 1e-7, like F.
#pragma once

#include <floe/sdk/physics/elementary.hpp>
#include <floe/sdk/physics/svd.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

/// H of F' = (I + dt L) F
template <class Real>
FLOE_HD Mat3<Real> advanceGradient(const Mat3<Real>& H, const Mat3<Real>& L, Real dt)
{
    return H + dt * (L + L * H);
}

/// C - I, C = F^T F
template <class Real>
FLOE_HD Sym3<Real> rightStrain(const Mat3<Real>& H)
{
    const Sym3<Real> q = timesOwnTranspose(transpose(H));
    return {H[0][0] + H[0][0] + q.xx, H[0][1] + H[1][0] + q.xy, H[0][2] + H[2][0] + q.xz,
            H[1][1] + H[1][1] + q.yy, H[1][2] + H[2][1] + q.yz, H[2][2] + H[2][2] + q.zz};
}
/// b - I, b = F F^T
template <class Real>
FLOE_HD Sym3<Real> leftStrain(const Mat3<Real>& H)
{
    return rightStrain(transpose(H));
}

/// J - 1
template <class Real>
FLOE_HD Real volumeChange(const Mat3<Real>& H)
{
    const Real minors = H[0][0] * H[1][1] - H[0][1] * H[1][0] +
                        (H[0][0] * H[2][2] - H[0][2] * H[2][0]) +
                        (H[1][1] * H[2][2] - H[1][2] * H[2][1]);
    return trace(H) + (minors + determinant(H));
}
template <class Real>
FLOE_HD Real volumeChange(const Vec3<Real>& extension)
{
    const Vec3<Real>& e = extension;
    return sum(e) + (e.x * e.y + e.x * e.z + e.y * e.z + e.x * e.y * e.z);
}

/// The largest 1/sigma^2: exact where the two others are equal, else at most a third above.
/// Stretches of which the volume ratio is below 1/1000 count as if it was that.
template <class Real>
FLOE_HD Real largestInverseSquare(const Mat3<Real>& H)
{
    // Of three numbers, none is further above their mean than sqrt(2) standard deviations.
    const Sym3<Real> c = rightStrain(H);
    const Real x = Real(1) + c.xx, y = Real(1) + c.yy, z = Real(1) + c.zz;
    const Sym3<Real> a{y * z - c.yz * c.yz, c.xz * c.yz - c.xy * z, c.xy * c.yz - c.xz * y,
                       x * z - c.xz * c.xz, c.xy * c.xz - x * c.yz, x * y - c.xy * c.xy};
    const Real third(1.0f / 3.0f), mean = third * trace(a);
    const Real dx = a.xx - mean, dy = a.yy - mean, dz = a.zz - mean;
    const Real off = a.xy * a.xy + a.xz * a.xz + a.yz * a.yz;
    const Real spread = third * (dx * dx + dy * dy + dz * dz + off + off);
    const Real J = max(abs(Real(1) + volumeChange(H)), Real(1e-3f));
    return (mean + sqrt(spread + spread)) / (J * J);
}

/// sqrt(1 + c) - 1 for c >= -1
template <class Real>
FLOE_HD Real rootMinusOne(Real c)
{
    return c / (Real(1) + sqrt(Real(1) + c));
}

/// F = U diag(1 + extension) V^T, U and V rotations; extensions in no particular order. Where det F
/// is negative, one stretch is negative, as in svd.hpp.
template <class Real>
struct Stretching {
    Mat3<Real> U;
    Vec3<Real> extension;
    Mat3<Real> V;
    MaskOf<Real> moderate; ///< stretches between about 0.6 and 1.5
};

namespace stretch_detail {

/// Handles lanes for which the eigenvalues of C - I are imprecise, by decomposing F itself. A
/// separate function because it is rarely needed.
template <class Real>
FLOE_COLD Stretching<Real> whereNot(MaskOf<Real> moderate, const Mat3<Real>& H,
                                    const Stretching<Real>& s)
{
    const Svd<Real> d = svd(Mat3<Real>::identity() + H);
    const Vec3<Real> e{d.sigma.x - Real(1), d.sigma.y - Real(1), d.sigma.z - Real(1)};
    return {select<Real>(moderate, s.U, d.U), select<Real>(moderate, s.extension, e),
            select<Real>(moderate, s.V, d.V), moderate};
}

} // namespace stretch_detail

/// Jacobi rotations on C - I, whose eigenvectors are those of C. Squaring costs small stretches
/// precision, so svd() takes over where one is far from 1.
template <class Real>
FLOE_HD Stretching<Real> stretching(const Mat3<Real>& H)
{
    using namespace svd_detail;
    constexpr int kSweeps = LaneTraits<Real>::kSinglePrecision ? 4 : 6;
    const Real epsilon(LaneTraits<Real>::kSinglePrecision ? 4e-7f : 1e-15f);
    Mat3<Real> S = rightStrain(H).matrix();
    Stretching<Real> r;
    r.V = Mat3<Real>::identity();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        const Real off = max(abs(S[0][1]), max(abs(S[0][2]), abs(S[1][2])));
        const Real size = max(abs(S[0][0]), max(abs(S[1][1]), abs(S[2][2])));
        if (all(off <= epsilon * size))
            break;
        jacobiStep(S, r.V, 0, 1, 2);
        jacobiStep(S, r.V, 0, 2, 1);
        jacobiStep(S, r.V, 1, 2, 0);
    }
    const Real low = min(S[0][0], min(S[1][1], S[2][2]));
    const Real high = max(S[0][0], max(S[1][1], S[2][2]));
    r.moderate = (low > Real(-0.64f)) & (high < Real(1.25f)) & (volumeChange(H) > Real(-0.9f));
    const Mat3<Real> HV = H * r.V;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const Real root = sqrt(max(Real(1) + S[i][i], Real(1e-12f)));
        r.extension[i] = S[i][i] / (Real(1) + root);
        r.U.setColumn(i, (Real(1) / root) * (r.V.column(i) + HV.column(i)));
    }
    if (!all(r.moderate)) {
        const Mat3<Real> copyH = H; // an object whose address is taken cannot live in registers
        const Stretching<Real> copy = r;
        return stretch_detail::whereNot(r.moderate, copyH, copy);
    }
    return r;
}

/// H with its extensions replaced, U and V kept.
template <class Real>
FLOE_HD Mat3<Real> withExtension(const Mat3<Real>& H, const Stretching<Real>& s,
                                 const Vec3<Real>& extension)
{
    const Mat3<Real> near = H + compose(s.U, extension - s.extension, s.V);
    if (all(s.moderate))
        return near;
    const Real one(1);
    const Vec3<Real> sigma{extension.x + one, extension.y + one, extension.z + one};
    return select<Real>(s.moderate, near, compose(s.U, sigma, s.V) - Mat3<Real>::identity());
}

/// a b, for two symmetric matrices with the same axes
template <class Real>
FLOE_HD Sym3<Real> commutingProduct(const Sym3<Real>& a, const Sym3<Real>& b)
{
    return {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.xx * b.xy + a.xy * b.yy + a.xz * b.yz,
            a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.xy * b.xy + a.yy * b.yy + a.yz * b.yz,
            a.xy * b.xz + a.yy * b.yz + a.yz * b.zz, a.xz * b.xz + a.yz * b.yz + a.zz * b.zz};
}

/// Y = sqrt(I + E) - I where the eigenvalues of E are between -0.64 and 1.25, else undefined.
///
/// Newton's iteration for Y^2 + 2 Y = E, starting at E/2: each step squares the error, which starts
/// at an eighth of E^2.
template <class Real>
FLOE_HD Sym3<Real> rootMinusIdentity(const Sym3<Real>& E)
{
    constexpr int kSteps = LaneTraits<Real>::kSinglePrecision ? 3 : 5;
    const Real enough(LaneTraits<Real>::kSinglePrecision ? 1e-7f : 1e-16f);
    Sym3<Real> Y = Real(0.5f) * E;
    for (int step = 0; step < kSteps; ++step) {
        const Sym3<Real> Q = commutingProduct(Y, Y);
        const Sym3<Real> rest{E.xx - Q.xx - (Y.xx + Y.xx), E.xy - Q.xy - (Y.xy + Y.xy),
                              E.xz - Q.xz - (Y.xz + Y.xz), E.yy - Q.yy - (Y.yy + Y.yy),
                              E.yz - Q.yz - (Y.yz + Y.yz), E.zz - Q.zz - (Y.zz + Y.zz)};
        // rest (2 + 2 Y)^-1
        const Real a = Real(1) + Y.xx, b = Real(1) + Y.yy, c = Real(1) + Y.zz;
        const Sym3<Real> K{b * c - Y.yz * Y.yz, Y.xz * Y.yz - Y.xy * c, Y.xy * Y.yz - Y.xz * b,
                           a * c - Y.xz * Y.xz, Y.xy * Y.xz - a * Y.yz, a * b - Y.xy * Y.xy};
        const Real det = a * K.xx + Y.xy * K.xy + Y.xz * K.xz;
        const Sym3<Real> change = (Real(0.5f) / max(det, Real(1e-6f))) * commutingProduct(rest, K);
        Y = {Y.xx + change.xx, Y.xy + change.xy, Y.xz + change.xz,
             Y.yy + change.yy, Y.yz + change.yz, Y.zz + change.zz};
        const Real moved = abs(change.xx) + abs(change.yy) + abs(change.zz) + abs(change.xy) +
                           abs(change.xz) + abs(change.yz);
        const Real size = max(abs(Y.xx), max(abs(Y.yy), abs(Y.zz)));
        if (all(moved * moved <= enough * size))
            break;
    }
    return Y;
}

} // namespace FLOE_ISA
} // namespace floe::physics
