#include "displacement_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace floe::particles {

using sdk::grid::BlockCoordinate;
using sdk::grid::blockOf;
using sdk::grid::cellNumber;
using sdk::grid::kBlockEdge;
using sdk::grid::kBlockNodes;
using sdk::grid::placeOf;

namespace {

/// In each direction of which a spread is less than this, no gradient is known [cells^2].
constexpr double kThin = 1e-5;
/// Maps do not go on farther than this many times the spread of the displacements they were fitted
/// to.
constexpr double kReach = 3;

using Cell = std::array<int64_t, 3>;

constexpr std::size_t kCorners = 8;

/// Of a cell: 0 or 1 along an axis.
constexpr int upperOf(std::size_t corner, std::size_t axis)
{
    return static_cast<int>(corner >> axis & 1);
}

/// Sums over particles around a node, with the weights of linear interpolation: of 1, of their
/// places r [cells], of r r (xx xy xz yy yz zz), of their displacements d, of d r, and of d d.
struct Moments {
    static constexpr std::size_t kWeight = 0, kR = 1, kRR = 4, kMoved = 10, kMovedR = 13,
                                 kSquare = 22, kTerms = 23;
    double sums[kTerms] = {};
};

/// Those of the particles of one cell for all of its corners; places are from the first corner on.
/// Displacements are from that of the first particle on, so that single precision is enough.
class CellMoments {
public:
    explicit CellMoments(const float (&moved)[3]) : base_{moved[0], moved[1], moved[2]} {}

    void add(const float (&at)[3], const float (&moved)[3])
    {
        float weights[kCorners];
        for (std::size_t corner = 0; corner < kCorners; ++corner) {
            weights[corner] = 1;
            for (std::size_t axis = 0; axis < 3; ++axis)
                weights[corner] *= upperOf(corner, axis) ? at[axis] : 1 - at[axis];
        }
        const float d[3] = {moved[0] - base_[0], moved[1] - base_[1], moved[2] - base_[2]};
        float terms[Moments::kTerms];
        std::size_t n = 0;
        terms[n++] = 1;
        for (const float r : at)
            terms[n++] = r;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = a; b < 3; ++b)
                terms[n++] = at[a] * at[b];
        for (const float from : d)
            terms[n++] = from;
        for (const float from : d)
            for (const float r : at)
                terms[n++] = from * r;
        terms[n] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (std::size_t term = 0; term < Moments::kTerms; ++term)
            for (std::size_t corner = 0; corner < kCorners; ++corner)
                sums_[term][corner] += terms[term] * weights[corner];
    }
    /// Adds those of a corner, with places from that corner on and whole displacements.
    void addTo(Moments& node, std::size_t corner) const
    {
        const auto sum = [&](std::size_t term) {
            return double{sums_[term][corner]};
        };
        double u[3], base[3], r[3], moved[3];
        const double weight = sum(Moments::kWeight);
        double square = sum(Moments::kSquare);
        for (std::size_t a = 0; a < 3; ++a) {
            u[a] = upperOf(corner, a);
            base[a] = double{base_[a]};
            r[a] = sum(Moments::kR + a) - weight * u[a];
            moved[a] = sum(Moments::kMoved + a) + weight * base[a];
            square += base[a] * (2 * sum(Moments::kMoved + a) + weight * base[a]);
        }
        node.sums[Moments::kWeight] += weight;
        node.sums[Moments::kSquare] += square;
        for (std::size_t a = 0, n = Moments::kRR; a < 3; ++a) {
            node.sums[Moments::kR + a] += r[a];
            node.sums[Moments::kMoved + a] += moved[a];
            for (std::size_t b = a; b < 3; ++b, ++n)
                node.sums[n] += sum(n) - u[a] * sum(Moments::kR + b) - u[b] * r[a];
            for (std::size_t b = 0; b < 3; ++b)
                node.sums[Moments::kMovedR + 3 * a + b] += sum(Moments::kMovedR + 3 * a + b) +
                                                           base[a] * sum(Moments::kR + b) -
                                                           u[b] * moved[a];
        }
    }

private:
    float base_[3];
    float sums_[Moments::kTerms][kCorners] = {};
};

