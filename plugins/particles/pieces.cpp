#include "pieces.hpp"

#include "floe/sdk/node.hpp"
#include "floe/sdk/physics/vec.hpp"
#include "floe/sdk/world/nearest_points.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

namespace floe::particles {

namespace {

using Vec = physics::Vec3<double>;
using physics::dot;
using sdk::world::NearestPoints;

constexpr double kMaxNeighbours = 500; // of a particle, on average: 5 spacings around it

Vec at(std::span<const float> x, std::size_t i)
{
    return {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
}

/// Sets that grow together, each known by its lowest member.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count) : parent_(count)
    {
        std::iota(parent_.begin(), parent_.end(), 0u);
    }
    uint32_t find(uint32_t i)
    {
        while (parent_[i] != i)
            i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void join(uint32_t a, uint32_t b)
    {
        a = find(a);
        b = find(b);
        parent_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<uint32_t> parent_;
};

/// Particles by the cells of a grid whose edge is the neighbour radius.
class Cells {
public:
    using Place = std::array<int64_t, 3>;

    Cells(std::span<const float> x, double edge)
    {
        sorted_.reserve(x.size() / 3);
        for (std::size_t i = 0; i < x.size() / 3; ++i) {
            Place place;
            for (std::size_t axis = 0; axis < 3; ++axis)
                place[axis] = static_cast<int64_t>(std::floor(x[3 * i + axis] / edge));
            sorted_.emplace_back(place, static_cast<uint32_t>(i));
        }
        std::ranges::sort(sorted_);
    }

    /// Calls work(i, j) once for any two particles of the same cell or of neighbouring ones.
    template <class Work>
    void pairs(const Work& work) const
    {
        for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
            const Place place = sorted_[begin].first;
            end = endOf(begin);
            for (std::size_t i = begin; i < end; ++i)
                for (std::size_t j = i + 1; j < end; ++j)
                    work(sorted_[i].second, sorted_[j].second);
            for (int n = 14; n < 27; ++n) { // those that come later; z fastest
                const Place other = {place[0] + n / 9 - 1, place[1] + n / 3 % 3 - 1,
                                     place[2] + n % 3 - 1};
                const auto found = std::ranges::lower_bound(sorted_, std::pair(other, 0u));
                if (found == sorted_.end() || found->first != other)
                    continue;
                const auto first = static_cast<std::size_t>(found - sorted_.begin());
                const std::size_t last = endOf(first);
                for (std::size_t i = begin; i < end; ++i)
                    for (std::size_t j = first; j < last; ++j)
                        work(sorted_[i].second, sorted_[j].second);
            }
        }
    }

    /// Particles that pairs() looks at for one, on average.
    double perParticle() const
    {
        double sum = 0;
        for (std::size_t begin = 0, end = 0; begin < sorted_.size(); begin = end) {
            end = endOf(begin);
            sum += static_cast<double>(end - begin) * static_cast<double>(end - begin);
        }
        constexpr double kBall = 4.19; // of the volume of a cell
        return sorted_.empty() ? 0 : kBall * sum / static_cast<double>(sorted_.size());
    }

private:
    std::size_t endOf(std::size_t begin) const
    {
        std::size_t end = begin + 1;
        while (end < sorted_.size() && sorted_[end].first == sorted_[begin].first)
            ++end;
        return end;
    }

    std::vector<std::pair<Place, uint32_t>> sorted_;
};

bool isFinite(const Vec& x)
{
    return std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z);
}

/// See BondRule.
bool holds(const Bonded& particles, const BondRule& rule, uint32_t i, uint32_t j)
{
    const Vec apart = at(particles.rest, i) - at(particles.rest, j);
    const double atRest = dot(apart, apart);
    if (atRest > rule.radius * rule.radius)
        return false;
    const Vec now = at(particles.now, i) - at(particles.now, j);
    if (!isFinite(now))
        return false;
    if (rule.byDamage && std::max(particles.damage[i], particles.damage[j]) >= rule.largestDamage)
        return false;
    const double reach = rule.stretch * std::max(std::sqrt(atRest), rule.spacing);
    return !rule.byStretch || dot(now, now) <= reach * reach;
}

/// Gives every small component the piece of the nearest particle at rest that belongs to one.
void joinNearest(std::span<const float> rest, const std::vector<uint32_t>& component,
                 Pieces& pieces)
{
    std::vector<NearestPoints::Point> large;
    std::vector<uint32_t> pieceOf;
    for (std::size_t i = 0; i < pieces.own.size(); ++i)
        if (pieces.own[i] != kNoPiece) {
            large.push_back({rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]});
            pieceOf.push_back(pieces.own[i]);
        }
    const NearestPoints tree(std::move(large));
    struct Nearest {
        double distance2 = std::numeric_limits<double>::infinity();
        uint32_t piece = kNoPiece;
    };
    std::vector<Nearest> nearest(component.size()); // by the first particle of a component
    std::vector<NearestPoints::Found> found;
    for (std::size_t i = 0; i < component.size(); ++i)
        if (pieces.own[i] == kNoPiece) {
            tree.find({rest[3 * i], rest[3 * i + 1], rest[3 * i + 2]}, 1, found);
            Nearest& best = nearest[component[i]];
            if (found.front().distance2 < best.distance2)
                best = {found.front().distance2, pieceOf[found.front().point]};
        }
    for (std::size_t i = 0; i < component.size(); ++i)
        if (pieces.own[i] == kNoPiece)
            pieces.near[i] = nearest[component[i]].piece;
}

} // namespace

Pieces findPieces(const Bonded& particles, const BondRule& rule, std::size_t smallest)
{
    const std::size_t count = particles.rest.size() / 3;
    const Cells cells(particles.rest, rule.radius);
    if (const double neighbours = cells.perParticle(); neighbours > kMaxNeighbours)
        throw sdk::Failure("'neighbourRadius' of " + std::to_string(rule.radius) +
                               " m gives a particle some " +
                               std::to_string(static_cast<uint64_t>(neighbours)) +
                               " neighbours; 2 spacings of the particles are enough: " +
                               std::to_string(2 * rule.spacing) + " m",
                           FLOE_BAD_ARGUMENT);
    DisjointSets sets(count);
    cells.pairs([&](uint32_t i, uint32_t j) {
        if (sets.find(i) != sets.find(j) && holds(particles, rule, i, j))
            sets.join(i, j);
    });

    std::vector<uint32_t> component(count), size(count, 0);
    for (std::size_t i = 0; i < count; ++i) {
        component[i] = sets.find(static_cast<uint32_t>(i));
        ++size[component[i]];
    }
    Pieces pieces;
    std::vector<uint32_t> number(count, kNoPiece);
    for (std::size_t i = 0; i < count; ++i) {
        if (size[i] == 0)
            continue; // not the first of its component
        if (size[i] < smallest) {
            ++pieces.small;
            continue;
        }
        number[i] = static_cast<uint32_t>(pieces.first.size());
        pieces.first.push_back(static_cast<uint32_t>(i));
    }
    if (pieces.first.empty())
        throw sdk::Failure("no piece has " + std::to_string(smallest) +
                               " particles: the largest has " +
                               std::to_string(*std::ranges::max_element(size)) +
                               "; let bonds hold longer, or make 'smallest' smaller",
                           FLOE_BAD_ARGUMENT);
    pieces.own.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        pieces.own[i] = number[component[i]];
    pieces.near = pieces.own;
    if (pieces.small > 0)
        joinNearest(particles.rest, component, pieces);
    return pieces;
}

} // namespace floe::particles
