#pragma once

/// Reading NanoVDB grids in world space: signed distances and vector fields.
///
/// Conventions of every level set that Floe's nodes make (and expect):
///  - signed distance in metres, negative inside, exact to a fraction of a voxel near the surface;
///  - a narrow band of at least three voxels outside and six inside holds distances; beyond it the
///    value is the constant `background` (outside) or minus the band's depth (inside, in tiles), so
///    the sign is right everywhere and |value| never exceeds the true distance by more than
///    rounding. Level sets from elsewhere may have narrower bands;
///  - many shapes hold exact distances throughout their inside; do not rely on it.
///
/// Needs the NanoVDB headers, nothing else.

#include "floe/sdk/floe.h"

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclass-memaccess"
#endif
#endif
#include <nanovdb/NanoVDB.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <array>
#include <cmath>
#include <cstdint>

namespace floe::sdk {

namespace detail {

/// Value at a world position, trilinear between voxels. `Element` float or nanovdb::Vec3f.
template <class Element>
class GridSampler {
public:
    explicit GridSampler(const nanovdb::NanoGrid<Element>* grid)
        : grid_(grid), accessor_(grid->tree().getAccessor())
    {}

    Element sample(const std::array<double, 3>& position) const
    {
        return sampleAt(indexOf(position));
    }

protected:
    /// @param index  in the space of voxels
    Element sampleAt(const std::array<double, 3>& index) const
    {
        std::array<Element, 8> v;
        std::array<double, 3> t;
        fetch(index, v, t);
        const auto mix = [](double u, const Element& a, const Element& b) {
            return Element(a + (b - a) * static_cast<float>(u));
        };
        return mix(t[0], mix(t[1], mix(t[2], v[0], v[1]), mix(t[2], v[2], v[3])),
                   mix(t[1], mix(t[2], v[4], v[5]), mix(t[2], v[6], v[7])));
    }

    /// Returns a position in the space of voxels.
    std::array<double, 3> indexOf(const std::array<double, 3>& position) const
    {
        // Like worldToIndex(), whose std::fma may be a function call.
        const nanovdb::Map& map = grid_->map();
        std::array<double, 3> index;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double* row = map.mInvMatD + 3 * axis;
            index[axis] = row[0] * (position[0] - map.mVecD[0]) +
                          row[1] * (position[1] - map.mVecD[1]) +
                          row[2] * (position[2] - map.mVecD[2]);
        }
        return index;
    }

    /// The eight voxels around a place (z fastest) and the place's fractions between them.
    void fetch(const std::array<double, 3>& index, std::array<Element, 8>& v,
               std::array<double, 3>& t) const
    {
        int32_t base[3];
        for (int axis = 0; axis < 3; ++axis) {
            // Far outside the grid everything is background; NaN ends up there too.
            const double c = std::fmin(std::fmax(index[axis], -1e9), 1e9);
            const double low = std::floor(c);
            base[axis] = static_cast<int32_t>(low);
            t[axis] = c - low;
        }
        constexpr int kEdge = 8, kLast = kEdge - 1; // of a leaf
        if ((base[0] & kLast) < kLast && (base[1] & kLast) < kLast && (base[2] & kLast) < kLast) {
            // All eight are in one leaf, or in one tile with a single value.
            const nanovdb::Coord first(base[0], base[1], base[2]);
            const auto* leaf = accessor_.probeLeaf(first);
            if (!leaf) {
                v.fill(accessor_.getValue(first));
                return;
            }
            const uint32_t at = leaf->CoordToOffset(first);
            for (uint32_t i = 0; i < 8; ++i)
                v[i] =
                    leaf->getValue(at + (i >> 2) * kEdge * kEdge + (i >> 1 & 1) * kEdge + (i & 1));
            return;
        }
        int n = 0;
        for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b)
                for (int c = 0; c < 2; ++c)
                    v[n++] =
                        accessor_.getValue(nanovdb::Coord(base[0] + a, base[1] + b, base[2] + c));
    }

    const nanovdb::NanoGrid<Element>* grid_;
    nanovdb::DefaultReadAccessor<Element> accessor_;
};

template <class Element>
const nanovdb::NanoGrid<Element>* gridOf(const floe_volume& volume, nanovdb::GridType type)
{
    if (!volume.grid || volume.space != FLOE_SPACE_HOST)
        return nullptr;
    const auto* grid = static_cast<const nanovdb::NanoGrid<Element>*>(volume.grid);
    return grid->gridType() == type ? grid : nullptr;
}

} // namespace detail

/// Signed distance field. Cheap to copy; does not own the volume. A Sampler caches the last place
/// read and must not be shared between threads: make one per thread.
class LevelSet {
public:
    class Sampler : public detail::GridSampler<float> {
    public:
        using GridSampler::GridSampler;

        /// Signed distance [m].
        float distance(const std::array<double, 3>& position) const { return sample(position); }

