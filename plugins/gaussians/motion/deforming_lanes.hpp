/// What deforming.hpp does, for one lane type: single Gaussians or several side by side.
#pragma once

#include "motion/deforming.hpp"

#include "floe/sdk/physics/svd.hpp"
#include "floe/sdk/physics/twin.hpp"

#include <algorithm>

namespace floe::gaussians {
inline namespace FLOE_ISA {

using physics::Mat3;
using physics::Vec3;

/// x, y, z, w
template <class Real>
struct Turn {
    Real q[4];
};

template <class Real>
FLOE_HD Turn<Real> select(physics::MaskOf<Real> mask, const Turn<Real>& a, const Turn<Real>& b)
{
    Turn<Real> result;
    for (int k = 0; k < 4; ++k)
        result.q[k] = select(mask, a.q[k], b.q[k]);
    return result;
}

/// The quaternion of a rotation, of length 1. Of four ways to compute it, each lane takes the one
/// whose largest part is largest: nothing is divided by what may vanish (Shepperd 1978).
template <class Real>
FLOE_HD Turn<Real> turnOf(const Mat3<Real>& R)
{
    const Real one(1);
    const Real w = one + R[0][0] + R[1][1] + R[2][2], x = one + R[0][0] - R[1][1] - R[2][2],
               y = one - R[0][0] + R[1][1] - R[2][2], z = one - R[0][0] - R[1][1] + R[2][2];
    const Real a = R[2][1] - R[1][2], b = R[0][2] - R[2][0], c = R[1][0] - R[0][1];
    const Real d = R[0][1] + R[1][0], e = R[0][2] + R[2][0], f = R[1][2] + R[2][1];
    Turn<Real> q = {{a, b, c, w}};
    Real largest = w;
    const auto prefer = [&](const Real& size, const Turn<Real>& other) {
        const auto better = size > largest;
        q = select<Real>(better, other, q);
        largest = max(size, largest);
    };
    prefer(x, {{x, d, e, a}});
    prefer(y, {{d, y, f, b}});
    prefer(z, {{e, f, z, c}});
    Real square(0);
    for (const Real& part : q.q)
        square = square + part * part;
    const Real scale = one / sqrt(max(square, Real(1e-30f)));
    for (Real& part : q.q)
        part = part * scale;
    return q;
}

/// @param q  of length 1
template <class Real>
FLOE_HD Mat3<Real> matrixOf(const Turn<Real>& turn)
{
    const Real one(1), two(2), x = turn.q[0], y = turn.q[1], z = turn.q[2], w = turn.q[3];
    return {{{one - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)},
             {two * (x * y + w * z), one - two * (x * x + z * z), two * (y * z - w * x)},
             {two * (x * z - w * y), two * (y * z + w * x), one - two * (x * x + y * y)}}};
}

/// The rotation b, then the rotation a.
template <class Real>
FLOE_HD Turn<Real> times(const Turn<Real>& p, const Turn<Real>& r)
{
    const Real *a = p.q, *b = r.q;
    return {{a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
             a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
             a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
             a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]}};
}

template <class Real>
struct Shape {
    Vec3<Real> scale;
    Turn<Real> rotation;
};

/// A = M M^T with M = F R0 diag(scale); F A F^T has the axes of M's left singular vectors.
template <class Real>
FLOE_HD Shape<Real> stretched(const Mat3<Real>& F, const Shape<Real>& rest, Real maxStretch)
{
    const Real longest = max(rest.scale.x, max(rest.scale.y, rest.scale.z));
    const auto hasSize = longest > Real(0);
    const Real inverse = Real(1) / select(hasSize, longest, Real(1));
    Mat3<Real> M = F * matrixOf(rest.rotation);
    FLOE_UNROLL
    for (int row = 0; row < 3; ++row)
        FLOE_UNROLL
    for (int axis = 0; axis < 3; ++axis)
        M[row][axis] = M[row][axis] * (rest.scale[axis] * inverse);
    const physics::Svd<Real> parts = physics::svd(M);
    Shape<Real> result;
    for (int axis = 0; axis < 3; ++axis)
        result.scale[axis] =
            select(hasSize, longest * min(abs(parts.sigma[axis]), maxStretch), rest.scale[axis]);
    result.rotation = select<Real>(hasSize, turnOf(parts.U), rest.rotation);
    return result;
}

