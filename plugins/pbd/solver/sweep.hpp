/// An order in which several threads may correct pairs of particles one after
/// the other.
#pragma once

#include "scene.hpp"

#include "neighbours/pairs.hpp"

#include <array>
#include <span>
#include <vector>

namespace floe::pbd {

/// Pairs by cells of eight colours. A pair lies in the cell of its lower corner
/// and reaches no further than the next one, so that two cells of one colour
/// share no particle: threads may take the cells of a colour at once, and the
/// result is that of one thread.
class SweepOrder {
public:
    static constexpr int kColours = 8;

    /// Puts pairs in order: by colour, cell, and as they were.
    /// @param x  of all particles [m]
    void sort(std::vector<Pair>& pairs, std::span<const Vec3d> x);

    std::size_t cells() const { return begin_.size() - 1; }
    /// Of all cells' pairs, and their end.
    std::size_t begin(std::size_t cell) const { return begin_[cell]; }
    /// The first cell of a colour; of kColours: the end.
    std::size_t colour(int number) const { return colour_[static_cast<std::size_t>(number)]; }

private:
    std::vector<std::size_t> begin_{0};
    std::array<std::size_t, kColours + 1> colour_{};
};

} // namespace floe::pbd
