#pragma once

#include "cell_field.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::secondary {

struct SpraySettings {
    double rate = 10; ///< droplets per second from a particle that meets all conditions fully
    double minimumSpeed = 1;   ///< slower particles shed no spray [m/s]
    double fullSpeed = 6;      ///< higher speeds add no more spray [m/s]
    double minimumStretch = 1; ///< the same for the rate at which volume grows [1/s]
    double fullStretch = 10;
    double spread = 0.2; ///< random part of a droplet's initial velocity, relative to the speed
    double lifetime = 2; ///< [s]; each droplet's lifetime is 0.5 to 1.5 times it
    double drag = 0.5;   ///< initial rate at which air slows a droplet [1/s]
    Point gravity{0, -9.81, 0}; ///< [m/s^2]
    uint64_t seed = 0;
    uint64_t maximumCount = 1'000'000; ///< at this number no more are born
    sdk::world::Domain domain;         ///< its periodic faces

    /// Share of droplets that become foam where they fall back into the body, and of air that it
    /// traps; 0: none, droplets end.
    double foam = 0;
    double foamLifetime = 4; ///< [s]; each lives 0.5 to 1.5 times as long
    double buoyancy = 2;     ///< acceleration of bubbles [gravity]
    double bubbleDrag = 10;  ///< rate at which bubbles take the liquid's velocity [1/s]
};

/// One droplet or grain. Trivially copyable: written to checkpoints as is.
struct Droplet {
    double x[3];
    double v[3];
    uint64_t id;
    float age, lifetime; ///< [s]
    enum class Kind : uint64_t { Spray, Foam, Bubble } kind = Kind::Spray;
};

/// The body that sheds droplets and takes them back.
struct Body {
    std::span<const float> x, v;  ///< 3 per particle [m], [m/s]
    std::span<const uint64_t> id; ///< 1 per particle
    double cellSize;              ///< cell size of its solver [m]
};

/// Droplets shed by a body of particles, which fly independently, and foam.
///
/// A particle sheds droplets where material is pulled apart, moves fast and lies open: the expected
/// number in a step is rate * time * the product of three clamped ramps, of stretching rate, speed
/// and openness (in the manner of Ihmsen et al. 2012, section 3). Random numbers are a function of
/// seed, particle id and frame, so neither threads nor the order of particles matter. Droplets fly
/// under gravity and linear drag, whose motion is integrated exactly, and end with their lifetime,
/// in an obstacle, or back in the body, where they may go on as foam (foam.hpp).
class Spray {
public:
    struct Tally {
        uint64_t born = 0, ended = 0, leftOut = 0; ///< leftOut: for lack of room
    };

    /// Advances from `frame` - 1 to `frame`.
    /// @param seconds   duration of this frame
    /// @param isBlocked whether a position is in an obstacle at the end of the frame; thread-safe
    Tally step(const Body& body, const SpraySettings& settings, int64_t frame, double seconds,
               const std::function<bool(const Point&)>& isBlocked, const ForRange& forRange);

    const std::vector<Droplet>& droplets() const { return droplets_; }
    uint64_t bornSoFar() const { return born_; }
    void restore(std::vector<Droplet> droplets, uint64_t bornSoFar);

private:
    std::vector<Droplet> droplets_;
    uint64_t born_ = 0; ///< total; the next droplet's id
};

/// Through the periodic faces of a domain.
void wrap(Droplet& droplet, const sdk::world::Domain& domain);

/// Moves a droplet by `seconds` of flight in air at rest: dv/dt = g - drag v.
void fly(Droplet& droplet, const Point& gravity, double drag, double seconds);

} // namespace floe::secondary