/// Inverts a symmetric positive definite matrix: xx xy xz yy yz zz.
void invert(double (&m)[6])
{
    const double xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5],
                 xz = m[1] * m[4] - m[2] * m[3];
    const double scale = 1 / (m[0] * xx + m[1] * xy + m[2] * xz);
    const double yy = m[0] * m[5] - m[2] * m[2], yz = m[1] * m[2] - m[0] * m[4],
                 zz = m[0] * m[3] - m[1] * m[1];
    const double inverse[6] = {xx, xy, xz, yy, yz, zz};
    for (int i = 0; i < 6; ++i)
        m[i] = scale * inverse[i];
}

/// @return whether the point is in the world
/// @param perCell  1 / cell size [1/m]  @param r  its place in the cell [cells]
bool locate(const float* x, double perCell, Cell& cell, std::array<float, 3>& r)
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double at = double{x[axis]} * perCell;
        if (!(std::fabs(at) < double{kBlockEdge} * sdk::grid::kMaxCoordinate))
            return false;
        cell[axis] = static_cast<int64_t>(at);
        cell[axis] -= at < static_cast<double>(cell[axis]); // downwards
        r[axis] = static_cast<float>(at - static_cast<double>(cell[axis]));
    }
    return true;
}

BlockCoordinate blockAt(const Cell& cell)
{
    return {static_cast<int32_t>(blockOf(cell[0])), static_cast<int32_t>(blockOf(cell[1])),
            static_cast<int32_t>(blockOf(cell[2]))};
}

/// The number of a cell's corner among the nodes of a block; -1: it is in none of them.
/// @param place  of the cell, -1 to 3 on each axis
int nodeAt(const std::array<int, 3>& place, std::size_t corner)
{
    int node[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        node[axis] = place[axis] + upperOf(corner, axis);
        if (node[axis] < 0 || node[axis] >= kBlockEdge)
            return -1;
    }
    return cellNumber(node[0], node[1], node[2]);
}

} // namespace

/// Which block and cell each point is in.
struct DisplacementField::Places {
    /// Where each cell's points begin, and where the last one's end.
    using Cells = std::array<std::size_t, kBlockNodes + 1>;

    explicit Places(std::size_t count) : block(count, -1), cell(count), r(count) {}

    // Of each point.
    std::vector<int32_t> block; ///< -1: none that is known
    std::vector<uint8_t> cell;
    std::vector<std::array<float, 3>> r; ///< place in the cell [cells]

    std::vector<Cells> cells;    ///< of each block
    std::vector<uint32_t> order; ///< indices of points, cell by cell

    /// Finds those of points [begin, end).
    /// @param numberOf  of a block's coordinate; -1: it is not known
    template <class NumberOf>
    void find(std::span<const float> x, double cellSize, std::size_t begin, std::size_t end,
              const NumberOf& numberOf)
    {
        const double perCell = 1 / cellSize;
        BlockCoordinate last{}; // many come ordered by block
        int32_t number = -1;
        for (std::size_t i = begin; i < end; ++i) {
            Cell at{};
            if (!locate(&x[3 * i], perCell, at, r[i]))
                continue;
            const BlockCoordinate coordinate = blockAt(at);
            if (number < 0 || coordinate != last) {
                last = coordinate;
                number = numberOf(coordinate);
            }
            block[i] = number;
            cell[i] =
                static_cast<uint8_t>(cellNumber(placeOf(at[0]), placeOf(at[1]), placeOf(at[2])));
        }
    }
    void sort(std::size_t blocks)
    {
        cells.resize(blocks);
        for (std::size_t i = 0; i < block.size(); ++i)
            if (block[i] >= 0)
                ++cells[static_cast<std::size_t>(block[i])][cell[i] + std::size_t{1}];
        std::size_t total = 0;
        for (Cells& first : cells) {
            first[0] = total;
            for (std::size_t n = 0; n < kBlockNodes; ++n)
                first[n + 1] += first[n];
            total = first[kBlockNodes];
        }
        order.resize(total);
        std::vector<Cells> next = cells;
        for (std::size_t i = 0; i < block.size(); ++i)
            if (block[i] >= 0)
                order[next[static_cast<std::size_t>(block[i])][cell[i]]++] =
                    static_cast<uint32_t>(i);
    }
};

