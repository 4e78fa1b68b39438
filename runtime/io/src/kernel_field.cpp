#include "kernel_field.hpp"

#include "floe/base/error.hpp"
#include "floe/compute/parallel.hpp"
#include "floe/sdk/physics/pack.hpp"

#include <algorithm>
#include <cmath>

namespace floe::io {

namespace {

using sdk::grid::BlockCoordinate;

constexpr float kDeepValue = 1.5f * kFilled; ///< of nodes in deep cells, at least

/// Calls body(block, kernel) for the blocks with nodes in a kernel's box and one node around it.
template <class Body>
void eachBlock(const Kernel& kernel, double voxel, const Body& body)
{
    std::array<std::int32_t, 3> low, high;
    for (std::size_t k = 0; k < 3; ++k) {
        const double from = (kernel.centre[k] - kernel.reach[k]) / voxel - 1,
                     to = (kernel.centre[k] + kernel.reach[k]) / voxel + 1;
        if (!(std::max(std::abs(from), std::abs(to)) <
              KernelField::kEdge * (sdk::grid::kMaxCoordinate - 2.0)))
            throw InputError({.parameter = "voxelSize"}, "is too small for a particle at " +
                                                             std::to_string(kernel.centre[k]) +
                                                             " m");
        low[k] = static_cast<std::int32_t>(std::floor(std::ceil(from) / KernelField::kEdge));
        high[k] = static_cast<std::int32_t>(std::floor(std::floor(to) / KernelField::kEdge));
    }
    for (std::int32_t x = low[0]; x <= high[0]; ++x)
        for (std::int32_t y = low[1]; y <= high[1]; ++y)
            for (std::int32_t z = low[2]; z <= high[2]; ++z)
                body(BlockCoordinate{x, y, z});
}

} // namespace

KernelField::KernelField(std::span<const Kernel> kernels, const MatterCells& cells,
                         const Matter& matter, double voxelSize, const std::function<void()>& check)
    : kernels_(kernels), cells_(cells), matter_(matter), voxel_(voxelSize),
      channels_(matter.velocities.empty() ? 2 : 5)
{
    // The kernels of each block, in their order; blocks in the order in which kernels meet them.
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (i % 65536 == 0)
            check();
        eachBlock(kernels[i], voxel_, [&](const BlockCoordinate& at) {
            std::int32_t number = numbers_.find(at);
            if (number < 0) {
                number = static_cast<std::int32_t>(blocks_.size());
                numbers_.insert(at, number);
                blocks_.push_back(at);
                counts.push_back(0);
            }
            ++counts[static_cast<std::size_t>(number)];
        });
    }
    std::vector<std::uint64_t> first(blocks_.size() + 1, 0);
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        first[b + 1] = first[b] + counts[b];
    std::vector<std::uint32_t> of(first.back());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (i % 65536 == 0)
            check();
        eachBlock(kernels[i], voxel_, [&](const BlockCoordinate& at) {
            of[next[static_cast<std::size_t>(numbers_.find(at))]++] = static_cast<std::uint32_t>(i);
        });
    }
    values_.resize(blocks_.size() * static_cast<std::size_t>(channels_) * kNodes, 0.0f);
    compute::parallelFor(blocks_.size(), 16, [&](std::uint64_t begin, std::uint64_t end) {
        check();
        for (std::uint64_t b = begin; b < end; ++b) {
            sum(b, std::span(of).subspan(first[b], first[b + 1] - first[b]));
            fillDeep(b);
        }
    });
}

