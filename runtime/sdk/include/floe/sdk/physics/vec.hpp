/// Small vectors and matrices over a lane type. Matrices are row-major: `m[row][column]`.
#pragma once

#include <floe/sdk/physics/lane.hpp>

namespace floe::physics {
inline namespace FLOE_ISA {

template <class Real>
struct Vec3 {
    Real x, y, z;

    FLOE_HD Real& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }
    FLOE_HD const Real& operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};

template <class Real>
FLOE_HD Vec3<Real> operator+(const Vec3<Real>& a, const Vec3<Real>& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
FLOE_HD Vec3<Real> operator-(const Vec3<Real>& a, const Vec3<Real>& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
FLOE_HD Vec3<Real> operator*(Real s, const Vec3<Real>& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
FLOE_HD Real dot(const Vec3<Real>& a, const Vec3<Real>& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
FLOE_HD Vec3<Real> cross(const Vec3<Real>& a, const Vec3<Real>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class Real>
FLOE_HD Real length(const Vec3<Real>& a)
{
    return sqrt(dot(a, a));
}
template <class Real>
FLOE_HD Real sum(const Vec3<Real>& a)
{
    return a.x + a.y + a.z;
}
template <class Real>
FLOE_HD Vec3<Real> select(MaskOf<Real> mask, const Vec3<Real>& a, const Vec3<Real>& b)
{
    return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

template <class Real>
struct Mat3 {
    Real m[3][3];

    FLOE_HD Real* operator[](int row) { return m[row]; }
    FLOE_HD const Real* operator[](int row) const { return m[row]; }
    FLOE_HD Vec3<Real> column(int c) const { return {m[0][c], m[1][c], m[2][c]}; }
    FLOE_HD void setColumn(int c, const Vec3<Real>& a)
    {
        m[0][c] = a.x;
        m[1][c] = a.y;
        m[2][c] = a.z;
    }

    static FLOE_HD Mat3 identity()
    {
        const Real one(1), zero(0);
        return {{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    }
    static FLOE_HD Mat3 diagonal(const Vec3<Real>& d)
    {
        const Real zero(0);
        return {{{d.x, zero, zero}, {zero, d.y, zero}, {zero, zero, d.z}}};
    }
};

template <class Real>
FLOE_HD Mat3<Real> operator+(const Mat3<Real>& a, const Mat3<Real>& b)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = a[i][j] + b[i][j];
    return r;
}
template <class Real>
FLOE_HD Mat3<Real> operator-(const Mat3<Real>& a, const Mat3<Real>& b)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = a[i][j] - b[i][j];
    return r;
}
template <class Real>
FLOE_HD Mat3<Real> operator*(Real s, const Mat3<Real>& a)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = s * a[i][j];
    return r;
}
template <class Real>
FLOE_HD Mat3<Real> operator*(const Mat3<Real>& a, const Mat3<Real>& b)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    return r;
}
template <class Real>
FLOE_HD Vec3<Real> operator*(const Mat3<Real>& a, const Vec3<Real>& b)
{
    return {a[0][0] * b.x + a[0][1] * b.y + a[0][2] * b.z,
            a[1][0] * b.x + a[1][1] * b.y + a[1][2] * b.z,
            a[2][0] * b.x + a[2][1] * b.y + a[2][2] * b.z};
}
template <class Real>
FLOE_HD Mat3<Real> transpose(const Mat3<Real>& a)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = a[j][i];
    return r;
}
template <class Real>
FLOE_HD Real trace(const Mat3<Real>& a)
{
    return a[0][0] + a[1][1] + a[2][2];
}
/// The matrix of cofactors: determinant(a) times the inverse transpose, defined for singular a too.
template <class Real>
FLOE_HD Mat3<Real> cofactor(const Mat3<Real>& a)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        FLOE_UNROLL
        for (int j = 0; j < 3; ++j) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            r[i][j] = a[i1][j1] * a[i2][j2] - a[i1][j2] * a[i2][j1];
        }
    }
    return r;
}
template <class Real>
FLOE_HD Real determinant(const Mat3<Real>& a)
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}
template <class Real>
FLOE_HD Real squaredNorm(const Mat3<Real>& a)
{
    Real s(0);
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        s = s + a[i][j] * a[i][j];
    return s;
}
template <class Real>
FLOE_HD Mat3<Real> select(MaskOf<Real> mask, const Mat3<Real>& a, const Mat3<Real>& b)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = select(mask, a[i][j], b[i][j]);
    return r;
}

/// A symmetric matrix, such as a stress.
template <class Real>
struct Sym3 {
    Real xx, xy, xz, yy, yz, zz;

    FLOE_HD Mat3<Real> matrix() const { return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}}; }
};

template <class Real>
FLOE_HD Real trace(const Sym3<Real>& a)
{
    return a.xx + a.yy + a.zz;
}
template <class Real>
FLOE_HD Sym3<Real> operator*(Real s, const Sym3<Real>& a)
{
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
}
/// a with d added on the diagonal.
template <class Real>
FLOE_HD Sym3<Real> addDiagonal(const Sym3<Real>& a, Real d)
{
    return {a.xx + d, a.xy, a.xz, a.yy + d, a.yz, a.zz + d};
}
/// a a^T
template <class Real>
FLOE_HD Sym3<Real> timesOwnTranspose(const Mat3<Real>& a)
{
    return {a[0][0] * a[0][0] + a[0][1] * a[0][1] + a[0][2] * a[0][2],
            a[0][0] * a[1][0] + a[0][1] * a[1][1] + a[0][2] * a[1][2],
            a[0][0] * a[2][0] + a[0][1] * a[2][1] + a[0][2] * a[2][2],
            a[1][0] * a[1][0] + a[1][1] * a[1][1] + a[1][2] * a[1][2],
            a[1][0] * a[2][0] + a[1][1] * a[2][1] + a[1][2] * a[2][2],
            a[2][0] * a[2][0] + a[2][1] * a[2][1] + a[2][2] * a[2][2]};
}
/// U diag(d) U^T
template <class Real>
FLOE_HD Sym3<Real> conjugateDiagonal(const Mat3<Real>& U, const Vec3<Real>& d)
{
    Mat3<Real> Ud;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i) {
        Ud[i][0] = U[i][0] * d.x;
        Ud[i][1] = U[i][1] * d.y;
        Ud[i][2] = U[i][2] * d.z;
    }
    return {Ud[0][0] * U[0][0] + Ud[0][1] * U[0][1] + Ud[0][2] * U[0][2],
            Ud[0][0] * U[1][0] + Ud[0][1] * U[1][1] + Ud[0][2] * U[1][2],
            Ud[0][0] * U[2][0] + Ud[0][1] * U[2][1] + Ud[0][2] * U[2][2],
            Ud[1][0] * U[1][0] + Ud[1][1] * U[1][1] + Ud[1][2] * U[1][2],
            Ud[1][0] * U[2][0] + Ud[1][1] * U[2][1] + Ud[1][2] * U[2][2],
            Ud[2][0] * U[2][0] + Ud[2][1] * U[2][1] + Ud[2][2] * U[2][2]};
}
/// U diag(d) V^T
template <class Real>
FLOE_HD Mat3<Real> compose(const Mat3<Real>& U, const Vec3<Real>& d, const Mat3<Real>& V)
{
    Mat3<Real> r;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        r[i][j] = U[i][0] * d.x * V[j][0] + U[i][1] * d.y * V[j][1] + U[i][2] * d.z * V[j][2];
    return r;
}

} // namespace FLOE_ISA
} // namespace floe::physics
