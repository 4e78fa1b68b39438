#pragma once

/// Small NanoVDB grids out of functions: a shape, a force field, a velocity.
///
/// Needs the NanoVDB headers (Debian: libnanovdb-dev). Floe reads grids of NanoVDB's format 32
/// (kNanoVdbFormat), which OpenVDB 9, 10 and 11 write; make_volume refuses others and says why.

#include "floe/sdk/level_set.hpp"
#include "floe/sdk/node.hpp"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#endif
#include <nanovdb/util/GridBuilder.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace floe::sdk {

/// Format of the grids that these functions make and that Floe reads: NanoVDB's major version.
inline constexpr int kNanoVdbFormat = 32;
static_assert(NANOVDB_MAJOR_VERSION_NUMBER == kNanoVdbFormat,
              "Floe reads grids of NanoVDB's format 32: use the headers of OpenVDB 9, 10 or 11");

/// Largest number of voxels that makeLevelSet and makeVectorField fill.
inline constexpr double kMaxFunctionVoxels = 1 << 26;

namespace detail {

/// Voxels whose centres lie in a box.
struct VoxelBox {
    std::array<std::int32_t, 3> low{}, high{};

    /// @throws Failure  the box or the voxels are unusable
    VoxelBox(const Vector& minimum, const Vector& maximum, double voxelSize)
    {
        if (!(voxelSize > 0) || !std::isfinite(voxelSize))
            throw Failure("a grid's voxel size must be above 0", FLOE_BAD_ARGUMENT);
        double voxels = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double first = std::ceil(minimum[axis] / voxelSize - 1e-6);
            const double last = std::floor(maximum[axis] / voxelSize + 1e-6);
            constexpr double kFar = 1e9; // of an index, which is 32 bits long
            if (!(first <= last) || !(std::abs(first) < kFar && std::abs(last) < kFar))
                throw Failure("a grid's box is empty or too far away", FLOE_BAD_ARGUMENT);
            voxels *= last - first + 1;
            low[axis] = static_cast<std::int32_t>(first);
            high[axis] = static_cast<std::int32_t>(last);
        }
        if (voxels > kMaxFunctionVoxels)
            throw Failure("a grid of " + std::to_string(static_cast<long long>(voxels)) +
                              " voxels is too large to be made of a function; use larger voxels",
                          FLOE_BAD_ARGUMENT);
    }

    /// visit(index, position) of every voxel.
    template <class Visit>
    void each(double voxelSize, const Visit& visit) const
    {
        for (std::int32_t i = low[0]; i <= high[0]; ++i)
            for (std::int32_t j = low[1]; j <= high[1]; ++j)
                for (std::int32_t k = low[2]; k <= high[2]; ++k)
                    visit(nanovdb::Coord(i, j, k),
                          Vector{i * voxelSize, j * voxelSize, k * voxelSize});
    }
    bool isFace(const nanovdb::Coord& index) const
    {
        for (int axis = 0; axis < 3; ++axis) {
            const auto n = static_cast<std::size_t>(axis);
            if (index[axis] == low[n] || index[axis] == high[n])
                return true;
        }
        return false;
    }
};

template <class Builder>
Value volumeOf(Builder& builder, double voxelSize)
{
    const auto handle = builder.getHandle(voxelSize, nanovdb::Vec3d(0), "");
    return makeVolume(handle.data(), handle.size());
}

} // namespace detail

/// A shape as a level set.
/// @param distance   double(Vector position [m]): signed distance [m], negative inside
/// @param minimum    of a box [m] that holds the shape and three voxels more on every side
/// @param maximum    of that box [m]
/// @param voxelSize  [m]
/// @throws Failure   the box is unusable or cuts through the shape, or the host refuses the grid
template <class Function>
Value makeLevelSet(const Function& distance, const Vector& minimum, const Vector& maximum,
                   double voxelSize)
{
    constexpr double kBand = 3; // voxels outside
    const detail::VoxelBox box(minimum, maximum, voxelSize);
    // Beyond the box nothing is nearer than on its faces.
    double outside = HUGE_VAL;
    box.each(voxelSize, [&](const nanovdb::Coord& index, const Vector& at) {
        if (box.isFace(index))
            outside = std::min(outside, static_cast<double>(distance(at)));
    });
    if (!(outside >= (kBand - 0.5) * voxelSize))
        throw Failure("a level set's box must hold the shape and three voxels more on every side",
                      FLOE_BAD_ARGUMENT);
    nanovdb::GridBuilder<float> builder(static_cast<float>(outside));
    auto accessor = builder.getAccessor();
    box.each(voxelSize, [&](const nanovdb::Coord& index, const Vector& at) {
        const auto value = static_cast<double>(distance(at));
        if (!(value >= outside))
            accessor.setValue(index, static_cast<float>(value));
    });
    builder.setGridClass(nanovdb::GridClass::LevelSet);
    return detail::volumeOf(builder, voxelSize);
}

/// A field of vectors: an acceleration [m/s^2], a velocity [m/s]. Outside the box it is 0.
/// @param vector     Vector(Vector position [m])
/// @param minimum    of the box that it fills [m]
/// @param maximum    of that box [m]
/// @param voxelSize  [m]
/// @throws Failure   the box is unusable, or the host refuses the grid
template <class Function>
Value makeVectorField(const Function& vector, const Vector& minimum, const Vector& maximum,
                      double voxelSize)
{
    const detail::VoxelBox box(minimum, maximum, voxelSize);
    nanovdb::GridBuilder<nanovdb::Vec3f> builder(nanovdb::Vec3f(0.0f));
    auto accessor = builder.getAccessor();
    box.each(voxelSize, [&](const nanovdb::Coord& index, const Vector& at) {
        const Vector value = vector(at);
        accessor.setValue(index,
                          nanovdb::Vec3f(static_cast<float>(value[0]), static_cast<float>(value[1]),
                                         static_cast<float>(value[2])));
    });
    return detail::volumeOf(builder, voxelSize);
}

} // namespace floe::sdk