void KernelField::sum(std::size_t block, std::span<const std::uint32_t> of)
{
    float* const filled = values_.data() + block * static_cast<std::size_t>(channels_) * kNodes;
    using Lanes = physics::Pack<float, 4>;
    constexpr int kLanes = 4;
    const float voxel = static_cast<float>(voxel_);
    std::array<float, kEdge> places; // of nodes [m]
    for (int x = 0; x < kEdge; ++x)
        places[static_cast<std::size_t>(x)] = static_cast<float>(x) * voxel;
    // Where all kernels are as bulky, that need not be summed up.
    const float bulk = of.empty() ? 0 : kernels_[of[0]].bulk;
    const bool even = std::ranges::all_of(
        of, [&](std::uint32_t number) { return kernels_[number].bulk == bulk; });
    for (const std::uint32_t number : of) {
        const Kernel& kernel = kernels_[number];
        std::array<float, 3> to; // from the block's first node to the centre [m]
        std::array<int, 3> low, high;
        for (std::size_t k = 0; k < 3; ++k) {
            to[k] = static_cast<float>(kernel.centre[k] - voxel_ * kEdge * blocks_[block][k]);
            low[k] = std::max(0, static_cast<int>(std::ceil((to[k] - kernel.reach[k]) / voxel)));
            high[k] = std::min(kEdge - 1,
                               static_cast<int>(std::floor((to[k] + kernel.reach[k]) / voxel)));
        }
        if (low[0] > high[0])
            continue;
        std::array<float, 3> velocity{};
        if (channels_ > 2)
            velocity = matter_.velocities[kernel.particle];
        const auto& [xx, yy, zz, xy, xz, yz] = kernel.metric;
        for (int z = low[2]; z <= high[2]; ++z)
            for (int y = low[1]; y <= high[1]; ++y) {
                const float ey = static_cast<float>(y) * voxel - to[1],
                            ez = static_cast<float>(z) * voxel - to[2];
                // q^2 along the row is a + 2 b x + xx x^2.
                const float a = yy * ey * ey + zz * ez * ez + 2 * yz * ey * ez;
                const float b = xy * ey + xz * ez;
                if (a - b * b / xx >= 1)
                    continue;
                float* const row = filled + numberOf(0, y, z);
                for (int half = 0; half < kEdge; half += kLanes) {
                    const Lanes ex =
                        Lanes::load(&places[static_cast<std::size_t>(half)]) - Lanes(to[0]);
                    const Lanes inside =
                        max(Lanes(1 - a) - ex * (Lanes(2 * b) + Lanes(xx) * ex), Lanes(0.0f));
                    const Lanes share = Lanes(kernel.peak) * inside * inside * inside;
                    const auto add = [&](int channel, float times) {
                        float* const at = row + channel * kNodes + half;
                        (Lanes::load(at) + Lanes(times) * share).store(at);
                    };
                    add(Filled, 1);
                    if (!even)
                        add(Bulk, kernel.bulk);
                    for (int channel = VelocityX; channel < channels_; ++channel)
                        add(channel, velocity[static_cast<std::size_t>(channel - VelocityX)]);
                }
            }
    }
    if (even)
        for (int n = 0; n < kNodes; ++n)
            filled[n + kNodes] = bulk * filled[n];
}

/// Kernels that do not reach the surface are not summed up.
void KernelField::fillDeep(std::size_t block)
{
    std::array<std::int32_t, 3> low, high; // cells
    for (std::size_t k = 0; k < 3; ++k) {
        const double from = voxel_ * kEdge * blocks_[block][k];
        low[k] = static_cast<std::int32_t>(std::floor(from / cells_.edge()));
        high[k] =
            static_cast<std::int32_t>(std::floor((from + voxel_ * (kEdge - 1)) / cells_.edge()));
    }
    bool any = false;
    for (std::int32_t x = low[0]; x <= high[0] && !any; ++x)
        for (std::int32_t y = low[1]; y <= high[1] && !any; ++y)
            for (std::int32_t z = low[2]; z <= high[2] && !any; ++z)
                any = cells_.isDeep({x, y, z});
    if (!any)
        return;
    float* const filled = values_.data() + block * static_cast<std::size_t>(channels_) * kNodes;
    const auto& at = blocks_[block];
    for (int z = 0; z < kEdge; ++z)
        for (int y = 0; y < kEdge; ++y)
            for (int x = 0; x < kEdge; ++x)
                if (isDeep({at[0] * kEdge + x, at[1] * kEdge + y, at[2] * kEdge + z})) {
                    float& value = filled[numberOf(x, y, z)];
                    value = std::max(value, kDeepValue);
                }
}

bool KernelField::isDeep(const std::array<std::int32_t, 3>& node) const
{
    BlockCoordinate cell;
    for (std::size_t k = 0; k < 3; ++k)
        cell[k] = static_cast<std::int32_t>(std::floor(voxel_ * node[k] / cells_.edge()));
    return cells_.isDeep(cell);
}

} // namespace floe::io
