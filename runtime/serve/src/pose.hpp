#pragma once

#include "floe/base/json.hpp"

#include <array>
#include <map>
#include <string>

namespace floe::serve {

using Vec3d = std::array<double, 3>;

/// Where a part of a body is that a device follows: a head, a hand, a finger.
struct Pose {
    Vec3d position{};                              ///< [m]
    std::array<double, 4> orientation{0, 0, 0, 1}; ///< unit quaternion x, y, z, w
};

inline constexpr std::size_t kMaxPoses = 64;     ///< of a message
inline constexpr std::size_t kMaxPoseName = 128; ///< [bytes]
inline constexpr double kMaxPosePlace = 1e6;     ///< of a coordinate [m]

/// Reads the member `poses` of pose.set.
/// @throws RpcError  it is not as the protocol says: which part, why
std::map<std::string, Pose> readPoses(const Json& poses);

/// Whether it is a vector of three numbers.
bool isConstantVector(const Json& value);

} // namespace floe::serve
