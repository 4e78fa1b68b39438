#pragma once

#include "cell_field.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::secondary {

struct SpraySettings {
    double rate = 10;        ///< droplets a second from a particle that meets all conditions fully
    double minimumSpeed = 1; ///< no spray from slower particles [m/s]
    double fullSpeed = 6;    ///< faster ones spray no more for it [m/s]
    double minimumStretch = 1; ///< the same for the rate at which volume grows [1/s]
    double fullStretch = 10;
    double spread = 0.2; ///< random part of a droplet's first velocity, as a share of the speed
    double lifetime = 2; ///< [s]; each droplet's own lies between half and one and a half of it
    double drag = 0.5;   ///< share of the speed lost to the air per second, at first [1/s]
    Point gravity{0, -9.81, 0}; ///< [m/s^2]
    uint64_t seed = 0;
    uint64_t maximumCount = 1'000'000; ///< when there are as many, no more are born
};

/// One droplet or grain. Trivially copyable: it is written into checkpoints as it is.
struct Droplet {
    double x[3];
    double v[3];
    uint64_t id;
    float age, lifetime; ///< [s]
};

/// What the droplets come out of, and fall back into.
struct Body {
    std::span<const float> x, v;  ///< 3 a particle [m], [m/s]
    std::span<const uint64_t> id; ///< one a particle
    double cellSize;              ///< of its solver [m]
};

/// Droplets torn off a body of particles, flying by themselves.
///
/// A particle sheds droplets where material is pulled apart, moves fast and lies open: the number
/// expected in a step is rate * time * the product of three clamped ramps, of stretching rate,
/// speed and openness (in the manner of Ihmsen et al. 2012, section 3). Chance is a function of
/// seed, particle id and frame, so that neither threads nor the order of particles matter. They fly
/// under gravity and linear drag, whose motion is integrated exactly, and end with their lifetime,
/// in an obstacle, or back in the body.
class Spray {
public:
    struct Tally {
        uint64_t born = 0, ended = 0, leftOut = 0; ///< leftOut: for want of room
    };

    /// From `frame` - 1 to `frame`.
    /// @param seconds   of this frame
    /// @param isBlocked an obstacle is at this place at the end of the frame; asked from many
    ///                  threads
    Tally step(const Body& body, const SpraySettings& settings, int64_t frame, double seconds,
               const std::function<bool(const Point&)>& isBlocked, const ForRange& forRange);

    const std::vector<Droplet>& droplets() const { return droplets_; }
    uint64_t bornSoFar() const { return born_; }
    void restore(std::vector<Droplet> droplets, uint64_t bornSoFar);

private:
    std::vector<Droplet> droplets_;
    uint64_t born_ = 0; ///< in all; the next droplet's id
};

/// Moves a droplet on by `seconds` of flight in air at rest: dv/dt = g - drag v.
void fly(Droplet& droplet, const Point& gravity, double drag, double seconds);

} // namespace floe::secondary
