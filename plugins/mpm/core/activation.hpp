/// Deciding which blocks are worth computing. Strategies are interchangeable: each reads what the
/// solver knows about its blocks and writes active or passive for each.
#pragma once

#include "solver.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>

namespace floe::mpm {

class Activation {
public:
    virtual ~Activation() = default;
    /// Writes request.state: passive (0) or active (1) for every block; on entry it is the present
    /// state.
    virtual void evaluate(ActivationRequest& request) const = 0;
};

/// A block sleeps when its particles have been slower than a threshold (SolverSettings::restSpeed)
/// for a while, and wakes when active neighbours move its nodes faster than that.
class SpeedThreshold final : public Activation {
public:
    SpeedThreshold(float speed, float delay) : speed_(speed), delay_(delay) {}

    void evaluate(ActivationRequest& request) const override
    {
        for (std::size_t i = 0; i < request.state.size(); ++i) {
            const bool active = request.state[i] == static_cast<std::uint8_t>(BlockState::active);
            const bool awake = active ? request.restTime[i] < delay_
                                      : request.pushKnown[i] && request.pushSpeed[i] > speed_;
            request.state[i] =
                static_cast<std::uint8_t>(awake ? BlockState::active : BlockState::passive);
        }
    }

private:
    float speed_, delay_;
};

/// How often moving colliders are looked ahead of [s], the fastest of them at `fastest` [m/s]: it
/// has come a cell closer by then, and no step is longer. One that crosses the whole scene in a
/// frame is looked ahead of farther instead, lest the looks alone make the steps endlessly short.
inline double lookInterval(const SolverSettings& settings, double fastest)
{
    return std::isfinite(fastest)
               ? std::clamp(settings.cellSize / fastest,
                            std::min(16 * settings.shortestStep, settings.longestStep),
                            settings.longestStep)
               : 0;
}
/// How far they are looked ahead of [m], from the nodes that matter feels, when the next look is
/// due in `window` [s]: what they travel, and a little for what their shapes are not exact. Level
/// sets say how far away they are only near by, commonly for a cell and a half; beyond that all
/// that is known is that it is farther. A look that goes no farther than a cell and a quarter need
/// not take everything beside a collider for near.
inline double lookReach(const SolverSettings& settings, double fastest, double window)
{
    return 0.25 * settings.cellSize +
           (std::isfinite(fastest) ? fastest * window : settings.cellSize);
}

/// Those whose surface moves now.
std::vector<std::shared_ptr<Collider>>
movingOf(std::span<const std::shared_ptr<Collider>> colliders);

/// The fastest point of any of them [m/s]; infinity: not known.
double fastestOf(std::span<const std::shared_ptr<Collider>> colliders);

/// Raises speeds [m/s] of a block's cells (SpeedField) that are at most `reach` [m] away from a
/// collider to its speed there. Resting colliders only take time.
void raiseToColliders(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                      const BlockCoordinate& block, double reach,
                      std::array<float, kBlockNodes>& speed);
/// Nodes of a block's arena, 64 (x + 1) + 8 (y + 1) + z + 1 from its first.
using ArenaSet = std::bitset<kArenaNodes>;
/// The speed [m/s] of colliders that move, at those nodes of a block's arena that are in them or at
/// most `reach` [m] outside, and farther where they touch particles themselves. What is faster than
/// `enough` is not looked for on.
float speedAtNodes(std::span<const std::shared_ptr<Collider>> colliders, double cellSize,
                   const BlockCoordinate& block, double reach, const ArenaSet& nodes, float enough);
/// The largest of the speeds of some cells; bit 16 x + 4 y + z of `cells` is one of them.
float largestSpeed(const std::array<float, kBlockNodes>& speed, std::uint64_t cells);

/// At rest [m/s].
float soundSpeed(const SolverMaterial& material);

} // namespace floe::mpm
