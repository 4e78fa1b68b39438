#include "motion/filling.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace floe::gaussians {

namespace {

constexpr double kMaxCells = 2e8;
constexpr std::size_t kMaxParticles = 100'000'000;

using Cell = std::array<std::int64_t, 3>;

Cell cellOf(const float* x, double size)
{
    Cell cell;
    for (std::size_t axis = 0; axis < 3; ++axis)
        cell[axis] = static_cast<std::int64_t>(std::floor(x[axis] / size));
    return cell;
}

/// Cells that hold particles, in order, each once.
class Occupied {
public:
    Occupied(std::span<const float> positions, double size)
    {
        for (std::size_t i = 0; 3 * i < positions.size(); ++i)
            cells_.push_back(cellOf(&positions[3 * i], size));
        std::sort(cells_.begin(), cells_.end());
        cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    }
    bool holds(const Cell& cell) const
    {
        return std::binary_search(cells_.begin(), cells_.end(), cell);
    }

private:
    std::vector<Cell> cells_;
};

void fill(const Inside& inside, const Occupied& occupied, double size, int samplesACell,
          std::uint64_t seed, const Checkpoint& checkpoint, std::vector<float>& positions)
{
    Cell first, last;
    double cells = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double low = std::floor(inside.box[0][axis] / size),
                     high = std::floor(inside.box[1][axis] / size);
        cells *= high - low + 1;
        if (!(std::abs(low) < 1e9 && std::abs(high) < 1e9 && cells <= kMaxCells)) {
            char text[160];
            std::snprintf(text, sizeof text,
                          "solver cells of %.3g m are too small to fill this shape: its box holds "
                          "%.2g of them; use larger cells",
                          size, cells);
            throw sdk::Failure(text, FLOE_OUT_OF_MEMORY);
        }
        first[axis] = static_cast<std::int64_t>(low);
        last[axis] = static_cast<std::int64_t>(high);
    }
    const sdk::SubCells cut = sdk::subCells(samplesACell);
    for (std::int64_t i = first[0]; i <= last[0]; ++i)
        for (std::int64_t j = first[1]; j <= last[1]; ++j) {
            checkpoint();
            for (std::int64_t k = first[2]; k <= last[2]; ++k) {
                if (occupied.holds({i, j, k}))
                    continue;
                sdk::forEachSample(
                    cut, seed, 1, i, j, k, [&](double a, double b, double c, sdk::RandomSequence&) {
                        // Rounded first: the tested position is the stored one.
                        const std::array<float, 3> x = {static_cast<float>(a * size),
                                                        static_cast<float>(b * size),
                                                        static_cast<float>(c * size)};
                        if (inside.holds({x[0], x[1], x[2]}))
                            positions.insert(positions.end(), x.begin(), x.end());
                    });
            }
            if (positions.size() / 3 > kMaxParticles)
                throw sdk::Failure("the shape holds more than 1e8 particles; use larger cells or "
                                   "fewer particles a cell",
                                   FLOE_OUT_OF_MEMORY);
        }
}

/// A cell's volume, shared by the particles in it (Xie et al. 2024).
std::vector<float> sharedVolumes(const std::vector<float>& positions, double size)
{
    const std::size_t count = positions.size() / 3;
    std::vector<Cell> cells(count);
    std::vector<std::size_t> order(count);
    for (std::size_t i = 0; i < count; ++i)
        cells[i] = cellOf(&positions[3 * i], size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return cells[a] < cells[b]; });
    std::vector<float> volumes(count);
    for (std::size_t begin = 0; begin < count;) {
        std::size_t end = begin;
        while (end < count && cells[order[end]] == cells[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            volumes[order[i]] =
                static_cast<float>(size * size * size / static_cast<double>(end - begin));
        begin = end;
    }
    return volumes;
}

} // namespace

Matter matterOf(std::span<const float> positions, double cellSize, const Inside* inside,
                int samplesACell, std::uint64_t seed, const Checkpoint& checkpoint)
{
    Matter matter;
    matter.x.assign(positions.begin(), positions.end());
    if (inside)
        fill(*inside, Occupied(positions, cellSize), cellSize, samplesACell, seed, checkpoint,
             matter.x);
    checkpoint();
    matter.volume = sharedVolumes(matter.x, cellSize);
    return matter;
}

} // namespace floe::gaussians
