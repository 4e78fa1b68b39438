#include "cell_field.hpp"

#include <algorithm>
#include <cmath>

namespace floe::secondary {

namespace {

constexpr int64_t kBlock = 4; // cells along an edge of a block
constexpr std::size_t kCells = 64;
constexpr int64_t kReach = 1 << 20; // blocks from the origin

uint64_t keyOf(const std::array<int64_t, 3>& cell)
{
    uint64_t key = 0;
    for (const int64_t part : cell)
        key = key << 21 | static_cast<uint64_t>((part >> 2) + kReach);
    return key;
}

std::size_t placeOf(const std::array<int64_t, 3>& cell)
{
    return static_cast<std::size_t>((cell[0] & 3) << 4 | (cell[1] & 3) << 2 | (cell[2] & 3));
}

} // namespace

CellField::CellField(std::span<const float> x, std::span<const float> v, double cellSize)
    : cellSize_(cellSize)
{
    // Particles come ordered by block: the last block found is mostly the right one.
    uint64_t lastKey = ~0ull;
    std::size_t block = 0;
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) {
        Index cell;
        if (!indexOf({x[i], x[i + 1], x[i + 2]}, cell))
            continue;
        const uint64_t key = keyOf(cell);
        if (key != lastKey) {
            lastKey = key;
            const auto [at, isNew] = blocks_.try_emplace(key, firstCell_.size());
            block = at->second;
            if (isNew) {
                firstCell_.push_back({cell[0] & ~3ll, cell[1] & ~3ll, cell[2] & ~3ll});
                cells_.resize(cells_.size() + kCells);
            }
        }
        Cell& home = cells_[block * kCells + placeOf(cell)];
        ++home.count;
        for (std::size_t axis = 0; axis < 3; ++axis)
            home.momentum[axis] += v[i + axis];
    }
}

void CellField::measure(const ForRange& forRange)
{
    forRange(firstCell_.size(), 16, [&](uint64_t begin, uint64_t end) {
        for (std::size_t n = begin * kCells; n < end * kCells; ++n) {
            Cell& cell = cells_[n];
            if (cell.count == 0)
                continue;
            const Index& first = firstCell_[n / kCells];
            const auto part = static_cast<int64_t>(n % kCells);
            const Index here = {first[0] + part / 16, first[1] + part / kBlock % kBlock,
                                first[2] + part % kBlock};
            int empty = 0;
            for (int64_t m = 0; m < 27; ++m)
                empty +=
                    !find(Index{here[0] + m / 9 - 1, here[1] + m / 3 % 3 - 1, here[2] + m % 3 - 1});
            cell.openness = std::min(2.0f * static_cast<float>(empty) / 26.0f, 1.0f);

            // Central differences of the mean velocity, one-sided at the surface.
            double divergence = 0;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                Index lower = here, upper = here;
                --lower[axis], ++upper[axis];
                const Cell* a = find(lower);
                const Cell* b = find(upper);
                const double distance = ((a ? 1 : 0) + (b ? 1 : 0)) * cellSize_;
                if (distance == 0)
                    continue;
                const auto velocity = [&](const Cell* at) {
                    const Cell& from = at ? *at : cell;
                    return static_cast<double>(from.momentum[axis]) / from.count;
                };
                divergence += (velocity(b) - velocity(a)) / distance;
            }
            cell.stretchRate = static_cast<float>(divergence);
        }
    });
}

uint32_t CellField::count(const Point& p) const
{
    const Cell* cell = find(p);
    return cell ? cell->count : 0;
}

float CellField::stretchRate(const Point& p) const
{
    const Cell* cell = find(p);
    return cell ? cell->stretchRate : 0;
}

float CellField::openness(const Point& p) const
{
    const Cell* cell = find(p);
    return cell ? cell->openness : 0;
}

bool CellField::indexOf(const Point& p, Index& cell) const
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double index = std::floor(p[axis] / cellSize_);
        if (!(std::fabs(index) < static_cast<double>((kReach - 1) * kBlock)))
            return false;
        cell[axis] = static_cast<int64_t>(index);
    }
    return true;
}

/// Null where no particle is.
const CellField::Cell* CellField::find(const Index& cell) const
{
    const auto block = blocks_.find(keyOf(cell));
    if (block == blocks_.end())
        return nullptr;
    const Cell& found = cells_[block->second * kCells + placeOf(cell)];
    return found.count > 0 ? &found : nullptr;
}

const CellField::Cell* CellField::find(const Point& p) const
{
    Index cell;
    return indexOf(p, cell) ? find(cell) : nullptr;
}

} // namespace floe::secondary
