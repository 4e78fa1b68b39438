#pragma once

#include <array>

/// Rotations as people type them, angles [degrees] about x, then y, then z, and as quaternions
/// x, y, z, w of length 1.
namespace floe {

using Angles = std::array<double, 3>;
using UnitQuaternion = std::array<double, 4>;

UnitQuaternion orientationOf(const Angles& angles);

/// The rotation `first`, followed by `second`.
UnitQuaternion followedBy(const UnitQuaternion& first, const UnitQuaternion& second);

/// The angles that are an orientation: of all that are, those nearest to the ones before, so that
/// what goes straight from one to the other turns the short way.
Angles rotationNear(const UnitQuaternion& orientation, const Angles& before);

/// Where a rotation takes a vector.
std::array<double, 3> rotated(const UnitQuaternion& orientation, const std::array<double, 3>& v);

} // namespace floe
