#include "liquid_order.hpp"

#include <algorithm>
#include <cmath>

namespace floe::pbd {

namespace {

using sdk::parallel::Executor;

constexpr double kWider = 1.0002;  ///< cells than what particles see: rounding must not matter
constexpr std::size_t kBeyond = 8; ///< places that loops may read behind the last

struct Box {
    Vec3d low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};

    bool holds(const Vec3d& x, double margin) const
    {
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis)
            inside = inside && x[axis] > low[axis] - margin && x[axis] < high[axis] + margin;
        return inside;
    }
};

} // namespace

void LiquidOrder::clear()
{
    liquids_ = 0;
    particle_.clear();
}

void LiquidOrder::sort(const Scene& scene, double sight, Executor& executor)
{
    const Particles& particles = scene.particles;
    const std::size_t count = particles.size();
    clear();
    if (std::none_of(scene.materials.begin(), scene.materials.end(), [](const Material& material) {
            return material.kind == Material::Kind::liquid;
        }))
        return;
    Box box;
    float smallest = INFINITY, largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!scene.isLiquid(i))
            continue;
        ++liquids_;
        smallest = std::min(smallest, particles.radius[i]);
        largest = std::max(largest, particles.radius[i]);
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = std::min(box.low[axis], particles.x[i][axis]);
            box.high[axis] = std::max(box.high[axis], particles.x[i][axis]);
        }
    }
    if (liquids_ == 0)
        return;
    smallest_ = static_cast<float>(sight * double{smallest});
    largest_ = static_cast<float>(sight * double{largest});
    const double around = 2 * double{largest_};
    origin_ = box.low - Vec3d{around, around, around};
    const auto reachOf = [&](std::size_t i) {
        return static_cast<float>(sight * double{particles.radius[i]});
    };

    grid_ = {};
    for (std::size_t i = 0; i < count && smallest < largest; ++i)
        if (scene.isLiquid(i)) {
            Grid& grid = grid_[gridOf(reachOf(i))];
            grid.reach = std::max(grid.reach, reachOf(i));
        }
    if (smallest == largest)
        grid_[0].reach = largest_;
    const Vec3d extent = box.high - box.low + Vec3d{2 * around, 2 * around, 2 * around};
    constexpr std::int64_t kMost = std::int64_t{1} << kBits;
    for (std::size_t g = 0; g < kGrids; ++g) {
        Grid& grid = grid_[g];
        const float reach = g < kSizes ? grid.reach : smallest_;
        grid.edge = std::max({kWider * 2 * double{reach}, 1e-30,
                              std::max({extent.x, extent.y, extent.z}) / double(kMost - 8)});
        grid.nx = std::min(static_cast<std::int64_t>(extent.x / grid.edge) + 2, kMost);
        grid.ny = std::min(static_cast<std::int64_t>(extent.y / grid.edge) + 2, kMost);
        grid.nz = std::min(static_cast<std::int64_t>(extent.z / grid.edge) + 2, kMost);
    }

    std::vector<Keyed> items;
    items.reserve(liquids_);
    for (std::size_t i = 0; i < count; ++i) {
        if (!scene.isLiquid(i)) {
            const RestParticle* rest = scene.restOf(i);
            if ((rest && !rest->boundary) || !box.holds(particles.x[i], around))
                continue;
            items.push_back({kSizes, static_cast<std::uint32_t>(i)});
        } else {
            items.push_back(
                {smallest < largest ? gridOf(reachOf(i)) : 0, static_cast<std::uint32_t>(i)});
        }
    }
    executor.parallelFor(items.size(), 4096, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
            const auto g = static_cast<std::size_t>(items[k].key);
            const Grid& grid = grid_[g];
            const Vec3f x = toFloat(particles.x[items[k].value] - origin_);
            items[k].key = keyOf(g, grid, static_cast<std::int64_t>(double{x.x} / grid.edge),
                                 static_cast<std::int64_t>(double{x.y} / grid.edge),
                                 static_cast<std::int64_t>(double{x.z} / grid.edge));
        }
    });
    radixSort(items);

    const std::size_t places = items.size();
    particle_.resize(places);
    for (std::vector<float>* each : {&x_, &y_, &z_})
        each->resize(places + kBeyond);
    reach_.resize(smallest < largest ? places + kBeyond : 0);
    executor.parallelFor(places, 4096, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = from; k < to; ++k) {
            const std::uint32_t i = items[k].value;
            const Vec3f x = toFloat(particles.x[i] - origin_);
            particle_[k] = i;
            x_[k] = x.x;
            y_[k] = x.y;
            z_[k] = x.z;
            if (!reach_.empty())
                reach_[k] = reachOf(i);
        }
    });
    cells_.clear();
    for (std::size_t k = 0; k < places; ++k)
        if (k == 0 || items[k].key != items[k - 1].key)
            cells_.push_back({items[k].key, static_cast<std::uint32_t>(k)});
    cells_.push_back({~std::uint64_t{0}, static_cast<std::uint32_t>(places)});
    std::size_t at = 0;
    for (std::size_t g = 0; g < kGrids; ++g) {
        grid_[g].begin = at;
        while (cells_[at].key >> (3 * kBits) == g)
            ++at;
        grid_[g].end = at;
    }
}

