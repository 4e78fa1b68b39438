#pragma once

#include "spray.hpp"

namespace floe::secondary {

/// Moves foam or a bubble by one frame and says by its place what it is now (after Ihmsen et al.
/// 2012, section 4): foam lies on the surface and goes with the liquid; a bubble is inside, driven
/// up by buoyancy and along by the liquid; what the liquid has left is spray.
void drift(Droplet& droplet, const CellField& cells, const SpraySettings& settings, double seconds);

/// What a droplet that has fallen into the body becomes: foam or a bubble, or nothing. A function
/// of seed and droplet.
/// @return false: it ends
bool landed(Droplet& droplet, const CellField& cells, const SpraySettings& settings);

/// Share of the air that a particle traps: where liquid is driven together, fast and open.
double trappedAir(const CellField& cells, const Point& at, double speed,
                  const SpraySettings& settings);

/// How long foam lives that is born from a draw of 0 to 1 [s].
float foamLifetime(const SpraySettings& settings, double draw);

/// Returns 0 up to `low`, 1 from `high` on.
double ramp(double value, double low, double high);

} // namespace floe::secondary
