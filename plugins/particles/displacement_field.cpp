#include "displacement_field.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace floe::particles {

using sdk::grid::BlockCoordinate;
using sdk::grid::blockOf;
using sdk::grid::cellNumber;
using sdk::grid::kBlockEdge;
using sdk::grid::kBlockNodes;
using sdk::grid::placeOf;

namespace {

using Cell = std::array<int64_t, 3>;

/// In each direction of which a spread is less than this, no gradient is known [cells^2].
constexpr double kThin = 1e-5;
/// Maps do not go on farther than this many times the spread of the displacements they were fitted
/// to.
constexpr double kReach = 3;

/// Sums over particles around a node, with the weights of linear interpolation.
struct Moments {
    double weight = 0, square = 0; ///< square: of displacements
    double r[3] = {}, rr[6] = {};  ///< xx xy xz yy yz zz
    double moved[3] = {}, movedR[3][3] = {};

    void add(double w, const double (&at)[3], const float* displacement)
    {
        weight += w;
        for (int a = 0, n = 0; a < 3; ++a) {
            r[a] += w * at[a];
            for (int b = a; b < 3; ++b)
                rr[n++] += w * at[a] * at[b];
            const double d = displacement[a];
            moved[a] += w * d;
            square += w * d * d;
            for (int b = 0; b < 3; ++b)
                movedR[a][b] += w * d * at[b];
        }
    }
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

/// @return whether the point is in the world  @param r  its place in the cell
bool find(const Point& p, double cellSize, Cell& cell, Point& r)
{
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double at = p[axis] / cellSize, lower = std::floor(at);
        if (!(std::fabs(lower) < double{kBlockEdge} * sdk::grid::kMaxCoordinate))
            return false;
        cell[axis] = static_cast<int64_t>(lower);
        r[axis] = at - lower;
    }
    return true;
}

BlockCoordinate blockAt(const Cell& cell)
{
    return {static_cast<int32_t>(blockOf(cell[0])), static_cast<int32_t>(blockOf(cell[1])),
            static_cast<int32_t>(blockOf(cell[2]))};
}

} // namespace

/// Particles in the order of their blocks.
struct DisplacementField::Particles {
    std::span<const float> x, moved;
    std::vector<uint32_t> order;
    std::vector<std::size_t> first; ///< of each block, and one more
};

DisplacementField::DisplacementField(std::span<const float> x, std::span<const float> moved,
                                     double cellSize, const sdk::world::Period& period,
                                     const ForRange& forRange)
    : cellSize_(cellSize), period_(period)
{
    const auto number = [this](const BlockCoordinate& block) {
        const BlockCoordinate wrapped = period_.wrapped(block);
        int32_t known = numbers_.find(wrapped);
        if (known < 0) {
            known = static_cast<int32_t>(blocks_.size());
            numbers_.insert(wrapped, known);
            blocks_.push_back(wrapped);
        }
        return known;
    };
    const std::size_t count = x.size() / 3;
    std::vector<int32_t> home(count, -1);
    BlockCoordinate last{}; // particles come ordered by block
    int32_t lastNumber = -1;
    for (std::size_t i = 0; i < count; ++i) {
        Cell cell{};
        Point r{};
        if (!find({x[3 * i], x[3 * i + 1], x[3 * i + 2]}, cellSize_, cell, r))
            continue;
        const BlockCoordinate block = blockAt(cell);
        if (lastNumber < 0 || block != last) {
            last = block;
            lastNumber = number(block);
        }
        home[i] = lastNumber;
    }
    // A cell's upper nodes are in the next block where the cell is a block's last.
    for (std::size_t block = 0, own = blocks_.size(); block < own; ++block)
        for (int n = 1; n < 8; ++n) {
            const BlockCoordinate at = blocks_[block];
            number({at[0] + (n & 1), at[1] + (n >> 1 & 1), at[2] + (n >> 2)});
        }

    Particles particles{x, moved, std::vector<uint32_t>(count),
                        std::vector<std::size_t>(blocks_.size() + 1)};
    for (const int32_t block : home)
        if (block >= 0)
            ++particles.first[static_cast<std::size_t>(block) + 1];
    for (std::size_t block = 0; block < blocks_.size(); ++block)
        particles.first[block + 1] += particles.first[block];
    std::vector<std::size_t> next(particles.first.begin(), particles.first.end() - 1);
    for (std::size_t i = 0; i < count; ++i)
        if (home[i] >= 0)
            particles.order[next[static_cast<std::size_t>(home[i])]++] = static_cast<uint32_t>(i);

    nodes_.resize(blocks_.size());
    forRange(blocks_.size(), 16, [&](uint64_t begin, uint64_t end) {
        for (uint64_t block = begin; block < end; ++block) {
            uint64_t mask = 0;
            around(block, particles, [&](std::size_t, int node, const auto&, double) {
                mask |= uint64_t{1} << node;
            });
            nodes_[block].mask = mask;
        }
    });
    std::size_t total = 0;
    for (Nodes& nodes : nodes_) {
        nodes.first = total;
        total += static_cast<std::size_t>(std::popcount(nodes.mask));
    }
    maps_.resize(total);
    forRange(blocks_.size(), 16, [&](uint64_t begin, uint64_t end) {
        for (uint64_t block = begin; block < end; ++block)
            fit(block, particles);
    });
}

