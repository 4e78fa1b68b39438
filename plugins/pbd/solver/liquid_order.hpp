/// Who takes part in a liquid's step, in an order in which neighbours lie close.
#pragma once

#include "liquid_kernels.hpp"
#include "scene.hpp"

#include "neighbours/radix_sort.hpp"

#include "floe/sdk/parallel/executor.hpp"

#include <array>
#include <vector>

namespace floe::pbd {

/// Particles of liquid, and after them the solid ones that may be near, sorted by cells as wide as
/// neighbours see, cells along x following one another: what may be near a cell lies in a few runs.
/// Liquids of unlike sizes have a grid for each power of two. A place in this order is a particle's
/// number in all arrays of a liquid. It depends on where particles are and on nothing before.
class LiquidOrder {
public:
    /// @param sight  two particles are neighbours nearer than this times the sum of their radii; a
    ///        solid one counts as large as the other
    void sort(const Scene& scene, double sight, sdk::parallel::Executor& executor);
    void clear();

    std::size_t size() const { return particle_.size(); }
    std::size_t liquids() const { return liquids_; } ///< which have the places before
    std::uint32_t particle(std::size_t place) const { return particle_[place]; }
    /// What coordinates are relative to [m].
    const Vec3d& origin() const { return origin_; }
    Vec3f at(std::size_t place) const { return {x_[place], y_[place], z_[place]}; }
    LiquidSight sight() const
    {
        return {.x = x_.data(),
                .y = y_.data(),
                .z = z_.data(),
                .reach = reach_.empty() ? nullptr : reach_.data(),
                .pair = 2 * largest_};
    }

    /// Looks for the runs around one cell after the other; each thread has its own.
    class Walk {
    public:
        /// Begins at the cell of a place.
        Walk(const LiquidOrder& order, std::size_t place);
        /// Where the next cell begins.
        std::size_t end() const;
        void next();
        const std::vector<LiquidRun>& runs() const { return runs_; }

    private:
        void look();

        const LiquidOrder& order_;
        std::size_t cell_;
        std::vector<LiquidRun> runs_;
        std::vector<std::size_t> hints_; ///< cells where the last runs began
    };

private:
    static constexpr std::size_t kSizes = 8, kGrids = kSizes + 1; ///< the last: solids
    static constexpr int kBits = 20;                              ///< of a cell's coordinate
    struct Cell {
        std::uint64_t key;
        std::uint32_t begin;
    };
    struct Grid {
        double edge = 1; ///< [m]
        float reach = 0; ///< largest in it [m]
        std::int64_t nx = 1, ny = 1, nz = 1;
        std::size_t begin = 0, end = 0; ///< its cells
    };
    std::size_t gridOf(float radius) const;
    static std::uint64_t keyOf(std::size_t grid, const Grid& of, std::int64_t x, std::int64_t y,
                               std::int64_t z);

    Vec3d origin_{0, 0, 0};
    float smallest_ = 0, largest_ = 0; ///< reaches of liquids [m]
    std::size_t liquids_ = 0;
    std::array<Grid, kGrids> grid_;
    std::vector<Cell> cells_; ///< and one behind the last
    std::vector<std::uint32_t> particle_;
    std::vector<float> x_, y_, z_; ///< from the origin, some more than places [m]
    std::vector<float> reach_;     ///< of places [m]; empty: all liquid has the same
};

} // namespace floe::pbd
