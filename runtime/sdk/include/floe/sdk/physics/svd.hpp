/// Singular values and polar decomposition of 3x3 matrices, without divergent branches.
///
/// F = U diag(sigma) V^T with U and V rotations (determinant +1), sigma sorted by magnitude,
/// sigma.x >= sigma.y >= |sigma.z|; sigma.z is negative exactly when det F is (the convention of
/// Irving et al. 2004, so that an inverted element feels a force that turns it back).
///
/// Method: sweeps of Jacobi rotations on F^T F as in McAdams et al. 2011, but with exact
/// angles (quadratic convergence), then sweeps of Hestenes' one-sided rotations on the columns of F
/// V, which do not square the condition number. Reconstruction error is a few units in the last
/// place of the largest singular value for any finite F with entries between about 1e-15 and 1e15
/// (squares must not overflow).
#pragma once

#include <floe/sdk/physics/vec.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

template <class Real>
struct Svd {
    Mat3<Real> U;
    Vec3<Real> sigma;
    Mat3<Real> V;
};

namespace svd_detail {

/// Cosine and sine of the smaller rotation that makes [[a, b], [b, d]] diagonal.
template <class Real>
FLOE_HD void jacobiAngle(Real a, Real b, Real d, Real& c, Real& s)
{
    // t = tan = 2b / (D + sign(D) sqrt(D^2 + 4b^2)) with D = d - a
    const Real D = d - a;
    const Real twoB = b + b;
    const Real root = sqrt(D * D + twoB * twoB);
    const Real denominator = abs(D) + root;
    const Real t = withSign(Real(1), D) * twoB / max(denominator, Real(1e-36f));
    c = Real(1) / sqrt(Real(1) + t * t);
    s = t * c;
}

/// columns p and q of A become c p - s q and s p + c q
template <class Real>
FLOE_HD void rotateColumns(Mat3<Real>& A, int p, int q, Real c, Real s)
{
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const Real ap = A[i][p], aq = A[i][q];
        A[i][p] = c * ap - s * aq;
        A[i][q] = s * ap + c * aq;
    }
}

/// One rotation of the symmetric S in the plane (p, q); r is the third axis.
template <class Real>
FLOE_HD void jacobiStep(Mat3<Real>& S, Mat3<Real>& V, int p, int q, int r)
{
    Real c, s;
    jacobiAngle(S[p][p], S[p][q], S[q][q], c, s);
    const Real app = S[p][p], aqq = S[q][q], apq = S[p][q], arp = S[r][p], arq = S[r][q];
    const Real t = Real(2) * c * s * apq;
    S[p][p] = c * c * app - t + s * s * aqq;
    S[q][q] = s * s * app + t + c * c * aqq;
    S[p][q] = S[q][p] = Real(0);
    S[r][p] = S[p][r] = c * arp - s * arq;
    S[r][q] = S[q][r] = s * arp + c * arq;
    rotateColumns(V, p, q, c, s);
}

/// Rotates columns p and q of B so that they are orthogonal.
/// @return how far they were from it: |b_p . b_q|
template <class Real>
FLOE_HD Real hestenesStep(Mat3<Real>& B, Mat3<Real>& V, int p, int q)
{
    const Vec3<Real> bp = B.column(p), bq = B.column(q);
    Real c, s;
    const Real off = dot(bp, bq);
    jacobiAngle(dot(bp, bp), off, dot(bq, bq), c, s);
    rotateColumns(B, p, q, c, s);
    rotateColumns(V, p, q, c, s);
    return abs(off);
}

/// Where column q is longer, swaps columns p and q of B and V, with a sign that keeps V a rotation.
template <class Real>
FLOE_HD void sortColumns(Mat3<Real>& B, Mat3<Real>& V, Vec3<Real>& norm2, int p, int q)
{
    const MaskOf<Real> swap = norm2[p] < norm2[q];
    const Real np = norm2[p], nq = norm2[q];
    norm2[p] = select(swap, nq, np);
    norm2[q] = select(swap, np, nq);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const Real bp = B[i][p], bq = B[i][q], vp = V[i][p], vq = V[i][q];
        B[i][p] = select(swap, bq, bp);
        B[i][q] = select(swap, -bp, bq);
        V[i][p] = select(swap, vq, vp);
        V[i][q] = select(swap, -vp, vq);
    }
}

/// A unit vector at right angles to the unit vector a.
template <class Real>
FLOE_HD Vec3<Real> perpendicular(const Vec3<Real>& a)
{
    const MaskOf<Real> alongX = abs(a.x) > Real(0.7f);
    const Vec3<Real> b =
        select<Real>(alongX, Vec3<Real>{-a.y, a.x, Real(0)}, Vec3<Real>{Real(0), -a.z, a.y});
    return (Real(1) / sqrt(dot(b, b))) * b;
}

} // namespace svd_detail

