/// Which particles of a solid still hang together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace floe::particles {

/// When two particles that were neighbours at rest no longer are.
///
/// Neighbours at rest are no further from each other than `radius`. Their bond is broken where
///     |x_i - x_j| > stretch * max(|X_i - X_j|, spacing), or
///     max(damage_i, damage_j) >= largestDamage,
/// with X at rest and x at the frame that is asked for. A bond of a particle that is gone by then
/// is broken. `spacing` keeps particles that lie close to each other by chance from counting as
/// torn.
struct BondRule {
    double radius = 0;     ///< [m], > 0
    double spacing = 0;    ///< of the particles at rest [m], > 0
    bool byStretch = true; ///< whether the first line counts
    double stretch = 1.5;  ///< > 1
    bool byDamage = false; ///< whether the second line counts
    double largestDamage = 1;
};

/// Particles of a solid, by ascending id.
struct Bonded {
    std::span<const float> rest;   ///< 3 a particle [m]
    std::span<const float> now;    ///< 3 a particle [m]; not finite: it is gone
    std::span<const float> damage; ///< one a particle; or empty
};

inline constexpr uint32_t kNoPiece = std::numeric_limits<uint32_t>::max();

/// What a solid is in pieces. A piece is numbered by its first particle: the order of the pieces
/// is that of their smallest ids.
struct Pieces {
    std::vector<uint32_t> first; ///< of each piece: its first particle, ascending
    std::vector<uint32_t> own;   ///< of each particle: the piece that it hangs on to; or kNoPiece
    std::vector<uint32_t> near;  ///< the same, of those in small pieces the nearest large one
    std::size_t small = 0;       ///< components that were too small to be a piece
};

/// Finds the components of the bonds that hold.
///
/// Components of fewer than `smallest` particles are no pieces. Each counts as near to the piece
/// that has the nearest particle at rest, from whichever of its own. The result depends on ids and
/// positions alone, on no order and no number of threads.
/// @param smallest  >= 1
/// @throws Failure  no component is large enough; so many neighbours that they cannot be meant
Pieces findPieces(const Bonded& particles, const BondRule& rule, std::size_t smallest);

} // namespace floe::particles
