#pragma once

#include "displacement_field.hpp"

#include "floe/sdk/world/domain.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::particles {

/// A particle that nothing acts on and that acts on nothing. Trivially copyable: written to
/// checkpoints as is.
struct Passive {
    float x[3];      ///< [m]
    float moved[3];  ///< in the last frame [m]
    uint64_t parent; ///< id of the simulated particle beside which it was made
    uint32_t number; ///< of those with this parent
    uint32_t isNew;  ///< 1: made in the last frame, `moved` is 0
};

/// Particles that make a simulation look full: several beside each simulated one, which go with the
/// motion of those around them.
class PassiveParticles {
public:
    struct Settings {
        uint32_t count = 8; ///< beside each simulated particle, 1 to 64
        uint64_t seed = 0;
        double cellSize = 0;       ///< [m]
        sdk::world::Domain domain; ///< its periodic faces
        /// Moves a point that may not be where it is. Thread-safe; empty: all may.
        std::function<void(Point&)> pushOut;
    };
    /// The simulated particles at the end of a frame. Borrowed.
    struct Simulated {
        std::span<const float> x;      ///< 3 each [m]
        std::span<const uint64_t> id;  ///< 1 each
        std::span<const float> volume; ///< 1 each [m^3]; empty: an eighth of a cell
    };
    struct Tally {
        uint64_t born = 0, ended = 0;
        uint64_t alone = 0; ///< with no simulated particles around, which went as their parents did
    };
    /// What a checkpoint holds.
    struct State {
        std::vector<Passive> passive;
        std::vector<uint64_t> id; ///< of the simulated particles, ascending
        std::vector<float> x;
    };

    /// Advances to the end of another frame. Passive particles of simulated ones that are gone end;
    /// new simulated ones get theirs.
    /// @throws std::invalid_argument  two particles have the same id
    Tally step(const Simulated& simulated, const Settings& settings, const ForRange& forRange);

    /// Sorted by parent and number.
    const std::vector<Passive>& passive() const { return state_.passive; }
    /// Index of each one's parent among the simulated particles of the last step.
    const std::vector<uint32_t>& parents() const { return parents_; }

    const State& state() const { return state_; }
    /// @throws std::invalid_argument  it is none that a step leaves
    void restore(State state);

private:
    State state_;
    std::vector<uint32_t> parents_;
};

} // namespace floe::particles