std::size_t LiquidOrder::gridOf(float reach) const
{
    std::size_t grid = 0;
    while (grid + 1 < kSizes && reach > 1.5f * smallest_ * static_cast<float>(1 << grid))
        ++grid;
    return grid;
}

std::uint64_t LiquidOrder::keyOf(std::size_t grid, const Grid& of, std::int64_t x, std::int64_t y,
                                 std::int64_t z)
{
    return static_cast<std::uint64_t>(grid) << (3 * kBits) |
           static_cast<std::uint64_t>((z * of.ny + y) * of.nx + x);
}

LiquidOrder::Walk::Walk(const LiquidOrder& order, std::size_t place) : order_(order)
{
    const auto after = std::upper_bound(
        order.cells_.begin(), order.cells_.end(), place,
        [](std::size_t wanted, const Cell& cell) { return wanted < std::size_t{cell.begin}; });
    cell_ = static_cast<std::size_t>(after - order.cells_.begin()) - 1;
    look();
}

std::size_t LiquidOrder::Walk::end() const
{
    return order_.cells_[cell_ + 1].begin;
}

void LiquidOrder::Walk::next()
{
    if (++cell_ + 1 < order_.cells_.size())
        look();
}

/// Finds the runs around the cell. Those of the cell before began near by.
void LiquidOrder::Walk::look()
{
    runs_.clear();
    const std::vector<Cell>& cells = order_.cells_;
    constexpr std::uint64_t kMask = (std::uint64_t{1} << (3 * kBits)) - 1;
    const auto own = static_cast<std::size_t>(cells[cell_].key >> (3 * kBits));
    const Grid& ownGrid = order_.grid_[own];
    const auto key = static_cast<std::int64_t>(cells[cell_].key & kMask);
    const std::array<std::int64_t, 3> coordinate{key % ownGrid.nx, key / ownGrid.nx % ownGrid.ny,
                                                 key / ownGrid.nx / ownGrid.ny};
    std::size_t hint = 0;
    for (std::size_t g = 0; g < kGrids; ++g) {
        const Grid& grid = order_.grid_[g];
        if (grid.begin == grid.end || (own == kSizes && g == kSizes))
            continue;
        const double reach = own == kSizes ? 2 * double{grid.reach}
                             : g == kSizes ? 2 * double{ownGrid.reach}
                                           : double{ownGrid.reach} + double{grid.reach};
        std::array<std::int64_t, 3> from, to;
        const std::array<std::int64_t, 3> counts{grid.nx, grid.ny, grid.nz};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double low = static_cast<double>(coordinate[axis]) * ownGrid.edge;
            const double slack = 5e-5 * (grid.edge + ownGrid.edge) / 2;
            from[axis] = static_cast<std::int64_t>(
                std::max(std::floor((low - reach - slack) / grid.edge), 0.0));
            to[axis] = std::min(
                static_cast<std::int64_t>((low + ownGrid.edge + reach + slack) / grid.edge),
                counts[axis] - 1);
        }
        for (std::int64_t z = from[2]; z <= to[2]; ++z)
            for (std::int64_t y = from[1]; y <= to[1]; ++y) {
                const std::uint64_t first = keyOf(g, grid, from[0], y, z),
                                    last = keyOf(g, grid, to[0], y, z);
                if (hint == hints_.size())
                    hints_.push_back(grid.begin);
                std::size_t at = std::clamp(hints_[hint], grid.begin, grid.end);
                // Few steps suffice from a cell to the next; else it is searched for.
                constexpr int kSteps = 4;
                int steps = 0;
                while (at < grid.end && cells[at].key < first && ++steps <= kSteps)
                    ++at;
                if (steps > kSteps || (at > grid.begin && cells[at - 1].key >= first)) {
                    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(grid.begin),
                               end = cells.begin() + static_cast<std::ptrdiff_t>(grid.end);
                    at = static_cast<std::size_t>(
                        std::lower_bound(begin, end, first,
                                         [](const Cell& cell, std::uint64_t wanted) {
                                             return cell.key < wanted;
                                         }) -
                        cells.begin());
                }
                hints_[hint++] = at;
                std::size_t behind = at;
                while (behind < grid.end && cells[behind].key <= last)
                    ++behind;
                if (behind > at)
                    runs_.push_back({.begin = cells[at].begin,
                                     .end = cells[behind].begin,
                                     .own = own == kSizes ? 0.0f
                                            : g == kSizes ? 2.0f
                                                          : 1.0f,
                                     .other = own == kSizes ? 2.0f
                                              : g == kSizes ? 0.0f
                                                            : 1.0f});
            }
    }
}

} // namespace floe::pbd
