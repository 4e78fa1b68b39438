/// Particles of a bin on SIMD lanes. For kernels only: nothing here may use the C++ library.
#pragma once

#include "kernels.hpp"

#include <floe/sdk/grid/stencil.hpp>

namespace floe::mpm {
inline namespace FLOE_ISA {

using namespace sdk::grid::stencil;

/// N particles of a bin.
struct Group {
    float* data;                 ///< their lanes in the bin's first row
    int count;                   ///< number of particles among them; they come first
    const float* C;              ///< their lanes in the first row of C
    const float* stiffness;      ///< null: 1
    const float* surface;        ///< their lanes in its first row; null: there is no tension
    const std::uint64_t* hidden; ///< of these particles, as ScatterTask::hidden; or null
};

FLOE_HD Vec3<Real> loadVector(const float* data, int firstRow)
{
    return {Real::load(data + firstRow * kLanes), Real::load(data + (firstRow + 1) * kLanes),
            Real::load(data + (firstRow + 2) * kLanes)};
}
FLOE_HD void storeVector(float* data, int firstRow, const Vec3<Real>& a)
{
    a.x.store(data + firstRow * kLanes);
    a.y.store(data + (firstRow + 1) * kLanes);
    a.z.store(data + (firstRow + 2) * kLanes);
}
FLOE_HD Mat3<Real> loadMatrix(const float* data, int firstRow)
{
    Mat3<Real> a;
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j] = Real::load(data + (firstRow + 3 * i + j) * kLanes);
    return a;
}
FLOE_HD void storeMatrix(float* data, int firstRow, const Mat3<Real>& a)
{
    FLOE_UNROLL
    for (int i = 0; i < 3; ++i)
        FLOE_UNROLL
    for (int j = 0; j < 3; ++j)
        a[i][j].store(data + (firstRow + 3 * i + j) * kLanes);
}

} // namespace FLOE_ISA
} // namespace floe::mpm
