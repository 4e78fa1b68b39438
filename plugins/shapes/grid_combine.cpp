#include "grid_openvdb.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wextra"
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/ValueTransformer.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cmath>

namespace floe::shapes {

namespace {

openvdb::FloatGrid::Ptr onLattice(const sdk::Context& context, const Grid& grid, double voxelSize,
                                  double width)
{
    const bool fits = grid.vdb->transform() == *latticeOf(voxelSize);
    if (fits && grid.vdb->background() >= static_cast<float>(width * voxelSize * 0.999))
        return grid.vdb;
    return rebuilt(context, grid, voxelSize, 0, width, width)->vdb;
}

/// Minimum of two distances, smoothed where they are similar (quadratic polynomial blend, Quilez).
float smoothMinimum(float a, float b, float radius)
{
    const float h = std::max(radius - std::fabs(a - b), 0.0f) / radius;
    return std::min(a, b) - 0.25f * h * h * radius;
}

} // namespace

GridRef combined(const sdk::Context& context, Combination how, const Grid& a, const Grid& b,
                 double voxelSize, double smooth)
{
    const double width = kOutside + smooth / voxelSize;
    const auto first = onLattice(context, a, voxelSize, width);
    const auto second = onLattice(context, b, voxelSize, width);
    auto result = how == Combination::Union ? openvdb::tools::csgUnionCopy(*first, *second)
                  : how == Combination::Intersection
                      ? openvdb::tools::csgIntersectionCopy(*first, *second)
                      : openvdb::tools::csgDifferenceCopy(*first, *second);
    result->setGridClass(openvdb::GRID_LEVEL_SET);
    // Deep inside, the two may have different constants.
    openvdb::tools::signedFloodFillWithValues(result->tree(), result->background(),
                                              static_cast<float>(kInside * voxelSize));
    if (smooth <= 0)
        return std::make_shared<Grid>(result);

    // Where both distances are within the blend's radius, the sharp result is active.
    const auto radius = static_cast<float>(smooth);
    openvdb::tools::foreach (
        result->beginValueOn(),
        [&](const openvdb::FloatGrid::ValueOnIter& voxel) {
            const auto at = voxel.getCoord();
            const float p = first->tree().getValue(at);
            const float q = second->tree().getValue(at);
            voxel.setValue(how == Combination::Union          ? smoothMinimum(p, q, radius)
                           : how == Combination::Intersection ? -smoothMinimum(-p, -q, radius)
                                                              : -smoothMinimum(-p, q, radius));
        },
        true, true);
    return rebuilt(context, Grid(result), voxelSize);
}

GridRef displaced(const sdk::Context& context, const Grid& grid, double reach,
                  const std::function<double(const Point&)>& amount)
{
    const double voxelSize = voxelSizeOf(grid);
    const double width = kOutside + reach / voxelSize;
    const GridRef wide = rebuilt(context, grid, voxelSize, 0, width, width);
    openvdb::tools::foreach (
        wide->vdb->beginValueOn(),
        [&](const openvdb::FloatGrid::ValueOnIter& voxel) {
            const auto at = voxel.getCoord();
            const double move =
                amount({at.x() * voxelSize, at.y() * voxelSize, at.z() * voxelSize});
            voxel.setValue(*voxel + static_cast<float>(std::clamp(move, -reach, reach)));
        },
        true, true);
    return rebuilt(context, *wide, voxelSize);
}

} // namespace floe::shapes
