#include "merging.hpp"

#include <cmath>
#include <limits>

namespace floe::pbd {

namespace {

/// Cubes of one size. Those that are not full count as infinitely far outside.
struct Level {
    VoxelSize size;
    std::vector<float> distance;
    std::vector<physics::Vec3<float>> gradient;

    std::size_t number(int x, int y, int z) const
    {
        return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size[1]) +
                static_cast<std::size_t>(y)) *
                   static_cast<std::size_t>(size[0]) +
               static_cast<std::size_t>(x);
    }
};

constexpr float kNone = std::numeric_limits<float>::infinity();

/// The next level; what is merged is taken out of `fine`.
Level merge(Level& fine, float threshold, int level)
{
    Level coarse;
    for (std::size_t axis = 0; axis < 3; ++axis)
        coarse.size[axis] = fine.size[axis] / 2;
    const auto [nx, ny, nz] = coarse.size;
    const std::size_t count =
        static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
    coarse.distance.assign(count, kNone);
    coarse.gradient.resize(count);
    const float inwards = std::sqrt(3.0f) * 0.25f * static_cast<float>(1 << level);
    for (int z = 0; z < nz; ++z)
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                std::size_t child[8], outermost = 0;
                bool all = true;
                for (int k = 0; k < 8; ++k) {
                    child[k] = fine.number(2 * x + (k & 1), 2 * y + (k >> 1 & 1), 2 * z + (k >> 2));
                    all = all && fine.distance[child[k]] < threshold;
                    if (k == 0 || fine.distance[child[k]] > fine.distance[outermost])
                        outermost = child[k];
                }
                if (!all)
                    continue;
                const std::size_t i = coarse.number(x, y, z);
                coarse.distance[i] = fine.distance[outermost] - inwards;
                coarse.gradient[i] = fine.gradient[outermost];
                for (const std::size_t merged : child)
                    fine.distance[merged] = kNone;
            }
    return coarse;
}

} // namespace

bool touchesEmpty(const VoxelSet& voxels, int x, int y, int z)
{
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (!voxels.test(x + dx, y + dy, z + dz))
                    return true;
    return false;
}

std::vector<MergedVoxel> mergeVoxels(const VoxelSet& voxels, const DistanceField& field,
                                     float threshold)
{
    Level present{field.size, field.distance, field.gradient};
    for (int z = 0; z < field.size[2]; ++z)
        for (int y = 0; y < field.size[1]; ++y)
            for (int x = 0; x < field.size[0]; ++x)
                if (!voxels.test(x, y, z))
                    present.distance[present.number(x, y, z)] = kNone;
    std::vector<MergedVoxel> merged;
    for (int level = 0;; ++level) {
        const bool last = present.size[0] < 2 || present.size[1] < 2 || present.size[2] < 2;
        Level next;
        if (!last)
            next = merge(present, threshold, level + 1);
        for (int z = 0; z < present.size[2]; ++z)
            for (int y = 0; y < present.size[1]; ++y)
                for (int x = 0; x < present.size[0]; ++x) {
                    const std::size_t i = present.number(x, y, z);
                    if (present.distance[i] < kNone)
                        merged.push_back({level,
                                          {x, y, z},
                                          present.distance[i],
                                          present.gradient[i],
                                          level == 0 && touchesEmpty(voxels, x, y, z)});
                }
        if (last)
            return merged;
        present = std::move(next);
    }
}

} // namespace floe::pbd
