/// Where fluid and solids touch: interface quadrature (Fang et al. 2020).
#pragma once

#include "fluid/fluid.hpp"
#include "solid.hpp"

#include <cstdint>
#include <vector>

namespace floe::coupled {

/// A solid particle beside the fluid: a point in which both move alike along the normal.
struct InterfacePoint {
    std::uint32_t bin, particle; ///< of the solid
    Vec3f normal;                ///< of the solid's surface
    float area;                  ///< [m^2]
};

struct Interface {
    std::vector<InterfacePoint> points; ///< in the order of the solid's particles
    /// The fluid, with a share of its mass in the interface points, so that it has faces there:
    /// what scatters. Those shares are particles without volume.
    Fluid shared{1};
};

/// Finds the solid particles with fluid within half a cell. Each fluid particle's mass is shared
/// equally between itself and the solid particles around it.
Interface findInterface(const Fluid& fluid, const Solid& solid, Executor& executor);

} // namespace floe::coupled
