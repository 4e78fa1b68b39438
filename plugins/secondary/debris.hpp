#pragma once

#include "spray.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace floe::secondary {

/// Diameters of chips: a power law as of fragments, N(larger than d) ~ d^-exponent (Turcotte 1986),
/// between two sizes.
struct ChipSizes {
    double smallest = 0.004, largest = 0.02; ///< [m], > 0
    double exponent = 2.5;

    double at(double draw) const; ///< that of a draw of 0 to 1
    double meanVolume() const;    ///< of balls of these diameters [m^3]
};

struct DebrisSettings {
    double share = 0.1; ///< of the volume that breaks in the open: what flies off as chips
    double start = 0.02, full = 0.5; ///< growth of the damage where a particle begins to break, and
                                     ///< where all of it has broken
    ChipSizes sizes;
    double burst = 1;           ///< largest random part of a chip's initial velocity [m/s]
    double spin = 10;           ///< the same of its angular velocity [rad/s]
    double lifetime = 10;       ///< [s]; each chip's lifetime is 0.5 to 1.5 times it
    double drag = 0.1;          ///< initial rate at which air slows a chip [1/s]
    double bounce = 0.3;        ///< share of the normal speed that is left by a collision
    double friction = 0.5;      ///< Coulomb's, of chips on what they strike
    Point gravity{0, -9.81, 0}; ///< [m/s^2]
    uint64_t seed = 0;
    uint64_t maximumCount = 1'000'000; ///< at this number no more are born
    sdk::world::Domain domain;         ///< its periodic faces
};

/// One chip. Trivially copyable: written to checkpoints as is.
struct Chip {
    Droplet flight;
    double size;           ///< diameter [m]
    double orientation[4]; ///< unit quaternion x, y, z, w
    double spin[3];        ///< angular velocity [rad/s]
};

/// How far a particle has broken. Trivially copyable.
struct Broken {
    uint64_t id;
    float first; ///< the damage that it came with
    float share; ///< of its volume that has broken so far, 0 to 1
};

/// What chips strike: pushes a ball out of it.
/// @return false: the ball ends there, so deep that no surface is known or beyond an open face
using Obstruct = std::function<bool(
    Point& at, double radius, const std::function<void(const Point& normal, const Point& way)>&)>;

/// Chips that fly off where a solid breaks, and fly, bounce and come to rest independently.
///
/// A particle breaks as its damage grows beyond what it came with, and never mends. Of the volume
/// that breaks in a step, a share flies off where it lies open: the expected number of chips is
/// that volume by the mean volume of a chip. Random numbers are a function of seed, particle id and
/// frame, so neither threads nor the order of particles matter. Chips start with the velocity of
/// their particle and a random part that leads out of the body, fly under gravity and linear drag,
/// and bounce with friction on obstacles and on the body itself.
class Debris {
public:
    using Tally = Spray::Tally;
    /// A body, with one number of damage and one volume [m^3] per particle.
    struct Solid : Body {
        std::span<const float> damage, volume;
    };

    /// Advances from `frame` - 1 to `frame`. Of the first call, nothing breaks.
    /// @param seconds  duration of this frame
    /// @param obstruct thread-safe; at the end of the frame
    Tally step(const Solid& body, const DebrisSettings& settings, int64_t frame, double seconds,
               const Obstruct& obstruct, const ForRange& forRange);

    const std::vector<Chip>& chips() const { return chips_; }
    const std::vector<Broken>& broken() const { return broken_; } ///< by id
    uint64_t bornSoFar() const { return born_; }
    double brokenVolume() const { return brokenVolume_; } ///< of the last step [m^3]
    void restore(std::vector<Chip> chips, std::vector<Broken> broken, uint64_t bornSoFar);

private:
    /// A particle of which something has just broken.
    struct Parent {
        std::size_t particle;
        double volume; ///< that broke [m^3]
    };
    std::vector<Parent> breakUp(const Solid& body, const DebrisSettings& settings);

    std::vector<Chip> chips_;
    std::vector<Broken> broken_;
    uint64_t born_ = 0; ///< total; the next chip's id
    double brokenVolume_ = 0;
};

/// What a collision leaves of a velocity, relative to what is struck [m/s].
/// @param normal  unit, out of what is struck
Point rebound(const Point& velocity, const Point& normal, double bounce, double friction);

} // namespace floe::secondary
