#include "grid.hpp"
#include "nodes.hpp"

#include "floe/sdk/motion.hpp"
#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>

namespace floe::shapes {

namespace {

void setShape(sdk::Context& context, const Grid& grid)
{
    context.setOutput("shape", volumeValue(grid));
    context.setOutput("mesh", meshValue(surfaceOf(grid)));
}

std::vector<GridRef> gridsOf(const sdk::Context& context, const char* socket)
{
    std::vector<GridRef> grids;
    for (const sdk::Value& value : context.inputs(socket))
        grids.push_back(gridFromValue(value, socket));
    return grids;
}

/// Returns the parameter's value or, when it is 0, the finest voxel size of the inputs.
double chosenVoxelSize(const sdk::Context& context, const std::vector<GridRef>& grids)
{
    double size = context.number("voxelSize");
    if (size > 0)
        return size;
    size = voxelSizeOf(*grids.front());
    for (const GridRef& grid : grids)
        size = std::min(size, voxelSizeOf(*grid));
    return size;
}

void cookCombination(sdk::Context& context, Combination how, const std::vector<GridRef>& grids)
{
    if (grids.empty())
        throw sdk::Failure("nothing is linked to 'shapes'; link at least one shape",
                           FLOE_BAD_ARGUMENT);
    const double voxelSize = chosenVoxelSize(context, grids);
    const double smooth = context.number("smooth");
    GridRef result = grids.front();
    if (grids.size() == 1 && voxelSizeOf(*result) != voxelSize)
        result = rebuilt(context, *result, voxelSize);
    for (std::size_t i = 1; i < grids.size(); ++i) {
        context.throwIfCancelled();
        result = combined(context, how, *result, *grids[i], voxelSize, smooth);
        context.progress(static_cast<double>(i) / static_cast<double>(grids.size()));
    }
    setShape(context, *result);
}

} // namespace

void UnionNode::cook(sdk::Context& context)
{
    cookCombination(context, Combination::Union, gridsOf(context, "shapes"));
}

void IntersectionNode::cook(sdk::Context& context)
{
    cookCombination(context, Combination::Intersection, gridsOf(context, "shapes"));
}

void DifferenceNode::cook(sdk::Context& context)
{
    std::vector<GridRef> grids = gridsOf(context, "shape");
    for (GridRef& cut : gridsOf(context, "cut"))
        grids.push_back(std::move(cut));
    cookCombination(context, Combination::Difference, grids);
}

void TransformNode::cook(sdk::Context& context)
{
    const GridRef grid = gridFromValue(context.input("shape"), "shape");
    const Point translation = context.vector("translation");
    const Point rotation = context.vector("rotation");
    const Point stretch = context.vector("scale");
    const double uniform = context.number("uniformScale");
    const Point pivot = context.vector("pivot");
    const double voxelSize = chosenVoxelSize(context, {grid});

    const Point scale = {stretch[0] * uniform, stretch[1] * uniform, stretch[2] * uniform};
    for (const double factor : scale)
        if (factor == 0)
            throw sdk::Failure("a scale of 0 leaves nothing; give another 'scale'",
                               FLOE_BAD_ARGUMENT);
    if (rotation == Point{} && scale == Point{1, 1, 1} && voxelSize == voxelSizeOf(*grid)) {
        setShape(context, *translated(*grid, translation));
        return;
    }
    Surface surface = surfaceOf(*grid);
    const sdk::Quaternion turn = sdk::fromEuler(rotation);
    for (std::size_t i = 0; i < surface.points.size(); i += 3) {
        Point p;
        for (std::size_t axis = 0; axis < 3; ++axis)
            p[axis] = scale[axis] * (surface.points[i + axis] - pivot[axis]);
        p = sdk::rotate(turn, p);
        for (std::size_t axis = 0; axis < 3; ++axis)
            surface.points[i + axis] =
                static_cast<float>(p[axis] + pivot[axis] + translation[axis]);
    }
    if (scale[0] * scale[1] * scale[2] < 0) // mirrored: reverse the triangles
        for (std::size_t i = 0; i < surface.triangles.size(); i += 3)
            std::swap(surface.triangles[i + 1], surface.triangles[i + 2]);
    context.setOutput("shape", volumeValue(*gridFromSurface(context, surface, voxelSize)));
    context.setOutput("mesh", meshValue(surface));
}

void OffsetNode::cook(sdk::Context& context)
{
    const GridRef grid = gridFromValue(context.input("shape"), "shape");
    const double distance = context.number("distance");
    const double voxelSize = chosenVoxelSize(context, {grid});
    const double reach = std::fabs(distance) / voxelSize + kOutside;
    const GridRef wide = rebuilt(context, *grid, voxelSize, 0, distance > 0 ? reach : kOutside,
                                 distance < 0 ? reach : kOutside);
    setShape(context, *rebuilt(context, *wide, voxelSize, distance));
}

void NoiseNode::cook(sdk::Context& context)
{
    const GridRef grid = gridFromValue(context.input("shape"), "shape");
    const double amount = context.number("amount");
    const double wavelength = context.number("wavelength");
    const double roughness = context.number("roughness");
    const Point shift = context.vector("offset");
    const int octaves = static_cast<int>(context.integer("octaves"));
    const auto seed = static_cast<uint64_t>(context.integer("seed"));
    const double voxelSize = chosenVoxelSize(context, {grid});
    const GridRef fine =
        voxelSize == voxelSizeOf(*grid) ? grid : rebuilt(context, *grid, voxelSize);
    setShape(context, *displaced(context, *fine, std::fabs(amount), [=](const Point& p) {
                 return -amount * sdk::fractalNoise((p[0] + shift[0]) / wavelength,
                                                    (p[1] + shift[1]) / wavelength,
                                                    (p[2] + shift[2]) / wavelength, seed, octaves,
                                                    roughness);
             }));
}

void ResampleNode::cook(sdk::Context& context)
{
    const GridRef grid = gridFromValue(context.input("shape"), "shape");
    setShape(context, *rebuilt(context, *grid, context.number("voxelSize")));
}

} // namespace floe::shapes