/// Particles cell by cell.
struct DisplacementField::Particles {
    struct Sample {
        float r[3], moved[3]; ///< place in the cell [cells], displacement [m]
    };
    std::vector<Places::Cells> cells;
    std::vector<Sample> samples;
};

int32_t DisplacementField::add(const BlockCoordinate& coordinate)
{
    const BlockCoordinate wrapped = period_.wrapped(coordinate);
    int32_t known = numbers_.find(wrapped);
    if (known < 0) {
        known = static_cast<int32_t>(blocks_.size());
        numbers_.insert(wrapped, known);
        blocks_.emplace_back().coordinate = wrapped;
    }
    return known;
}

DisplacementField::DisplacementField(std::span<const float> x, std::span<const float> moved,
                                     double cellSize, const sdk::world::Period& period,
                                     const ForRange& forRange)
    : cellSize_(cellSize), period_(period)
{
    Places places(x.size() / 3);
    places.find(x, cellSize_, 0, places.block.size(),
                [this](const BlockCoordinate& block) { return add(block); });
    places.sort(blocks_.size());
    Particles particles{std::move(places.cells), {}};
    particles.samples.reserve(places.order.size());
    for (const uint32_t i : places.order) {
        const std::array<float, 3>& r = places.r[i];
        const float* way = &moved[std::size_t{3} * i];
        particles.samples.push_back({{r[0], r[1], r[2]}, {way[0], way[1], way[2]}});
    }
    // Nodes around particles are in the next blocks too; points beside these in the blocks before.
    for (std::size_t block = 0, own = blocks_.size(); block < own; ++block)
        for (int n = 0; n < sdk::grid::kOffsets; ++n)
            add(sdk::grid::neighbourOf(blocks_[block].coordinate, n));
    forRange(blocks_.size(), 64, [&](uint64_t begin, uint64_t end) {
        for (uint64_t number = begin; number < end; ++number) {
            Block& block = blocks_[number];
            for (std::size_t n = 0; n < kCorners; ++n) {
                BlockCoordinate upper = block.coordinate, lower = block.coordinate;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    upper[axis] += upperOf(n, axis);
                    lower[axis] -= upperOf(n, axis);
                }
                block.upper[n] = numbers_.find(period_.wrapped(upper));
                block.lower[n] = numbers_.find(period_.wrapped(lower));
            }
            block.map.fill(kNone);
            forEachCellAround(block, particles, [&](const auto&, const auto& place) {
                for (std::size_t corner = 0; corner < kCorners; ++corner)
                    if (const int node = nodeAt(place, corner); node >= 0)
                        block.map[static_cast<std::size_t>(node)] = 0;
            });
        }
    });
    std::size_t total = 0;
    for (Block& block : blocks_) {
        block.first = total;
        uint8_t number = 0;
        for (uint8_t& map : block.map)
            if (map != kNone)
                map = number++;
        total += number;
    }
    maps_.resize(total);
    forRange(blocks_.size(), 16, [&](uint64_t begin, uint64_t end) {
        for (uint64_t number = begin; number < end; ++number)
            fit(blocks_[number], particles);
    });
}

