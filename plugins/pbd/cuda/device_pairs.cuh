#pragma once

/// The search for pairs of spheres on a device.

#include "launch.cuh"
#include "pair_kernels.cuh"

#include "floe/sdk/device_memory.hpp"
#include "floe/sdk/grid/scan.cuh"

#include <bit>
#include <vector>

namespace floe::pbd::cuda {
inline namespace FLOE_KERNEL_SPACE {

using sdk::cuda::Device;
using sdk::cuda::DeviceArray;

class DevicePairs {
public:
    explicit DevicePairs(Device& device) : device_(device) {}

    /// As findPairs(). @throws std::bad_alloc
    std::vector<Pair> find(const Spheres& spheres)
    {
        const auto count = static_cast<std::uint32_t>(spheres.center.size());
        if (count < 2)
            return {};
        grid_ = {.count = count,
                 .center = given(center_, spheres.center),
                 .radius = given(radius_, spheres.radius),
                 .group = given(group_, spheres.group),
                 .cells = cellsOf(spheres),
                 .buckets = std::bit_ceil(2 * count)};
        for (const float radius : spheres.radius)
            grid_.levels |= 1u << grid_.cells.levelOf(radius);
        grid_.bucketCount = zeros(bucketCount_, grid_.buckets);
        grid_.bucketBegin = room(bucketBegin_, std::size_t{grid_.buckets} + 1);
        grid_.sphere = room(sphere_, count);
        grid_.key = room(key_, count);
        FLOE_PBD_LAUNCH(countSpheres, count, grid_);
        scan(grid_.bucketCount, grid_.buckets, grid_.bucketBegin);
        FLOE_PBD_LAUNCH(fillSpheres, count, grid_);
        std::uint32_t* number = zeros(number_, count);
        std::uint32_t* begin = room(begin_, std::size_t{count} + 1);
        FLOE_PBD_LAUNCH(countPairs, count, grid_, number);
        scan(number, count, begin);
        std::uint32_t found = 0;
        device_.download(&found, begin + count, sizeof found);
        if (found == 0)
            return {};
        Pair* pairs = room(pairs_, found);
        FLOE_PBD_LAUNCH(fillPairs, count, grid_, begin, number, pairs);
        FLOE_PBD_LAUNCH(sortPairs, count, count, begin, pairs);
        return pairs_.download(found);
    }

private:
    template <class T>
    static T* room(DeviceArray<T>& array, std::size_t count)
    {
        array.need(count);
        return array.data();
    }
    template <class T, class Values>
    static T* given(DeviceArray<T>& array, const Values& values)
    {
        array.need(values.size());
        array.upload(values.data(), values.size());
        return array.data();
    }
    static std::uint32_t* zeros(DeviceArray<std::uint32_t>& array, std::size_t count)
    {
        array.need(count);
        array.fill(0, count);
        return array.data();
    }
    void scan(const std::uint32_t* values, std::uint32_t count, std::uint32_t* sums)
    {
        using namespace sdk::grid;
        const std::uint32_t tiles = scanTiles(count);
        tiles_.need(tiles);
        FLOE_LAUNCH(sumTiles, tiles, kScanThreads, 0, device_.stream(), values, count,
                    tiles_.data());
        FLOE_LAUNCH(scanTileSums, 1, kScanThreads, 0, device_.stream(), tiles_.data(), tiles);
        FLOE_LAUNCH(scanTileValues, tiles, kScanThreads, 0, device_.stream(), values, count,
                    tiles_.data(), sums);
        device_.checkLaunch("scanTileValues");
    }

    Device& device_;
    SphereGrid grid_{};
    DeviceArray<Vec3f> center_{device_};
    DeviceArray<float> radius_{device_};
    DeviceArray<std::uint64_t> key_{device_};
    DeviceArray<std::uint32_t> group_{device_}, bucketCount_{device_}, bucketBegin_{device_},
        sphere_{device_}, number_{device_}, begin_{device_}, tiles_{device_};
    DeviceArray<Pair> pairs_{device_};
};

} // namespace FLOE_KERNEL_SPACE
} // namespace floe::pbd::cuda
