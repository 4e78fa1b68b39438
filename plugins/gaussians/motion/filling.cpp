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

/// Where particles are wanted, and which others share a cell with those.
class Wanted {
public:
    /// @param region  null: everywhere
    Wanted(const sdk::EmissionRegion* region, double size) : region_(region), size_(size) {}

    /// Whether some may be in a row of cells along z, or in cells beside it: stored in single
    /// precision, a sample may lie beyond its cell.
    bool mayHold(const Cell& first, std::int64_t count) const
    {
        if (!region_)
            return true;
        std::array<double, 3> low, high;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            low[axis] = static_cast<double>(first[axis] - 1) * size_;
            high[axis] = static_cast<double>(first[axis] + (axis == 2 ? count : 1) + 1) * size_;
        }
        return region_->meets(low, high);
    }
    bool isPart() const { return region_ && region_->isPart(); }

    /// Leaves what is in the region. All that shares cells with it is there.
    void keep(Matter& matter) const
    {
        std::vector<std::uint8_t> inside(matter.volume.size());
        region_->find(matter.x.data(), inside.size(), inside.data());
        std::size_t kept = 0;
        for (std::size_t i = 0; i < inside.size(); ++i) {
            if (!inside[i])
                continue;
            std::copy_n(&matter.x[3 * i], 3, &matter.x[3 * kept]);
            matter.volume[kept] = matter.volume[i];
            matter.place[kept++] = matter.place[i];
        }
        matter.x.resize(3 * kept);
        matter.volume.resize(kept);
        matter.place.resize(kept);
    }

private:
    const sdk::EmissionRegion* region_;
    double size_;
};

constexpr std::uint64_t kGaussiansInGroup = 512;
constexpr std::int64_t kCellsInGroup = 16; ///< along z

/// @param group  of the first particles; for Matter::place
void fill(const Inside& inside, const Occupied& occupied, double size, int samplesACell,
          std::uint64_t seed, const Checkpoint& checkpoint, const Wanted& wanted,
          std::uint64_t group, Matter& matter)
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
    const auto fillCell = [&](const Cell& cell, std::uint64_t number) {
        sdk::forEachSample(cut, seed, 1, cell[0], cell[1], cell[2],
                           [&](double a, double b, double c, sdk::RandomSequence&) {
                               // Rounded first: the tested position is the stored one.
                               const std::array<float, 3> x = {static_cast<float>(a * size),
                                                               static_cast<float>(b * size),
                                                               static_cast<float>(c * size)};
                               const std::uint64_t own = number++;
                               if (!inside.holds({x[0], x[1], x[2]}))
                                   return;
                               matter.x.insert(matter.x.end(), x.begin(), x.end());
                               if (wanted.isPart())
                                   matter.place.push_back(sdk::EmissionRegion::place(group, own));
                           });
    };
    for (std::int64_t i = first[0]; i <= last[0]; ++i)
        for (std::int64_t j = first[1]; j <= last[1]; ++j) {
            checkpoint();
            for (std::int64_t from = first[2]; from <= last[2]; from += kCellsInGroup, ++group) {
                const std::int64_t count = std::min(kCellsInGroup, last[2] + 1 - from);
                if (!wanted.mayHold({i, j, from}, count))
                    continue;
                for (std::int64_t k = from; k < from + count; ++k)
                    if (!occupied.holds({i, j, k}) && wanted.mayHold({i, j, k}, 1))
                        fillCell({i, j, k}, static_cast<std::uint64_t>((k - from) * cut.samples));
            }
            if (matter.x.size() / 3 > kMaxParticles)
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
                int samplesACell, std::uint64_t seed, const Checkpoint& checkpoint,
                const sdk::EmissionRegion* region)
{
    const Wanted wanted(region, cellSize);
    Matter matter;
    if (wanted.isPart())
        for (std::uint64_t i = 0; 3 * i < positions.size(); ++i) {
            const float* x = &positions[3 * i];
            if (!wanted.mayHold(cellOf(x, cellSize), 1))
                continue;
            matter.x.insert(matter.x.end(), x, x + 3);
            matter.place.push_back(
                sdk::EmissionRegion::place(i / kGaussiansInGroup, i % kGaussiansInGroup));
        }
    else
        matter.x.assign(positions.begin(), positions.end());
    if (inside)
        fill(*inside, Occupied(positions, cellSize), cellSize, samplesACell, seed, checkpoint,
             wanted, positions.size() / 3 / kGaussiansInGroup + 1, matter);
    checkpoint();
    matter.volume = sharedVolumes(matter.x, cellSize);
    if (wanted.isPart())
        wanted.keep(matter);
    return matter;
}

} // namespace floe::gaussians
