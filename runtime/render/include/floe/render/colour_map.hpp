#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace floe::render {

using Float3 = std::array<float, 3>;

/// Maps from a number in 0..1 to a colour. Viridis, plasma and inferno: Smith and van der Walt
/// 2015, perceptually uniform; turbo: Mikhailov 2019; coolwarm: Moreland 2009, diverging.
enum class ColourMap { Viridis, Plasma, Inferno, Turbo, Grey, CoolWarm, Ice };

/// @param t position in the map; clamped to 0..1, NaN counts as 0
/// @return linear RGB, 0..1
Float3 colourOf(ColourMap map, float t);

/// Returns the map of that lower-case name ("viridis", "coolwarm", ...), if there is one.
std::optional<ColourMap> colourMapNamed(std::string_view name);

/// Returns all names, in the order of the enumeration.
const std::vector<std::string_view>& colourMapNames();

/// sRGB transfer function of one channel, 0..1 (IEC 61966-2-1), and its inverse.
float linearToSrgb(float linear);
float srgbToLinear(float encoded);

} // namespace floe::render
