/// In which cells spheres lie. One text for the CPU and CUDA threads.
#pragma once

#include "pairs.hpp"

#include <cmath>
#include <cstdint>

namespace floe::pbd {

/// One grid for each power of two of the spheres' diameters, of which level 0 is the finest. A
/// sphere lies in the cell of its centre, in the finest grid whose cells are as wide as it.
struct SphereCells {
    static constexpr int kLevels = 16, kBits = 20; ///< of a cell's coordinate

    Vec3f low{0, 0, 0};
    double edge = 1; ///< of a cell of level 0 [m]

    /// Cells that follow one another along each axis.
    struct Range {
        std::int64_t from[3], to[3];
    };

    FLOE_HD double edgeOf(int level) const { return edge * static_cast<double>(1 << level); }
    FLOE_HD int levelOf(float radius) const
    {
        int level = 0;
        while (level < kLevels - 1 && 2.0 * double{radius} > edgeOf(level))
            ++level;
        return level;
    }
    FLOE_HD std::int64_t cellOf(float at, int axis, int level) const
    {
        const double cell = (double{at} - double{low[axis]}) / edgeOf(level),
                     last = static_cast<double>((1 << kBits) - 1);
        return static_cast<std::int64_t>(cell > 0 ? cell < last ? cell : last : 0);
    }
    /// Those of a level whose spheres may touch one of the same level or a finer one: a pair's
    /// centres are at most the sum of the radii apart, which is at most a cell.
    FLOE_HD Range around(const Vec3f& x, float radius, int level) const
    {
        const double reach = double{radius} + 0.5 * edgeOf(level);
        Range range{};
        for (int axis = 0; axis < 3; ++axis) {
            const float slack = 1e-6f * physics::abs(x[axis]);
            range.from[axis] =
                cellOf(static_cast<float>(double{x[axis]} - reach) - slack, axis, level);
            range.to[axis] =
                cellOf(static_cast<float>(double{x[axis]} + reach) + slack, axis, level);
        }
        return range;
    }
    /// By level, and then cells along x follow one another.
    FLOE_HD static std::uint64_t keyOf(int level, std::int64_t x, std::int64_t y, std::int64_t z)
    {
        return ((static_cast<std::uint64_t>(level) << kBits | static_cast<std::uint64_t>(z))
                    << kBits |
                static_cast<std::uint64_t>(y))
                   << kBits |
               static_cast<std::uint64_t>(x);
    }
    FLOE_HD std::uint64_t keyOf(const Vec3f& x, float radius) const
    {
        const int level = levelOf(radius);
        return keyOf(level, cellOf(x.x, 0, level), cellOf(x.y, 1, level), cellOf(x.z, 2, level));
    }
    FLOE_HD static int levelOfKey(std::uint64_t key) { return static_cast<int>(key >> 3 * kBits); }
};

/// As fine as what fits in a key allows. @param spheres  at least one
SphereCells cellsOf(const Spheres& spheres);

} // namespace floe::pbd