        /// Gradient, by differences over a voxel about the position; length 1 near the surface of a
        /// good level set, 0 where the distance is constant. The interpolant's own would be that of
        /// one side where the position is a voxel's.
        std::array<double, 3> gradient(const std::array<double, 3>& position) const
        {
            const std::array<double, 3> index = indexOf(position);
            nanovdb::Vec3d slope;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                auto low = index, high = index;
                low[axis] -= 0.5;
                high[axis] += 0.5;
                slope[static_cast<int>(axis)] =
                    static_cast<double>(sampleAt(high)) - static_cast<double>(sampleAt(low));
            }
            const auto world = grid_->indexToWorldGrad(slope);
            return {world[0], world[1], world[2]};
        }
    };

    /// @param volume a float grid in host memory; check valid() afterwards
    explicit LevelSet(const floe_volume& volume)
        : grid_(detail::gridOf<float>(volume, nanovdb::GridType::Float))
    {}

    /// False when the volume is no float grid in host memory; nothing else may then be called.
    bool valid() const { return grid_ != nullptr; }
    const nanovdb::NanoGrid<float>& grid() const { return *grid_; }
    Sampler sampler() const { return Sampler(grid_); }
    /// Edge of a voxel [m].
    double voxelSize() const { return grid_->voxelSize()[0]; }
    /// Distance that stands for "far outside" [m].
    float background() const { return grid_->tree().background(); }
    /// Returns true when no voxel holds a distance: there is no surface.
    bool empty() const { return grid_->activeVoxelCount() == 0; }
    /// World-space box around the voxels that hold distances; contains the whole inside.
    std::array<std::array<double, 3>, 2> bounds() const
    {
        const auto box = grid_->worldBBox();
        return {{{box.min()[0], box.min()[1], box.min()[2]},
                 {box.max()[0], box.max()[1], box.max()[2]}}};
    }
    /// Returns false only when no voxel in the box around a ball holds a distance: the ball is then
    /// wholly inside or wholly outside. For balls that may be larger than the band; visits every
    /// leaf of the box.
    bool mayMeetSurface(const std::array<double, 3>& center, double radius) const
    {
        const nanovdb::Map& map = grid_->map();
        Voxel low, high; // voxels whose values count within the ball
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double* row = map.mInvMatD + 3 * axis;
            const double middle = row[0] * (center[0] - map.mVecD[0]) +
                                  row[1] * (center[1] - map.mVecD[1]) +
                                  row[2] * (center[2] - map.mVecD[2]);
            const double reach = radius * std::hypot(row[0], row[1], row[2]);
            low[axis] = static_cast<int64_t>(std::floor(std::fmax(middle - reach, -1e9)));
            high[axis] = static_cast<int64_t>(std::floor(std::fmin(middle + reach, 1e9))) + 1;
        }
        const auto* root = grid_->tree().root().data();
        for (uint32_t t = 0; t < root->mTableSize; ++t) { // each: 32^3 nodes of 16^3 leaves
            const auto* tile = root->tile(t);
            if (!tile->isChild())
                continue;
            const nanovdb::Coord corner = tile->origin();
            const auto* upper = root->getChild(tile);
            const bool met =
                anyChild(low, high, {corner[0], corner[1], corner[2]}, 7, 5, upper->childMask(),
                         [&](uint32_t n, const Voxel& origin) {
                             const auto* lower = upper->data()->getChild(n);
                             return anyChild(low, high, origin, 3, 4, lower->childMask(),
                                             [](uint32_t, const Voxel&) { return true; });
                         });
            if (met)
                return true;
        }
        return false;
    }

private:
    using Voxel = std::array<int64_t, 3>;

    /// Returns whether `says` holds for any child inside a box, of a node with 2^`count` children
    /// along an edge, each 2^`size` voxels wide.
    template <class Mask, class Says>
    static bool anyChild(const Voxel& low, const Voxel& high, const Voxel& origin, int size,
                         int count, const Mask& children, const Says& says)
    {
        Voxel begin, end; // children that the box overlaps
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int64_t first = low[axis] - origin[axis], last = high[axis] - origin[axis];
            begin[axis] = first > 0 ? first >> size : 0;
            end[axis] = last < 0 ? 0 : (last >> size) + 1;
            if (end[axis] > int64_t{1} << count)
                end[axis] = int64_t{1} << count;
        }
        for (int64_t i = begin[0]; i < end[0]; ++i)
            for (int64_t j = begin[1]; j < end[1]; ++j)
                for (int64_t k = begin[2]; k < end[2]; ++k) {
                    const auto n = static_cast<uint32_t>(((i << count) + j) << count | k);
                    if (children.isOn(n) &&
                        says(n, {origin[0] + (i << size), origin[1] + (j << size),
                                 origin[2] + (k << size)}))
                        return true;
                }
        return false;
    }

    const nanovdb::NanoGrid<float>* grid_;
};

/// Field of vectors (velocity [m/s], acceleration [m/s^2], ...), zero where nothing is stored.
/// Ownership and threads as for LevelSet.
class VectorField {
public:
    class Sampler : public detail::GridSampler<nanovdb::Vec3f> {
    public:
        using GridSampler::GridSampler;

        std::array<double, 3> vector(const std::array<double, 3>& position) const
        {
            const auto v = sample(position);
            return {v[0], v[1], v[2]};
        }
    };

    explicit VectorField(const floe_volume& volume)
        : grid_(detail::gridOf<nanovdb::Vec3f>(volume, nanovdb::GridType::Vec3f))
    {}

    /// Returns false when the volume is not a grid of vectors in host memory.
    bool valid() const { return grid_ != nullptr; }
    const nanovdb::NanoGrid<nanovdb::Vec3f>& grid() const { return *grid_; }
    Sampler sampler() const { return Sampler(grid_); }

private:
    const nanovdb::NanoGrid<nanovdb::Vec3f>* grid_;
};

} // namespace floe::sdk
