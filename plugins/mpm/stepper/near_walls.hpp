/// Where a domain's walls are, as the rules of liquid_volume.hpp need them.
#pragma once

#include "liquid_volume.hpp"

#include <floe/sdk/world/domain.hpp>
#include <floe/sdk/world/mirror.hpp>

namespace floe::mpm {

/// Returns the walls near a block behind which nodes lack mass; none for axes that the domain's are
/// not along.
/// @param mirror  walls at which nodes have the mass of images, too (MirrorAxis::whole())
/// @param cellSize  [m]  @param block  its coordinate
FLOE_HD NearWalls nearWalls(const sdk::world::Domain& domain, const sdk::world::MirrorWalls& mirror,
                            double cellSize, const std::int32_t* block)
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
            if (mirror.axis(axis).isWhole(side > 0 ? 1 : -1))
                continue;
            const double at =
                (domain.center[axis] - (side > 0 ? 1 : -1) * domain.halfSize[face / 2]) / cellSize;
            const double from = at - sdk::grid::kBlockEdge * static_cast<double>(block[axis]);
            (side > 0 ? walls.low : walls.high)[axis] = static_cast<float>(from);
        }
    }
    return walls;
}

} // namespace floe::mpm
