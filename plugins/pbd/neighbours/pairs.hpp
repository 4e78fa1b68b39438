/// Which spheres are near each other: pairs, found by a tree or a grid, always the same ones in the
/// same order.
#pragma once

#include "floe/sdk/parallel/executor.hpp"
#include "floe/sdk/physics/vec.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::pbd {

using Vec3f = physics::Vec3<float>;

/// Spheres of any radii. Borrowed; all spans have one length, at most 2^31.
struct Spheres {
    std::span<const Vec3f> center;        ///< [m], finite
    std::span<const float> radius;        ///< >= 0 [m]
    std::span<const std::uint32_t> group; ///< no pairs within one; kNoGroup: with all others
};
inline constexpr std::uint32_t kNoGroup = 0xffffffffu;

struct Pair {
    std::uint32_t first, second; ///< first < second
    bool operator==(const Pair&) const = default;
    bool operator<(const Pair& other) const
    {
        return first != other.first ? first < other.first : second < other.second;
    }
};

/// The test that decides, the same whoever asks: |a - b| < ra + rb, in single precision.
inline bool touch(const Spheres& spheres, std::uint32_t a, std::uint32_t b)
{
    const Vec3f d = spheres.center[a] - spheres.center[b];
    const float reach = spheres.radius[a] + spheres.radius[b];
    return physics::dot(d, d) < reach * reach;
}
/// Whether two may be a pair.
inline bool strangers(const Spheres& spheres, std::uint32_t a, std::uint32_t b)
{
    return spheres.group[a] != spheres.group[b] || spheres.group[a] == kNoGroup;
}

enum class Search {
    automatic, ///< the tree where radii differ by more than kGridRatio, else the grid
    tree,      ///< LBVH over 64-bit Morton codes (Karras 2012), traversed bottom-up
    grid       ///< sorted cells, one grid for each power of two of diameters
};
/// Measured with 50 000 spheres: up to about here the grid is faster, beyond it the tree.
inline constexpr float kGridRatio = 2;

/// All pairs of strangers that touch, in ascending order. Memory grows with what is found; nothing
/// is cut. The same for any number of threads and either search.
std::vector<Pair> findPairs(const Spheres& spheres, Search search,
                            sdk::parallel::Executor& executor);
/// Another way to them.
using PairFinder = std::function<std::vector<Pair>(const Spheres&)>;

} // namespace floe::pbd
