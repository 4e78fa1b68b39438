/// The smoothing kernel of liquids.
#pragma once

#include "floe/sdk/physics/vec.hpp"

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

} // namespace floe::pbd