template <class Body>
void DisplacementField::forEachCellAround(const Block& block, const Particles& particles,
                                          const Body& body) const
{
    for (std::size_t n = 0; n < kCorners; ++n) {
        const auto other = static_cast<std::size_t>(block.lower[n]);
        if (block.lower[n] < 0 || other >= particles.cells.size())
            continue;
        const Places::Cells& first = particles.cells[other];
        int from[3], end[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            from[axis] = upperOf(n, axis) ? -1 : 0;
            end[axis] = upperOf(n, axis) ? 0 : kBlockEdge;
        }
        std::array<int, 3> place;
        for (place[0] = from[0]; place[0] < end[0]; ++place[0])
            for (place[1] = from[1]; place[1] < end[1]; ++place[1])
                for (place[2] = from[2]; place[2] < end[2]; ++place[2]) {
                    const auto cell = static_cast<std::size_t>(
                        cellNumber(placeOf(place[0]), placeOf(place[1]), placeOf(place[2])));
                    if (first[cell] < first[cell + 1])
                        body(std::span(particles.samples)
                                 .subspan(first[cell], first[cell + 1] - first[cell]),
                             place);
                }
    }
}

void DisplacementField::fit(const Block& block, const Particles& particles)
{
    std::array<Moments, kBlockNodes> moments{};
    forEachCellAround(block, particles, [&](const auto& samples, const auto& place) {
        CellMoments cell(samples.front().moved);
        for (const Particles::Sample& sample : samples)
            cell.add(sample.r, sample.moved);
        for (std::size_t corner = 0; corner < kCorners; ++corner)
            if (const int node = nodeAt(place, corner); node >= 0)
                cell.addTo(moments[static_cast<std::size_t>(node)], corner);
    });
    for (std::size_t node = 0; node < kBlockNodes; ++node) {
        if (block.map[node] == kNone)
            continue;
        Map& map = maps_[block.first + block.map[node]];
        const double(&sums)[Moments::kTerms] = moments[node].sums;
        map.weight = static_cast<float>(sums[Moments::kWeight]);
        if (!(map.weight > 0)) // particles on the far faces of the cells around it weigh nothing
            continue;
        const double share = 1 / sums[Moments::kWeight];
        double centre[3], mean[3], spread[6], square = share * sums[Moments::kSquare];
        for (std::size_t a = 0; a < 3; ++a) {
            centre[a] = share * sums[Moments::kR + a];
            mean[a] = share * sums[Moments::kMoved + a];
            map.centre[a] = static_cast<float>(centre[a]);
            map.mean[a] = static_cast<float>(mean[a]);
            square -= mean[a] * mean[a];
        }
        for (std::size_t a = 0, n = 0; a < 3; ++a)
            for (std::size_t b = a; b < 3; ++b, ++n)
                spread[n] =
                    share * sums[Moments::kRR + n] - centre[a] * centre[b] + (a == b ? kThin : 0);
        invert(spread);
        const double inverse[3][3] = {{spread[0], spread[1], spread[2]},
                                      {spread[1], spread[3], spread[4]},
                                      {spread[2], spread[4], spread[5]}};
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b) {
                double gradient = 0;
                for (std::size_t c = 0; c < 3; ++c)
                    gradient += (share * sums[Moments::kMovedR + 3 * a + c] - mean[a] * centre[c]) *
                                inverse[c][b];
                map.gradient[a][b] = static_cast<float>(gradient);
            }
        map.reach = static_cast<float>(kReach * std::sqrt(std::max(square, 0.0)));
    }
}

void DisplacementField::find(std::span<const float> x, std::span<float> moved,
                             const ForRange& forRange) const
{
    Places places(x.size() / 3);
    forRange(places.block.size(), 4096, [&](uint64_t begin, uint64_t end) {
        places.find(x, cellSize_, begin, end, [this](const BlockCoordinate& block) {
            return numbers_.find(period_.wrapped(block));
        });
        std::fill(moved.begin() + static_cast<std::ptrdiff_t>(3 * begin),
                  moved.begin() + static_cast<std::ptrdiff_t>(3 * end),
                  std::numeric_limits<float>::quiet_NaN());
    });
    places.sort(blocks_.size());
    forRange(blocks_.size(), 16, [&](uint64_t begin, uint64_t end) {
        for (uint64_t block = begin; block < end; ++block) {
            const Places::Cells& first = places.cells[block];
            for (std::size_t cell = 0; cell < kBlockNodes; ++cell)
                if (first[cell] < first[cell + 1])
                    find(blocks_[block], cell, places,
                         std::span<const uint32_t>(places.order)
                             .subspan(first[cell], first[cell + 1] - first[cell]),
                         moved);
        }
    });
}

