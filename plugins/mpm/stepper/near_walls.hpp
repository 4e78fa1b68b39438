/// Where a domain's walls are, as the rules of liquid_volume.hpp need them.
#pragma once

#include "liquid_volume.hpp"

#include <floe/sdk/world/domain.hpp>

namespace floe::mpm {

/// Returns the walls near a block; none for axes that the domain's are not along.
/// @param cellSize  [m]  @param block  its coordinate
FLOE_HD NearWalls nearWalls(const sdk::world::Domain& domain, double cellSize,
                            const std::int32_t* block)
{
    NearWalls walls;
    for (int face = 0; face < 6; ++face) {
        if (!domain.isWall(face))
            continue;
        const double inwards = sdk::world::Domain::sideOf(face);
        for (int axis = 0; axis < 3; ++axis) {
            const double along = domain.axes[axis][face / 2];
            if (!(along > 1 - 1e-12 || along < -(1 - 1e-12)))
                continue;
            const double side = inwards * along;
            const double at =
                (domain.center[axis] - (side > 0 ? 1 : -1) * domain.halfSize[face / 2]) / cellSize;
            const double from = at - sdk::grid::kBlockEdge * static_cast<double>(block[axis]);
            (side > 0 ? walls.low : walls.high)[axis] = static_cast<float>(from);
        }
    }
    return walls;
}

} // namespace floe::mpm
