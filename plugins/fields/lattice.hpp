#pragma once

#include "floe/sdk/node.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>

namespace floe::fields {

using Point = std::array<double, 3>;

/// Largest number of voxels of a volume of this plugin: 256^3, about 1 GB while it is made.
inline constexpr double kMaximumVoxels = 1 << 24;

/// The voxels whose centres lie in a box. Voxel (i, j, k) is at (i, j, k) times the voxel size, so
/// that volumes of equal voxels have them in the same places. In arrays, z is fastest.
struct Lattice {
    std::array<int32_t, 3> low{};      ///< index of the first voxel
    std::array<std::size_t, 3> size{}; ///< number of voxels along each axis
    double voxelSize = 1;              ///< [m]

    std::size_t count() const { return size[0] * size[1] * size[2]; }
    std::size_t planeCount() const { return size[1] * size[2]; }
    std::size_t indexOf(std::size_t i, std::size_t j, std::size_t k) const
    {
        return (i * size[1] + j) * size[2] + k;
    }
    /// World position of voxel (i, j, k), counted from the first [m].
    Point at(std::size_t i, std::size_t j, std::size_t k) const
    {
        return {(low[0] + static_cast<double>(i)) * voxelSize,
                (low[1] + static_cast<double>(j)) * voxelSize,
                (low[2] + static_cast<double>(k)) * voxelSize};
    }
};

/// @throws Failure  the box holds no voxel, is too far away, or needs more than kMaximumVoxels;
///                  suggests a voxel size
Lattice latticeIn(const Point& minimum, const Point& maximum, double voxelSize);

/// The lattice of a node's parameters center, size and voxelSize. @throws Failure
Lattice latticeOf(const sdk::Context& context);

/// Calls body(i) for every i below count on the host's threads. `body` may throw: the failure of
/// the lowest i is thrown again here, whatever the threads.
/// @throws Failure  also when the run is cancelled
template <class Body>
void forEachPlane(const sdk::Context& context, std::size_t count, const Body& body)
{
    std::mutex mutex;
    std::exception_ptr fault;
    std::atomic<uint64_t> faulty{count};
    context.parallelFor(count, 1, [&](uint64_t begin, uint64_t end) {
        for (uint64_t i = begin; i < end; ++i) {
            if (i > faulty || context.cancelled())
                return;
            try {
                body(static_cast<std::size_t>(i));
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (i < faulty) {
                    faulty = i;
                    fault = std::current_exception();
                }
            }
        }
    });
    context.throwIfCancelled();
    if (fault)
        std::rethrow_exception(fault);
}

/// A volume of vectors, 0 outside the lattice.
/// @param values  3 per voxel
/// @throws Failure  the run is cancelled, or the host refuses the grid
sdk::Value vectorVolume(const sdk::Context& context, const Lattice& lattice,
                        std::span<const float> values);

/// A volume of numbers, `background` outside the lattice.
/// @param values  1 per voxel
/// @param levelSet  they are signed distances [m]
/// @throws Failure  the run is cancelled, or the host refuses the grid
sdk::Value scalarVolume(const sdk::Context& context, const Lattice& lattice,
                        std::span<const float> values, float background, bool levelSet);

} // namespace floe::fields