template <class Body>
void DisplacementField::around(std::size_t block, const Particles& particles,
                               const Body& body) const
{
    for (int n = 0; n < 8; ++n) {
        const int32_t lower[3] = {n & 1, n >> 1 & 1, n >> 2};
        const BlockCoordinate& at = blocks_[block];
        const int32_t other =
            numbers_.find(period_.wrapped({at[0] - lower[0], at[1] - lower[1], at[2] - lower[2]}));
        if (other < 0)
            continue;
        for (std::size_t k = particles.first[static_cast<std::size_t>(other)];
             k < particles.first[static_cast<std::size_t>(other) + 1]; ++k) {
            const std::size_t i = particles.order[k];
            Cell cell{};
            Point r{};
            find({particles.x[3 * i], particles.x[3 * i + 1], particles.x[3 * i + 2]}, cellSize_,
                 cell, r);
            int place[3];
            for (std::size_t axis = 0; axis < 3; ++axis)
                place[axis] = placeOf(cell[axis]) - kBlockEdge * lower[axis];
            if (std::min({place[0], place[1], place[2]}) < -1)
                continue;
            for (int corner = 0; corner < 8; ++corner) {
                double from[3], weight = 1;
                int node[3];
                bool own = true;
                for (int axis = 0; axis < 3; ++axis) {
                    const int upper = corner >> axis & 1;
                    node[axis] = place[axis] + upper;
                    own = own && node[axis] >= 0 && node[axis] < kBlockEdge;
                    from[axis] = r[static_cast<std::size_t>(axis)] - upper;
                    weight *= 1 - std::fabs(from[axis]);
                }
                if (own)
                    body(i, cellNumber(node[0], node[1], node[2]), from, weight);
            }
        }
    }
}

void DisplacementField::fit(std::size_t block, const Particles& particles)
{
    std::array<Moments, kBlockNodes> sums{};
    around(block, particles, [&](std::size_t i, int node, const double(&from)[3], double weight) {
        sums[static_cast<std::size_t>(node)].add(weight, from, &particles.moved[3 * i]);
    });
    std::size_t number = nodes_[block].first;
    for (std::size_t node = 0; node < kBlockNodes; ++node) {
        if (!(nodes_[block].mask >> node & 1))
            continue;
        Map& map = maps_[number++];
        const Moments& sum = sums[node];
        map.weight = static_cast<float>(sum.weight);
        if (!(map.weight > 0)) // particles on the far faces of the cells around it weigh nothing
            continue;
        const double share = 1 / sum.weight;
        double centre[3], mean[3], spread[6], square = share * sum.square;
        for (int a = 0; a < 3; ++a) {
            map.centre[a] = static_cast<float>(centre[a] = share * sum.r[a]);
            map.mean[a] = static_cast<float>(mean[a] = share * sum.moved[a]);
            square -= mean[a] * mean[a];
        }
        for (int a = 0, n = 0; a < 3; ++a)
            for (int b = a; b < 3; ++b, ++n)
                spread[n] = share * sum.rr[n] - centre[a] * centre[b] + (a == b ? kThin : 0);
        invert(spread);
        const double inverse[3][3] = {{spread[0], spread[1], spread[2]},
                                      {spread[1], spread[3], spread[4]},
                                      {spread[2], spread[4], spread[5]}};
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) {
                double gradient = 0;
                for (int c = 0; c < 3; ++c)
                    gradient += (share * sum.movedR[a][c] - mean[a] * centre[c]) * inverse[c][b];
                map.gradient[a][b] = static_cast<float>(gradient);
            }
        map.reach = static_cast<float>(kReach * std::sqrt(std::max(square, 0.0)));
    }
}

bool DisplacementField::at(const Point& p, Point& moved) const
{
    Cell cell{};
    Point r{};
    if (!find(p, cellSize_, cell, r))
        return false;
    Point sum{};
    double total = 0;
    BlockCoordinate last{};
    int32_t number = -1;
    bool known = false;
    for (int corner = 0; corner < 8; ++corner) {
        Cell node = cell;
        double from[3], weight = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int upper = corner >> axis & 1;
            node[axis] += upper;
            from[axis] = r[axis] - upper;
            weight *= 1 - std::fabs(from[axis]);
        }
        const BlockCoordinate block = blockAt(node);
        if (!known || block != last) {
            number = numbers_.find(period_.wrapped(block));
            last = block;
            known = true;
        }
        if (number < 0)
            continue;
        const Nodes& nodes = nodes_[static_cast<std::size_t>(number)];
        const uint64_t bit = uint64_t{1}
                             << cellNumber(placeOf(node[0]), placeOf(node[1]), placeOf(node[2]));
        if (!(nodes.mask & bit))
            continue;
        const Map& map =
            maps_[nodes.first + static_cast<std::size_t>(std::popcount(nodes.mask & (bit - 1)))];
        weight *= double{map.weight} * double{map.weight};
        if (!(weight > 0))
            continue;
        double away[3], length = 0;
        for (int a = 0; a < 3; ++a) {
            away[a] = 0;
            for (int b = 0; b < 3; ++b)
                away[a] += double{map.gradient[a][b]} * (from[b] - double{map.centre[b]});
            length += away[a] * away[a];
        }
        length = std::sqrt(length);
        const double scale = length > double{map.reach} ? double{map.reach} / length : 1;
        for (std::size_t a = 0; a < 3; ++a)
            sum[a] += weight * (double{map.mean[a]} + scale * away[a]);
        total += weight;
    }
    if (!(total > 0))
        return false;
    for (std::size_t axis = 0; axis < 3; ++axis)
        moved[axis] = sum[axis] / total;
    return true;
}

} // namespace floe::particles
