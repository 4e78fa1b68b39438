#include "merging.hpp"

#include <cmath>
#include <limits>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

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

template <class Work>
void forLayers(int count, Executor& executor, const Work& work)
{
    executor.parallelFor(static_cast<std::size_t>(count), 1,
                         [&](std::size_t begin, std::size_t end) {
                             for (std::size_t z = begin; z < end; ++z)
                                 work(static_cast<int>(z));
                         });
}

/// The next level; what is merged is taken out of `fine`.
Level merge(Level& fine, float threshold, int level, Executor& executor)
{
    Level coarse;
    for (std::size_t axis = 0; axis < 3; ++axis)
        coarse.size[axis] = fine.size[axis] / 2;
    const int nx = coarse.size[0], ny = coarse.size[1], nz = coarse.size[2];
    const std::size_t count =
        static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
    coarse.distance.assign(count, kNone);
    coarse.gradient.resize(count);
    const float inwards = std::sqrt(3.0f) * 0.25f * static_cast<float>(1 << level);
    forLayers(nz, executor, [&](int z) {
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
    });
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
                                     float threshold, Executor& executor, int maxLevel)
{
    Level present{field.size, field.distance, field.gradient};
    forLayers(field.size[2], executor, [&](int z) {
        for (int y = 0; y < field.size[1]; ++y)
            for (int x = 0; x < field.size[0]; ++x)
                if (!voxels.test(x, y, z))
                    present.distance[present.number(x, y, z)] = kNone;
    });
    std::vector<MergedVoxel> merged;
    for (int level = 0;; ++level) {
        const bool last =
            level >= maxLevel || present.size[0] < 2 || present.size[1] < 2 || present.size[2] < 2;
        Level next;
        if (!last)
            next = merge(present, threshold, level + 1, executor);
        std::vector<std::vector<MergedVoxel>> layers(static_cast<std::size_t>(present.size[2]));
        forLayers(present.size[2], executor, [&](int z) {
            for (int y = 0; y < present.size[1]; ++y)
                for (int x = 0; x < present.size[0]; ++x)
                    if (const std::size_t i = present.number(x, y, z); present.distance[i] < kNone)
                        layers[static_cast<std::size_t>(z)].push_back(
                            {level,
                             {x, y, z},
                             present.distance[i],
                             present.gradient[i],
                             level == 0 && touchesEmpty(voxels, x, y, z)});
        });
        for (const auto& layer : layers)
            merged.insert(merged.end(), layer.begin(), layer.end());
        if (last)
            return merged;
        present = std::move(next);
    }
}

} // namespace floe::pbd
