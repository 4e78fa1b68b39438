/// The rotation nearest to a matrix, three ways (Jia 2017, section 4.1.1).
#pragma once

#include "floe/sdk/physics/vec.hpp"

#include <cmath>

namespace floe::pbd {

using physics::Mat3;
using physics::Vec3;

enum class RotationMethod {
    gramSchmidt, ///< cheapest; depends on the order of the axes
    polar,       ///< A (A^T A)^(-1/2), by Jacobi rotations; the exact least-squares fit
    iterative    ///< from the last rotation (Mueller et al. 2016); also where A is flat
};

/// exp(w): the rotation about w by |w| [rad].
template <class Real>
FLOE_HD Mat3<Real> rotationAbout(const Vec3<Real>& w)
{
    const Real angle = physics::length(w);
    // Below this the series' next terms are lost in rounding.
    const bool small = angle < Real(1e-4);
    const Real s = small ? 1 - angle * angle / 6 : std::sin(angle) / angle;
    const Real c = small ? Real(0.5) - angle * angle / 24 : (1 - std::cos(angle)) / (angle * angle);
    const Real full = 1 - c * angle * angle;
    return {{{full + c * w.x * w.x, c * w.x * w.y - s * w.z, c * w.x * w.z + s * w.y},
             {c * w.y * w.x + s * w.z, full + c * w.y * w.y, c * w.y * w.z - s * w.x},
             {c * w.z * w.x - s * w.y, c * w.z * w.y + s * w.x, full + c * w.z * w.z}}};
}

/// Columns made orthonormal one after the other.
template <class Real>
FLOE_HD Mat3<Real> gramSchmidtRotation(const Mat3<Real>& A)
{
    const auto unit = [](const Vec3<Real>& a, const Vec3<Real>& otherwise) {
        const Real size = physics::length(a);
        return size > 0 ? (1 / size) * a : otherwise;
    };
    const Vec3<Real> x = unit(A.column(0), {1, 0, 0});
    const Vec3<Real> b = A.column(1) - physics::dot(A.column(1), x) * x;
    const Vec3<Real> aside = std::abs(x.y) < Real(0.9) ? Vec3<Real>{0, 1, 0} : Vec3<Real>{1, 0, 0};
    const Vec3<Real> y = unit(b, unit(physics::cross(aside, x), {0, 1, 0}));
    Mat3<Real> R;
    R.setColumn(0, x);
    R.setColumn(1, y);
    R.setColumn(2, physics::cross(x, y));
    return R;
}

/// R of A = R S; for determinants above 0 (matter that is not turned inside out).
template <class Real>
FLOE_HD Mat3<Real> polarRotation(const Mat3<Real>& A)
{
    Mat3<Real> S = physics::transpose(A) * A, V = Mat3<Real>::identity();
    for (int sweep = 0; sweep < 10; ++sweep)
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (S[p][q] == 0)
                    continue;
                const Real theta = (S[q][q] - S[p][p]) / (2 * S[p][q]);
                const Real t =
                    (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const Real c = 1 / std::sqrt(t * t + 1), s = t * c;
                Mat3<Real> J = Mat3<Real>::identity();
                J[p][p] = J[q][q] = c;
                J[p][q] = s;
                J[q][p] = -s;
                S = physics::transpose(J) * S * J;
                V = V * J;
            }
    Real least(1e-30);
    for (int k = 0; k < 3; ++k)
        least = physics::max(S[k][k], least);
    least = Real(1e-12) * least;
    Mat3<Real> D = Mat3<Real>::identity();
    for (int k = 0; k < 3; ++k)
        D[k][k] = 1 / std::sqrt(physics::max(S[k][k], least));
    return A * V * D * physics::transpose(V);
}

/// Turns R towards A by w = sum r_i x a_i / (|sum r_i . a_i| + epsilon) until it no longer moves.
template <class Real>
FLOE_HD Mat3<Real> iterativeRotation(const Mat3<Real>& A, Mat3<Real> R, int iterations = 20)
{
    for (int k = 0; k < iterations; ++k) {
        Vec3<Real> w{0, 0, 0};
        Real along = 0;
        for (int i = 0; i < 3; ++i) {
            w = w + physics::cross(R.column(i), A.column(i));
            along += physics::dot(R.column(i), A.column(i));
        }
        w = (1 / (std::abs(along) + Real(1e-9))) * w;
        if (physics::length(w) < Real(1e-9))
            break;
        R = rotationAbout(w) * R;
    }
    return gramSchmidtRotation(R); // rounding does not add up from step to step
}

template <class Real>
FLOE_HD Mat3<Real> nearestRotation(RotationMethod method, const Mat3<Real>& A,
                                   const Mat3<Real>& last)
{
    switch (method) {
    case RotationMethod::gramSchmidt:
        return gramSchmidtRotation(A);
    case RotationMethod::polar:
        return polarRotation(A);
    case RotationMethod::iterative:
        break;
    }
    return iterativeRotation(A, last);
}

} // namespace floe::pbd
