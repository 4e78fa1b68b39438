#pragma once

#include "floe/data/particles.hpp"
#include "floe/render/scene.hpp"

#include <string>

namespace floe::view {

/// Returns whether particles are 3D Gaussians: they have attributes of floats `x` (3), `scale` (3),
/// `rotation` (4), `opacity` (1) and `sh` (3, 12, 27 or 48).
bool isGaussians(const ParticlesValue& particles);

/// Returns whether particles are drawn as Gaussians where they are coloured by `colourBy`: an
/// attribute of theirs by its name shows them as spheres in its colours.
bool drawnAsGaussians(const ParticlesValue& particles, const std::string& colourBy);

/// @param particles  Gaussians in host memory; must outlive the set
render::GaussianSet gaussianSet(const ParticlesValue& particles);

/// Returns the box of all but the outermost hundredth along each axis [m]: captures have a few far
/// away. Not a number where there are none.
render::Bounds boundsOf(const render::GaussianSet& set);

} // namespace floe::view