/// Numbers of several Gaussians, `Size` of each in memory, as lanes.
template <int Lanes, int Size>
struct Columns {
    alignas(64) float values[Size][Lanes];

    /// Lanes beyond `used` repeat the last one.
    void load(const float* from, int used)
    {
        for (int lane = 0; lane < Lanes; ++lane)
            for (int k = 0; k < Size; ++k)
                values[k][lane] = from[Size * std::min(lane, used - 1) + k];
    }
    void store(float* to, int used) const
    {
        for (int lane = 0; lane < used; ++lane)
            for (int k = 0; k < Size; ++k)
                to[Size * lane + k] = values[k][lane];
    }
};

FLOE_HD physics::Twin loadTwin(const float* from)
{
    using Half = physics::Twin::Half;
    return {Half::load(from), Half::load(from + physics::kNativeLanes)};
}
FLOE_HD void storeTwin(const physics::Twin& value, float* to)
{
    value.a.store(to);
    value.b.store(to + physics::kNativeLanes);
}

inline void deformLanes(const DeformedBatch& batch)
{
    using Real = physics::Twin; // decompositions are chains of square roots: two fill the gaps
    constexpr int kLanes = physics::LaneTraits<Real>::kLanes;
    Columns<kLanes, 9> gradients;
    Columns<kLanes, 3> scales;
    Columns<kLanes, 4> rotations, turns;
    for (std::size_t first = 0; first < batch.count; first += kLanes) {
        const int used = static_cast<int>(std::min<std::size_t>(kLanes, batch.count - first));
        gradients.load(batch.F + 9 * first, used);
        scales.load(batch.scale + 3 * first, used);
        rotations.load(batch.rotation + 4 * first, used);
        Mat3<Real> F;
        Real size(0);
        for (int k = 0; k < 9; ++k) {
            F[k / 3][k % 3] = loadTwin(gradients.values[k]);
            size = size + abs(F[k / 3][k % 3]);
        }
        const auto usable = size < Real(1e12f); // false for what is not a number
        F = select<Real>(usable, F, Mat3<Real>::identity());
        Shape<Real> shape;
        for (int axis = 0; axis < 3; ++axis)
            shape.scale[axis] = loadTwin(scales.values[axis]);
        for (int k = 0; k < 4; ++k)
            shape.rotation.q[k] = loadTwin(rotations.values[k]);
        const Shape<Real> rest = shape;
        if (batch.turn || batch.following == Following::Rigid) {
            const Turn<Real> R = turnOf(physics::polarRotation(F));
            if (batch.following == Following::Rigid)
                shape.rotation = times(R, rest.rotation);
            if (batch.turn) {
                for (int k = 0; k < 4; ++k)
                    storeTwin(R.q[k], turns.values[k]);
                turns.store(batch.turn + 4 * first, used);
            }
        }
        if (batch.following == Following::Full)
            shape = stretched(F, rest, Real(batch.maxStretch));
        shape.rotation = select<Real>(usable, shape.rotation, rest.rotation);
        for (int axis = 0; axis < 3; ++axis)
            storeTwin(select(usable, shape.scale[axis], rest.scale[axis]), scales.values[axis]);
        for (int k = 0; k < 4; ++k)
            storeTwin(shape.rotation.q[k], rotations.values[k]);
        scales.store(batch.newScale + 3 * first, used);
        rotations.store(batch.newRotation + 4 * first, used);
    }
}

} // namespace FLOE_ISA
} // namespace floe::gaussians