template <class Real>
FLOE_HD Svd<Real> svd(const Mat3<Real>& F)
{
    using namespace svd_detail;
    constexpr int kSymmetricSweeps = LaneTraits<Real>::kSinglePrecision ? 3 : 4;
    Mat3<Real> S = transpose(F) * F;
    Svd<Real> r;
    r.V = Mat3<Real>::identity();
    // Stop when all lanes have converged: the one branch that costs nothing.
    const Real epsilon(LaneTraits<Real>::kSinglePrecision ? 2e-7f : 1e-15f);
    const Real size = trace(S);
    for (int sweep = 0; sweep < kSymmetricSweeps; ++sweep) {
        const Real off = max(abs(S[0][1]), max(abs(S[0][2]), abs(S[1][2])));
        if (all(off <= epsilon * size))
            break;
        jacobiStep(S, r.V, 0, 1, 2);
        jacobiStep(S, r.V, 0, 2, 1);
        jacobiStep(S, r.V, 1, 2, 0);
    }
    Mat3<Real> B = F * r.V;
    for (int sweep = 0; sweep < 2; ++sweep) {
        const Real xy = hestenesStep(B, r.V, 0, 1);
        const Real xz = hestenesStep(B, r.V, 0, 2);
        const Real yz = hestenesStep(B, r.V, 1, 2);
        if (all(max(xy, max(xz, yz)) <= epsilon * size))
            break;
    }
    Vec3<Real> norm2{dot(B.column(0), B.column(0)), dot(B.column(1), B.column(1)),
                     dot(B.column(2), B.column(2))};
    sortColumns(B, r.V, norm2, 0, 1);
    sortColumns(B, r.V, norm2, 0, 2);
    sortColumns(B, r.V, norm2, 1, 2);

    // U by Gram-Schmidt from the longest column down; any direction for a vanishing column.
    const Real tiny(1e-30f);
    r.sigma.x = sqrt(norm2.x);
    const MaskOf<Real> zero = norm2.x < tiny;
    Vec3<Real> u0 = (Real(1) / max(r.sigma.x, tiny)) * B.column(0);
    u0 = select<Real>(zero, Vec3<Real>{Real(1), Real(0), Real(0)}, u0);
    const Vec3<Real> b1 = B.column(1);
    Vec3<Real> u1 = b1 - dot(u0, b1) * u0;
    const Real n1 = dot(u1, u1);
    const MaskOf<Real> rankOne = n1 < max(Real(1e-16f) * norm2.x, tiny);
    u1 = (Real(1) / sqrt(max(n1, tiny))) * u1;
    u1 = select<Real>(rankOne, perpendicular(u0), u1);
    const Vec3<Real> u2 = cross(u0, u1);
    r.sigma.y = dot(u1, b1);
    r.sigma.z = dot(u2, B.column(2));
    r.U.setColumn(0, u0);
    r.U.setColumn(1, u1);
    r.U.setColumn(2, u2);
    return r;
}

namespace svd_detail {

/// R where `good`, else U V^T. A separate function because it is rarely needed.
template <class Real>
FLOE_COLD Mat3<Real> rotationWhereNot(MaskOf<Real> good, const Mat3<Real>& F, const Mat3<Real>& R)
{
    const Svd<Real> s = svd(F);
    return select<Real>(good, R, s.U * transpose(s.V));
}

} // namespace svd_detail

/// The rotation R of F = R S, S symmetric; for a reflected F (det < 0) the nearest rotation.
///
/// Newton's iteration R <- (R + R^-T)/2 (Higham 1986) where it has converged after five steps,
/// which holds for every F with singular values within 1/5 to 5 of each other, else U V^T.
template <class Real>
FLOE_HD Mat3<Real> polarRotation(const Mat3<Real>& F)
{
    Mat3<Real> R = F;
    Real change(0);
    for (int step = 0; step < 5; ++step) {
        const Mat3<Real> K = cofactor(R);
        const Real det = R[0][0] * K[0][0] + R[0][1] * K[0][1] + R[0][2] * K[0][2];
        const Real half = Real(0.5f) / max(det, Real(1e-12f));
        change = Real(0);
        FLOE_UNROLL
        for (int i = 0; i < 3; ++i)
            FLOE_UNROLL
        for (int j = 0; j < 3; ++j) {
            const Real next = Real(0.5f) * R[i][j] + half * K[i][j];
            change = max(change, abs(next - R[i][j]));
            R[i][j] = next;
        }
        if (all(change < Real(1e-4f))) // convergence is quadratic: the error is now about 1e-8
            break;
    }
    const MaskOf<Real> good = (change < Real(1e-4f)) & (determinant(F) > Real(1e-6f));
    if (!all(good)) {
        const Mat3<Real> copyF = F,
                         copyR = R; // an object whose address is taken cannot live in registers
        return svd_detail::rotationWhereNot(good, copyF, copyR);
    }
    return R;
}

} // namespace FLOE_ISA
} // namespace floe::physics
