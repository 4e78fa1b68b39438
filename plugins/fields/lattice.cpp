#include "lattice.hpp"

#include "floe/sdk/grid_from_function.hpp"

#include <cmath>
#include <cstdio>

namespace floe::fields {

namespace {

/// Makes a grid of `builder` from the values that differ from its background.
/// @param visit  visit(accessor, voxel, its coordinate)
template <class Number, class Visit>
sdk::Value gridOf(const sdk::Context& context, const Lattice& lattice,
                  nanovdb::GridBuilder<Number>& builder, const Visit& visit)
{
    auto accessor = builder.getAccessor();
    std::size_t voxel = 0;
    for (std::size_t i = 0; i < lattice.size[0]; ++i) {
        context.throwIfCancelled();
        for (std::size_t j = 0; j < lattice.size[1]; ++j)
            for (std::size_t k = 0; k < lattice.size[2]; ++k, ++voxel)
                visit(accessor, voxel,
                      nanovdb::Coord(lattice.low[0] + static_cast<int32_t>(i),
                                     lattice.low[1] + static_cast<int32_t>(j),
                                     lattice.low[2] + static_cast<int32_t>(k)));
    }
    context.throwIfCancelled();
    const auto handle = builder.getHandle(lattice.voxelSize, nanovdb::Vec3d(0), "");
    return sdk::makeVolume(handle.data(), handle.size());
}

} // namespace

Lattice latticeIn(const Point& minimum, const Point& maximum, double voxelSize)
{
    if (!(voxelSize > 0) || !std::isfinite(voxelSize))
        throw sdk::Failure("'voxelSize' must be above 0", FLOE_BAD_ARGUMENT);
    Lattice lattice;
    lattice.voxelSize = voxelSize;
    double voxels = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // Rounding must not lose the voxels on a face.
        const double first = std::ceil(minimum[axis] / voxelSize - 1e-6);
        const double last = std::floor(maximum[axis] / voxelSize + 1e-6);
        constexpr double kFar = 1e9; // of an index, which is 32 bits long
        if (!(first <= last))
            throw sdk::Failure("the box holds no voxel; make it larger or 'voxelSize' smaller",
                               FLOE_BAD_ARGUMENT);
        if (!(std::fabs(first) < kFar && std::fabs(last) < kFar))
            throw sdk::Failure("the box is more than 1e9 voxels away from the origin; make "
                               "'voxelSize' larger",
                               FLOE_BAD_ARGUMENT);
        lattice.low[axis] = static_cast<int32_t>(first);
        voxels *= last - first + 1;
        lattice.size[axis] = static_cast<std::size_t>(last - first) + 1;
    }
    if (voxels > kMaximumVoxels) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "the box holds %.2g voxels, and at most %.2g can be made; set 'voxelSize' "
                      "to %.2g m or more",
                      voxels, kMaximumVoxels,
                      1.02 * voxelSize * std::cbrt(voxels / kMaximumVoxels));
        throw sdk::Failure(text, FLOE_BAD_ARGUMENT);
    }
    return lattice;
}

Lattice latticeOf(const sdk::Context& context)
{
    const Point center = context.vector("center"), size = context.vector("size");
    Point minimum, maximum;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        minimum[axis] = center[axis] - size[axis] / 2;
        maximum[axis] = center[axis] + size[axis] / 2;
    }
    return latticeIn(minimum, maximum, context.number("voxelSize"));
}

sdk::Value vectorVolume(const sdk::Context& context, const Lattice& lattice,
                        std::span<const float> values)
{
    nanovdb::GridBuilder<nanovdb::Vec3f> builder(nanovdb::Vec3f(0.0f));
    return gridOf(context, lattice, builder,
                  [&](auto& accessor, std::size_t voxel, const nanovdb::Coord& at) {
                      const float* v = &values[3 * voxel];
                      if (v[0] != 0 || v[1] != 0 || v[2] != 0)
                          accessor.setValue(at, nanovdb::Vec3f(v[0], v[1], v[2]));
                  });
}

sdk::Value scalarVolume(const sdk::Context& context, const Lattice& lattice,
                        std::span<const float> values, float background, bool levelSet)
{
    nanovdb::GridBuilder<float> builder(background);
    if (levelSet)
        builder.setGridClass(nanovdb::GridClass::LevelSet);
    return gridOf(context, lattice, builder,
                  [&](auto& accessor, std::size_t voxel, const nanovdb::Coord& at) {
                      if (values[voxel] != background && !(levelSet && values[voxel] > background))
                          accessor.setValue(at, values[voxel]);
                  });
}

} // namespace floe::fields
