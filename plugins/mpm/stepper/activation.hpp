/// Inputs of activation strategies, and the look-ahead of moving colliders.
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

/// Input of a strategy: all blocks that hold particles, in a fixed order.
struct ActivationRequest {
    std::vector<std::int32_t> block;     ///< 3 per block
    std::vector<float> maxSpeed;         ///< [m/s]
    std::vector<float> restTime;         ///< [s]
    std::vector<std::uint8_t> pushKnown; ///< from the last step
    std::vector<float> pushSpeed;        ///< BlockMotion::pushSpeed [m/s]
    std::vector<float> soundSpeed;       ///< of the stiffest material at rest [m/s]
    std::vector<float> liquidShare;      ///< of its particles, 0 to 1
    /// For sleeping blocks: the occupied cells, bit 16 x + 4 y + z.
    std::vector<std::uint64_t> cells;
    std::vector<std::uint8_t> state; ///< BlockState now; the strategy writes passive or active
};

/// Speed of matter per cell, in the blocks with motion (records.h).
struct SpeedField {
    std::vector<std::int32_t> block; ///< 3 per block, ascending
    std::vector<float> speed;        ///< 64 per block, 16 x + 4 y + z [m/s]
};

ActivationRequest makeRequest(const BlockView& blocks);

/// Returns the interval between two checks for approaching colliders [s], the fastest at `fastest`
/// [m/s]: the time in which it comes a cell closer, and no step is longer. For one that crosses the
/// whole scene in a frame the reach grows instead, so that checks do not shorten steps.
double lookInterval(const SolverSettings& settings, double fastest);
/// Returns the distance from the nodes that matter feels within which to look for colliders [m],
/// when the next check is due in `window` [s]: their travel, and an allowance for inexact shapes.
/// Level sets hold exact distances only in a narrow band, commonly 1.5 cells; farther away only a
/// lower bound is known. A reach of up to 1.25 cells does not report everything beside a collider
/// as near.
double lookReach(const SolverSettings& settings, double fastest, double window);

/// Returns the colliders whose surface moves now.
Colliders movingOf(std::span<const std::shared_ptr<Collider>> colliders);

/// Returns the speed of the fastest point of any of them [m/s]; infinity: unknown.
double fastestOf(std::span<const std::shared_ptr<Collider>> colliders);

/// Raises the speed [m/s] of a block's cells at most `reach` [m] from a collider to its speed
/// there. Colliders at rest have no effect but take time.
void raiseToColliders(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                      const BlockCoordinate& block, double reach, CellSpeeds& speed);
/// Returns the maximum speed [m/s] of moving colliders at the nodes of a block's arena that are
/// inside them or at most `reach` [m] outside, and farther where colliders act on particles
/// directly. Stops early above `enough`.
float speedAtNodes(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                   const BlockCoordinate& block, double reach, const ArenaNodes& nodes,
                   float enough);
/// Returns the largest speed among some cells, one bit each.
float largestSpeed(const CellSpeeds& speed, std::uint64_t cells);

} // namespace floe::mpm
