#pragma once

#include "views/orbit_camera.hpp"

#include "floe/base/json.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace floe::views {

/// Where keys take a place over the frames.
struct MotionPath {
    struct Spot {
        double frame = 1;
        Vec3 place{}; ///< world space [m]
    };

    std::string parameter;   ///< whose keys these are
    Vec3 offset{};           ///< from the parameter's value to its place [m]
    std::vector<Spot> spots; ///< from the first key to the last: frame by frame, of long ones fewer
    std::vector<Spot> keys;  ///< at each time at which a component has one, in order
};

/// Returns whether keys move a number of a stored value, and no expression does.
bool isKeyed(const Json& value, std::size_t width);

/// Returns the numbers that a stored value has at a frame; nothing: an expression moves one, or it
/// is no such value.
/// @param width  1 of a number, 3 of a vector
std::optional<Vec3> numbersAt(const Json& value, std::size_t width, double frame);

/// Returns a keyed value with keys at a frame. A component without keys gets those of the first one
/// that has some, as soon as it changes by more than `least`: so it stays as it was at these.
Json withKeysAt(const Json& value, double frame, std::span<const double> numbers, double least);

/// @param offset  as MotionPath::offset  @return nothing: it is not keyed
std::optional<MotionPath> pathOf(const std::string& parameter, const Json& value,
                                 const Vec3& offset);

} // namespace floe::views
