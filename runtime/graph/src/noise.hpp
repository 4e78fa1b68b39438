#pragma once

namespace floe::graph {

/// Gradient noise (Perlin 2002, "Improving Noise"): smooth, 0 at whole numbers, about -1 to 1.
/// The same on every machine.
double gradientNoise(double x, double y, double z);

/// A number from 0 to 1 that looks random but depends on n alone.
double randomOf(double n);

} // namespace floe::graph
