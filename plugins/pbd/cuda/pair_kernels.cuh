#pragma once

/// Pairs of spheres that touch, as neighbours/sorted_grid.cpp finds them; cells are found by a
/// hash. The smaller of a pair asks for the larger, of two of one grid the one before.

#include "matter.cuh"

#include "neighbours/sphere_cells.hpp"

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

struct SphereGrid {
    std::uint32_t count;
    const Vec3f* center;
    const float* radius;
    const std::uint32_t* group;
    SphereCells cells;
    std::uint32_t levels;  ///< a bit for each that has spheres
    std::uint32_t buckets; ///< a power of two
    std::uint32_t *bucketCount, *bucketBegin;
    std::uint32_t* sphere; ///< of all buckets, in any order
    std::uint64_t* key;    ///< of their cells

    FLOE_HD std::uint32_t bucketOf(std::uint64_t cell) const
    {
        constexpr std::uint64_t kMask = (1u << SphereCells::kBits) - 1;
        const auto part = [&](int number) {
            return static_cast<std::uint32_t>(cell >> number * SphereCells::kBits & kMask);
        };
        return (part(0) + 19349663u * part(1) + 83492791u * part(2) + 73856093u * part(3)) &
               (buckets - 1);
    }
    __device__ bool touch(std::uint32_t a, std::uint32_t b) const
    {
        const Vec3f d = center[a] - center[b];
        const float reach = radius[a] + radius[b];
#if FLOE_CUDA_EMULATED
        return physics::dot(d, d) < reach * reach;
#else // nothing fused: the host decides alike
        return __fadd_rn(__fadd_rn(__fmul_rn(d.x, d.x), __fmul_rn(d.y, d.y)), __fmul_rn(d.z, d.z)) <
               __fmul_rn(reach, reach);
#endif
    }
    /// Calls work(pair) for those that a sphere finds.
    template <class Work>
    __device__ void forPairs(std::uint32_t own, const Work& work) const
    {
        const Vec3f x = center[own];
        const float r = radius[own];
        const std::uint32_t ownGroup = group[own];
        const int ownLevel = cells.levelOf(r);
        for (int level = ownLevel; level < SphereCells::kLevels; ++level) {
            if (!(levels >> level & 1))
                continue;
            const SphereCells::Range range = cells.around(x, r, level);
            for (std::int64_t cz = range.from[2]; cz <= range.to[2]; ++cz)
                for (std::int64_t cy = range.from[1]; cy <= range.to[1]; ++cy)
                    for (std::int64_t cx = range.from[0]; cx <= range.to[0]; ++cx) {
                        const std::uint64_t cell = SphereCells::keyOf(level, cx, cy, cz);
                        const std::uint32_t bucket = bucketOf(cell);
                        for (std::uint32_t at = bucketBegin[bucket]; at < bucketBegin[bucket + 1];
                             ++at) {
                            const std::uint32_t other = sphere[at];
                            if (key[at] != cell || (level == ownLevel && other <= own) ||
                                (ownGroup == group[other] && ownGroup != kNoGroup) ||
                                !touch(own, other))
                                continue;
                            work(own < other ? Pair{own, other} : Pair{other, own});
                        }
                    }
        }
    }
};

__global__ void countSpheres(SphereGrid grid)
{
    const std::uint32_t i = threadNumber();
    if (i < grid.count)
        atomicAdd(
            &grid.bucketCount[grid.bucketOf(grid.cells.keyOf(grid.center[i], grid.radius[i]))], 1u);
}
/// Leaves counts at 0.
__global__ void fillSpheres(SphereGrid grid)
{
    const std::uint32_t i = threadNumber();
    if (i >= grid.count)
        return;
    const std::uint64_t key = grid.cells.keyOf(grid.center[i], grid.radius[i]);
    const std::uint32_t bucket = grid.bucketOf(key),
                        left = atomicSub(&grid.bucketCount[bucket], 1u),
                        at = grid.bucketBegin[bucket] + left - 1;
    grid.sphere[at] = i;
    grid.key[at] = key;
}
/// @param number  of each sphere: how many pairs it is the first of
__global__ void countPairs(SphereGrid grid, std::uint32_t* number)
{
    const std::uint32_t i = threadNumber();
    if (i >= grid.count)
        return;
    std::uint32_t own = 0;
    grid.forPairs(i, [&](const Pair& pair) {
        if (pair.first == i)
            ++own;
        else
            atomicAdd(&number[pair.first], 1u);
    });
    atomicAdd(&number[i], own);
}
/// By their first, else in any order. Leaves numbers at 0. @param begin  of each sphere's
__global__ void fillPairs(SphereGrid grid, const std::uint32_t* begin, std::uint32_t* number,
                          Pair* pairs)
{
    const std::uint32_t i = threadNumber();
    if (i >= grid.count)
        return;
    grid.forPairs(i, [&](const Pair& pair) {
        pairs[begin[pair.first] + atomicSub(&number[pair.first], 1u) - 1] = pair;
    });
}
/// Puts the pairs of each first into order: heapsort, as a large sphere may have very many.
__global__ void sortPairs(std::uint32_t count, const std::uint32_t* begin, Pair* pairs)
{
    const std::uint32_t i = threadNumber();
    if (i >= count)
        return;
    Pair* row = pairs + begin[i];
    const std::uint32_t size = begin[i + 1] - begin[i];
    const auto sink = [&](std::uint32_t at, std::uint32_t end) {
        const Pair one = row[at];
        for (std::uint32_t child; (child = 2 * at + 1) < end; at = child) {
            if (child + 1 < end && row[child].second < row[child + 1].second)
                ++child;
            if (!(one.second < row[child].second))
                break;
            row[at] = row[child];
        }
        row[at] = one;
    };
    for (std::uint32_t at = size / 2; at > 0; --at)
        sink(at - 1, size);
    for (std::uint32_t end = size; end > 1; --end) {
        const Pair largest = row[0];
        row[0] = row[end - 1];
        row[end - 1] = largest;
        sink(0, end - 1);
    }
}

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
