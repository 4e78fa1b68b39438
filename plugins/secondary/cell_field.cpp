#include "cell_field.hpp"

#include <algorithm>
#include <cmath>

namespace floe::secondary {

namespace {

using sdk::grid::BlockCoordinate;
using sdk::grid::blockOf;
using sdk::grid::cellNumber;
using sdk::grid::kBlockEdge;
using sdk::grid::kBlockNodes;
using sdk::grid::placeOf;

int numberOf(const std::array<int64_t, 3>& cell)
{
    return cellNumber(placeOf(cell[0]), placeOf(cell[1]), placeOf(cell[2]));
}

} // namespace

BlockCoordinate CellField::blockOfCell(const Index& cell) const
{
    return period_.wrapped({static_cast<int32_t>(blockOf(cell[0])),
                            static_cast<int32_t>(blockOf(cell[1])),
                            static_cast<int32_t>(blockOf(cell[2]))});
}

CellField::CellField(std::span<const float> x, std::span<const float> v, double cellSize,
                     const sdk::world::Period& period)
    : cellSize_(cellSize), period_(period)
{
    // Particles come ordered by block: the last block found is usually the right one.
    BlockCoordinate last{};
    int32_t block = -1;
    for (std::size_t i = 0; i + 2 < x.size(); i += 3) {
        Index cell;
        if (!indexOf({x[i], x[i + 1], x[i + 2]}, cell))
            continue;
        const BlockCoordinate coordinate = blockOfCell(cell);
        if (block < 0 || coordinate != last) {
            last = coordinate;
            block = blocks_.find(coordinate);
            if (block < 0) {
                block = static_cast<int32_t>(block_.size());
                blocks_.insert(coordinate, block);
                block_.push_back(coordinate);
                cells_.add();
            }
        }
        const auto home = cells_[static_cast<std::size_t>(block)];
        const int number = numberOf(cell);
        ++home.at<Count>(number);
        for (int axis = 0; axis < 3; ++axis)
            home.at<Momentum>(number, axis) += v[i + static_cast<std::size_t>(axis)];
    }
}

void CellField::measure(const ForRange& forRange)
{
    forRange(block_.size(), 16, [&](uint64_t begin, uint64_t end) {
        for (uint64_t n = begin * kBlockNodes; n < end * kBlockNodes; ++n) {
            const Found cell{static_cast<int32_t>(n / kBlockNodes),
                             static_cast<int>(n % kBlockNodes)};
            if (valueOf<Count>(cell) == 0)
                continue;
            const BlockCoordinate& block = block_[n / kBlockNodes];
            const int place[3] = {cell.cell / 16, cell.cell / 4 % 4, cell.cell % 4};
            Index here;
            for (std::size_t axis = 0; axis < 3; ++axis)
                here[axis] = int64_t{kBlockEdge} * block[axis] + place[axis];
            int empty = 0;
            for (int64_t m = 0; m < 27; ++m)
                empty +=
                    !find(Index{here[0] + m / 9 - 1, here[1] + m / 3 % 3 - 1, here[2] + m % 3 - 1});
            const auto home = cells_[n / kBlockNodes];
            home.at<Openness>(cell.cell) = std::min(2.0f * static_cast<float>(empty) / 26.0f, 1.0f);

            // Central differences of the mean velocity, one-sided at the surface.
            double divergence = 0;
            for (int axis = 0; axis < 3; ++axis) {
                Index lower = here, upper = here;
                --lower[static_cast<std::size_t>(axis)], ++upper[static_cast<std::size_t>(axis)];
                const Found a = find(lower), b = find(upper);
                const double distance = ((a ? 1 : 0) + (b ? 1 : 0)) * cellSize_;
                if (distance == 0)
                    continue;
                const auto velocity = [&](const Found& at) {
                    const Found& from = at ? at : cell;
                    return static_cast<double>(valueOf<Momentum>(from, axis)) /
                           valueOf<Count>(from);
                };
                divergence += (velocity(b) - velocity(a)) / distance;
            }
            home.at<StretchRate>(cell.cell) = static_cast<float>(divergence);
        }
    });
}

uint32_t CellField::count(const Point& p) const
{
    const Found cell = find(p);
    return cell ? valueOf<Count>(cell) : 0;
}

float CellField::stretchRate(const Point& p) const
{
    const Found cell = find(p);
    return cell ? valueOf<StretchRate>(cell) : 0;
}

float CellField::openness(const Point& p) const
{
    const Found cell = find(p);
    return cell ? valueOf<Openness>(cell) : 0;
}

template <class Body>
void CellField::around(const Point& p, const Body& body) const
{
    Index first;
    if (!indexOf({p[0] - 0.5 * cellSize_, p[1] - 0.5 * cellSize_, p[2] - 0.5 * cellSize_}, first))
        return;
    for (int n = 0; n < 8; ++n) {
        Index cell = first;
        double weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double share = p[axis] / cellSize_ - 0.5 - static_cast<double>(first[axis]);
            const bool upper = n >> axis & 1;
            cell[axis] += upper;
            weight *= upper ? share : 1 - share;
        }
        if (const Found found = find(cell))
            body(found, weight);
    }
}

float CellField::fill(const Point& p) const
{
    constexpr double kUsual = 8;
    double sum = 0;
    around(p, [&](const Found& cell, double weight) {
        sum += weight * std::min(valueOf<Count>(cell) / kUsual, 1.0);
    });
    return static_cast<float>(sum);
}

Point CellField::velocity(const Point& p) const
{
    Point momentum{};
    double count = 0;
    around(p, [&](const Found& cell, double weight) {
        count += weight * valueOf<Count>(cell);
        for (std::size_t axis = 0; axis < 3; ++axis)
            momentum[axis] +=
                weight * static_cast<double>(valueOf<Momentum>(cell, static_cast<int>(axis)));
    });
    if (!(count > 0))
        return {};
    return {momentum[0] / count, momentum[1] / count, momentum[2] / count};
}

bool CellField::indexOf(const Point& p, Index& cell) const
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double index = std::floor(p[axis] / cellSize_);
        if (!(std::fabs(index) < double{kBlockEdge} * sdk::grid::kMaxCoordinate))
            return false;
        cell[axis] = static_cast<int64_t>(index);
    }
    return true;
}

CellField::Found CellField::find(const Index& cell) const
{
    const Found found{blocks_.find(blockOfCell(cell)), numberOf(cell)};
    return found && valueOf<Count>(found) > 0 ? found : Found{};
}

CellField::Found CellField::find(const Point& p) const
{
    Index cell;
    return indexOf(p, cell) ? find(cell) : Found{};
}

} // namespace floe::secondary
