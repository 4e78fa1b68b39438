#include "splat.hpp"

#include "lattice.hpp"

#include "floe/sdk/grid/block_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace floe::fields {

namespace {

using sdk::grid::BlockCoordinate;

constexpr int kEdge = SplatBlocks::kEdge;

/// Voxels that a particle reaches along an axis: those with |index - at| < spread.
struct Reach {
    int64_t first, last;
};

Reach reachOf(double at, int spread)
{
    return {static_cast<int64_t>(std::floor(at - spread)) + 1,
            static_cast<int64_t>(std::ceil(at + spread)) - 1};
}

int32_t blockOf(int64_t voxel)
{
    return static_cast<int32_t>(voxel >= 0 ? voxel / kEdge : -((-voxel + kEdge - 1) / kEdge));
}

/// A particle that reaches into a block.
struct Entry {
    uint32_t cloud;
    uint64_t particle;
};

} // namespace

SplatBlocks splat(const sdk::Context& context, std::span<const Cloud> clouds, double voxelSize,
                  int spread, uint64_t& left)
{
    sdk::grid::BlockMap map;
    SplatBlocks blocks;
    std::vector<std::vector<Entry>> entries; // of each block
    left = 0;
    for (std::size_t c = 0; c < clouds.size(); ++c) {
        const Cloud& cloud = clouds[c];
        for (std::size_t p = 0; p < cloud.mass.size(); ++p) {
            if (p % 65536 == 0)
                context.throwIfCancelled();
            std::array<int32_t, 3> first, last;
            bool usable = std::isfinite(cloud.v[3 * p] + cloud.v[3 * p + 1] + cloud.v[3 * p + 2]);
            for (std::size_t axis = 0; axis < 3 && usable; ++axis) {
                const double at = double{cloud.x[3 * p + axis]} / voxelSize;
                usable = std::fabs(at) < double{kEdge} * (sdk::grid::kMaxCoordinate - 2);
                if (!usable)
                    break;
                const Reach reach = reachOf(at, spread);
                first[axis] = blockOf(reach.first);
                last[axis] = blockOf(reach.last);
            }
            if (!usable) {
                ++left;
                continue;
            }
            for (int32_t i = first[0]; i <= last[0]; ++i)
                for (int32_t j = first[1]; j <= last[1]; ++j)
                    for (int32_t k = first[2]; k <= last[2]; ++k) {
                        const BlockCoordinate coordinate{i, j, k};
                        int32_t number = map.find(coordinate);
                        if (number < 0) {
                            number = static_cast<int32_t>(entries.size());
                            if (double{SplatBlocks::kVoxels} * (number + 1.0) > kMaximumVoxels) {
                                char text[160];
                                std::snprintf(text, sizeof text,
                                              "the particles fill more than %.2g voxels of %.2g m; "
                                              "set 'voxelSize' to %.2g m or more",
                                              kMaximumVoxels, voxelSize, 2 * voxelSize);
                                throw sdk::Failure(text, FLOE_BAD_ARGUMENT);
                            }
                            map.insert(coordinate, number);
                            entries.emplace_back();
                            blocks.origin.push_back({i * kEdge, j * kEdge, k * kEdge});
                        }
                        entries[static_cast<std::size_t>(number)].push_back(
                            {static_cast<uint32_t>(c), p});
                    }
        }
    }

    blocks.density.resize(entries.size());
    blocks.velocity.resize(entries.size());
    const double cube = voxelSize * voxelSize * voxelSize;
    forEachPlane(context, entries.size(), [&](std::size_t b) {
        std::array<double, SplatBlocks::kVoxels> mass{};
        std::array<double, 3 * SplatBlocks::kVoxels> momentum{};
        const auto& origin = blocks.origin[b];
        for (const Entry& entry : entries[b]) {
            const Cloud& cloud = clouds[entry.cloud];
            const std::size_t p = entry.particle;
            std::array<std::array<double, kEdge>, 3> weight{};
            std::array<std::size_t, 3> low, high; // voxels of the block that it reaches
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double at = double{cloud.x[3 * p + axis]} / voxelSize;
                const Reach reach = reachOf(at, spread);
                const int64_t first = origin[axis];
                low[axis] = static_cast<std::size_t>(std::max<int64_t>(reach.first - first, 0));
                high[axis] =
                    static_cast<std::size_t>(std::min<int64_t>(reach.last - first, kEdge - 1));
                for (std::size_t n = low[axis]; n <= high[axis]; ++n) {
                    const double away = static_cast<double>(first + static_cast<int64_t>(n)) - at;
                    weight[axis][n] = (spread - std::fabs(away)) / (spread * spread);
                }
            }
            for (std::size_t i = low[0]; i <= high[0]; ++i)
                for (std::size_t j = low[1]; j <= high[1]; ++j)
                    for (std::size_t k = low[2]; k <= high[2]; ++k) {
                        const std::size_t n = (i * kEdge + j) * kEdge + k;
                        const double part = weight[0][i] * weight[1][j] * weight[2][k] *
                                            static_cast<double>(cloud.mass[p]);
                        mass[n] += part;
                        for (std::size_t axis = 0; axis < 3; ++axis)
                            momentum[3 * n + axis] +=
                                part * static_cast<double>(cloud.v[3 * p + axis]);
                    }
        }
        for (std::size_t n = 0; n < SplatBlocks::kVoxels; ++n) {
            blocks.density[b][n] = static_cast<float>(mass[n] / cube);
            for (std::size_t axis = 0; axis < 3; ++axis)
                blocks.velocity[b][3 * n + axis] =
                    mass[n] > 0 ? static_cast<float>(momentum[3 * n + axis] / mass[n]) : 0.0f;
        }
    });
    return blocks;
}

} // namespace floe::fields
