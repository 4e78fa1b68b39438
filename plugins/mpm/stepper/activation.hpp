/// What activation strategies are asked, and how far ahead moving colliders are looked for.
#pragma once

#include "block_view.hpp"
#include "settings.hpp"
#include "surroundings.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace floe::mpm {

/// What an activation strategy is asked about: all blocks that hold particles, in a fixed order.
struct ActivationRequest {
    std::vector<std::int32_t> block;     ///< 3 each
    std::vector<float> maxSpeed;         ///< [m/s]
    std::vector<float> restTime;         ///< [s]
    std::vector<std::uint8_t> pushKnown; ///< of the last step
    std::vector<float> pushSpeed;        ///< BlockMotion::pushSpeed [m/s]
    std::vector<float> soundSpeed;       ///< of the stiffest material at rest [m/s]
    std::vector<float> liquidShare;      ///< of its particles, 0 to 1
    /// Of sleeping blocks: the cells that hold particles, bit 16 x + 4 y + z.
    std::vector<std::uint64_t> cells;
    std::vector<std::uint8_t> state; ///< BlockState now; the strategy writes passive or active
};

/// How fast matter is, cell by cell, in the blocks where anything moves (records.h).
struct SpeedField {
    std::vector<std::int32_t> block; ///< 3 each, ascending
    std::vector<float> speed;        ///< 64 each, 16 x + 4 y + z [m/s]
};

ActivationRequest makeRequest(const BlockView& blocks);

/// How often moving colliders are looked ahead of [s], the fastest of them at `fastest` [m/s]: it
/// has come a cell closer by then, and no step is longer. One that crosses the whole scene in a
/// frame is looked ahead of farther instead, so that the looks alone do not make the steps
/// endlessly short.
double lookInterval(const SolverSettings& settings, double fastest);
/// How far they are looked ahead of [m], from the nodes that matter feels, when the next look is
/// due in `window` [s]: what they travel, and a little for what their shapes are not exact. Level
/// sets say how far away they are only near by, commonly for a cell and a half; beyond that all
/// that is known is that it is farther. A look that goes no farther than a cell and a quarter need
/// not take everything beside a collider for near.
double lookReach(const SolverSettings& settings, double fastest, double window);

/// Those whose surface moves now.
Colliders movingOf(std::span<const std::shared_ptr<Collider>> colliders);

/// The fastest point of any of them [m/s]; infinity: not known.
double fastestOf(std::span<const std::shared_ptr<Collider>> colliders);

/// Raises speeds [m/s] of a block's cells that are at most `reach` [m] away from a collider to its
/// speed there. Resting colliders only take time.
void raiseToColliders(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                      const BlockCoordinate& block, double reach, CellSpeeds& speed);
/// The speed [m/s] of colliders that move, at those nodes of a block's arena that are in them or at
/// most `reach` [m] outside, and farther where they touch particles themselves. What is faster than
/// `enough` is not looked for on.
float speedAtNodes(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                   const BlockCoordinate& block, double reach, const ArenaNodes& nodes,
                   float enough);
/// The largest of the speeds of some cells, a bit each.
float largestSpeed(const CellSpeeds& speed, std::uint64_t cells);

} // namespace floe::mpm
