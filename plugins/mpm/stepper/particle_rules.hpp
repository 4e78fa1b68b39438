/// Rules for particles and blocks that every backend applies in its own loops. For kernels too:
/// nothing here may use the C++ library.
#pragma once

#include <floe/sdk/physics/lane.hpp>

namespace floe::mpm::rules {
inline namespace FLOE_ISA {

/// Returns the speed that bounds the step [m/s]: of the fastest wave and, with viscosity, that at
/// which shear spreads over a cell.
/// @param waveModulus  [Pa]  @param specific  stiffness factor over density at rest [m^3/kg]
/// @param viscosity    [Pa s]  @param cellSize  [m]
template <class Real>
FLOE_HD Real signalSpeed(Real waveModulus, Real specific, float viscosity, float cellSize)
{
    using physics::max;
    using physics::sqrt;
    return sqrt(max(waveModulus * specific, Real(0.0f))) +
           Real(4.0f * viscosity / cellSize) * specific;
}

/// Returns how long a block's particles have been slower than the rest speed, after a step [s].
/// @param before  that before the step [s]  @param speed  of its fastest particle [m/s]
FLOE_HD float restTimeAfter(float before, float speed, float restSpeed, float dt)
{
    return speed < restSpeed ? before + dt : 0.0f;
}

} // namespace FLOE_ISA
} // namespace floe::mpm::rules