void DisplacementField::find(const Block& block, std::size_t cell, const Places& places,
                             std::span<const uint32_t> points, std::span<float> moved) const
{
    const std::array<int, 3> place = {static_cast<int>(cell) / 16, static_cast<int>(cell) / 4 % 4,
                                      static_cast<int>(cell) % 4};
    const Map* maps[kCorners];
    for (std::size_t corner = 0; corner < kCorners; ++corner) {
        std::size_t beyond = 0; // which of the next blocks the node is of
        int node[3];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            node[axis] = place[axis] + upperOf(corner, axis);
            if (node[axis] == kBlockEdge) {
                node[axis] = 0;
                beyond |= std::size_t{1} << axis;
            }
        }
        maps[corner] = nullptr;
        if (block.upper[beyond] < 0)
            continue;
        const Block& its = blocks_[static_cast<std::size_t>(block.upper[beyond])];
        const uint8_t number =
            its.map[static_cast<std::size_t>(cellNumber(node[0], node[1], node[2]))];
        if (number != kNone)
            maps[corner] = &maps_[its.first + number];
    }

    // Points side by side; the last one again where there are less.
    constexpr std::size_t kBatch = 8;
    for (std::size_t from = 0; from < points.size(); from += kBatch) {
        const std::size_t count = std::min(kBatch, points.size() - from);
        float r[3][kBatch], sum[3][kBatch] = {}, total[kBatch] = {};
        for (std::size_t n = 0; n < kBatch; ++n) {
            const std::array<float, 3>& in = places.r[points[from + std::min(n, count - 1)]];
            for (std::size_t axis = 0; axis < 3; ++axis)
                r[axis][n] = in[axis];
        }
        for (std::size_t corner = 0; corner < kCorners; ++corner) {
            if (maps[corner] == nullptr)
                continue;
            const Map map = *maps[corner];
            const auto upper = [corner](std::size_t axis) {
                return static_cast<float>(upperOf(corner, axis));
            };
            float weight[kBatch], away[3][kBatch], square[kBatch];
            for (std::size_t n = 0; n < kBatch; ++n) {
                float to[3];
                weight[n] = map.weight * map.weight;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    const float d = r[axis][n] - upper(axis);
                    weight[n] *= 1 - std::fabs(d);
                    to[axis] = d - map.centre[axis];
                }
                square[n] = 0;
                for (std::size_t a = 0; a < 3; ++a) {
                    away[a][n] = map.gradient[a][0] * to[0] + map.gradient[a][1] * to[1] +
                                 map.gradient[a][2] * to[2];
                    square[n] += away[a][n] * away[a][n];
                }
            }
            for (std::size_t n = 0; n < count; ++n) // few are
                if (square[n] > map.reach * map.reach)
                    for (std::size_t a = 0; a < 3; ++a)
                        away[a][n] *= map.reach / std::sqrt(square[n]);
            for (std::size_t n = 0; n < kBatch; ++n) {
                for (std::size_t a = 0; a < 3; ++a)
                    sum[a][n] += weight[n] * (map.mean[a] + away[a][n]);
                total[n] += weight[n];
            }
        }
        for (std::size_t n = 0; n < count; ++n)
            for (std::size_t axis = 0; axis < 3 && total[n] > 0; ++axis)
                moved[std::size_t{3} * points[from + n] + axis] = sum[axis][n] / total[n];
    }
}

} // namespace floe::particles
