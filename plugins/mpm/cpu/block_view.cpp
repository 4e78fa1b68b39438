// Description of the CPU backend's blocks.

#include "cpu_backend.hpp"

#include <algorithm>
#include <cmath>

namespace floe::mpm {

namespace {

/// Returns the cell of a particle, numbered as in BlockView.
int cellOf(const BinRef& bin, int lane)
{
    int cell = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const float x = bin.rowAt(row::x + axis)[lane] - 0.5f;
        cell = 4 * cell + static_cast<int>(std::min(3.0f, std::max(0.0f, x)));
    }
    return cell;
}

} // namespace

BlockMatter CpuBackend::matter(std::size_t b) const
{
    BlockMatter matter{};
    for (const BinRef& bin : grid_.blocks[b].bins) {
        matter.soundSpeed = std::max(matter.soundSpeed, state_.materials.soundSpeed(bin.material));
        matter.liquid += isLiquid(bin.layout) ? bin.count : 0u;
        matter.mustMove = matter.mustMove || !state_.materials[bin.material].sleeps;
    }
    return matter;
}

void CpuBackend::cellSpeeds(std::size_t b, CellSpeeds& speed) const
{
    const Block& block = grid_.blocks[b];
    speed = {};
    std::array<float, kBlockNodes> mass{};
    for (const BinRef& bin : block.bins) {
        float momentum[kLanes];
        int cells[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) { // free lanes have no mass
            float v2 = 0;
            for (int axis = 0; axis < 3; ++axis)
                v2 += bin.rowAt(row::v + axis)[lane] * bin.rowAt(row::v + axis)[lane];
            cells[lane] = cellOf(bin, lane);
            momentum[lane] = bin.rowAt(row::mass)[lane] * std::sqrt(v2);
        }
        for (int lane = 0; lane < bin.count; ++lane) {
            const auto cell = static_cast<std::size_t>(cells[lane]);
            mass[cell] += bin.rowAt(row::mass)[lane];
            speed[cell] += momentum[lane];
        }
    }
    for (int cell = 0; cell < kBlockNodes; ++cell)
        speed[cell] = mass[cell] > 0 ? speed[cell] / mass[cell] : 0;
}

std::uint64_t CpuBackend::occupiedCells(std::size_t b) const
{
    std::uint64_t cells = 0;
    for (const BinRef& bin : grid_.blocks[b].bins)
        for (int lane = 0; lane < bin.count; ++lane)
            cells |= std::uint64_t{bin.rowAt(row::mass)[lane] > 0} << cellOf(bin, lane);
    return cells;
}

ArenaNodes CpuBackend::feltNodes(std::size_t b) const
{
    const bool cubic = state_.settings.kernel == Kernel::cubic;
    const int width = cubic ? 4 : 3;
    const float before = cubic ? 1.0f : 0.5f; // from the lowest node of its stencil, at least
    ArenaNodes lowest, nodes;
    for (const BinRef& bin : grid_.blocks[b].bins)
        for (int lane = 0; lane < bin.count; ++lane) {
            if (!(bin.rowAt(row::mass)[lane] > 0))
                continue;
            int node = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const float x = bin.rowAt(row::x + axis)[lane] - before;
                node = kArenaEdge * node +
                       std::clamp(static_cast<int>(std::floor(x)) + 1, 0, kArenaEdge - width);
            }
            lowest.set(static_cast<std::size_t>(node));
        }
    for (std::size_t n = 0; n < kArenaNodes; ++n)
        for (int i = 0; lowest[n] && i < width * width * width; ++i)
            nodes.set(n +
                      static_cast<std::size_t>(
                          kArenaEdge * (kArenaEdge * (i / (width * width)) + i / width % width) +
                          i % width));
    return nodes;
}

} // namespace floe::mpm
