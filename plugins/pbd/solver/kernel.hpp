/// The smoothing kernel of liquids.
#pragma once

#include "floe/sdk/physics/vec.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

/// Cubic spline (Monaghan 1992) of radius h, without its factor: W = factor * shape(r / h) / h^3.
/// One kernel for densities and gradients: a gradient of another would not be that of the density.
template <class Real>
FLOE_HD Real kernelShape(Real q)
{
    using namespace physics;
    const Real inner = Real(1) + Real(6) * q * q * (q - Real(1));
    const Real outer = max(Real(1) - q, Real(0));
    return select(q < Real(0.5f), inner, Real(2) * outer * outer * outer);
}
/// d kernelShape / dq
template <class Real>
FLOE_HD Real kernelSlope(Real q)
{
    using namespace physics;
    const Real outer = max(Real(1) - q, Real(0));
    return select(q < Real(0.5f), Real(6) * q * (Real(3) * q - Real(2)), Real(-6) * outer * outer);
}
/// kernelSlope(q) / q, finite at 0
template <class Real>
FLOE_HD Real kernelPull(Real q)
{
    using namespace physics;
    const Real outer = max(Real(1) - q, Real(0));
    return select(q < Real(0.5f), Real(18) * q - Real(12),
                  Real(-6) * outer * outer / max(q, Real(0.5f)));
}

/// The share of a kernel that lies behind a plane, q = its distance over the kernel's radius.
FLOE_HD float shareBehind(float distance)
{
    const float q = physics::abs(distance);
    const float u = physics::max(1 - q, 0.0f), u2 = u * u, q2 = q * q;
    const float beyond = q < 0.5f ? 0.5f - q * (1.4f - q2 * (8.0f / 3 - q2 * (4.8f - 3.2f * q)))
                                  : u2 * u2 * u * (1.6f - 16.0f / 15 * u);
    return distance < 0 ? 1 - beyond : beyond;
}
/// d shareBehind / dq
FLOE_HD float shareSlope(float q)
{
    q = physics::abs(q);
    const float u = physics::max(1 - q, 0.0f), u2 = u * u, q2 = q * q;
    return q < 0.5f ? -(1.4f - q2 * (8 - q2 * (24 - 19.2f * q))) : -u2 * u2 * (8 - 6.4f * u);
}

/// The factor with which a cubic lattice of cubes has exactly its density.
/// @param support  h in half edges of a cube, 2 to 16
inline float latticeFactor(double support)
{
    const int reach = static_cast<int>(support / 2) + 1;
    double sum = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x)
                sum += kernelShape(2 * std::sqrt(double(x * x + y * y + z * z)) / support);
    return static_cast<float>(support * support * support / (8 * sum));
}

/// By how much farther a wall counts, in the kernel's radii, for a lattice whose first cubes touch
/// it to have exactly its density: shareBehind() is that of a continuum.
/// @param support  h in half edges of a cube, 2 to 16
inline float latticeShift(double support)
{
    const int reach = static_cast<int>(support / 2) + 1;
    double behind = 0, sum = 0;
    for (int z = -reach; z <= reach; ++z)
        for (int y = -reach; y <= reach; ++y)
            for (int x = -reach; x <= reach; ++x) {
                const double shape =
                    kernelShape(2 * std::sqrt(double(x * x + y * y + z * z)) / support);
                sum += shape;
                behind += z < 0 ? shape : 0;
            }
    float low = 0, high = 1;
    for (int k = 0; k < 24; ++k) {
        const float q = 0.5f * (low + high);
        (double{shareBehind(q)} > behind / sum ? low : high) = q;
    }
    return low - static_cast<float>(1 / support);
}

} // namespace floe::pbd
